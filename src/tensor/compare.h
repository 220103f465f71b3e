#pragma once

#include "tensor/tensor.h"

enum { COMPARE_FIRST = 5, COMPARE_BUCKETS = 1024 };

struct compare_options {
    double atol, rtol; /* an element passes when abs(a - b) <= atol + rtol * abs(b), exactly */
    bool equal_nan;    /* NaN equals NaN */
};

/* One element that differs. */
struct compare_element {
    uint64_t number;             /* in row-major order */
    double difference, relative; /* absolute; by abs(b), infinite where b is 0 */
};

/* Numbers of differences along an axis, by buckets of `width` indices. */
struct compare_axis {
    uint64_t width;
    uint64_t differ[COMPARE_BUCKETS];
};

struct compare_specials {
    uint64_t nan_a, nan_b, nan_both; /* NaN in A, in B, in both at one index */
    uint64_t inf_a, inf_b;
};

struct comparison {
    uint64_t count, differ; /* elements; elements that do not pass */
    struct compare_specials specials;
    uint64_t finite_differ; /* of differ: pairs of finite elements */
    /* The largest by difference and by relative, of pairs of different finite elements. */
    struct compare_element largest, worst_ratio;
    uint64_t unequal; /* pairs of different finite elements */
    struct compare_element first[COMPARE_FIRST];
    double least_atol, least_rtol; /* either makes all finite elements pass */
    bool same_floats;              /* both have one float type: ulp is valid */
    uint64_t ulp;                  /* largest distance in representable values */
    uint64_t ulp_number;           /* of the element */
    struct compare_axis *axes;     /* [rank], owned */
};

/* Compares two tensors of the same sizes and any types, byte orders and strides by value. Reads
 * both once, front to back, on at most `threads` threads (0: chosen by the amount of work), with
 * the same result. False if memory is short. Release with comparison_free. */
bool comparison_make(const struct tensor *a, const struct tensor *b,
                     const struct compare_options *opt, int threads, struct comparison *c);

void comparison_free(struct comparison *c);
