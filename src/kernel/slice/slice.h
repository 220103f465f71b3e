#pragma once

#include "kernel/prefetch.h"
#include "kernel/transpose.h"

/* A block of a strided copy, for r < rows and i < n:
 *
 *   element i of the row at dst + r * dst_row = element i * step of the row at src + r * src_row
 *
 * Elements are unsigned integers of 1 << width_log2 bytes, so bits never change. Rows of dst are
 * contiguous and aligned to their elements. They overlap neither each other nor src. */
struct slice_block {
    void *dst;
    const void *src;
    ptrdiff_t dst_row, src_row; /* in bytes; of any sign, src_row may be 0 */
    ptrdiff_t step;             /* in elements; of any sign, or 0 */
    size_t rows, n;
    unsigned width_log2;
    bool stream;                   /* the caches do not keep dst until it is read */
    enum prefetch_policy prefetch; /* of src */
    const void *next;              /* src of the next block, a hint: any address is allowed */
};

/* Copies a block. Reads of each row of src only memory between its lowest and highest element, and
 * writes of dst only the elements above. */
typedef void slice_copy_fn(const struct slice_block *b);

/* slice_copy_ref defines the result. Other kernels call it if vectors gain nothing: for short rows
 * with steps, and for steps so large that every element is a load of its own. */
slice_copy_fn slice_copy_ref;
slice_copy_fn slice_copy_avx2, slice_copy_avx512; /* x86-64 only */
slice_copy_fn slice_copy_neon;                    /* AArch64 only */

struct slice_kernel {
    struct kernel_row row;
    slice_copy_fn *copy;
    transpose_fn *transpose; /* for tiles of a transposed input */
    void (*finish)(void); /* after a thread's last block: publishes streamed stores; may be NULL */
};

/* slice_kernel.finish of avx2 and avx512. */
void slice_finish_x86(void);

/* The kernels of slice, a row each, slowest first; row 0 is the reference and needs nothing. */
extern const struct slice_kernel slice_kernels[];
extern const unsigned slice_kernel_count;
