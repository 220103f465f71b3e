#ifndef DMLOP_CMD_TIMINGS_H
#define DMLOP_CMD_TIMINGS_H

#include <stdint.h>
#include <stdio.h>

#include "base/str.h"

/* What --timings reports; times in nanoseconds. */
struct timings {
    const char *command, *operator_name, *kernel;
    int threads;
    uint64_t warmup, iterations;
    uint64_t load, validate, compute, store, total; /* compute: all iterations and warm-ups together */
    uint64_t *samples;                              /* [iterations], owned by the caller */
    uint64_t bytes_in, bytes_out, operations;
};

/* The JSON object of schema "dmlop.timings/1", with a newline. */
void timings_json(const struct timings *t, struct str *b);

/* The same as a table for people. samples are sorted in place. */
void timings_table(struct timings *t, FILE *out);

#endif
