#include <string.h>

#include "kernel/qmatmul.h"

static int32_t value(const struct qmm_source *src, size_t lane, size_t k)
{
    const char *at = src->data + (ptrdiff_t)lane * src->lane_step + (ptrdiff_t)k * src->k_step;

    return src->is_signed ? *(const signed char *)at : *(const unsigned char *)at;
}

void qmm_pack_plain(void *panel, const struct qmm_panel *form, const struct qmm_source *src, size_t lanes, size_t k,
                    int64_t *sums)
{
    size_t depth = (k + form->kr - 1) / form->kr * form->kr;
    int32_t add = qmm_shift(form->elem, src->is_signed);

    for (size_t l = 0; l < form->lanes; l++)
        for (size_t i = 0; i < depth; i++) {
            size_t at = (i / form->kr * form->lanes + l) * form->kr + i % form->kr;
            int32_t v = 0;

            if (l < lanes && i < k) {
                v = value(src, l, i) + add;
                sums[l] += v;
            }
            if (form->elem == QMM_S16)
                ((int16_t *)panel)[at] = (int16_t)v;
            else
                ((uint8_t *)panel)[at] = (uint8_t)v;
        }
}

void qmm_finish_plain(uint8_t *out, const int32_t *acc, const struct qmm_row *row, const struct qmm_columns *columns,
                      size_t nr)
{
    int32_t lo = row->is_signed ? -128 : 0, hi = row->is_signed ? 127 : 255;

    for (size_t j = 0; j < nr; j++) {
        uint32_t sum = (uint32_t)acc[j] - columns->zeros[j] * row->a_sum - row->a_zero * columns->sums[j];
        struct qmm_scale s = qmm_scale_make(row->sa, columns->scales[j], row->so);

        out[j] = (uint8_t)qmm_requantize((int32_t)sum, &s, row->zero, lo, hi);
    }
}
