#pragma once

#include "io/output.h"
#include "model/model.h"
#include "op/op.h"

/* How a model runs. */
struct run_options {
    const char *path;          /* of the model file, for messages */
    const char *timings;       /* a file that no writeFile may replace; NULL: none */
    const char *output_folder; /* writeFile's paths begin there */
    struct outputs writing;    /* options of writeFile */
    bool allow_outside;
    struct op_exec exec;
    struct samples samples; /* limits of the repetitions of a dispatch; no times */
    uint64_t warmup;        /* repetitions before these, not counted */
};

/* Times of a run, in nanoseconds, and totals. */
struct run_times {
    uint64_t load, compute, store;
    uint64_t *samples; /* [iterations], owned by the caller: sums over all dispatches */
    size_t iterations; /* the fewest of any dispatch */
    uint64_t operations, bytes_in, bytes_out;
    int threads;                        /* the most of any dispatch; 1 without a dispatch */
    const char *kernel, *operator_name; /* "several" if dispatches differ */
};

/* ST_UNSUPPORTED, with a message for each dispatchable that dmlop cannot compute, and each resource
 * that it cannot read, of a model without errors. */
enum status model_can_run(const struct model *m, const char *path, struct diag *dg);

/* Runs such a model, if it can be run, read from doc: fills the resources, copies the OWNED_BY_DML
 * tensors, then runs the commands in order. They print to `out`, in DxDispatch's words. Stops at
 * the first failure: ST_INVALID (a link leads a writeFile outside), ST_INPUT (a file has changed),
 * ST_USAGE (the kernel), ST_SYSTEM, each with a message. */
enum status model_run(const struct model *m, const struct json_doc *doc,
                      const struct run_options *opt, FILE *out, struct run_times *times,
                      struct diag *dg);
