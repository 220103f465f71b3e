#include "kernel/qmatmul.h"

#include "base/util.h"
#include "kernel/ref/qmatmul_ref.h"

const struct qmm_kernel qmm_kernels[] = {
    { { "reference", 0 }, QMM_REF_MR, QMM_REF_NR, 1, QMM_U8, QMM_S8, QMM_REF_MAX_K, qmm_tile_ref },
};

const unsigned qmm_kernel_count = ARRAY_LEN(qmm_kernels);
