#pragma once

#include "kernel/qmatmul/qmatmul.h"

/* The rows of x86-64 (kernel/qmatmul/qmatmul.h). AVX2 multiplies 16-bit values in pairs; the others
 * multiply fours of unsigned bytes of A by signed ones of B, AMX 64 of them at a time. */
enum {
    QMM_AVX2_MR = 4,
    QMM_AVX2_NR = 16,
    QMM_AVX2_MAX_K = 33024, /* * 255 * 255 < 2^31 */
    QMM_AVXVNNI_MR = 6,
    QMM_AVXVNNI_NR = 16,
    QMM_AVX512VNNI_MR = 12,
    QMM_AVX512VNNI_NR = 32,
    QMM_AMX_MR = 32,
    QMM_AMX_NR = 32,
    QMM_AMX_LEAST_K = 65, /* one step: bench_qmatmul, 4096x64x4096, Xeon (AMX): 0.85 of the speed */
    /* A panel of each operand stays in the first cache. bench_qmatmul, 2048^3, one thread of an
     * Emerald Rapids: without these, 0.93 of the speed; with 512 and 128, 0.95. */
    QMM_AMX_KC = 512,
    QMM_AMX_MC = 256,
    QMM_BYTES_MAX_K = 65728 /* * 255 * 128 < 2^31; a multiple of 64 */
};

qmm_ukernel_fn qmm_ukernel_avx2, qmm_ukernel_avxvnni, qmm_ukernel_avx512vnni,
    qmm_ukernel_amx;

/* pack: panels in groups of 4 bytes, of an even number of lanes; 4 or 16 for 16-bit values.
 * pack_lines: u8 in groups of 64, at most QMM_LINES_MAX lanes, an even number. */
enum { QMM_LINES_MAX = 32 };
qmm_pack_fn qmm_pack_avx2, qmm_pack_lines_avx2;
qmm_pack_two_fn qmm_pack_two_avx512vnni; /* in groups of 4 signed bytes, 32 wide */

/* For any row whose nr is a multiple of 16. */
qmm_epilogue_fn qmm_epilogue_avx2, qmm_epilogue_avx512;
qmm_fused_fn qmm_fused_avx2, qmm_fused_avxvnni, qmm_fused_avx512vnni;
qmm_skinny_fn qmm_skinny_avx2, qmm_skinny_avx512vnni;

/* Configure the tile registers of this thread; release them. */
void qmm_begin_amx(void);
void qmm_end_amx(void);
