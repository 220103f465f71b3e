#include "kernel/ref/qmatmul_ref.h"

#include <string.h>

void qmm_tile_ref(size_t steps, const void *a, const void *b, int32_t *acc, size_t step, bool add)
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

void qmm_pack_a_ref(void *panel, const struct qmm_source *src, size_t lanes, size_t k,
                    int64_t *sums)
{
    qmm_pack_plain(panel, &(struct qmm_panel){ QMM_U8, QMM_REF_MR, 1, 1 }, src, lanes, k, sums);
}

void qmm_pack_b_ref(void *panel, const struct qmm_source *src, size_t lanes, size_t k,
                    int64_t *sums)
{
    qmm_pack_plain(panel, &(struct qmm_panel){ QMM_S8, QMM_REF_NR, 1, 1 }, src, lanes, k, sums);
}
