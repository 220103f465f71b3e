#pragma once

#include "tensor/scalar.h"
#include "tensor/tensor.h"

/* Statistics of a tensor's elements. */
struct stats {
    uint64_t count, zeros, nans, up, down; /* these two: infinities above and below 0 */
    uint64_t finite;                       /* count - nans - up - down */
    struct scalar min, max;                /* without NaN; undefined if all are NaN */
    struct scalar finite_min, finite_max;  /* undefined if none is finite */
    double mean, deviation; /* of finite elements, 0 if there are none; the population's */
};

enum { HISTOGRAM_BINS = 16, HISTOGRAM_MOST = 4096, STATS_PLACES = 10 };

/* Finite elements by value, in n bins of one width from low to high; the last one includes high. */
struct histogram {
    double low, high;
    size_t n;       /* at most HISTOGRAM_MOST */
    uint64_t *bins; /* owned; NULL until they are counted */
};

/* Reads the `count` elements of t once, in the order of memory, on at most `threads` threads (0:
 * chosen by the amount of work). They are contiguous; strides are ignored. Results depend only on
 * the elements and their order, to the last bit. False if memory is short. */
bool stats_compute(const struct tensor *t, uint64_t count, int threads, struct stats *s);

/* The same for h->n bins from the smallest to the largest finite element, which s has; if these are
 * equal, one end is moved so that the bins have a width. Release h->bins with free. */
bool stats_histogram(const struct tensor *t, int threads, const struct stats *s,
                     struct histogram *h);

/* An element that is NaN or infinite. */
struct stats_place {
    uint64_t number; /* of the element in row-major order */
    double value;
};

/* Finds the first *n of them in row-major order, whatever the strides. Errors as above. */
bool stats_places(const struct tensor *t, const struct stats *s,
                  struct stats_place places[STATS_PLACES], size_t *n);
