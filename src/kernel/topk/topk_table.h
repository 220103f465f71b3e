#ifndef DMLOP_KERNEL_TOPK_TOPK_TABLE_H
#define DMLOP_KERNEL_TOPK_TOPK_TABLE_H

#include "kernel/topk/topk.h"

/* The kernels of topk, a row each, slowest first; row 0 is the reference and needs nothing. */
extern const struct topk_kernel topk_kernels[];
extern const unsigned topk_kernel_count;

/* The reference kernel's members. */
uint64_t topk_scratch_ref(const struct topk_job *job);
void topk_begin_ref(void *scratch, const struct topk_job *job);
void topk_feed_ref(void *scratch, const void *src, size_t count);
void topk_candidates_ref(void *scratch, struct topk_list *list);

#endif
