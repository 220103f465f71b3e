#ifndef DMLOP_KERNEL_TOPK_TOPK_TABLE_H
#define DMLOP_KERNEL_TOPK_TOPK_TABLE_H

#include "kernel/topk/topk.h"

/* The kernels of topk, a row each, slowest first; row 0 is the reference and needs nothing. */
extern const struct topk_kernel topk_kernels[];
extern const unsigned topk_kernel_count;

#endif
