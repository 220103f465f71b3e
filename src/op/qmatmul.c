#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/util.h"
#include "kernel/cpu.h"
#include "kernel/qmatmul_table.h"
#include "op/qmatmul_plan.h"

enum {
    ROWS_MAX = 128,
    CHUNKS = 16,               /* at least, where the shape allows, so that threads end together */
    ROWS_LEAST = 16,           /* to which chunks are cut for that */
    COLUMNS_LEAST = 256,
    RING_COLUMNS = 64,         /* the same where B goes through rings, and most chunks */
    RING_CHUNKS = 64,
    RING_WORK = 1 << 22,       /* multiply-adds, up to which few chunks will do */
    SUMS_AT_ONCE = 512,        /* cells that are finished together, about */
    SUMS_COLUMNS = 512,        /* of a chunk whose sums are gathered over K blocks */
    WHOLE_BYTES = 1 << 20,     /* of a packed B, and */
    WHOLE_WORK = 1 << 24,      /* multiply-adds, up to which a product is one thread's */
    WORK_PER_BYTE = 32,        /* multiply-adds that take as long as reading a byte, at least */
    THIN_LEAST = 16,           /* columns, fewer of which are packed */
    THIN_STRIP = 64,           /* strips are multiples of it, itself one of every nr, */
    THIN_STRIP_LEAST = 512,
    THIN_STRIP_MOST = 1024,
};

static void free_packed_b(struct packed_b *b)
{
    free(b->panels);
    free(b->sums);
    free(b->low_sums);
    free(b->bias);
    free(b->narrow);
}

static void qmatmul_free(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;

    for (int i = 0; p->workers && i < p->base.threads; i++) {
        struct worker *w = &p->workers[i];

        free(w->a);
        free(w->narrow_a);
        free(w->thin_a);
        free(w->a_sums);
        free(w->spare_sums);
        free(w->rows);
        free(w->sums);
        free(w->wide);
        free(w->line);
        free(w->ring);
        free_packed_b(&w->b);
    }
    free(p->workers);
    free(p->b_scales);
    free(p->b_zeros);
    free(p->ratios);
    free_packed_b(&p->packed_b);
    free(p);
}

static struct operand operand_of(const struct tensor *t)
{
    const int64_t *s = t->strides + t->rank;
    struct operand o = {
        .data = t->data, .row = s[-2], .column = s[-1], .is_signed = t->type == DT_INT8
    };

    memcpy(o.lead, t->strides, (t->rank - 2) * sizeof o.lead[0]);
    return o;
}

/* The only axis of t longer than 1, or one value for all. */
static struct vector vector_of(const struct tensor *t)
{
    struct vector v = { 0 };

    if (!t)
        return v;
    v.data = t->data;
    v.swapped = t->swapped;
    for (unsigned i = 0; i < t->rank; i++)
        if (t->sizes[i] > 1)
            v.step = t->strides[i];
    return v;
}

/* Whether some products have one B. */
static bool is_shared(const struct qmatmul_plan *p)
{
    bool shared = false;

    for (unsigned i = 0; i < p->lead_rank; i++)
        shared = shared || (p->lead_sizes[i] > 1 && p->b.lead[i] == 0);
    return shared;
}

/* Rows and columns into chunks, columns first: each chunk packs its rows anew. */
static void cut_chunks(struct qmatmul_plan *p, uint64_t rows)
{
    uint64_t chunks = p->whole_products ? 1 : CHUNKS, wide = u64_ceil_div(p->n, COLUMNS_LEAST),
             mr = p->kernel->mr, split;

    if (u64_ceil_div(p->m, rows) * wide < chunks) /* columns alone do not make enough */
        rows = u64_min(rows, u64_max(u64_ceil_div(p->m, u64_ceil_div(chunks, wide)), ROWS_LEAST));
    p->rows_per_chunk = u64_round_up(u64_min(rows, p->m), mr);
    p->row_chunks = u64_ceil_div(p->m, p->rows_per_chunk);
    split = u64_min(u64_ceil_div(chunks, p->row_chunks), wide);
    if (p->k_blocks > 1)
        split = u64_max(split, u64_ceil_div(p->n, SUMS_COLUMNS));
    p->panels_per_chunk = u64_round_up(u64_ceil_div(p->panels, split), QMATMUL_PACK_PANELS);
}

/* Columns alone into chunks, whose panels go through rings. */
static void cut_ring(struct qmatmul_plan *p)
{
    uint64_t split = u64_min(u64_ceil_div(p->n, RING_COLUMNS), RING_CHUNKS), mr = p->kernel->mr;

    p->ring = true;
    p->rows_per_chunk = u64_round_up(p->m, mr);
    p->row_chunks = 1;
    p->panels_per_chunk = u64_round_up(u64_ceil_div(p->panels, split), QMATMUL_PACK_PANELS);
}

/* Sums of a tile's rows stay in the first cache until they are finished, as do the panels that make
 * them. */
static void cut_tiles(struct qmatmul_plan *p)
{
    const struct qmm_kernel *kn = p->kernel;
    uint64_t first = cpu_caches().first, cells;
    uint64_t most =
        u64_min(first / 2 / p->panel_bytes, first / 4 / (sizeof(int32_t) * kn->mr * kn->nr));

    p->panels_at_once = 1;
    while (2 * p->panels_at_once <= most && p->panels_per_chunk % (2 * p->panels_at_once) == 0)
        p->panels_at_once *= 2;
    cells = p->panels_at_once * kn->mr * kn->nr;
    p->rows_at_once = u64_min(u64_ceil_div(SUMS_AT_ONCE, cells) * kn->mr, p->rows_per_chunk);
    p->panel_mask = p->ring ? u64_max(p->panels_at_once, QMATMUL_PACK_PANELS) - 1 : UINT64_MAX;
}

/* K into equal blocks, whose panels of B stay in the first cache; rows, which stay in the second,
 * and columns into chunks. */
static void cut(struct qmatmul_plan *p)
{
    const struct qmm_kernel *kn = p->kernel;
    struct cpu_caches caches = cpu_caches();
    uint64_t unit = qmm_depth(1, kn->kr, kn->a_group), rows;
    uint64_t most =
        u64_min(caches.first / (kn->nr * qmm_elem_size(kn->b_elem)), kn->max_k) / unit * unit;

    p->k_blocks = u64_ceil_div(p->k, most);
    p->k_block = u64_round_up(u64_ceil_div(p->k, p->k_blocks), unit);
    p->panels = u64_ceil_div(p->n, kn->nr);
    p->columns = p->panels * kn->nr;
    p->a_bytes = p->k_block * qmm_elem_size(kn->a_elem);
    p->panel_bytes = p->k_block * kn->nr * qmm_elem_size(kn->b_elem);
    rows = u64_min(caches.second / 4 / p->a_bytes, ROWS_MAX);
    if (p->k_blocks == 1 && p->m <= rows && !p->whole_products && !is_shared(p) &&
        (p->n / RING_COLUMNS >= CHUNKS || p->m * p->k * p->n <= RING_WORK))
        cut_ring(p);
    else
        cut_chunks(p, rows);
    p->column_chunks = u64_ceil_div(p->panels, p->panels_per_chunk);
    cut_tiles(p);
}

/* Few rows: B as it lies, in strips of its columns. */
static void cut_thin(struct qmatmul_plan *p)
{
    uint64_t strip =
        u64_min(u64_max(u64_ceil_div(p->n, CHUNKS), THIN_STRIP_LEAST), THIN_STRIP_MOST);

    p->thin = true;
    p->rows_per_chunk = p->m;
    p->columns = u64_round_up(p->n, p->kernel->nr);
    p->thin_columns = u64_round_up(u64_min(strip, p->n), THIN_STRIP);
    p->column_chunks = u64_ceil_div(p->n, p->thin_columns);
    p->k_block = u64_min(p->k, QMM_NARROW_K);
    p->k_blocks = u64_ceil_div(p->k, p->k_block);
    p->thin_step = u64_round_up(p->k_block, QMM_THIN_ALIGN);
}

static bool is_thin(const struct qmatmul_plan *p)
{
    return p->m <= QMM_THIN_ROWS && (p->b.row == 1 || (p->b.column == 1 && p->n >= THIN_LEAST));
}

static void set_shape(struct qmatmul_plan *p, struct tensor *const t[SLOT_COUNT])
{
    const struct tensor *a = t[SLOT_A], *b = t[SLOT_B];
    unsigned r = a->rank;

    p->lead_rank = r - 2;
    memcpy(p->lead_sizes, a->sizes, p->lead_rank * sizeof p->lead_sizes[0]);
    tensor_count(p->lead_rank, p->lead_sizes, &p->products); /* A fits memory */
    p->m = a->sizes[r - 2];
    p->k = a->sizes[r - 1];
    p->n = b->sizes[r - 1];
    p->base.operations = p->products * p->m * p->n * p->k;
    p->a = operand_of(a);
    p->b = operand_of(b);
    p->c = operand_of(t[SLOT_C]);
    p->a_scale = vector_of(t[SLOT_A_SCALE]);
    p->b_scale = vector_of(t[SLOT_B_SCALE]);
    p->c_scale = vector_of(t[SLOT_C_SCALE]);
    p->a_zero = vector_of(t[SLOT_A_ZERO]);
    p->b_zero = vector_of(t[SLOT_B_ZERO]);
    p->c_zero = vector_of(t[SLOT_C_ZERO]);
}

static void share_out(struct qmatmul_plan *p, int threads)
{
    uint64_t work = p->m * p->k * p->n, bytes = p->n * p->k * qmm_elem_size(p->kernel->b_elem);

    p->whole_products =
        !is_thin(p) && p->products > 1 && work <= WHOLE_WORK && bytes <= WHOLE_BYTES;
    bytes = u64_max(p->products * (p->m * p->k + p->k * p->n + p->m * p->n),
                    p->base.operations / WORK_PER_BYTE);
    p->base.threads = parallel_threads_for(threads, bytes);
}

static bool allocate_packed_b(const struct qmatmul_plan *p, struct packed_b *b)
{
    uint64_t bytes;

    if (!p->thin && !p->ring) {
        if (!u64_mul(p->k_blocks * p->k_block, p->columns, &bytes))
            return false;
        b->panels = mem_alloc_aligned(bytes, qmm_elem_size(p->kernel->b_elem));
        if (!b->panels)
            return false;
    }
    b->narrow = mem_zalloc(u64_max(p->panels, 1), sizeof *b->narrow);
    b->sums = mem_zalloc(p->columns, sizeof *b->sums);
    b->low_sums = mem_zalloc(p->columns, sizeof *b->low_sums);
    b->bias = mem_zalloc(p->columns, sizeof *b->bias);
    return b->narrow && b->sums && b->low_sums && b->bias;
}

/* Sums over K of a chunk, or, where K goes at once, of some rows and panels. */
static bool allocate_sums(const struct qmatmul_plan *p, struct worker *w)
{
    uint64_t cells = p->rows_at_once * p->panels_at_once * p->kernel->nr;

    if (p->thin)
        cells = p->m * p->thin_columns;
    else if (p->k_blocks > 1)
        cells = p->rows_per_chunk * p->panels_per_chunk * p->kernel->nr;
    w->sums = mem_alloc_aligned(cells, sizeof *w->sums);
    if (w->sums)
        memset(w->sums, 0, cells * sizeof *w->sums);
    if (p->k > QMM_NARROW_K)
        w->wide = mem_alloc_aligned(cells, sizeof *w->wide);
    return w->sums && (w->wide || p->k <= QMM_NARROW_K);
}

static bool allocate_worker(const struct qmatmul_plan *p, struct worker *w)
{
    uint64_t rows = p->rows_per_chunk;

    if (p->thin)
        w->thin_a = mem_alloc_aligned(p->m * p->thin_step, sizeof *w->thin_a);
    else
        w->a = mem_alloc_aligned(rows * p->k_block, qmm_elem_size(p->kernel->a_elem));
    if (!p->thin && p->kernel->narrow)
        w->narrow_a = mem_alloc_aligned(rows * qmatmul_narrow_depth(p), 1);
    w->a_sums = mem_alloc_aligned(rows, sizeof *w->a_sums);
    w->spare_sums = mem_zalloc(rows, sizeof *w->spare_sums);
    w->rows = mem_alloc_aligned(rows, sizeof *w->rows);
    w->line = mem_alloc_aligned(rows * p->kernel->nr, 1);
    if (p->ring)
        w->ring = mem_alloc_aligned(p->panel_mask + 1, p->panel_bytes);
    if ((p->ring && !w->ring) || !(w->a || w->thin_a) ||
        (!w->narrow_a && !p->thin && p->kernel->narrow) || !w->a_sums || !w->spare_sums ||
        !w->rows || !w->line || !allocate_sums(p, w))
        return false;
    return !p->whole_products || allocate_packed_b(p, &w->b);
}

static bool allocate(struct qmatmul_plan *p)
{
    p->b_scales = mem_zalloc(p->columns, sizeof *p->b_scales);
    p->b_zeros = mem_zalloc(p->columns, sizeof *p->b_zeros);
    p->ratios = mem_zalloc(p->columns, sizeof *p->ratios);
    p->workers = mem_zalloc((uint64_t)p->base.threads, sizeof *p->workers);
    if (!p->b_scales || !p->b_zeros || !p->ratios || !p->workers ||
        (!p->whole_products && !allocate_packed_b(p, &p->packed_b)))
        return false;
    for (int i = 0; i < p->base.threads; i++)
        if (!allocate_worker(p, &p->workers[i]))
            return false;
    return true;
}

/* Whether a vector has one value for its `count` lanes. */
static bool is_uniform(const struct vector *v, const struct operand *o, uint64_t count)
{
    uint64_t i = 1;

    while (v->step != 0 && i < count && qmatmul_zero_at(v, o, i) == qmatmul_zero_at(v, o, 0))
        i++;
    return v->step == 0 || i >= count;
}

static void fill_columns(struct qmatmul_plan *p)
{
    int32_t shift = p->thin ? 0 : qmm_shift(p->kernel->b_elem, p->b.is_signed);

    p->plain_columns = true;
    for (uint64_t i = 0; i < p->n; i++) {
        p->b_scales[i] = qmatmul_scale_at(&p->b_scale, i);
        assert(isfinite(p->b_scales[i]));
        p->plain_columns = p->plain_columns && qmm_scale_is_plain((double)p->b_scales[i]);
        p->b_zeros[i] = (uint32_t)(qmatmul_zero_at(&p->b_zero, &p->b, i) + shift);
    }
    p->uniform =
        (p->thin || is_uniform(&p->a_zero, &p->a, p->m)) && is_uniform(&p->b_zero, &p->b, p->n);
}

/* The ratios of scales, where these are what struct qmm_columns wants; else p->ratios is released.
 */
static void fill_ratios(struct qmatmul_plan *p)
{
    double ratio =
        (double)qmatmul_scale_at(&p->a_scale, 0) / (double)qmatmul_scale_at(&p->c_scale, 0);
    bool good = p->uniform && p->plain_columns && qmm_scale_is_plain(ratio) &&
                p->a_scale.step == 0 && p->c_scale.step == 0;
    double most = QMM_ROUNDED_MOST / (255.0 * 255.0 * (double)p->k);

    for (uint64_t i = 0; good && i < p->n; i++) {
        p->ratios[i] = (float)(ratio * (double)p->b_scales[i]);
        good = fabs(ratio * (double)p->b_scales[i]) <= most;
    }
    if (good)
        return;
    free(p->ratios);
    p->ratios = NULL;
}

/* The row that "auto" takes for products of that K, where the last that can run is `row`. */
static unsigned row_for(unsigned row, uint64_t k)
{
    while (k < qmm_kernels[row].gains_k || !cpu_has(qmm_kernels[row].row.needs))
        row--;
    return row;
}

enum status qmatmul_plan_new(struct op_plan **plan, const struct desc *d,
                             struct tensor *const t[SLOT_COUNT], const struct op_exec *exec,
                             struct diag *dg)
{
    struct qmatmul_plan *p;
    unsigned row;
    enum status st;

    assert(d->op == OP_QMATMUL);
    st = op_select_kernel(qmm_kernels, qmm_kernel_count, sizeof qmm_kernels[0], exec->kernel, &row,
                          dg);
    if (st)
        return st;
    p = mem_zalloc(1, sizeof *p);
    if (!p)
        return diag_nomem(dg);
    if (kernel_is_auto(exec->kernel))
        row = row_for(row, t[SLOT_B]->sizes[t[SLOT_B]->rank - 2]);
    p->kernel = &qmm_kernels[row];
    set_shape(p, t);
    share_out(p, exec->threads);
    if (is_thin(p))
        cut_thin(p);
    else
        cut(p);
    p->base.run = p->thin ? qmatmul_run_thin : qmatmul_run;
    p->base.free = qmatmul_free;
    p->base.kernel = p->kernel->row.name;
    if (!allocate(p)) {
        qmatmul_free(&p->base);
        return diag_nomem(dg);
    }
    fill_columns(p);
    fill_ratios(p);
    p->fused = p->kernel->fused && p->ratios && p->c.column == 1;
    *plan = &p->base;
    return ST_OK;
}
