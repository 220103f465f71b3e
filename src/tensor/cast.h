#ifndef DMLOP_TENSOR_CAST_H
#define DMLOP_TENSOR_CAST_H

#include <stdbool.h>
#include <stdint.h>

#include "tensor/scalar.h"
#include "tensor/tensor.h"

/* What is allowed to become another value. */
struct cast_rules {
    bool round; /* fractions, for integer types: the nearest whole number, ties to even */
    bool clamp; /* these, too, and what does not fit a type: the nearest value that does */
};

/* How many were rounded to a whole number, and how many did not fit. */
struct cast_counts {
    uint64_t rounded, clamped;
};

struct cast_result {
    bool refused;             /* an element would become another value, which is not allowed */
    uint64_t first;           /* its number in row-major order, where refused */
    struct cast_counts counts; /* of all elements, where not */
};

/*
 * Converts the `count` elements of t, which has any strides and byte order, to a type, by
 * scalar_store: to `to`, packed in row-major order and in native byte order; `to` is undefined
 * where an element is refused; where t has a feed, it is packed, and `to` is undefined if that
 * failed. Runs on at most `threads` threads (0: as many as the work can use), with one result.
 */
struct cast_result tensor_cast(const struct tensor *t, uint64_t count, enum dtype type,
                               const struct cast_rules *rules, int threads, void *to);

/* Counts what scalar_store said of an element; false where that is not allowed. */
bool cast_allows(const struct cast_rules *rules, enum scalar_fit fit, struct cast_counts *counts);

#endif
