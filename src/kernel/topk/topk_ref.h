#ifndef DMLOP_KERNEL_TOPK_TOPK_REF_H
#define DMLOP_KERNEL_TOPK_TOPK_REF_H

#include "kernel/topk/topk.h"

/* The reference kernel: the members of struct topk_kernel. */
uint64_t topk_scratch_ref(const struct topk_job *job);
void topk_begin_ref(void *scratch, const struct topk_job *job);
void topk_feed_ref(void *scratch, const void *src, size_t count);
void topk_candidates_ref(void *scratch, struct topk_list *list);

#endif
