#ifndef DMLOP_RUN_DRIVER_H
#define DMLOP_RUN_DRIVER_H

#include "run/operator.h"

/*
 * Runs an operator on one set of operands, stage by stage: request, inputs, results, computation,
 * store, report. Returns the exit status, after a message where that is not ST_OK; no output is
 * left then.
 */
enum status driver_run(const struct op_command *oc, const struct op_args *args, int operands,
                       char **operand, struct diag *dg);

#endif
