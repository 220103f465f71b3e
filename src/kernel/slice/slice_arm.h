#ifndef DMLOP_KERNEL_SLICE_SLICE_ARM_H
#define DMLOP_KERNEL_SLICE_SLICE_ARM_H

#include "kernel/slice/slice.h"

/* slice_copy_fn with the vectors of an instruction set. */
void slice_copy_neon(const struct slice_block *b);

#endif
