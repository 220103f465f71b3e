#ifndef DMLOP_MODEL_RUN_H
#define DMLOP_MODEL_RUN_H

#include <stdio.h>

#include "base/diag.h"
#include "base/samples.h"
#include "model/model.h"
#include "op/op.h"

/* How a model runs. */
struct run_options {
    const char *path;          /* of the model file, for messages */
    const char *output_folder; /* writeFile's paths begin there */
    bool allow_outside, no_sync, no_clobber;
    struct op_exec exec;
    struct samples samples; /* how often each dispatch is computed; no times */
    uint64_t warmup;        /* and before that without being counted */
};

/* What it took; nanoseconds. */
struct run_times {
    uint64_t load, compute, store;
    uint64_t *samples; /* owned by the caller: of all dispatches together, as many as the one with
                          the fewest had */
    size_t iterations;
    uint64_t operations, bytes_in, bytes_out;
    int threads;                        /* the most that worked at once; 1 without a dispatch */
    const char *kernel, *operator_name; /* of the last dispatch; "several" where they differ */
};

/*
 * Runs a model in which no error was found, read from doc: fills the resources, copies what is
 * OWNED_BY_DML, then runs the commands in order. What they print goes to `out`, in DxDispatch's
 * words. The first command that fails ends it: ST_INVALID (a writeFile that a link would lead
 * outside), ST_INPUT (a file that has changed), ST_USAGE (the kernel), ST_SYSTEM, each with a
 * message.
 */
enum status model_run(const struct model *m, const struct json_doc *doc,
                      const struct run_options *opt, FILE *out, struct run_times *times,
                      struct diag *dg);

#endif
