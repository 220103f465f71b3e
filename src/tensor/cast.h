#pragma once

#include "tensor/scalar.h"
#include "tensor/tensor.h"

/* Which conversions may change a value. */
struct cast_rules {
    bool round; /* fractions become the nearest integer, ties to even */
    bool clamp; /* as round, and values out of range become the nearest value in range */
    /* NULL, or FLOAT32 and integers, with strides for the tensor's axes: integer types become
     * clamp(round(x / scale) + zero), FLOAT32 is (q - zero) * scale. */
    const struct tensor *scale, *zero;
};

/* Elements that were rounded to an integer, elements out of range, and whole numbers of a text
 * without a type that FLOAT32 rounds. */
struct cast_counts {
    uint64_t rounded, clamped, inexact;
};

struct cast_result {
    bool refused;              /* an element would change its value, which is not allowed */
    uint64_t first;            /* if refused: the element's number in row-major order */
    struct cast_counts counts; /* else: of all elements */
};

/* Converts the `count` elements of t, of any strides and byte order, to a type by scalar_store. to:
 * packed in row-major order and in native byte order; undefined if an element is refused. Runs
 * on at most `threads` threads (0: chosen by the amount of work), with the same result. */
struct cast_result tensor_cast(const struct tensor *t, uint64_t count, enum dtype type,
                               const struct cast_rules *rules, int threads, void *to);

/* Counts a result of scalar_store; false if it is not allowed. rules: NULL allows no change. */
bool cast_allows(const struct cast_rules *rules, enum scalar_fit fit, struct cast_counts *counts);
