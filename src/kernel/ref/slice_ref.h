#ifndef DMLOP_KERNEL_REF_SLICE_REF_H
#define DMLOP_KERNEL_REF_SLICE_REF_H

#include <stddef.h>

/* slice_row_fn (kernel/slice.h) by element width in bits. */
void slice_row_ref_8(void *dst, const void *src, ptrdiff_t step, size_t n);
void slice_row_ref_16(void *dst, const void *src, ptrdiff_t step, size_t n);
void slice_row_ref_32(void *dst, const void *src, ptrdiff_t step, size_t n);
void slice_row_ref_64(void *dst, const void *src, ptrdiff_t step, size_t n);

#endif
