#include <string.h>

#include "base/parallel.h"
#include "base/util.h"
#include "op/qmatmul_plan.h"

/* The product's rows of A, widened, minus their zero points; their sums. */
static void widen_rows(const struct product *x, const struct worker *w, uint64_t at,
                       uint64_t length)
{
    const struct qmatmul_plan *p = x->plan;

    for (uint64_t i = 0; i < p->m; i++) {
        const char *from = x->a + (int64_t)i * p->a.row + (int64_t)at * p->a.column;
        int16_t *to = w->thin_a + i * p->thin_step;
        int32_t zero = qmatmul_zero_at(&p->a_zero, &p->a, i), sum = 0;

        for (uint64_t k = 0; k < length; k++, from += p->a.column) {
            int32_t v = p->a.is_signed ? *(const signed char *)from : *(const unsigned char *)from;

            to[k] = (int16_t)(v - zero);
            sum += to[k];
        }
        memset(to + length, 0, (p->thin_step - length) * sizeof *to);
        w->a_sums[i] += sum;
    }
}

/* Adds the sums of one block of K to those of all before. */
static void widen_sums(const struct qmatmul_plan *p, const struct worker *w, uint64_t columns)
{
    for (uint64_t i = 0; i < p->m; i++)
        for (uint64_t j = i * p->thin_columns; j < i * p->thin_columns + columns; j++)
            w->wide[j] += w->sums[j];
}

/* One strip of columns of one product. */
static void run_strip(void *context, size_t chunk, int thread)
{
    struct qmatmul_plan *p = context;
    const struct worker *w = &p->workers[thread];
    struct product x = qmatmul_product_at(p, chunk / p->column_chunks, &p->packed_b);
    uint64_t column = chunk % p->column_chunks * p->thin_columns,
             columns = u64_min(p->thin_columns, p->n - column);
    struct qmm_sums sums = { w->sums, (size_t)p->thin_columns, (size_t)p->m,
                             (size_t)u64_round_up(columns, p->kernel->nr) };

    memset(w->a_sums, 0, p->m * sizeof w->a_sums[0]);
    if (w->wide)
        memset(w->wide, 0, p->m * p->thin_columns * sizeof w->wide[0]);
    for (uint64_t at = 0; at < p->k; at += p->k_block) {
        uint64_t length = u64_min(p->k - at, p->k_block);
        struct qmm_thin a = { w->thin_a, (size_t)p->thin_step, (size_t)p->m, (size_t)length };
        struct qmm_source b = { x.b + (int64_t)at * p->b.row + (int64_t)column * p->b.column,
                                (ptrdiff_t)p->b.column, (ptrdiff_t)p->b.row, p->b.is_signed };

        widen_rows(&x, w, at, length);
        p->kernel->thin(w->sums, (size_t)p->thin_columns, &a, &b, (size_t)columns);
        if (w->wide)
            widen_sums(p, w, columns);
    }
    qmatmul_fill_rows(p, w, 0, p->m);
    if (w->wide)
        qmatmul_store_wide(&x, w, w->wide, w->sums, &sums, 0, column);
    else
        qmatmul_store(&x, w, &sums, 0, 0, column);
}

void qmatmul_run_thin(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;

    parallel_for((size_t)(p->products * p->column_chunks), p->base.threads, run_strip, p);
}
