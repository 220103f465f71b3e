#pragma once

#include "base/str.h"
#include "run/job.h"

/* Runs a command of an operator: the pipeline of run/, by the caller that the options ask for.
 * Returns the exit status. */
enum status operator_run(const struct op_command *oc, int argc, char **argv, struct diag *dg);

/* The callers. */

/* --emit-descriptor and --emit-model: files that say what was asked for. They need the inputs only,
 * but appear together with the results. */
struct emitted {
    struct output *descriptor, *model; /* NULL: none */
};

/* Adds the files to a set. Errors as outputs_add. */
enum status emit_add(struct emitted *e, const struct request *rq, struct outputs *files,
                     struct diag *dg);

/* Writes the files. ST_INPUT or ST_SYSTEM, with a message. */
enum status emit_write(const struct emitted *e, const struct request *rq, const struct inputs *in,
                       struct diag *dg);

/* job_run with these files; without results if the request has none. */
enum status emit_run(struct job *j, struct diag *dg);

/* --explain: prints how the output element at coordinates `at` is computed. ST_USAGE, ST_INPUT or
 * ST_SYSTEM, with a message. */
enum status explain_run(const struct inputs *in, const struct option_list *at, struct diag *dg);

/* The explanation of element c of the output, by operator, is added to out. It is computed from the
 * descriptor and the inputs without the kernels, except for their order of keys and rounding. */
void explain_slice(struct str *out, const struct inputs *in, const uint64_t *c);
void explain_topk(struct str *out, const struct inputs *in, const uint64_t *c);
void explain_qmatmul(struct str *out, const struct inputs *in, const uint64_t *c);

/* --part: a job is narrowed to its share of the output and run, and a record commits its files. */

/* Refuses options that exclude --part, and options that need it, before the job is loaded.
 * ST_USAGE, with a message. */
enum status part_request(struct request *rq, struct diag *dg);

/* Runs the part of a loaded job that --part says, in place of job_run. ST_USAGE, ST_INPUT or
 * ST_SYSTEM, with a message. */
enum status part_run(struct job *j, struct diag *dg);
