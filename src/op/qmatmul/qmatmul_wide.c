#include "op/qmatmul/qmatmul_plan.h"
#include "tensor/element.h"

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

void qmatmul_store_wide(const struct product *x, struct epilogue *e, const struct qmm_sums *sums,
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
