#ifndef DMLOP_RUN_TIMINGS_H
#define DMLOP_RUN_TIMINGS_H

#include <stdint.h>

#include "base/diag.h"
#include "cli/option_groups.h"
#include "io/output.h"
#include "run/parts_times.h"

/* What --timings reports; times in nanoseconds. */
struct timings {
    const char *command, *operator_name, *kernel;
    int threads;
    uint64_t warmup, iterations;
    uint64_t load, validate, store, total;
    uint64_t compute;        /* all iterations and warm-ups together */
    const uint64_t *samples; /* [iterations], the caller's */
    uint64_t bytes_in, bytes_out, operations;
    const struct parts_times *parts; /* of a join; NULL: none */
};

/* Prepares the file of --timings, if there is one: adds it to report, which is zeroed. Errors as
 * outputs_add. */
enum status timings_prepare(struct outputs *report, const struct timing_args *a,
                            const struct output_args *writing, struct diag *dg);

/* Writes the times as --timings asks: as JSON to that file, which is committed, or as a table to
 * dg's stream. ST_SYSTEM with a message. */
enum status timings_report(const struct timings *t, const struct timing_args *a,
                           struct outputs *report, struct diag *dg);

#endif
