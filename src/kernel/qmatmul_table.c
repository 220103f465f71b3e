#include "kernel/qmatmul_table.h"

#include "base/util.h"
#include "kernel/arm/qmatmul_arm.h"
#include "kernel/cpu.h"
#include "kernel/ref/qmatmul_ref.h"
#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)
static const struct qmm_narrow narrow_avx2 = {
    4, qmm_tile_narrow_avx2, qmm_pack_narrow_a_avx2, qmm_pack_narrow_b_avx2, qmm_is_small_avx2, qmm_fits_narrow_avx2
};
#endif

const struct qmm_kernel qmm_kernels[] = {
    { { "reference", 0 }, QMM_REF_MR, QMM_REF_NR, 1, 1, 1, QMM_U8, QMM_S8, QMM_REF_MAX_K, qmm_tile_ref,
      qmm_pack_a_ref, qmm_pack_b_ref, qmm_finish_plain, qmm_thin_plain, NULL, NULL, NULL },
#if defined(__x86_64__)
    { { "avx2", CPU_AVX2 }, QMM_AVX2_MR, QMM_AVX2_NR, 2, QMM_AVX2_RUN, 2, QMM_S16, QMM_S16, QMM_AVX2_MAX_K, qmm_tile_avx2,
      qmm_pack_a_avx2, qmm_pack_b_avx2, qmm_finish_avx2, qmm_thin_avx2, NULL, NULL, &narrow_avx2 },
    { { "avxvnni", CPU_AVX2 | CPU_AVXVNNI }, QMM_AVXVNNI_MR, QMM_AVXVNNI_NR, 4, 4, 4, QMM_U8, QMM_S8, QMM_BYTES_MAX_K,
      qmm_tile_avxvnni, qmm_pack_a_avxvnni, qmm_pack_b_avxvnni, qmm_finish_avx2, qmm_thin_avx2, NULL, NULL, NULL },
    { { "avx512vnni", CPU_AVX2 | CPU_AVX512 | CPU_AVX512VNNI }, QMM_AVX512VNNI_MR, QMM_AVX512VNNI_NR, 4, 4, 4, QMM_U8,
      QMM_S8, QMM_BYTES_MAX_K, qmm_tile_avx512vnni, qmm_pack_a_avx512vnni, qmm_pack_b_avx512vnni, qmm_finish_avx512,
      qmm_thin_avx2, NULL, NULL, NULL },
    { { "amx", CPU_AVX2 | CPU_AVX512 | CPU_AMX_INT8 }, QMM_AMX_MR, QMM_AMX_NR, 64, 64, 4, QMM_U8, QMM_S8,
      QMM_BYTES_MAX_K, qmm_tile_amx, qmm_pack_a_amx, qmm_pack_b_amx, qmm_finish_avx512, qmm_thin_avx2, qmm_begin_amx,
      qmm_end_amx, NULL },
#elif defined(__aarch64__)
    { { "neon", CPU_NEON }, QMM_ARM_LANES, QMM_ARM_LANES, 1, 1, 1, QMM_S16, QMM_S16, QMM_NEON_MAX_K,
      qmm_tile_neon, qmm_pack_neon, qmm_pack_neon, qmm_finish_neon, qmm_thin_neon, NULL, NULL, NULL },
    { { "dotprod", CPU_NEON | CPU_DOTPROD }, 8, 8, 4, 4, 4, QMM_S8, QMM_S8, QMM_ARM_BYTES_MAX_K, qmm_tile_dotprod,
      qmm_pack_dotprod, qmm_pack_dotprod, qmm_finish_neon, qmm_thin_neon, NULL, NULL, NULL },
    { { "i8mm", CPU_NEON | CPU_I8MM }, 8, 8, 8, 8, 8, QMM_S8, QMM_S8, QMM_ARM_BYTES_MAX_K, qmm_tile_i8mm,
      qmm_pack_i8mm, qmm_pack_i8mm, qmm_finish_neon, qmm_thin_neon, NULL, NULL, NULL },
#endif
};

const unsigned qmm_kernel_count = ARRAY_LEN(qmm_kernels);
