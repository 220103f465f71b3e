#ifndef DMLOP_RUN_DRIVER_H
#define DMLOP_RUN_DRIVER_H

#include "run/operator.h"

/* Runs an operator on one set of operands: request, inputs, plan, results, computation, store,
 * report. Returns the exit status; after an error, which has been reported, no output is left. */
enum status driver_run(const struct op_command *oc, const struct op_args *args, int operands,
                       char **operand, struct diag *dg);

#endif
