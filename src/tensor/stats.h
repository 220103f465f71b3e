#ifndef DMLOP_TENSOR_STATS_H
#define DMLOP_TENSOR_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensor/scalar.h"
#include "tensor/tensor.h"

/* Statistics of a tensor's elements. */
struct stats {
    uint64_t count, zeros, nans, infinities; /* of either sign */
    uint64_t finite;                         /* count - nans - infinities */
    struct scalar min, max;                  /* without NaN; undefined if all are NaN */
    struct scalar finite_min, finite_max;    /* undefined if none is finite */
    double mean, deviation; /* of finite elements, 0 if there are none; the population's */
};

enum { STATS_BINS = 16 };

/* Finite elements by value: bin i begins at low + i * (high - low) / STATS_BINS, and the last one
 * includes high. */
struct histogram {
    double low, high;
    uint64_t bins[STATS_BINS];
};

/*
 * Reads the `count` elements of t once, in the order of memory, on at most `threads` threads (0:
 * chosen by the amount of work). They are contiguous; strides are ignored. Results depend only on
 * the elements and their order, to the last bit. False if memory is short or the feed of t failed.
 */
bool stats_compute(const struct tensor *t, uint64_t count, int threads, struct stats *s);

/* The same for a histogram between the smallest and largest finite elements; s are the statistics
 * of the same elements. */
bool stats_histogram(const struct tensor *t, int threads, const struct stats *s,
                     struct histogram *h);

#endif
