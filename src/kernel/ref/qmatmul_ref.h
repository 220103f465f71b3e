#ifndef DMLOP_KERNEL_REF_QMATMUL_REF_H
#define DMLOP_KERNEL_REF_QMATMUL_REF_H

#include <stddef.h>
#include <stdint.h>

enum { QMM_REF_MR = 4, QMM_REF_NR = 8, QMM_REF_MAX_K = 1 << 15 /* * 255 * 128 < 2^31 */ };

/* qmm_tile_fn (kernel/qmatmul.h): u8 times s8, mr 4, nr 8, kr 1. */
void qmm_tile_ref(size_t groups, const void *a, const void *b, int32_t *acc);

#endif
