#include "base/util.h"
#include "op/qmatmul_plan.h"

/* A row without its sums. */
static struct qmm_row row_at(const struct qmatmul_plan *p, uint64_t row)
{
    int32_t shift = p->thin ? 0 : qmm_shift(p->kernel->a_elem, p->a.is_signed);
    float sa = qmatmul_scale_at(&p->a_scale, row), so = qmatmul_scale_at(&p->c_scale, row);
    double ratio = (double)sa / (double)so;

    return (struct qmm_row){
        .sa = sa,
        .so = so,
        .scale = (float)ratio,
        .ratio = ratio,
        .plain = p->plain_columns && qmm_scale_is_plain(ratio),
        .is_signed = p->c.is_signed,
        .zero = qmatmul_zero_at(&p->c_zero, &p->c, row),
        .a_zero = p->thin ? 0 : (uint32_t)(qmatmul_zero_at(&p->a_zero, &p->a, row) + shift),
    };
}

void qmatmul_fill_rows(const struct qmatmul_plan *p, const struct worker *w, uint64_t row,
                       uint64_t count)
{
    bool differ =
        p->a_scale.step != 0 || p->c_scale.step != 0 || p->a_zero.step != 0 || p->c_zero.step != 0;

    for (uint64_t i = 0; i < count; i++) {
        struct qmm_row *r = &w->rows[i];

        *r = i == 0 || differ ? row_at(p, row + i) : w->rows[0];
        w->a_sums[i] -= (int64_t)p->k * (int32_t)r->a_zero;
        r->a_sum = (uint32_t)w->a_sums[i];
        r->bias = r->a_sum * p->b_zeros[0];
    }
}

/* Rows of nr values in line to an output of any strides. */
static void store_lines(const struct qmatmul_plan *p, const uint8_t *line, char *dst, uint64_t rows,
                        uint64_t columns)
{
    for (uint64_t i = 0; i < rows; i++, line += p->kernel->nr, dst += p->c.row)
        for (uint64_t j = 0; j < columns; j++)
            dst[(int64_t)j * p->c.column] = (char)line[j];
}

struct qmm_columns qmatmul_columns_at(const struct product *x, uint64_t column)
{
    const struct qmatmul_plan *p = x->plan;

    return (struct qmm_columns){ p->b_scales + column, p->b_zeros + column,
                                 x->packed->low_sums + column,
                                 p->uniform ? x->packed->bias + column : NULL,
                                 p->ratios ? p->ratios + column : NULL };
}

void qmatmul_store(const struct product *x, const struct worker *w, const struct qmm_sums *sums,
                   uint64_t row, uint64_t i, uint64_t column)
{
    const struct qmatmul_plan *p = x->plan;
    uint64_t nr = p->kernel->nr, there = u64_min(sums->columns, p->n - column);
    uint64_t whole = p->c.column == 1 ? there & ~(nr - 1) : 0;
    char *dst = x->c + (int64_t)(row + i) * p->c.row + (int64_t)column * p->c.column;
    struct qmm_sums part = { sums->at, sums->step, sums->rows, (size_t)whole };
    struct qmm_columns columns = qmatmul_columns_at(x, column);

    if (whole > 0)
        p->kernel->finish((uint8_t *)dst, (ptrdiff_t)p->c.row, &part, &w->rows[i], &columns);
    part.columns = (size_t)nr;
    for (uint64_t at = whole; at < there; at += nr) {
        part.at = sums->at + at;
        columns = qmatmul_columns_at(x, column + at);
        p->kernel->finish(w->line, (ptrdiff_t)nr, &part, &w->rows[i], &columns);
        store_lines(p, w->line, dst + (int64_t)at * p->c.column, sums->rows,
                    u64_min(nr, there - at));
    }
}

/* The exact sum of a cell with the zero points' correction. */
static int64_t whole_sum(const struct product *x, const struct worker *w, int64_t sum, uint64_t i,
                         uint64_t column)
{
    int64_t za = (int32_t)w->rows[i].a_zero, zb = (int32_t)x->plan->b_zeros[column];

    return sum - zb * w->a_sums[i] - za * x->packed->sums[column];
}

static void store_wide_row(const struct product *x, const struct worker *w, const int64_t *wide,
                           uint64_t row, uint64_t i, uint64_t column, uint64_t columns)
{
    const struct qmatmul_plan *p = x->plan;
    const struct qmm_row *r = &w->rows[i];
    int32_t lo = p->c.is_signed ? -128 : 0, hi = p->c.is_signed ? 127 : 255;
    char *dst = x->c + (int64_t)(row + i) * p->c.row;

    for (uint64_t j = column; j < column + columns; j++, wide++) {
        struct qmm_scale s = qmm_scale_make(r->sa, p->b_scales[j], r->so);

        dst[(int64_t)j * p->c.column] =
            (char)qmm_requantize(whole_sum(x, w, *wide, i, j), &s, r->zero, lo, hi);
    }
}

void qmatmul_store_wide(const struct product *x, const struct worker *w, const int64_t *wide,
                        int32_t *sums, const struct qmm_sums *form, uint64_t row, uint64_t column)
{
    uint64_t there = u64_min(form->columns, x->plan->n - column);
    struct qmm_sums narrow = *form;
    bool fit = true;

    for (size_t i = 0; i < form->rows; i++)
        for (size_t j = 0; j < form->columns; j++) {
            size_t at = i * form->step + j;
            int64_t sum = j < there ? whole_sum(x, w, wide[at], i, column + j) : 0;

            fit = fit && sum == (int32_t)sum;
            sums[at] = (int32_t)(uint32_t)(uint64_t)wide[at];
        }
    narrow.at = sums;
    if (fit) {
        qmatmul_store(x, w, &narrow, row, 0, column);
        return;
    }
    for (size_t i = 0; i < form->rows; i++)
        store_wide_row(x, w, wide + i * form->step, row, i, column, there);
}
