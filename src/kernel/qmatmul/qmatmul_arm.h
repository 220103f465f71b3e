#pragma once

#include "kernel/qmatmul/qmatmul.h"

/* The rows of AArch64 (kernel/qmatmul/qmatmul.h), all with panels of 8 lanes. NEON multiplies
 * 16-bit values; the dot product and matrix instructions multiply signed bytes in groups of 4
 * and 8. */
enum {
    QMM_ARM_LANES = 8,
    QMM_NEON_MAX_K = 33024,      /* * 255 * 255 < 2^31 */
    QMM_ARM_BYTES_MAX_K = 131064 /* * 128 * 128 < 2^31; a multiple of 8 */
};

qmm_ukernel_fn qmm_ukernel_neon, qmm_ukernel_dotprod, qmm_ukernel_i8mm;

/* Panels of A and of B of QMM_ARM_LANES lanes: 16-bit values; signed bytes in groups of 4 or 8. */
qmm_pack_fn qmm_pack_neon;

/* For any row whose nr is a multiple of 8. */
qmm_epilogue_fn qmm_epilogue_neon;
qmm_skinny_fn qmm_skinny_neon;
