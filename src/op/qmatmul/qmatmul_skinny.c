#include <string.h>

#include "base/parallel.h"
#include "base/util.h"
#include "op/qmatmul/qmatmul_plan.h"

enum {
    STRIP_UNIT = 64,   /* columns; a multiple of every nr */
    STRIP_LEAST = 256, /* of these, for a thread */
    PART_UNIT = 64,    /* values of K */
    SUMS = 4096,       /* of all rows of a strip, in the first cache, but for STRIP_MOST columns */
    STRIP_MOST = 1024,
};

/*
 * B as it lies, in strips of its columns, as long as their sums allow. Where these are too few for
 * all threads, rows of B are shared out, too, for they are read faster the longer the runs are:
 * 1x4096x4096 by 16 threads at 0.6 of the rate of reading, with strips of 256 columns at 0.4
 * (bench_qmatmul, Emerald Rapids). B's columns are runs however few there are.
 */
static void cut_skinny(struct qmatmul_plan *p)
{
    struct skinny *s = &p->skinny;
    uint64_t n = p->shape.n, k = p->shape.k, products = p->shape.products;
    uint64_t threads = u64_ceil_div((uint64_t)p->base.threads, products); /* for a product */
    uint64_t strip = u64_max(SUMS / p->shape.m, STRIP_MOST);
    bool by_rows = p->b.matrix.column == 1 && k <= QMM_INT32_K;

    if (!by_rows)
        strip = u64_min(strip, u64_max(u64_ceil_div(n, threads), STRIP_LEAST));
    s->columns = u64_round_up(u64_min(strip, n), STRIP_UNIT);
    s->strips = u64_ceil_div(n, s->columns);
    s->parts = 1;
    s->kc = u64_min(k, QMM_INT32_K);
    if (by_rows && s->strips < threads) {
        s->kc = u64_round_up(u64_ceil_div(k, u64_ceil_div(threads, s->strips)), PART_UNIT);
        s->parts = u64_ceil_div(k, s->kc);
    }
    s->step = u64_round_up(s->kc, QMM_SKINNY_ALIGN);
}

/* The product's rows of A, widened, minus their zero points; their sums. */
static void widen_rows(const struct product *x, const struct worker *w, const struct epilogue *e,
                       uint64_t at, uint64_t length)
{
    const struct qmatmul_plan *p = x->plan;
    const struct operand *a = &p->a.matrix;

    for (uint64_t i = 0; i < p->shape.m; i++) {
        const char *from = x->a + (int64_t)i * a->row + (int64_t)at * a->column;
        int16_t *to = w->skinny_a + i * p->skinny.step;
        int32_t zero = qmatmul_zero_at(&p->a.zero, a, i), sum = 0;

        for (uint64_t k = 0; k < length; k++, from += a->column) {
            int32_t v = a->is_signed ? *(const signed char *)from : *(const unsigned char *)from;

            to[k] = (int16_t)(v - zero);
            sum += to[k];
        }
        memset(to + length, 0, (p->skinny.step - length) * sizeof *to);
        e->a_sums[i] += sum;
    }
}

/* Adds up one strip of columns over values first..last-1 of K, kc at a time, in e->sums. */
static void add_up(const struct product *x, const struct worker *w, const struct epilogue *e,
                   uint64_t strip, uint64_t first, uint64_t last)
{
    const struct qmatmul_plan *p = x->plan;
    const struct skinny *s = &p->skinny;
    const struct operand *b = &p->b.matrix;
    uint64_t column = strip * s->columns, m = p->shape.m,
             columns = u64_min(s->columns, p->shape.n - column);

    memset(e->a_sums, 0, m * sizeof e->a_sums[0]);
    if (e->wide)
        memset(e->wide, 0, m * s->columns * sizeof e->wide[0]);
    for (uint64_t at = first; at < last; at += s->kc) {
        uint64_t length = u64_min(last - at, s->kc);
        struct qmm_skinny a = { w->skinny_a, (size_t)s->step, (size_t)m, (size_t)length,
                                s->prefetch };
        struct qmm_source from = { x->b + (int64_t)at * b->row + (int64_t)column * b->column,
                                   (ptrdiff_t)b->column, (ptrdiff_t)b->row, b->is_signed };

        widen_rows(x, w, e, at, length);
        p->kernel->skinny(e->sums, (size_t)s->columns, &a, &from, (size_t)columns);
        if (e->wide)
            qmatmul_widen(e, m * s->columns);
    }
}

/* Outputs of some columns from `column` on, whose sums are in the worker's first columns. */
static void finish(const struct product *x, struct worker *w, uint64_t column, uint64_t columns)
{
    const struct qmatmul_plan *p = x->plan;
    struct epilogue *e = &w->out;
    uint64_t m = p->shape.m;
    struct qmm_sums sums = { e->sums, (size_t)p->skinny.columns, (size_t)m,
                             (size_t)u64_round_up(columns, p->kernel->tile.b.lanes) };

    w->b.sums.first = column;
    qmatmul_fill_rows(p, e, 0, m);
    if (e->wide)
        qmatmul_store_wide(x, e, &sums, 0, column);
    else
        qmatmul_store(x, e, &sums, 0, 0, column);
}

/* One strip of columns of one product. */
static void run_strip(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    const struct skinny *s = &p->skinny;
    struct worker *w = &p->workers[thread];
    struct product x = qmatmul_product_at(p, index / s->strips, &w->b);
    uint64_t strip = index % s->strips, column = strip * s->columns;

    add_up(&x, w, &w->out, strip, 0, p->shape.k);
    finish(&x, w, column, u64_min(s->columns, p->shape.n - column));
}

/* Where a part of a strip has its sums. */
static struct epilogue part_of(const struct qmatmul_plan *p, size_t index)
{
    const struct skinny *s = &p->skinny;

    return (struct epilogue){ .a_sums = s->a_sums + index * p->shape.m,
                              .sums = s->sums + index * p->shape.m * s->columns };
}

/* One part of K of one strip. */
static void run_part(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    const struct skinny *s = &p->skinny;
    uint64_t first = index % s->parts * s->kc, strip = index / s->parts;
    struct product x = qmatmul_product_at(p, strip / s->strips, NULL);
    struct epilogue part = part_of(p, index);

    add_up(&x, &p->workers[thread], &part, strip % s->strips, first,
           u64_min(first + s->kc, p->shape.k));
}

/* Outputs of some columns of a strip, all parts of which are there. */
static void finish_parts(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    const struct skinny *s = &p->skinny;
    struct worker *w = &p->workers[thread];
    uint64_t slices = u64_ceil_div(s->columns, STRIP_LEAST), strip = index / slices,
             at = index % slices * STRIP_LEAST, column = strip % s->strips * s->columns + at,
             m = p->shape.m, columns;
    struct product x = qmatmul_product_at(p, strip / s->strips, &w->b);

    if (column >= p->shape.n)
        return;
    columns = u64_min(u64_min(STRIP_LEAST, s->columns - at), p->shape.n - column);
    for (uint64_t part = 0; part < s->parts; part++) {
        struct epilogue e = part_of(p, strip * s->parts + part);

        for (uint64_t i = 0; i < m; i++) {
            int32_t *sums = w->out.sums + i * s->columns;
            const int32_t *more = e.sums + i * s->columns + at;

            w->out.a_sums[i] = e.a_sums[i] + (part > 0 ? w->out.a_sums[i] : 0);
            for (uint64_t j = 0; j < columns; j++)
                sums[j] = more[j] + (part > 0 ? sums[j] : 0);
        }
    }
    finish(&x, w, column, columns);
}

static void run_skinny(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;
    const struct skinny *s = &p->skinny;
    uint64_t strips = p->shape.products * s->strips;

    if (s->parts == 1) {
        parallel_for((size_t)strips, p->base.threads, run_strip, p);
        return;
    }
    parallel_for((size_t)(strips * s->parts), p->base.threads, run_part, p);
    parallel_for((size_t)(strips * u64_ceil_div(s->columns, STRIP_LEAST)), p->base.threads,
                 finish_parts, p);
}

const struct strategy qmatmul_skinny = { cut_skinny, run_skinny };
