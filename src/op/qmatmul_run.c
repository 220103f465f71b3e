#include <string.h>

#include "base/parallel.h"
#include "base/util.h"
#include "op/qmatmul_plan.h"

/* Values of K packed of each panel in turn; rows from which on the narrow tile makes up for its
 * proof. */
enum { PACK_PANELS = QMATMUL_PACK_PANELS, PACK_DEPTH = 64, NARROW_LEAST = 32 };

static uint64_t block_length(const struct qmatmul_plan *p, uint64_t block)
{
    return u64_min(p->k - block * p->k_block, p->k_block);
}

/* Where a panel is packed: in the worker's ring, or among all. */
static char *panel_at(const struct product *x, const struct worker *w, uint64_t block,
                      uint64_t panel)
{
    const struct qmatmul_plan *p = x->plan;

    return (p->ring ? w->ring : x->packed->panels) +
           (block * p->panels + (panel & p->panel_mask)) * p->panel_bytes;
}

/* Prefetches the rows of B that are packed next: they lie further apart than processors prefetch by
 * themselves. */
static void prefetch_b(const struct product *x, uint64_t at, uint64_t column, uint64_t columns)
{
    const struct qmatmul_plan *p = x->plan;
    uint64_t last = u64_min(at + PACK_DEPTH, p->k);

    if (p->b.column != 1)
        return;
    for (; at < last; at++)
        for (uint64_t j = 0; j < columns; j += CACHE_LINE)
            __builtin_prefetch(x->b + (int64_t)at * p->b.row + (int64_t)(column + j));
}

/* Columns of B from a panel's first and a value of K on. */
static struct qmm_source columns_of(const struct product *x, uint64_t panel, uint64_t at)
{
    const struct qmatmul_plan *p = x->plan;

    return (struct qmm_source){ x->b + (int64_t)(panel * p->kernel->nr) * p->b.column +
                                    (int64_t)at * p->b.row,
                                (ptrdiff_t)p->b.column, (ptrdiff_t)p->b.row, p->b.is_signed };
}

static size_t lanes_of(const struct qmatmul_plan *p, uint64_t panel)
{
    return (size_t)u64_min(p->kernel->nr, p->n - panel * p->kernel->nr);
}

/* Decides which tile some panels are for. */
static void choose_tiles(const struct product *x, uint64_t first, uint64_t last)
{
    for (uint64_t panel = first; panel < last; panel++) {
        struct qmm_source src = columns_of(x, panel, 0);

        x->packed->narrow[panel] =
            x->narrow && x->plan->kernel->narrow->fits(&src, lanes_of(x->plan, panel),
                                                       (size_t)x->plan->k, x->small_a);
    }
}

/* Packs `length` values of K of a panel. */
static void pack_panel(const struct product *x, const struct worker *w, uint64_t panel, uint64_t at,
                       uint64_t length)
{
    const struct qmatmul_plan *p = x->plan;
    uint64_t nr = p->kernel->nr, block = at / p->k_block, within = at % p->k_block;
    struct qmm_source src = columns_of(x, panel, at);
    char *to = panel_at(x, w, block, panel);
    int64_t *sums = x->packed->sums + panel * nr;

    if (x->packed->narrow[panel])
        p->kernel->narrow->pack_b(to + within * nr, &src, lanes_of(p, panel), (size_t)length, sums);
    else
        p->kernel->pack_b(to + within * nr * qmm_elem_size(p->kernel->b_elem), &src,
                          lanes_of(p, panel), (size_t)length, sums);
}

/* Packs PACK_PANELS panels, or those that are left, over all of K; w: whose ring they go through,
 * if any. */
static void pack_panels(const struct product *x, const struct worker *w, uint64_t first)
{
    const struct qmatmul_plan *p = x->plan;
    uint64_t nr = p->kernel->nr, last = u64_min(first + PACK_PANELS, p->panels);
    uint32_t a_zero = (uint32_t)(qmatmul_zero_at(&p->a_zero, &p->a, 0) +
                                 qmm_shift(p->kernel->a_elem, p->a.is_signed));

    memset(x->packed->sums + first * nr, 0, (last - first) * nr * sizeof x->packed->sums[0]);
    for (uint64_t at = 0, length; at < p->k; at += length) {
        length = u64_min(u64_min(PACK_DEPTH, p->k - at), p->k_block - at % p->k_block);
        prefetch_b(x, at + length, first * nr, u64_min((last - first) * nr, p->n - first * nr));
        for (uint64_t panel = first; panel < last; panel++)
            pack_panel(x, w, panel, at, length);
    }
    for (uint64_t i = first * nr; i < last * nr; i++) {
        x->packed->low_sums[i] = (uint32_t)x->packed->sums[i];
        x->packed->bias[i] = x->packed->low_sums[i] * a_zero;
    }
}

static void pack_b_chunk(void *context, size_t chunk, int thread)
{
    const struct product *x = context;

    choose_tiles(x, chunk * PACK_PANELS, u64_min((chunk + 1) * PACK_PANELS, x->plan->panels));
    pack_panels(x, &x->plan->workers[thread], chunk * PACK_PANELS);
}

static struct tiles tiles_of(const struct product *x, uint64_t first, uint64_t last)
{
    struct tiles t = { false, false };

    if (x->pack_in_chunks)
        choose_tiles(x, first, last);
    for (uint64_t panel = first; panel < last; panel++) {
        t.narrow = t.narrow || x->packed->narrow[panel];
        t.wide = t.wide || !x->packed->narrow[panel];
    }
    return t;
}

/* Packs block `block` of the chunk's rows for these tiles; the sums grow. */
static void pack_a(const struct product *x, const struct worker *w, uint64_t row, uint64_t rows,
                   uint64_t block, struct tiles tiles)
{
    const struct qmatmul_plan *p = x->plan;
    uint64_t mr = p->kernel->mr;
    size_t length = (size_t)block_length(p, block);

    for (uint64_t i = 0; i < rows; i += mr) {
        struct qmm_source src = { x->a + (int64_t)(row + i) * p->a.row +
                                      (int64_t)(block * p->k_block) * p->a.column,
                                  (ptrdiff_t)p->a.row, (ptrdiff_t)p->a.column, p->a.is_signed };
        size_t lanes = (size_t)u64_min(mr, rows - i);

        if (tiles.wide)
            p->kernel->pack_a(w->a + i * p->k_block * qmm_elem_size(p->kernel->a_elem), &src, lanes,
                              length, w->a_sums + i);
        if (tiles.narrow)
            p->kernel->narrow->pack_a(w->narrow_a + i * qmatmul_narrow_depth(p), &src, lanes,
                                      length, (tiles.wide ? w->spare_sums : w->a_sums) + i);
    }
}

/* One block of K, and its steps in the tiles. */
struct k_block {
    uint64_t number;
    size_t steps, narrow_steps;
};

static struct k_block block_at(const struct qmatmul_plan *p, uint64_t number)
{
    const struct qmm_kernel *kn = p->kernel;
    size_t length = (size_t)block_length(p, number);

    return (struct k_block){ number, (size_t)u64_ceil_div(length, kn->kr),
                           kn->narrow ? (size_t)u64_ceil_div(length, kn->narrow->kr) : 0 };
}

/* The sums of the chunk's rows from i on and panels first..last-1, in one block of K, to acc or
 * added to it. */
static void multiply(const struct product *x, const struct worker *w, const struct k_block *block,
                     uint64_t i, uint64_t first, uint64_t last, int32_t *acc, size_t step, bool add)
{
    const struct qmatmul_plan *p = x->plan;
    const struct qmm_kernel *kn = p->kernel;
    const char *a = w->a + i * p->a_bytes, *narrow_a = w->narrow_a,
               *b = panel_at(x, w, block->number, first);
    const bool *narrow = x->packed->narrow;

    if (narrow_a)
        narrow_a += i * qmatmul_narrow_depth(p);
    for (; first < last; first++, b += p->panel_bytes, acc += kn->nr)
        if (narrow[first])
            kn->narrow->tile(block->narrow_steps, narrow_a, b, acc, step, add);
        else
            kn->tile(block->steps, a, b, acc, step, add);
}

/* Has the chunk's rows packed, with K in one block, and w->rows filled: they may be from the chunk
 * before. */
static void pack_a_once(const struct product *x, struct worker *w, uint64_t row, uint64_t rows,
                        struct tiles tiles)
{
    if (w->packed_a == x->a && w->packed_row == row && (w->packed_for.wide || !tiles.wide) &&
        (w->packed_for.narrow || !tiles.narrow))
        return;
    memset(w->a_sums, 0, x->plan->rows_per_chunk * sizeof w->a_sums[0]);
    pack_a(x, w, row, rows, 0, tiles);
    qmatmul_fill_rows(x->plan, w, row, rows);
    w->packed_a = x->a;
    w->packed_row = row;
    w->packed_for = tiles;
}

/* Prefetches the outputs of some rows, which are written soon. */
static void prefetch_outputs(const struct product *x, uint64_t row, const struct qmm_sums *sums,
                             uint64_t column)
{
    const struct qmatmul_plan *p = x->plan;
    const char *at = x->c + (int64_t)row * p->c.row + (int64_t)column;
    uint64_t columns = u64_min(sums->columns, p->n - column);

    if (p->c.column != 1)
        return;
    for (size_t i = 0; i < sums->rows; i++, at += p->c.row)
        for (uint64_t j = 0; j < columns; j += CACHE_LINE)
            __builtin_prefetch(at + j, 1);
}

/* Outputs of the chunk's rows from i on and whole panels first..last-1, at once. */
static void multiply_fused(const struct product *x, const struct worker *w,
                           const struct k_block *block, uint64_t row, uint64_t i, size_t rows,
                           uint64_t first, uint64_t last)
{
    const struct qmatmul_plan *p = x->plan;
    const struct qmm_kernel *kn = p->kernel;
    const char *b = panel_at(x, w, 0, first);

    for (; first < last; first++, b += p->panel_bytes) {
        struct qmm_columns columns = qmatmul_columns_at(x, first * kn->nr);

        kn->fused((uint8_t *)x->c + (int64_t)(row + i) * p->c.row + (int64_t)(first * kn->nr),
                  (ptrdiff_t)p->c.row, block->steps, w->a + i * p->a_bytes, b, rows, &w->rows[i],
                  &columns);
    }
}

/* Rows and panels of one chunk, all of K at once. */
static void run_block(const struct product *x, struct worker *w, uint64_t row, uint64_t rows,
                      uint64_t first, uint64_t last)
{
    const struct qmatmul_plan *p = x->plan;
    const struct qmm_kernel *kn = p->kernel;
    struct qmm_sums sums = { .at = w->sums, .step = (size_t)p->panels_at_once * kn->nr };
    struct k_block block = block_at(p, 0);
    uint64_t packed = x->pack_in_chunks ? first : last; /* panels before this one are */

    pack_a_once(x, w, row, rows, tiles_of(x, first, last));
    for (uint64_t next, rest; first < last; first = next) {
        next = u64_min(first + p->panels_at_once, last);
        rest = p->fused ? u64_max(first, u64_min(next, p->n / kn->nr)) : first;
        sums.columns = (size_t)(next - rest) * kn->nr;
        for (; packed < next; packed += PACK_PANELS)
            pack_panels(x, w, packed);
        for (uint64_t i = 0; i < rows; i += p->rows_at_once) {
            sums.rows = (size_t)u64_min(rows - i, p->rows_at_once);
            prefetch_outputs(x, row + i, &sums, first * kn->nr);
            for (uint64_t j = 0; j < sums.rows; j += kn->mr) {
                multiply_fused(x, w, &block, row, i + j, (size_t)u64_min(sums.rows - j, kn->mr),
                               first, rest);
                multiply(x, w, &block, i + j, rest, next, w->sums + j * sums.step, sums.step,
                         false);
            }
            if (rest < next)
                qmatmul_store(x, w, &sums, row, i, rest * kn->nr);
        }
    }
}

/* Adds the sums of some blocks to those of all before. */
static void widen(const struct worker *w, size_t cells)
{
    for (size_t cell = 0; cell < cells; cell++)
        w->wide[cell] += w->sums[cell];
}

/* The same for K in several blocks, whose sums are gathered. */
static void run_blocks(const struct product *x, const struct worker *w, uint64_t row, uint64_t rows,
                       uint64_t first, uint64_t last)
{
    const struct qmatmul_plan *p = x->plan;
    const struct qmm_kernel *kn = p->kernel;
    struct qmm_sums sums = { w->sums, (size_t)(last - first) * kn->nr, (size_t)rows,
                             (size_t)(last - first) * kn->nr };
    size_t cells = (size_t)p->rows_per_chunk * sums.step;
    struct tiles tiles = tiles_of(x, first, last);
    uint64_t depth = 0; /* of K, in w->sums */

    memset(w->a_sums, 0, p->rows_per_chunk * sizeof w->a_sums[0]);
    for (uint64_t panel = first; x->pack_in_chunks && panel < last; panel += PACK_PANELS)
        pack_panels(x, w, panel);
    if (w->wide)
        memset(w->wide, 0, cells * sizeof w->wide[0]);
    for (uint64_t number = 0; number < p->k_blocks; number++) {
        struct k_block block = block_at(p, number);

        pack_a(x, w, row, rows, number, tiles);
        if (w->wide && depth + p->k_block > kn->max_k) {
            widen(w, cells);
            depth = 0;
        }
        for (uint64_t panel = first; panel < last; panel++)
            for (uint64_t i = 0; i < rows; i += kn->mr)
                multiply(x, w, &block, i, panel, panel + 1,
                         w->sums + i * sums.step + (panel - first) * kn->nr, sums.step, depth > 0);
        depth += p->k_block;
    }
    if (w->wide)
        widen(w, cells);
    qmatmul_fill_rows(p, w, row, rows);
    if (w->wide)
        qmatmul_store_wide(x, w, w->wide, w->sums, &sums, row, first * kn->nr);
    else
        qmatmul_store(x, w, &sums, row, 0, first * kn->nr);
}

/* Chunks of the same rows follow one another. */
static void run_chunk(const struct product *x, uint64_t chunk, struct worker *w)
{
    const struct qmatmul_plan *p = x->plan;
    uint64_t row = chunk / p->column_chunks * p->rows_per_chunk;
    uint64_t first = chunk % p->column_chunks * p->panels_per_chunk;
    uint64_t rows = u64_min(p->rows_per_chunk, p->m - row),
             last = u64_min(first + p->panels_per_chunk, p->panels);

    if (p->kernel->begin)
        p->kernel->begin();
    if (p->k_blocks == 1)
        run_block(x, w, row, rows, first, last);
    else
        run_blocks(x, w, row, rows, first, last);
    if (p->kernel->end)
        p->kernel->end();
}

static void run_shared(void *context, size_t chunk, int thread)
{
    const struct product *x = context;

    run_chunk(x, chunk, &x->plan->workers[thread]);
}

/* The matrix of `o` for the index-th product in row-major order. */
static char *matrix_at(const struct qmatmul_plan *p, const struct operand *o, uint64_t index)
{
    int64_t at = 0;

    for (unsigned i = p->lead_rank; i-- > 0; index /= p->lead_sizes[i])
        at += (int64_t)(index % p->lead_sizes[i]) * o->lead[i];
    return o->data + at;
}

struct product qmatmul_product_at(const struct qmatmul_plan *p, uint64_t index,
                                  struct packed_b *packed)
{
    return (struct product){ .plan = p,
                             .a = matrix_at(p, &p->a, index),
                             .b = matrix_at(p, &p->b, index),
                             .c = matrix_at(p, &p->c, index),
                             .packed = packed };
}

/* Has B packed: now, or by the chunks; a B that is broadcast stays packed. */
static void pack_b(struct product *x, int threads)
{
    const struct qmatmul_plan *p = x->plan;

    if (x->packed->matrix == x->b && !p->ring)
        return;
    x->narrow = p->kernel->narrow && !p->a.is_signed && p->m >= NARROW_LEAST;
    if (x->narrow && p->products == 1) { /* else B may stay packed for another A */
        struct qmm_source a = { x->a, (ptrdiff_t)p->a.row, (ptrdiff_t)p->a.column, false };

        x->small_a = p->kernel->narrow->is_small(&a, (size_t)p->m, (size_t)p->k);
    }
    x->pack_in_chunks = p->row_chunks == 1;
    if (!x->pack_in_chunks)
        parallel_for((size_t)(u64_ceil_div(p->panels, PACK_PANELS)), threads, pack_b_chunk, x);
    x->packed->matrix = x->b;
}

static void run_whole(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    struct worker *w = &p->workers[thread];
    struct product x = qmatmul_product_at(p, index, &w->b);

    pack_b(&x, 1);
    for (uint64_t chunk = 0; chunk < p->row_chunks * p->column_chunks; chunk++)
        run_chunk(&x, chunk, w);
}

void qmatmul_run(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;

    p->packed_b.matrix = NULL;
    for (int i = 0; i < p->base.threads; i++) {
        p->workers[i].b.matrix = NULL;
        p->workers[i].packed_a = NULL;
    }
    if (p->whole_products) {
        parallel_for((size_t)p->products, p->base.threads, run_whole, p);
        return;
    }
    for (uint64_t i = 0; i < p->products; i++) {
        struct product x = qmatmul_product_at(p, i, &p->packed_b);

        pack_b(&x, p->base.threads);
        parallel_for((size_t)(p->row_chunks * p->column_chunks), p->base.threads, run_shared, &x);
    }
}
