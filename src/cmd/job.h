#ifndef DMLOP_CMD_JOB_H
#define DMLOP_CMD_JOB_H

#include "cmd/driver.h"
#include "cmd/findings.h"
#include "cmd/progress.h"
#include "cmd/timings.h"
#include "desc/read.h"
#include "op/op.h"
#include "op/slice_parts.h"

/* Private to the operators' driver: what driver.c and job.c share. */

/* A command at work. */
struct job {
    const struct op_command *oc;
    struct op_args args;
    struct desc_options rules;
    struct op_exec exec;
    struct samples samples;
    uint64_t warmup;
    struct binding in[SLOT_COUNT];
    const char *out_path[SLOT_COUNT]; /* NULL: not written */
    size_t out_index[SLOT_COUNT];     /* in outs */
    void *out_data[SLOT_COUNT];       /* owned */
    uint64_t out_elements[SLOT_COUNT];
    struct tensor out[SLOT_COUNT];
    struct desc desc;
    struct outputs outs, reports;     /* results and descriptor; timings */
    bool through;                     /* straight from input to output: */
    struct slice_parts parts;         /* so cut */
    bool emit_only;
    size_t emit_index, model_index;
    struct timings times;
    struct progress progress;
};

/* Name of a slot's tensor, DirectML's. */
const char *job_field(const struct job *j, unsigned slot);

/* What the options say of threads, samples and rules into j. ST_USAGE with a message. */
enum status job_read_options(struct job *j, struct diag *dg);

/* Operands from argv[first] on, --bind and the options that bind tensors, each to its slot. ST_USAGE with a message. */
enum status job_assign(struct job *j, int argc, char **argv, int first, struct diag *dg);

/* ST_USAGE where a tensor that the operator needs is not bound, or one is that the descriptor does not have. */
enum status job_check_bound(const struct job *j, bool by_descriptor, struct diag *dg);

/* By --format; by the path's ending; as the input; JSON for people. */
enum tensor_format job_output_format(const struct job *j, const char *path);

/* -v: which kernel runs. */
void job_note_kernel(const struct job *j, const struct op_plan *plan, struct diag *dg);

#endif
