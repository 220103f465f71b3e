#include <string.h>

#include "base/parallel.h"
#include "base/util.h"
#include "op/qmatmul_plan.h"

/* Panels of B that one chunk packs: neighbours share cache lines; and values of K packed of each in turn. */
enum { PACK_PANELS = 4, PACK_DEPTH = 64 };

struct product {
    const struct qmatmul_plan *plan;
    const char *a, *b;
    char *c;
    struct packed_b *packed;
};

float qmatmul_scale_at(const struct vector *v, uint64_t i)
{
    float f;

    memcpy(&f, (const char *)v->data + (int64_t)i * v->step * (int64_t)sizeof f, sizeof f);
    if (v->swapped)
        tensor_swap_bytes(&f, sizeof f, 1);
    return f;
}

int32_t qmatmul_zero_at(const struct vector *v, const struct operand *o, uint64_t i)
{
    const char *at = (const char *)v->data + (int64_t)i * v->step;

    if (!v->data)
        return 0;
    return o->is_signed ? *(const signed char *)at : *(const unsigned char *)at;
}

static uint64_t block_length(const struct qmatmul_plan *p, uint64_t block)
{
    return u64_min(p->k - block * p->k_block, p->k_block);
}

static const char *panel_at(const struct qmatmul_plan *p, const struct packed_b *b, uint64_t block, uint64_t panel)
{
    return b->panels + (block * p->panels + panel) * p->k_block * p->kernel->nr * qmm_elem_size(p->kernel->b_elem);
}

/* Packs up to PACK_PANELS panels over all of K. */
static void pack_b_chunk(void *context, size_t chunk, int thread)
{
    const struct product *x = context;
    const struct qmatmul_plan *p = x->plan;
    uint64_t nr = p->kernel->nr, first = chunk * PACK_PANELS, last = u64_min(first + PACK_PANELS, p->panels);

    (void)thread;
    memset(x->packed->sums + first * nr, 0, (last - first) * nr * sizeof x->packed->sums[0]);
    for (uint64_t at = 0, length; at < p->k; at += length) {
        uint64_t block = at / p->k_block, within = at % p->k_block;

        length = u64_min(u64_min(PACK_DEPTH, p->k - at), p->k_block - within);
        for (uint64_t panel = first; panel < last; panel++) {
            struct qmm_source src = { x->b + (int64_t)(panel * nr) * p->b.column + (int64_t)at * p->b.row,
                                      (ptrdiff_t)p->b.column, (ptrdiff_t)p->b.row, p->b.is_signed };
            char *to = (char *)panel_at(p, x->packed, block, panel) + within * nr * qmm_elem_size(p->kernel->b_elem);

            p->kernel->pack_b(to, &src, u64_min(nr, p->n - panel * nr), length, x->packed->sums + panel * nr);
        }
    }
    for (uint64_t i = first * nr; i < last * nr; i++)
        x->packed->low_sums[i] = (uint32_t)x->packed->sums[i];
}

/* Packs block `block` of the chunk's rows; the sums grow. */
static void pack_a(const struct product *x, const struct worker *w, uint64_t row, uint64_t rows, uint64_t block)
{
    const struct qmatmul_plan *p = x->plan;
    uint64_t mr = p->kernel->mr;

    for (uint64_t i = 0; i < rows; i += mr) {
        struct qmm_source src = { x->a + (int64_t)(row + i) * p->a.row + (int64_t)(block * p->k_block) * p->a.column,
                                  (ptrdiff_t)p->a.row, (ptrdiff_t)p->a.column, p->a.is_signed };

        p->kernel->pack_a(w->a + i * p->k_block * qmm_elem_size(p->kernel->a_elem), &src, u64_min(mr, rows - i),
                          block_length(p, block), w->a_sums + i);
    }
}

static void take_rows(const struct qmatmul_plan *p, const struct worker *w, uint64_t row, uint64_t rows)
{
    for (uint64_t i = 0; i < rows; i++) {
        int32_t za = qmatmul_zero_at(&p->a_zero, &p->a, row + i) + qmm_shift(p->kernel->a_elem, p->a.is_signed);
        float sa = qmatmul_scale_at(&p->a_scale, row + i), so = qmatmul_scale_at(&p->c_scale, row + i);
        double ratio = (double)sa / (double)so;

        w->rows[i] = (struct qmm_row){
            .sa = sa,
            .so = so,
            .ratio = ratio,
            .plain = p->plain_columns && qmm_scale_is_plain(ratio),
            .a_zero = (uint32_t)za,
            .a_sum = (uint32_t)w->a_sums[i] - (uint32_t)p->k * (uint32_t)za,
            .zero = qmatmul_zero_at(&p->c_zero, &p->c, row + i),
            .is_signed = p->c.is_signed,
        };
    }
}

/* Rows of nr values in line to an output of any strides. */
static void put_lines(const struct qmatmul_plan *p, const uint8_t *line, char *dst, uint64_t rows, uint64_t columns)
{
    for (uint64_t i = 0; i < rows; i++, line += p->kernel->nr, dst += p->c.row)
        for (uint64_t j = 0; j < columns; j++)
            dst[(int64_t)j * p->c.column] = (char)line[j];
}

/* A tile of sums over all of K, its rows from row + i on. */
static void put_tile(const struct product *x, const struct worker *w, const int32_t *acc, uint64_t row, uint64_t i,
                     uint64_t rows, uint64_t panel)
{
    const struct qmatmul_plan *p = x->plan;
    uint64_t nr = p->kernel->nr, column = panel * nr, there = u64_min(nr, p->n - column);
    struct qmm_columns columns = { p->b_scales + column, p->b_zeros + column, x->packed->low_sums + column };
    char *dst = x->c + (int64_t)(row + i) * p->c.row + (int64_t)column * p->c.column;

    rows = u64_min(rows - i, p->kernel->mr);
    if (p->c.column == 1 && there == nr) {
        p->kernel->finish((uint8_t *)dst, (ptrdiff_t)p->c.row, acc, &w->rows[i], rows, &columns);
        return;
    }
    p->kernel->finish(w->line, (ptrdiff_t)nr, acc, &w->rows[i], rows, &columns);
    put_lines(p, w->line, dst, rows, there);
}

/* The same for sums that may not fit int32, one value at a time. */
static void put_wide_tile(const struct product *x, const struct worker *w, const int64_t *sums, uint64_t row,
                          uint64_t i, uint64_t rows, uint64_t panel)
{
    const struct qmatmul_plan *p = x->plan;
    uint64_t nr = p->kernel->nr, column = panel * nr;
    int32_t lo = p->c.is_signed ? -128 : 0, hi = p->c.is_signed ? 127 : 255;

    for (uint64_t last = u64_min(rows, i + p->kernel->mr); i < last; i++, sums += nr) {
        const struct qmm_row *r = &w->rows[i];
        int64_t za = (int32_t)r->a_zero;
        char *dst = x->c + (int64_t)(row + i) * p->c.row + (int64_t)column * p->c.column;

        for (uint64_t j = 0; j < u64_min(nr, p->n - column); j++) {
            int64_t zb = (int32_t)p->b_zeros[column + j];
            int64_t sum = sums[j] - zb * w->a_sums[i] - za * x->packed->sums[column + j] + (int64_t)p->k * za * zb;
            struct qmm_scale s = qmm_scale_make(r->sa, p->b_scales[column + j], r->so);

            dst[(int64_t)j * p->c.column] = (char)qmm_requantize(sum, &s, r->zero, lo, hi);
        }
    }
}

/* Rows and panels of one chunk, all of K at once. */
static void run_block(const struct product *x, const struct worker *w, uint64_t row, uint64_t rows, uint64_t first,
                      uint64_t last)
{
    const struct qmatmul_plan *p = x->plan;
    const struct qmm_kernel *kn = p->kernel;
    size_t groups = (size_t)((p->k + kn->kr - 1) / kn->kr), a_bytes = (size_t)p->k_block * qmm_elem_size(kn->a_elem);

    pack_a(x, w, row, rows, 0);
    take_rows(p, w, row, rows);
    for (uint64_t panel = first; panel < last; panel++)
        for (uint64_t i = 0; i < rows; i += kn->mr) {
            kn->tile(groups, w->a + i * a_bytes, panel_at(p, x->packed, 0, panel), w->tile);
            put_tile(x, w, w->tile, row, i, rows, panel);
        }
}

static int64_t *sums_at(const struct product *x, const struct worker *w, uint64_t panel, uint64_t i)
{
    return w->sums + (panel * x->plan->rows_per_chunk + i) * x->plan->kernel->nr;
}

/* The same for K in several blocks, whose sums are gathered. */
static void run_blocks(const struct product *x, const struct worker *w, uint64_t row, uint64_t rows, uint64_t first,
                       uint64_t last)
{
    const struct qmatmul_plan *p = x->plan;
    const struct qmm_kernel *kn = p->kernel;
    size_t a_bytes = (size_t)p->k_block * qmm_elem_size(kn->a_elem), cells = (size_t)kn->mr * kn->nr;

    memset(w->sums, 0, (last - first) * p->rows_per_chunk * kn->nr * sizeof w->sums[0]);
    for (uint64_t block = 0; block < p->k_blocks; block++) {
        size_t groups = (size_t)((block_length(p, block) + kn->kr - 1) / kn->kr);

        pack_a(x, w, row, rows, block);
        for (uint64_t panel = first; panel < last; panel++)
            for (uint64_t i = 0; i < rows; i += kn->mr) {
                int64_t *sums = sums_at(x, w, panel - first, i);

                kn->tile(groups, w->a + i * a_bytes, panel_at(p, x->packed, block, panel), w->tile);
                for (size_t cell = 0; cell < cells; cell++)
                    sums[cell] += w->tile[cell];
            }
    }
    take_rows(p, w, row, rows);
    for (uint64_t panel = first; panel < last; panel++)
        for (uint64_t i = 0; i < rows; i += kn->mr) {
            const int64_t *sums = sums_at(x, w, panel - first, i);

            if (p->k > QMM_NARROW_K) {
                put_wide_tile(x, w, sums, row, i, rows, panel);
                continue;
            }
            for (size_t cell = 0; cell < cells; cell++)
                w->tile[cell] = (int32_t)sums[cell];
            put_tile(x, w, w->tile, row, i, rows, panel);
        }
}

static void run_chunk(const struct product *x, uint64_t chunk, const struct worker *w)
{
    const struct qmatmul_plan *p = x->plan;
    uint64_t row = chunk % p->row_chunks * p->rows_per_chunk, first = chunk / p->row_chunks * p->panels_per_chunk;
    uint64_t rows = u64_min(p->rows_per_chunk, p->m - row), last = u64_min(first + p->panels_per_chunk, p->panels);

    memset(w->a_sums, 0, p->rows_per_chunk * sizeof w->a_sums[0]);
    if (p->k_blocks == 1)
        run_block(x, w, row, rows, first, last);
    else
        run_blocks(x, w, row, rows, first, last);
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

static struct product product_at(const struct qmatmul_plan *p, uint64_t index, struct packed_b *packed)
{
    return (struct product){ p, matrix_at(p, &p->a, index), matrix_at(p, &p->b, index), matrix_at(p, &p->c, index),
                             packed };
}

static void pack_b(struct product *x, int threads)
{
    if (x->packed->matrix == x->b) /* broadcast: it is there already */
        return;
    parallel_for((size_t)((x->plan->panels + PACK_PANELS - 1) / PACK_PANELS), threads, pack_b_chunk, x);
    x->packed->matrix = x->b;
}

static void run_whole(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    struct worker *w = &p->workers[thread];
    struct product x = product_at(p, index, &w->b);

    pack_b(&x, 1);
    for (uint64_t chunk = 0; chunk < p->row_chunks * p->column_chunks; chunk++)
        run_chunk(&x, chunk, w);
}

void qmatmul_run(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;

    p->packed_b.matrix = NULL;
    for (int i = 0; i < p->threads; i++)
        p->workers[i].b.matrix = NULL;
    if (p->whole_products) {
        parallel_for((size_t)p->products, p->threads, run_whole, p);
        return;
    }
    for (uint64_t i = 0; i < p->products; i++) {
        struct product x = product_at(p, i, &p->packed_b);

        pack_b(&x, p->threads);
        parallel_for((size_t)(p->row_chunks * p->column_chunks), p->threads, run_shared, &x);
    }
}
