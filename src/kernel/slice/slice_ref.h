#ifndef DMLOP_KERNEL_SLICE_SLICE_REF_H
#define DMLOP_KERNEL_SLICE_SLICE_REF_H

#include "kernel/slice/slice.h"

/* The definition of slice_copy_fn. Other kernels call it where vectors gain nothing: for short rows
 * with steps, and for steps so large that each element is a load of its own. */
void slice_copy_ref(const struct slice_block *b);

#endif
