#ifndef DMLOP_TENSOR_CAST_H
#define DMLOP_TENSOR_CAST_H

#include <stdbool.h>
#include <stdint.h>

#include "tensor/tensor.h"

/* What did not fit the type. */
struct cast_misfits {
    uint64_t count; /* with clamp: of all elements; else 0 or 1 */
    uint64_t first; /* number in row-major order of the first, where not clamp */
};

/*
 * Converts the `count` elements of t, which has any strides and byte order, to a type, by
 * scalar_store: to `to`, packed in row-major order and in native byte order. Unless `clamp`, `to`
 * is undefined where an element does not fit; where t has a feed, it is packed, and `to` is
 * undefined if that failed. Runs on at most `threads` threads (0: as many as the
 * work can use), with one result.
 */
struct cast_misfits tensor_cast(const struct tensor *t, uint64_t count, enum dtype type, bool clamp,
                                int threads, void *to);

#endif
