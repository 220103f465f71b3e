#ifndef DMLOP_KERNEL_SLICE_H
#define DMLOP_KERNEL_SLICE_H

#include <stddef.h>

#include "kernel/cpu.h"

/*
 * dst[i] = src[i * step], i = 0..n-1: one row of a strided copy. Elements are
 * unsigned integers of the row's width, so bits survive. step is in elements and
 * may be negative or 0; dst is contiguous and does not overlap src. Nothing
 * outside the n elements named is read or written.
 */
typedef void slice_row_fn(void *dst, const void *src, ptrdiff_t step, size_t n);

struct slice_kernel {
    struct kernel_row row;
    slice_row_fn *copy[4]; /* by log2 of the element's width in bytes */
};

extern const struct slice_kernel slice_kernels[]; /* slowest first */
extern const unsigned slice_kernel_count;

#endif
