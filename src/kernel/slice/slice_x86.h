#ifndef DMLOP_KERNEL_SLICE_SLICE_X86_H
#define DMLOP_KERNEL_SLICE_SLICE_X86_H

#include "kernel/slice/slice.h"

/* slice_copy_fn with the vectors of an instruction set. */
void slice_copy_avx2(const struct slice_block *b);
void slice_copy_avx512(const struct slice_block *b);

/* slice_kernel.finish of both. */
void slice_finish_x86(void);

#endif
