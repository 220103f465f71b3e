#include <string.h>

#include "base/parallel.h"
#include "base/util.h"
#include "op/qmatmul/qmatmul_plan.h"

enum {
    STRIP_UNIT = 64,   /* columns; a multiple of every nr */
    STRIP_LEAST = 256, /* columns for a thread */
    STRIP_MOST = 1024, /* columns, or SUMS / m: a strip's sums stay in the first cache */
    SUMS = 4096,
    RANGE_UNIT = 64, /* values of K */
};

/*
 * Cuts strips of B's columns, as long as their sums allow. If these are too few for all threads,
 * rows of B are shared out as well: they are read faster the longer the runs are. 1x4096x4096 by 16
 * threads: 0.6 of the rate of reading, with strips of 256 columns 0.4 (bench_qmatmul, Emerald
 * Rapids). B by columns is read in runs anyway.
 */
static void cut(struct qmatmul_plan *p)
{
    struct skinny *s = &p->skinny;
    uint64_t n = p->shape.n, k = p->shape.k;
    uint64_t threads = u64_ceil_div((uint64_t)p->base.threads, p->shape.products); /* a product's */
    uint64_t strip = u64_max(SUMS / p->shape.m, STRIP_MOST);
    bool by_rows = p->b.matrix.column == 1;

    if (!by_rows)
        strip = u64_min(strip, u64_max(u64_ceil_div(n, threads), STRIP_LEAST));
    s->columns = u64_round_up(u64_min(strip, n), STRIP_UNIT);
    s->strips = u64_ceil_div(n, s->columns);
    s->kc = k;
    if (by_rows && s->strips < threads)
        s->kc = u64_round_up(u64_ceil_div(k, u64_ceil_div(threads, s->strips)), RANGE_UNIT);
    s->ranges = u64_ceil_div(k, s->kc);
    s->step = u64_round_up(s->kc, QMM_SKINNY_ALIGN);
}

static bool prepare(struct qmatmul_plan *p)
{
    struct skinny *s = &p->skinny;
    uint64_t rows = p->shape.products * p->shape.m, ranges;
    bool good = true;

    cut(p);
    ranges = s->strips * s->ranges;
    if (s->ranges > 1) {
        s->a_sums = qmatmul_scratch(p, rows * ranges, sizeof *s->a_sums, &good);
        s->sums = qmatmul_scratch(p, rows * ranges, s->columns * sizeof *s->sums, &good);
    }
    for (int i = 0; i < p->base.threads; i++) {
        struct qmatmul_worker *w = &p->workers[i];

        w->skinny_a = qmatmul_scratch(p, p->shape.m * s->step, sizeof *w->skinny_a, &good);
        qmatmul_allocate_sums(p, &w->b, s->columns, &good);
        qmatmul_allocate_epilogue(p, &w->out, p->shape.m, p->shape.m * s->columns, &good);
    }
    return good;
}

/* Widens values first..last-1 of the product's rows of A, minus their zero points; their sums. */
static void widen_rows(const struct product *x, const struct qmatmul_worker *w, int64_t *a_sums,
                       uint64_t first, uint64_t last)
{
    const struct qmatmul_plan *p = x->plan;
    const struct operand *a = &p->a.matrix;

    for (uint64_t i = 0; i < p->shape.m; i++) {
        const char *from = x->a + (int64_t)i * a->row + (int64_t)first * a->column;
        int16_t *to = w->skinny_a + i * p->skinny.step;
        int32_t zero = qmatmul_zero_at(&p->a.zero, a, i), sum = 0;

        for (uint64_t k = first; k < last; k++, from += a->column) {
            int32_t v = a->is_signed ? *(const signed char *)from : *(const unsigned char *)from;

            to[k - first] = (int16_t)(v - zero);
            sum += v - zero;
        }
        memset(to + (last - first), 0, (p->skinny.step - (last - first)) * sizeof *to);
        a_sums[i] = sum;
    }
}

/* One range of K of one strip: its sums go to `sums`, those of A's rows to a_sums. */
static void add_up(const struct product *x, const struct qmatmul_worker *w, uint64_t strip,
                   uint64_t range, int64_t *a_sums, int32_t *sums)
{
    const struct qmatmul_plan *p = x->plan;
    const struct skinny *s = &p->skinny;
    const struct operand *b = &p->b.matrix;
    uint64_t column = strip * s->columns, first = range * s->kc,
             last = u64_min(first + s->kc, p->shape.k);
    struct qmm_skinny a = { w->skinny_a, (size_t)s->step, (size_t)p->shape.m,
                            (size_t)(last - first), s->prefetch };
    struct qmm_source from = { x->b + (int64_t)first * b->row + (int64_t)column * b->column,
                               (ptrdiff_t)b->column, (ptrdiff_t)b->row, b->is_signed };

    widen_rows(x, w, a_sums, first, last);
    p->kernel->skinny(sums, (size_t)s->columns, &a, &from,
                      (size_t)u64_min(s->columns, p->shape.n - column));
}

/* Writes outputs of some columns from `column` on, whose sums are the worker's first columns. */
static void finish(const struct product *x, struct qmatmul_worker *w, uint64_t column,
                   uint64_t columns)
{
    const struct qmatmul_plan *p = x->plan;
    uint64_t nr = p->kernel->tile.b.lanes;
    struct qmm_sums sums = { w->out.sums, (size_t)p->skinny.columns, (size_t)p->shape.m,
                             (size_t)u64_round_up(columns, nr) };

    w->b.first = column / nr;
    qmatmul_fill_rows(p, &w->out, 0, p->shape.m);
    qmatmul_store(x, &w->out, &sums, 0, 0, column);
}

static void run_strip(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    const struct skinny *s = &p->skinny;
    struct qmatmul_worker *w = &p->workers[thread];
    struct product x = qmatmul_product_at(p, index / s->strips, &w->b);
    uint64_t strip = index % s->strips, column = strip * s->columns;

    add_up(&x, w, strip, 0, w->out.a_sums, w->out.sums);
    finish(&x, w, column, u64_min(s->columns, p->shape.n - column));
}

static void run_range(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    const struct skinny *s = &p->skinny;
    uint64_t strip = index / s->ranges, m = p->shape.m;
    struct product x = qmatmul_product_at(p, strip / s->strips, NULL);

    add_up(&x, &p->workers[thread], strip % s->strips, index % s->ranges, s->a_sums + index * m,
           s->sums + index * m * s->columns);
}

/* Adds up all ranges of STRIP_LEAST columns of a strip, and writes their outputs. */
static void finish_ranges(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    const struct skinny *s = &p->skinny;
    struct qmatmul_worker *w = &p->workers[thread];
    uint64_t slices = u64_ceil_div(s->columns, STRIP_LEAST), strip = index / slices,
             at = index % slices * STRIP_LEAST, column = strip % s->strips * s->columns + at,
             m = p->shape.m, columns;
    struct product x = qmatmul_product_at(p, strip / s->strips, &w->b);

    if (column >= p->shape.n)
        return;
    columns = u64_min(u64_min(STRIP_LEAST, s->columns - at), p->shape.n - column);
    for (uint64_t i = 0; i < m; i++) {
        int32_t *sums = w->out.sums + i * s->columns;

        w->out.a_sums[i] = 0;
        memset(sums, 0, columns * sizeof *sums);
        for (uint64_t range = 0; range < s->ranges; range++) {
            uint64_t from = (strip * s->ranges + range) * m + i;

            w->out.a_sums[i] += s->a_sums[from];
            for (uint64_t j = 0; j < columns; j++)
                sums[j] += s->sums[from * s->columns + at + j];
        }
    }
    finish(&x, w, column, columns);
}

static void run(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;
    const struct skinny *s = &p->skinny;
    uint64_t strips = p->shape.products * s->strips;

    if (s->ranges == 1) {
        parallel_for((size_t)strips, p->base.threads, run_strip, p);
        return;
    }
    parallel_for((size_t)(strips * s->ranges), p->base.threads, run_range, p);
    parallel_for((size_t)(strips * u64_ceil_div(s->columns, STRIP_LEAST)), p->base.threads,
                 finish_ranges, p);
}

const struct strategy qmatmul_skinny = { true, prepare, run };
