#ifndef DMLOP_KERNEL_SLICE_SLICE_H
#define DMLOP_KERNEL_SLICE_SLICE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/prefetch.h"
#include "kernel/select.h"
#include "kernel/transpose.h"

/*
 * A block of a strided copy, for r < rows and i < n:
 *
 *   element i of the row at dst + r * dst_row = element i * step of the row at src + r * src_row
 *
 * Elements are unsigned integers of 1 << width_log2 bytes, so that bits survive. Rows of dst are
 * contiguous and aligned to their elements. They overlap neither each other nor src.
 */
struct slice_block {
    void *dst;
    const void *src;
    ptrdiff_t dst_row, src_row; /* in bytes; of any sign, src_row may be 0 */
    ptrdiff_t step;             /* in elements; of any sign, or 0 */
    size_t rows, n;
    unsigned width_log2;
    bool stream;                /* dst will have left the caches before it is read */
    enum prefetch_policy prefetch; /* of src */
    bool scattered; /* rows of src are short and far apart: they are prefetched though dst is not
                     * streamed */
    /* src of the next block that is copied: a hint, which may be anything */
    const void *next;
};

/* Copies a block. Of each row of src, memory from its lowest to its highest element may be read,
 * and nothing else. Of dst, only the elements above are written. */
typedef void slice_copy_fn(const struct slice_block *b);

struct slice_kernel {
    struct kernel_row row;
    slice_copy_fn *copy;
    transpose_fn *transpose; /* the tiles of a transposed input */
    /* after a thread's last block: other threads see what it streamed. NULL: nothing to do */
    void (*finish)(void);
};

#endif
