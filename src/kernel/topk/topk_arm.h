#ifndef DMLOP_KERNEL_TOPK_TOPK_ARM_H
#define DMLOP_KERNEL_TOPK_TOPK_ARM_H

#include "kernel/topk/topk.h"

/* topk_scan_begin with the loops of an instruction set. */
void topk_begin_neon(void *scratch, const struct topk_job *job);

#endif
