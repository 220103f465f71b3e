#include "kernel/qmatmul/qmatmul.h"

void qmm_ukernel_ref(size_t steps, const void *a, const void *b, int32_t *acc, size_t step,
                     bool add)
{
    const uint8_t *pa = a;
    const int8_t *pb = b;

    for (size_t i = 0; !add && i < QMM_REF_MR; i++)
        memset(acc + i * step, 0, QMM_REF_NR * sizeof *acc);
    for (size_t k = 0; k < steps; k++, pa += QMM_REF_MR, pb += QMM_REF_NR)
        for (size_t i = 0; i < QMM_REF_MR; i++)
            for (size_t j = 0; j < QMM_REF_NR; j++)
                acc[i * step + j] += pa[i] * pb[j];
}

static int32_t value(const struct qmm_source *src, size_t lane, size_t k)
{
    const char *at = src->data + (ptrdiff_t)lane * src->lane_step + (ptrdiff_t)k * src->k_step;

    return src->is_signed ? *(const signed char *)at : *(const unsigned char *)at;
}

void qmm_pack_plain(void *panel, const struct qmm_panel *form, const struct qmm_source *src,
                    size_t lanes, size_t k, int64_t *sums)
{
    size_t depth = qmm_depth(k, form), group = form->group;
    int32_t add = qmm_shift(form->elem, src->is_signed);

    assert(lanes <= form->lanes);
    for (size_t l = 0; l < form->lanes; l++)
        for (size_t i = 0; i < depth; i++) {
            size_t at = (i / group * form->lanes + l) * group + i % group;
            int32_t v = 0;

            if (l < lanes && i < k) {
                v = value(src, l, i) + add;
                if (sums)
                    sums[l] += v;
            }
            if (form->elem == QMM_S16)
                ((int16_t *)panel)[at] = (int16_t)v;
            else
                ((uint8_t *)panel)[at] = (uint8_t)v;
        }
}

static void finish_row(uint8_t *out, const int32_t *acc, const struct qmm_row *row,
                       const struct qmm_columns *columns, size_t count)
{
    int32_t lo = row->is_signed ? -128 : 0, hi = row->is_signed ? 127 : 255;

    for (size_t j = 0; j < count; j++) {
        uint32_t correction = columns->zeros[j] * row->a_sum + row->a_zero * columns->sums[j];
        struct qmm_scale s;
        int32_t sum;

        if (columns->bias)
            correction = row->bias + columns->bias[j];
        sum = (int32_t)((uint32_t)acc[j] - correction);
        if (!columns->scales) {
            memcpy(out + j * sizeof sum, &sum, sizeof sum);
            continue;
        }
        s = qmm_scale_make(row->sa, columns->scales[j], row->so);
        out[j] = (uint8_t)qmm_requantize(sum, &s, row->zero, lo, hi);
    }
}

void qmm_epilogue_plain(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                        const struct qmm_row *rows, const struct qmm_columns *columns)
{
    for (size_t i = 0; i < sums->rows; i++, out += step)
        finish_row(out, sums->at + i * sums->step, &rows[i], columns, sums->columns);
}
