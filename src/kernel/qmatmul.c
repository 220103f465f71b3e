#include "kernel/qmatmul.h"

#include "base/util.h"
#include "kernel/ref/qmatmul_ref.h"
#include "kernel/x86/qmatmul_x86.h"

const struct qmm_kernel qmm_kernels[] = {
    { { "reference", 0 }, QMM_REF_MR, QMM_REF_NR, 1, 1, 1, QMM_U8, QMM_S8, QMM_REF_MAX_K, qmm_tile_ref,
      qmm_pack_a_ref, qmm_pack_b_ref, qmm_finish_plain, qmm_thin_plain, NULL, NULL },
#if defined(__x86_64__)
    { { "avx2", CPU_AVX2 }, QMM_AVX2_MR, QMM_AVX2_NR, 2, 2, 2, QMM_S16, QMM_S16, QMM_AVX2_MAX_K, qmm_tile_avx2,
      qmm_pack_a_avx2, qmm_pack_b_avx2, qmm_finish_avx2, qmm_thin_avx2, NULL, NULL },
#endif
};

const unsigned qmm_kernel_count = ARRAY_LEN(qmm_kernels);
