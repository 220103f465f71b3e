#include "base/util.h"
#include "op/qmatmul/qmatmul_plan.h"
#include "tensor/element.h"

float qmatmul_scale_at(const struct vector *v, uint64_t i)
{
    return element_load_float((const char *)v->data + (int64_t)i * v->step * (int64_t)sizeof(float),
                              v->swapped);
}

int32_t qmatmul_zero_at(const struct vector *v, const struct operand *o, uint64_t i)
{
    const char *at;

    if (!v->data)
        return 0;
    at = (const char *)v->data + (int64_t)i * v->step;
    return o->is_signed ? *(const signed char *)at : *(const unsigned char *)at;
}

uint32_t qmatmul_a_zero(const struct qmatmul_plan *p, uint64_t row)
{
    if (p->strategy == &qmatmul_skinny)
        return 0;
    return (uint32_t)(qmatmul_zero_at(&p->a.zero, &p->a.matrix, row) +
                      qmm_shift(p->kernel->tile.a.elem, p->a.matrix.is_signed));
}

/* A row without its sums. */
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
        .ratio = ratio,
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
        else if (i >= e->alike)
            *r = e->rows[0];
        e->a_sums[i] -= (int64_t)p->shape.k * (int32_t)r->a_zero;
        r->a_sum = (uint32_t)e->a_sums[i];
        r->bias = r->a_sum * p->columns.zeros[0];
    }
    if (count > e->alike)
        e->alike = count;
}

/* Rows of nr values in line to an output of any strides. */
static void store_lines(const struct qmatmul_plan *p, const uint8_t *line, char *dst, uint64_t rows,
                        uint64_t columns)
{
    for (uint64_t i = 0; i < rows; i++, line += p->kernel->tile.b.lanes, dst += p->c.matrix.row)
        for (uint64_t j = 0; j < columns; j++)
            dst[(int64_t)j * p->c.matrix.column] = (char)line[j];
}

struct qmm_columns qmatmul_columns_at(const struct product *x, uint64_t column)
{
    const struct columns *all = &x->plan->columns;
    const struct column_sums *sums = &x->packed->sums;
    uint64_t at = column - sums->first;

    return (struct qmm_columns){ all->scales + column, all->zeros + column, sums->low + at,
                                 all->uniform ? sums->bias + at : NULL,
                                 all->ratios ? all->ratios + column : NULL };
}

void qmatmul_store(const struct product *x, const struct epilogue *e, const struct qmm_sums *sums,
                   uint64_t row, uint64_t i, uint64_t column)
{
    const struct qmatmul_plan *p = x->plan;
    uint64_t nr = p->kernel->tile.b.lanes, there = u64_min(sums->columns, p->shape.n - column);
    uint64_t whole = p->c.matrix.column == 1 ? there & ~(nr - 1) : 0;
    char *dst = x->c + (int64_t)(row + i) * p->c.matrix.row + (int64_t)column * p->c.matrix.column;
    struct qmm_sums part = { sums->at, sums->step, sums->rows, (size_t)whole };
    struct qmm_columns columns = qmatmul_columns_at(x, column);

    if (whole > 0)
        p->kernel->epilogue((uint8_t *)dst, (ptrdiff_t)p->c.matrix.row, &part, &e->rows[i],
                            &columns);
    part.columns = (size_t)nr;
    for (uint64_t at = whole; at < there; at += nr) {
        part.at = sums->at + at;
        columns = qmatmul_columns_at(x, column + at);
        p->kernel->epilogue(e->line, (ptrdiff_t)nr, &part, &e->rows[i], &columns);
        store_lines(p, e->line, dst + (int64_t)at * p->c.matrix.column, sums->rows,
                    u64_min(nr, there - at));
    }
}

/* The exact sum of a cell with the zero points' correction. */
static int64_t whole_sum(const struct product *x, const struct epilogue *e, int64_t sum, uint64_t i,
                         uint64_t column)
{
    const struct column_sums *sums = &x->packed->sums;
    int64_t za = (int32_t)e->rows[i].a_zero, zb = (int32_t)x->plan->columns.zeros[column];

    return sum - zb * e->a_sums[i] - za * sums->whole[column - sums->first];
}

static void store_wide_row(const struct product *x, const struct epilogue *e, const int64_t *wide,
                           uint64_t row, uint64_t i, uint64_t column, uint64_t columns)
{
    const struct qmatmul_plan *p = x->plan;
    const struct qmm_row *r = &e->rows[i];
    int32_t lo = p->c.matrix.is_signed ? -128 : 0, hi = p->c.matrix.is_signed ? 127 : 255;
    char *dst = x->c + (int64_t)(row + i) * p->c.matrix.row;

    for (uint64_t j = column; j < column + columns; j++, wide++) {
        struct qmm_scale s = qmm_scale_make(r->sa, p->columns.scales[j], r->so);

        dst[(int64_t)j * p->c.matrix.column] =
            (char)qmm_requantize(whole_sum(x, e, *wide, i, j), &s, r->zero, lo, hi);
    }
}

void qmatmul_store_wide(const struct product *x, const struct epilogue *e,
                        const struct qmm_sums *form, uint64_t row, uint64_t column)
{
    ptrdiff_t first = form->at - e->sums;
    const int64_t *wide = e->wide + first;
    uint64_t there = u64_min(form->columns, x->plan->shape.n - column);
    bool fit = true;

    for (size_t i = 0; i < form->rows; i++)
        for (size_t j = 0; j < form->columns; j++) {
            size_t at = i * form->step + j;
            int64_t sum = j < there ? whole_sum(x, e, wide[at], i, column + j) : 0;

            fit = fit && sum == (int32_t)sum;
            e->sums[first + (ptrdiff_t)at] = (int32_t)(uint32_t)(uint64_t)wide[at];
        }
    if (fit) {
        qmatmul_store(x, e, form, row, 0, column);
        return;
    }
    for (size_t i = 0; i < form->rows; i++)
        store_wide_row(x, e, wide + i * form->step, row, i, column, there);
}

void qmatmul_widen(const struct epilogue *e, size_t cells)
{
    for (size_t cell = 0; cell < cells; cell++)
        e->wide[cell] += e->sums[cell];
}
