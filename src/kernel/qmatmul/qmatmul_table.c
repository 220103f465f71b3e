#include "kernel/qmatmul/qmatmul_arm.h"
#include "kernel/qmatmul/qmatmul_x86.h"

const struct qmm_kernel qmm_kernels[] = {
    {
        .row = { "reference", 0 }, .max_k = QMM_REF_MAX_K,
        .tile = { { QMM_U8, QMM_REF_MR, 1, 1 }, { QMM_S8, QMM_REF_NR, 1, 1 },
                  qmm_ukernel_ref, qmm_pack_plain, qmm_pack_plain, NULL, NULL },
        .epilogue = qmm_epilogue_plain,
    },
#if defined(__x86_64__)
    {
        .row = { "avx2", CPU_AVX2 }, .max_k = QMM_AVX2_MAX_K,
        .tile = { { QMM_S16, QMM_AVX2_MR, 2, 2 }, { QMM_S16, QMM_AVX2_NR, 2, 2 },
                  qmm_ukernel_avx2, qmm_pack_avx2, qmm_pack_avx2, qmm_fused_avx2, NULL },
        .epilogue = qmm_epilogue_avx2, .skinny = qmm_skinny_avx2, .skinny_a = QMM_S16,
    },
    {
        .row = { "avxvnni", CPU_AVX2 | CPU_AVXVNNI }, .max_k = QMM_BYTES_MAX_K,
        .tile = { { QMM_U8, QMM_AVXVNNI_MR, 4, 4 }, { QMM_S8, QMM_AVXVNNI_NR, 4, 4 },
                  qmm_ukernel_avxvnni, qmm_pack_avx2, qmm_pack_avx2, qmm_fused_avxvnni, NULL },
        .epilogue = qmm_epilogue_avx2, .skinny = qmm_skinny_avx2, .skinny_a = QMM_S16,
    },
    {
        .row = { "avx512vnni", CPU_AVX2 | CPU_AVX512 | CPU_AVX512VNNI }, .max_k = QMM_BYTES_MAX_K,
        .tile = { { QMM_U8, QMM_AVX512VNNI_MR, 4, 4 }, { QMM_S8, QMM_AVX512VNNI_NR, 4, 4 },
                  qmm_ukernel_avx512vnni, qmm_pack_avx2, qmm_pack_avx2,
                  qmm_fused_avx512vnni, qmm_pack_two_avx512vnni },
        .epilogue = qmm_epilogue_avx512,
        .skinny = qmm_skinny_avx512vnni, .skinny_a = QMM_U8, .skinny_rows = 16,
    },
    {
        .row = { "amx", CPU_AVX2 | CPU_AVX512 | CPU_AVX512VNNI | CPU_AMX_INT8 },
        .max_k = QMM_BYTES_MAX_K,
        .tile = { { QMM_U8, QMM_AMX_MR, 64, 64 }, { QMM_S8, QMM_AMX_NR, 4, 64 },
                  qmm_ukernel_amx, qmm_pack_lines_avx2, qmm_pack_avx2, NULL,
                  qmm_pack_two_avx512vnni },
        .epilogue = qmm_epilogue_avx512, .skinny = qmm_skinny_avx512vnni, .skinny_a = QMM_U8,
        .begin = qmm_begin_amx, .end = qmm_end_amx,
        .least_k = QMM_AMX_LEAST_K, .kc = QMM_AMX_KC, .mc = QMM_AMX_MC,
    },
#elif defined(__aarch64__)
    {
        .row = { "neon", CPU_NEON }, .max_k = QMM_NEON_MAX_K,
        .tile = { { QMM_S16, QMM_ARM_LANES, 1, 1 }, { QMM_S16, QMM_ARM_LANES, 1, 1 },
                  qmm_ukernel_neon, qmm_pack_neon, qmm_pack_neon, NULL, NULL },
        .epilogue = qmm_epilogue_neon, .skinny = qmm_skinny_neon, .skinny_a = QMM_S16,
    },
    {
        .row = { "dotprod", CPU_NEON | CPU_DOTPROD }, .max_k = QMM_ARM_BYTES_MAX_K,
        .tile = { { QMM_S8, QMM_ARM_LANES, 4, 4 }, { QMM_S8, QMM_ARM_LANES, 4, 4 },
                  qmm_ukernel_dotprod, qmm_pack_neon, qmm_pack_neon, NULL, NULL },
        .epilogue = qmm_epilogue_neon, .skinny = qmm_skinny_neon, .skinny_a = QMM_S16,
    },
    {
        .row = { "i8mm", CPU_NEON | CPU_I8MM }, .max_k = QMM_ARM_BYTES_MAX_K,
        .tile = { { QMM_S8, QMM_ARM_LANES, 8, 8 }, { QMM_S8, QMM_ARM_LANES, 8, 8 },
                  qmm_ukernel_i8mm, qmm_pack_neon, qmm_pack_neon, NULL, NULL },
        .epilogue = qmm_epilogue_neon, .skinny = qmm_skinny_neon, .skinny_a = QMM_S16,
    },
#endif
};

const unsigned qmm_kernel_count = ARRAY_LEN(qmm_kernels);
