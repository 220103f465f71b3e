#ifndef DMLOP_BASE_SAMPLES_H
#define DMLOP_BASE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times of a repeated computation, in nanoseconds. Set repeat (1 or more) and least_ns; the rest
 * zero. */
struct samples {
    uint64_t repeat;   /* samples at least */
    uint64_t least_ns; /* their sum at least; with this, SAMPLES_MOST samples at most */
    uint64_t *v;       /* owned; in the order of time */
    size_t n, cap;
    uint64_t total;    /* their sum */
};

enum { SAMPLES_MOST = 1000000 };

/* Whether another sample is needed. */
bool samples_wanted(const struct samples *s);

/* False where memory is short. */
bool samples_add(struct samples *s, uint64_t ns);

void samples_free(struct samples *s);

/* Statistics of samples. Quartiles and median are interpolated between neighbours. */
struct samples_summary {
    uint64_t min, median, mean, max, quartile_1, quartile_3;
    double deviation;  /* standard deviation of the samples */
    uint64_t outliers; /* farther than 1.5 interquartile ranges from the quartiles */
};

/* All 0 for no samples. False where memory is short. */
bool samples_summarize(const uint64_t *v, size_t n, struct samples_summary *s);

#endif
