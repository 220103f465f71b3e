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

/* The JSON object of schema "dmlop.timings/1", with a newline. */
void timings_json(const struct timings *t, struct str *b);

/* The same as a table for people; `all`: with every sample. ST_SYSTEM with a message. */
enum status timings_table(const struct timings *t, bool all, FILE *out, struct diag *dg);

#endif
