#pragma once

#include "run/plan.h"
#include "run/results.h"
#include "run/timings.h"

/*
 * A job: an operator's computation, from files to files. Its stages are request -> inputs -> plan
 * -> results; each reads those before it. What more a command does is done by callers of these
 * functions, in driver/. On the heap, as it is larger than a small stack.
 */
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

/* All of these after job_load. */
enum status job_run(struct job *j, struct diag *dg);

void job_close(struct job *j);
