#pragma once

#include "run/job.h"

/* Runs a command of an operator: the pipeline of run/, by the caller that the options ask for.
 * Returns the exit status. */
enum status operator_run(const struct op_command *oc, int argc, char **argv, struct diag *dg);

/* Runs a loaded job, with the files of --emit-descriptor and --emit-model; without results if the
 * request has none. Errors are those of the stages, with messages. */
enum status emit_run(struct job *j, struct diag *dg);

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

/* --explain: the explanation of element c of the output, by operator, is added to out. It is
 * computed from the descriptor and the inputs without the kernels, except for their order of keys
 * and rounding. */
void explain_slice(struct str *out, const struct inputs *in, const uint64_t *c);
void explain_topk(struct str *out, const struct inputs *in, const uint64_t *c);
void explain_qmatmul(struct str *out, const struct inputs *in, const uint64_t *c);

/* --part: a job is narrowed to its share of the output and run, and a record commits its files. */

/* Refuses options that exclude --part, and options that need it, before the job is loaded.
 * ST_USAGE, with a message. */
enum status part_request(struct request *rq, struct diag *dg);

/* Runs the part of a loaded job that --part says, in place of emit_run. ST_USAGE, ST_INPUT or
 * ST_SYSTEM, with a message. */
enum status part_run(struct job *j, struct diag *dg);

/* --output-dir: a command for each of many inputs. */

struct many {
    const char *folder;   /* of the results */
    const char *indices;  /* the folder of topk's indices; NULL: there are none */
    const char *again[2]; /* files that are read again for every input; NULL: none */
    int format;           /* enum tensor_format, or FORMAT_BY_NAME */
    bool raw;             /* results may be raw data */
    /* Runs the command for one input; indices is NULL if there are none. */
    enum status (*run)(void *context, char *input, const char *output, const char *indices,
                       struct diag *dg);
    void *context;
};

/* Runs the command on each path, as a command of its own would, with the output NAME in the folder
 * and, for indices, NAME with ".indices" before its extension in theirs; NAME is the path's last
 * part. Makes the folders. Files that fail are reported and the others done; returns the first
 * failure. ST_USAGE, before anything is done, if two outputs are one file, or one is an input that
 * is read later. */
enum status many_run(const struct many *m, int n, char **paths, struct diag *dg);
