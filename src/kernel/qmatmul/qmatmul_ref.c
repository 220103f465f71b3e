#include "kernel/qmatmul/qmatmul_ref.h"

#include <string.h>

void qmm_ukernel_ref(size_t steps, const void *a, const void *b, int32_t *acc, size_t step,
                     size_t rows, bool add)
{
    const uint8_t *pa = a;
    const int8_t *pb = b;

    (void)rows;

    for (size_t i = 0; !add && i < QMM_REF_MR; i++)
        memset(acc + i * step, 0, QMM_REF_NR * sizeof *acc);
    for (size_t k = 0; k < steps; k++, pa += QMM_REF_MR, pb += QMM_REF_NR)
        for (size_t i = 0; i < QMM_REF_MR; i++)
            for (size_t j = 0; j < QMM_REF_NR; j++)
                acc[i * step + j] += pa[i] * pb[j];
}
