#ifndef DMLOP_KERNEL_TOPK_H
#define DMLOP_KERNEL_TOPK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu.h"
#include "tensor/dtype.h"

/*
 * The order of elements: -inf < finite < +inf < NaN, every NaN equal to every
 * other, -0 equal to +0. Every element maps to an unsigned key of its own width
 * such that the smaller key comes first in the result.
 */
struct topk_order {
    enum dtype_kind kind;
    bool largest; /* DML_AXIS_DIRECTION_DECREASING */
};

/* The key of one element: bits holds it in its low `8 << width_log2` bits. */
uint64_t topk_key(uint64_t bits, unsigned width_log2, struct topk_order order);

/*
 * The first k elements, in order, of n contiguous elements, 1 <= k <= n; equal
 * keys by ascending index. index[0..k-1] receives places 0..n-1. scratch is
 * 64-byte aligned, of at least the bytes that the kernel's scratch function
 * asks for; it holds nothing before or after.
 */
typedef void topk_select_fn(const void *src, size_t n, size_t k, struct topk_order order,
                            void *scratch, uint64_t *index);

struct topk_kernel {
    struct kernel_row row;
    topk_select_fn *select[4];                          /* by log2 of the element's width */
    uint64_t (*scratch)(unsigned width_log2, size_t n, size_t k); /* bytes; UINT64_MAX: too many */
};

extern const struct topk_kernel topk_kernels[]; /* slowest first */
extern const unsigned topk_kernel_count;

#endif
