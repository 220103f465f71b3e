#pragma once

#include "cli/option_groups.h"
#include "io/output.h"
#include "json/write.h"

/* The report of --timings. Times are in nanoseconds. */
struct timings {
    const char *command, *operator_name, *kernel;
    int threads;
    uint64_t warmup;
    struct samples samples; /* the caller's */
    struct phases phases;   /* compute: all iterations and warm-ups together */
    uint64_t total;
    struct work work;
    struct outputs report; /* the file; the caller closes it */
    /* what a command adds to the object and to the table; NULL: nothing */
    void (*write_more)(const void *context, struct json_writer *w);
    void (*print_more)(const void *context, FILE *out);
    const void *context;
};

/* A line of the table. */
void timings_print(FILE *out, const char *name, uint64_t ns);

/* Adds the file of --timings, if one is given, to t->report, which is zeroed. Errors as
 * outputs_add. */
enum status timings_prepare(struct timings *t, const struct timing_args *a,
                            const struct outputs *writing, struct diag *dg);

/* With --timings, writes JSON to that file and commits it, or a table to dg's stream. ST_SYSTEM
 * with a message. */
enum status timings_report(struct timings *t, const struct timing_args *a, struct diag *dg);
