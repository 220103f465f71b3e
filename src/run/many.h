#ifndef DMLOP_RUN_MANY_H
#define DMLOP_RUN_MANY_H

#include "run/operator.h"

/* --output-dir: one operator over many files, each as a command of its own would do it. */

/*
 * Runs the command on each of n paths, its outputs in args->output_dir, which is made where it is
 * missing: NAME for the result and, for topk, NAME with ".indices" before its extension for
 * the indices, NAME being the path's last part. --format changes the extension. Files that fail are
 * reported, the others done; returns the first failure. ST_USAGE, and nothing is done, where two
 * outputs would have one name or options exclude each other.
 */
enum status many_run(const struct op_command *oc, const struct op_args *args, int n, char **paths,
                     struct diag *dg);

#endif
