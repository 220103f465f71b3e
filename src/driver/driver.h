#ifndef DMLOP_DRIVER_DRIVER_H
#define DMLOP_DRIVER_DRIVER_H

#include "run/operator.h"

/* Runs a command of an operator: the pipeline of run/, by the caller that the options ask for.
 * Returns the exit status. */
enum status operator_run(const struct op_command *oc, int argc, char **argv, struct diag *dg);

#endif
