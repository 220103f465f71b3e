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

/* The element that has this key; false where several have it (the two zeros, the NaNs). */
bool topk_unkey(uint64_t key, unsigned width_log2, struct topk_order order, uint64_t *bits);

/* What is asked of a kernel: the first k, in order, of a sequence of n elements; equal keys by
 * ascending index. 1 <= k <= n <= 2^32 (indices within a kernel are 32 bits wide). */
struct topk_job {
    struct topk_order order;
    unsigned width_log2; /* of an element's size in bytes: 0 to 3 */
    uint64_t n, k;
};

enum { TOPK_N_LOG2_MAX = 32 };

/* What comes out: count places of the sequence in the result's order. */
struct topk_list {
    const uint64_t *entries; /* packed: key << 32 | index; else pairs of key and index */
    size_t count;
    bool packed;
    uint64_t work;           /* elements and candidates visited, over all passes; tests hold it to a
                                multiple of n, whatever the data */
};

struct topk_entry {
    uint64_t key, index;
};

static inline struct topk_entry topk_list_at(const struct topk_list *list, size_t i)
{
    if (list->packed)
        return (struct topk_entry){ list->entries[i] >> 32, list->entries[i] & UINT32_MAX };
    return (struct topk_entry){ list->entries[2 * i], list->entries[2 * i + 1] };
}

/*
 * A selection takes a sequence front to back in pieces of any length, and keeps
 * O(k) of it: begin once, feed n elements in all, finish once. All its state lies in
 * scratch: 64-byte aligned, of at least the bytes that scratch() gives for the job. A
 * kernel allocates nothing and cannot fail; it reads nothing beyond the pieces.
 */
struct topk_kernel {
    struct kernel_row row;
    uint64_t (*scratch)(const struct topk_job *job); /* UINT64_MAX: more than can be counted */
    void (*begin)(void *scratch, const struct topk_job *job);
    void (*feed)(void *scratch, const void *src, size_t count); /* contiguous, native byte order */
    void (*finish)(void *scratch, struct topk_list *list);      /* the entries lie in scratch */
};

extern const struct topk_kernel topk_kernels[]; /* slowest first */
extern const unsigned topk_kernel_count;

#endif
