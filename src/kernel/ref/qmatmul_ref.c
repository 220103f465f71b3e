#include "kernel/ref/qmatmul_ref.h"

void qmm_tile_ref(size_t groups, const void *a, const void *b, int32_t *acc)
{
    const uint8_t *pa = a;
    const int8_t *pb = b;

    for (int i = 0; i < QMM_REF_MR * QMM_REF_NR; i++)
        acc[i] = 0;
    for (size_t k = 0; k < groups; k++, pa += QMM_REF_MR, pb += QMM_REF_NR)
        for (int i = 0; i < QMM_REF_MR; i++)
            for (int j = 0; j < QMM_REF_NR; j++)
                acc[i * QMM_REF_NR + j] += pa[i] * pb[j];
}
