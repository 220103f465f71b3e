#ifndef DMLOP_CMD_TIMINGS_H
#define DMLOP_CMD_TIMINGS_H

#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/samples.h"
#include "base/str.h"

/* What --timings reports; times in nanoseconds. */
struct timings {
    const char *command, *operator_name, *kernel;
    int threads;
    uint64_t warmup, iterations;
    uint64_t load, validate, compute, store, total; /* compute: all iterations and warm-ups together */
    const uint64_t *samples;                        /* [iterations], the caller's */
    uint64_t bytes_in, bytes_out, operations;
};

/* --repeat, --min-time and --warmup (NULL: not given) into s and *warmups. ST_USAGE with a message. */
enum status timings_options(const char *repeat, const char *min_time, const char *warmup, struct samples *s,
                            uint64_t *warmups, struct diag *dg);

/* The JSON object of schema "dmlop.timings/1", with a newline. */
void timings_json(const struct timings *t, struct str *b);

/* The same as a table for people; `all`: with every sample. ST_SYSTEM with a message. */
enum status timings_table(const struct timings *t, bool all, FILE *out, struct diag *dg);

#endif
