#include <string.h>

#include "base/parallel.h"
#include "base/util.h"
#include "op/qmatmul_plan.h"

enum {
    STRIP_UNIT = 64,   /* columns; a multiple of every nr */
    STRIP_LEAST = 256, /* shorter runs of rows of B are read slowly */
    SUMS = 4096,       /* of all rows of a strip, in the first cache, but for STRIP_MOST columns */
    STRIP_MOST = 1024,
};

/* B as it lies, in strips of its columns: as long as their sums allow, and one for each thread. */
static void cut_skinny(struct qmatmul_plan *p)
{
    struct skinny *s = &p->skinny;
    uint64_t n = p->shape.n, threads = (uint64_t)p->base.threads, products = p->shape.products;
    uint64_t strip = u64_max(u64_ceil_div(n, u64_ceil_div(threads, products)), STRIP_LEAST);

    strip = u64_min(u64_min(strip, u64_max(SUMS / p->shape.m, STRIP_MOST)), n);
    s->columns = u64_round_up(strip, STRIP_UNIT);
    s->strips = u64_ceil_div(n, s->columns);
    s->kc = u64_min(p->shape.k, QMM_INT32_K);
    s->step = u64_round_up(s->kc, QMM_SKINNY_ALIGN);
}

/* The product's rows of A, widened, minus their zero points; their sums. */
static void widen_rows(const struct product *x, const struct worker *w, uint64_t at,
                       uint64_t length)
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
        w->out.a_sums[i] += sum;
    }
}

/* One strip of columns of one product. */
static void run_strip(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    const struct skinny *s = &p->skinny;
    const struct operand *b = &p->b.matrix;
    struct worker *w = &p->workers[thread];
    const struct epilogue *e = &w->out;
    struct product x = qmatmul_product_at(p, index / s->strips, &w->b);
    uint64_t column = index % s->strips * s->columns, m = p->shape.m,
             columns = u64_min(s->columns, p->shape.n - column);
    struct qmm_sums sums = { e->sums, (size_t)s->columns, (size_t)m,
                             (size_t)u64_round_up(columns, p->kernel->tile.b.lanes) };

    w->b.sums.first = column;
    memset(e->a_sums, 0, m * sizeof e->a_sums[0]);
    if (e->wide)
        memset(e->wide, 0, m * s->columns * sizeof e->wide[0]);
    for (uint64_t at = 0; at < p->shape.k; at += s->kc) {
        uint64_t length = u64_min(p->shape.k - at, s->kc);
        struct qmm_skinny a = { w->skinny_a, (size_t)s->step, (size_t)m, (size_t)length,
                                s->prefetch };
        struct qmm_source from = { x.b + (int64_t)at * b->row + (int64_t)column * b->column,
                                   (ptrdiff_t)b->column, (ptrdiff_t)b->row, b->is_signed };

        widen_rows(&x, w, at, length);
        p->kernel->skinny(e->sums, sums.step, &a, &from, (size_t)columns);
        if (e->wide)
            qmatmul_widen(e, m * s->columns);
    }
    qmatmul_fill_rows(p, e, 0, m);
    if (e->wide)
        qmatmul_store_wide(&x, e, &sums, 0, column);
    else
        qmatmul_store(&x, e, &sums, 0, 0, column);
}

static void run_skinny(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;

    parallel_for((size_t)(p->shape.products * p->skinny.strips), p->base.threads, run_strip, p);
}

const struct strategy qmatmul_skinny = { cut_skinny, run_skinny };
