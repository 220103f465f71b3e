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
    struct scalar min, max;                  /* of all but NaN; meaningless where all are NaN */
    struct scalar finite_min, finite_max;    /* meaningless where none is finite */
    /* of the finite ones; deviation is the population's; 0 where there are none */
    double mean, deviation;
};

enum { STATS_BINS = 16 };

/* Finite elements by value: bin i counts those from low + i * (high - low) / STATS_BINS on, the
 * last one up to high. */
struct histogram {
    double low, high;
    uint64_t bins[STATS_BINS];
};

/*
 * Reads the `count` elements of t once, in memory's order, on at most `threads` threads (0: as
 * many as the work can use): they lie one after the other, whatever the strides are. Results depend
 * on the elements and their order only, to the last bit. False where memory is short, or where t
 * has a feed that failed.
 */
bool stats_compute(const struct tensor *t, uint64_t count, int threads, struct stats *s);

/* The same for a histogram between the smallest and largest finite elements; s are the statistics
 * of the same elements. */
bool stats_histogram(const struct tensor *t, int threads, const struct stats *s,
                     struct histogram *h);

#endif
