#include "op/qmatmul/qmatmul_plan.h"
#include "tensor/element.h"

/* Parameters of a row, without its sums. */
static struct qmm_row row_at(const struct qmatmul_plan *p, uint64_t row)
{
    float sa = qmatmul_scale_at(&p->a.scale, row), so = qmatmul_scale_at(&p->c.scale, row);
    double ratio = (double)sa / (double)so;
    int32_t zero = qmatmul_zero_at(&p->c.zero, &p->c.matrix, row);

    return (struct qmm_row){
        .sa = sa,
        .so = so,
        .scale = (float)(ratio * (1 << QMM_FRACTION)),
        .offset = qmm_offset(zero),
        .plain = p->columns.plain && qmm_scale_is_plain(ratio),
        .is_signed = p->c.matrix.is_signed,
        .zero = zero,
        .a_zero = qmatmul_a_zero(p, row),
    };
}

void qmatmul_fill_rows(const struct qmatmul_plan *p, struct epilogue *e, uint64_t row,
                       uint64_t count)
{
    bool differ =
        p->a.scale.step != 0 || p->c.scale.step != 0 || p->a.zero.step != 0 || p->c.zero.step != 0;

    for (uint64_t i = 0; i < count; i++) {
        struct qmm_row *r = &e->rows[i];

        if (differ || i == 0)
            *r = row_at(p, row + i);
        else if (i >= e->equal)
            *r = e->rows[0];
        e->a_sums[i] -= (int64_t)p->shape.k * (int32_t)r->a_zero;
        r->a_sum = (uint32_t)e->a_sums[i];
        r->bias = r->a_sum * p->columns.zeros[0];
    }
    e->equal = u64_max(e->equal, count);
}

/* Copies rows, `step` bytes apart, to an output of any strides. */
static void store_lines(const struct qmatmul_plan *p, const uint8_t *line, uint64_t step, char *dst,
                        uint64_t rows, uint64_t columns)
{
    for (uint64_t i = 0; i < rows; i++, line += step, dst += p->c.matrix.row)
        for (uint64_t j = 0; j < columns; j++)
            if (p->sums)
                memcpy(dst + (int64_t)j * p->c.matrix.column, line + 4 * j, 4);
            else
                dst[(int64_t)j * p->c.matrix.column] = (char)line[j];
}

struct qmm_columns qmatmul_columns_at(const struct product *x, uint64_t column)
{
    const struct qmatmul_columns *all = &x->plan->columns;
    const struct packed_b *b = x->packed;
    uint64_t at = column - b->first * x->plan->kernel->tile.b.lanes;

    return (struct qmm_columns){ x->plan->sums ? NULL : all->scales + column, all->zeros + column,
                                 b->low_sums + at, all->ratios ? b->bias + at : NULL,
                                 all->ratios ? all->ratios + column : NULL };
}

void qmatmul_widen(const struct epilogue *e, const struct qmm_sums *sums)
{
    int64_t *wide = e->wide + (sums->at - e->sums);

    for (size_t cell = 0; cell < sums->rows * sums->step; cell++)
        wide[cell] += sums->at[cell];
}

static void note_misfit(struct op_misfits *m, uint64_t place, int64_t value)
{
    if (m->count++ > 0 && place > m->first)
        return;
    m->first = place;
    m->value = value;
}

/* Writes the outputs of sums of e->wide; adds exact ones that do not fit INT32 to e->misfits. */
static void store_wide(const struct product *x, struct epilogue *e, const struct qmm_sums *sums,
                       uint64_t row, uint64_t column)
{
    const struct qmatmul_plan *p = x->plan;
    const struct operand *c = &p->c.matrix;
    uint64_t packed = x->packed->first * p->kernel->tile.b.lanes; /* the first packed column */
    uint64_t columns = u64_min(sums->columns, p->shape.n - column);
    int32_t lo = c->is_signed ? -128 : 0, hi = c->is_signed ? 127 : 255;

    for (uint64_t i = 0; i < sums->rows; i++) {
        const int64_t *wide = e->wide + (sums->at - e->sums) + i * sums->step;
        const struct qmm_row *r = &e->rows[i];
        char *dst = x->c + (int64_t)(row + i) * c->row;

        for (uint64_t j = column; j < column + columns; j++, wide++) {
            struct qmm_scale s = qmm_scale_make(r->sa, p->columns.scales[j], r->so);
            int64_t sum = *wide - (int32_t)p->columns.zeros[j] * e->a_sums[i] -
                          (int32_t)r->a_zero * x->packed->sums[j - packed];
            char *at = dst + (int64_t)j * c->column;

            if (!p->sums)
                *at = (char)qmm_requantize(sum, &s, r->zero, lo, hi);
            else if (sum >= INT32_MIN && sum <= INT32_MAX)
                element_store(at, 2, (uint32_t)sum);
            else
                note_misfit(&e->misfits, (x->index * p->shape.m + row + i) * p->shape.n + j, sum);
        }
    }
}

void qmatmul_store(const struct product *x, struct epilogue *e, const struct qmm_sums *sums,
                   uint64_t row, uint64_t i, uint64_t column)
{
    const struct qmatmul_plan *p = x->plan;
    uint64_t nr = p->kernel->tile.b.lanes,
             columns_left = u64_min(sums->columns, p->shape.n - column);
    uint64_t size = p->sums ? sizeof(int32_t) : 1;
    uint64_t whole = p->c.matrix.column == (int64_t)size ? columns_left & ~(nr - 1) : 0;
    char *dst = x->c + (int64_t)(row + i) * p->c.matrix.row + (int64_t)column * p->c.matrix.column;
    struct qmm_sums block = { sums->at, sums->step, sums->rows, (size_t)whole };
    struct qmm_columns columns = qmatmul_columns_at(x, column);

    if (e->wide) {
        store_wide(x, e, sums, row, column);
        return;
    }
    if (whole > 0)
        p->kernel->epilogue((uint8_t *)dst, (ptrdiff_t)p->c.matrix.row, &block, &e->rows[i],
                            &columns);
    block.columns = (size_t)nr;
    for (uint64_t at = whole; at < columns_left; at += nr) {
        block.at = sums->at + at;
        columns = qmatmul_columns_at(x, column + at);
        p->kernel->epilogue(e->line, (ptrdiff_t)(nr * size), &block, &e->rows[i], &columns);
        store_lines(p, e->line, nr * size, dst + (int64_t)at * p->c.matrix.column, sums->rows,
                    u64_min(nr, columns_left - at));
    }
}
