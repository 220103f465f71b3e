#pragma once

#include "cli/progress.h"
#include "run/plan.h"
#include "run/results.h"

/* A job: an operator's computation, from files to files. Its stages are request -> inputs -> plan
 * -> results; each reads those before it. What more a command does is done by callers of these
 * functions, in driver/. On the heap, as it is larger than a small stack. */
struct job {
    struct request request;
    struct inputs inputs;
    struct plan plan;
    struct results results;
    struct timings times;
    uint64_t start; /* clock_ns */
};

/* Zero-initialise j; release with job_close, after an error too. Errors are those of the stages,
 * with messages. */
enum status job_load(struct job *j, struct diag *dg);    /* the inputs of j->request */
enum status job_prepare(struct job *j, struct diag *dg); /* the plan, and the output files */
enum status job_compute(struct job *j, struct diag *dg);
enum status job_store(struct job *j, struct diag *dg);  /* and commit */
enum status job_report(struct job *j, struct diag *dg); /* --timings */

void job_close(struct job *j);

/* Slices that are streamed from an input to an .npy, piece by piece, never whole in memory. Each
 * piece is computed in a buffer that fits the caches and written from there: a full disk is an
 * error, not a fatal signal. Pieces that are contiguous in the input's file are copied by the
 * system. */

/* Computes the pieces of a streamed plan from its input `source` and writes them to r. ST_INPUT,
 * ST_USAGE or ST_SYSTEM, with a message. */
enum status stream_run(const struct plan *plan, struct tensor_file *source,
                       const struct op_exec *exec, struct results *r, struct progress *progress,
                       struct diag *dg);
