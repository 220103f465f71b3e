#ifndef DMLOP_KERNEL_REF_TOPK_REF_H
#define DMLOP_KERNEL_REF_TOPK_REF_H

#include "kernel/topk.h"

/* The definition of the selection, by width in bits: see topk_select_fn. */
topk_select_fn topk_select_ref_8, topk_select_ref_16, topk_select_ref_32, topk_select_ref_64;

/* Bytes of scratch for k of n elements: see struct topk_kernel. */
uint64_t topk_scratch_ref(unsigned width_log2, size_t n, size_t k);

#endif
