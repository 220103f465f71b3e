#ifndef DMLOP_KERNEL_QMATMUL_QMATMUL_REF_H
#define DMLOP_KERNEL_QMATMUL_QMATMUL_REF_H

#include "kernel/qmatmul/qmatmul.h"

enum { QMM_REF_MR = 4, QMM_REF_NR = 8, QMM_REF_MAX_K = 65793 /* * 255 * 128 < 2^31 */ };

/* The micro-kernel of the reference row (kernel/qmatmul/qmatmul.h): u8 times s8, kr 1. */
qmm_ukernel_fn qmm_ukernel_ref;

#endif
