#pragma once

#include "base/util.h"

/* Times of a computation in ns. Set repeat (1 or more) and least_ns, the rest zero; free v. */
struct samples {
    uint64_t repeat;   /* minimum number of samples */
    uint64_t least_ns; /* minimum sum, up to SAMPLES_MOST samples */
    uint64_t *v;       /* owned; in order of time */
    size_t n, cap;
    uint64_t total; /* their sum */
};

enum { SAMPLES_MOST = 1000000 };

/* True if another sample is needed. */
static inline bool samples_wanted(const struct samples *s)
{
    return s->n < s->repeat || (s->total < s->least_ns && s->n < SAMPLES_MOST);
}

/* False if memory is short. */
bool samples_add(struct samples *s, uint64_t ns);

/* Statistics of samples. Quartiles and median are interpolated between neighbours. */
struct samples_summary {
    uint64_t min, median, mean, max, quartile_1, quartile_3;
    double deviation;  /* standard deviation of the samples */
    uint64_t outliers; /* farther than 1.5 interquartile ranges from the quartiles */
};

/* Compares two uint64_t, for qsort. */
int samples_ascending(const void *a, const void *b);

/* All 0 for no samples. False if memory is short. */
bool samples_summarize(const uint64_t *v, size_t n, struct samples_summary *s);

/* What reports and records say of a command: nanoseconds of its phases, and how much it did. */

struct phases {
    uint64_t load, validate, compute, store;
};

struct work {
    uint64_t bytes_in, bytes_out, operations;
};
