#ifndef DMLOP_KERNEL_REF_QMATMUL_REF_H
#define DMLOP_KERNEL_REF_QMATMUL_REF_H

#include "kernel/qmatmul.h"

enum { QMM_REF_MR = 4, QMM_REF_NR = 8, QMM_REF_MAX_K = 65793 /* * 255 * 128 < 2^31 */ };

/* The tile and packing of the reference row (kernel/qmatmul.h): u8 times s8, mr 4, nr 8, kr 1. */
qmm_tile_fn qmm_tile_ref;
qmm_pack_fn qmm_pack_a_ref, qmm_pack_b_ref;

#endif
