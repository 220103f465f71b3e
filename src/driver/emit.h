#ifndef DMLOP_DRIVER_EMIT_H
#define DMLOP_DRIVER_EMIT_H

#include "run/job.h"

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

#endif
