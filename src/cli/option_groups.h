#pragma once

#include "base/parallel.h"
#include "base/samples.h"
#include "cli/options.h"

/* Options that several commands have, each group with the struct that it fills. A command's
 * table names a group. run/shared_options.h has more. */

extern const struct option_row common_options[]; /* struct common_args without color */
extern const struct option_row color_options[];  /* struct common_args */
extern const struct option_row text_options[];   /* struct common_args: -o for its text */

enum { FORMAT_BY_NAME = -1 /* --format of a tensor is not given */ };

enum report_format { REPORT_TEXT, REPORT_JSON };
extern const char *const report_words[]; /* of --format */

/* How often to compute, and the output of the times. */
struct timing_args {
    long repeat;     /* 0: not given */
    double min_time; /* seconds; negative: not given */
    long warmup;
    const char *timings; /* NULL: no times; "": a table; else a JSON file */
    bool samples;
};
extern const struct option_row timing_options[];

/* The value of --threads; 0, as many as the work can use, if it is not given. A build without
 * OpenMP warns and returns 1 if more are given. */
int execution_threads(long threads, struct diag *dg);

/* How many samples to take, and how many computations come before them. */
static inline void timing_samples(const struct timing_args *a, struct samples *s, uint64_t *warmup)
{
    s->repeat = a->repeat ? (uint64_t)a->repeat : 1;
    s->least_ns = a->min_time > 0 ? (uint64_t)(a->min_time * 1e9) : 0;
    *warmup = (uint64_t)a->warmup;
}
