#pragma once

#include "tensor/dtype.h"

/* One element's value, exactly, whatever its type. */
struct scalar {
    bool is_float;
    double f;           /* is_float: every float type fits */
    bool negative;      /* else: the value is magnitude, or -magnitude */
    uint64_t magnitude;
};

/* The element at an address of any alignment; swapped: stored in the other byte order. */
struct scalar scalar_load(enum dtype type, bool swapped, const void *at);

/* The value as a double, rounded to nearest, ties to even. */
double scalar_double(const struct scalar *s);

/* Below 0, 0 or above 0, as a <=> b: two integers, or two floats other than NaN. */
int scalar_compare(const struct scalar *a, const struct scalar *b);

enum scalar_fit {
    SCALAR_FITS,
    SCALAR_ROUNDED, /* a fraction, for an integer type */
    SCALAR_CLAMPED, /* outside the type's range, or NaN for an integer type */
};

/* Stores the value as an element of a type, in native byte order: fractions rounded to nearest,
 * ties to even, once. A value outside the type's range becomes the nearest one in it (of float
 * types the largest finite one; NaN becomes 0 in integer types), and the result is SCALAR_CLAMPED.
 * Infinities, NaN and values that are rounded fit float types. */
enum scalar_fit scalar_store(const struct scalar *s, enum dtype type, void *at);

/* How many of the integers start, start + step, start + 2 * step and so on are in the range of an
 * integer type before the first that is not; UINT64_MAX if all are. */
uint64_t scalar_steps_in_range(const struct scalar *start, const struct scalar *step,
                               enum dtype type);
