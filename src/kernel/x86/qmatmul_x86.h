#ifndef DMLOP_KERNEL_X86_QMATMUL_X86_H
#define DMLOP_KERNEL_X86_QMATMUL_X86_H

#include "kernel/qmatmul.h"

/* AVX2 (kernel/qmatmul.h): 16-bit elements, mr 4, nr 16, kr 2. */
enum { QMM_AVX2_MR = 4, QMM_AVX2_NR = 16, QMM_AVX2_MAX_K = 33024 /* * 255 * 255 < 2^31 */ };

qmm_tile_fn qmm_tile_avx2;
qmm_pack_fn qmm_pack_a_avx2, qmm_pack_b_avx2;

/* For any row whose nr is a multiple of 16. */
qmm_finish_fn qmm_finish_avx2;
qmm_thin_fn qmm_thin_avx2;

#endif
