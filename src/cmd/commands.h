#ifndef DMLOP_CMD_COMMANDS_H
#define DMLOP_CMD_COMMANDS_H

#include "cli/options.h"

extern const struct command commands[]; /* in the order of `dmlop help`; name NULL ends */

enum status cmd_slice(int argc, char **argv, struct diag *dg);
enum status cmd_topk(int argc, char **argv, struct diag *dg);
enum status cmd_qmatmul(int argc, char **argv, struct diag *dg);
enum status cmd_join(int argc, char **argv, struct diag *dg);
enum status cmd_validate(int argc, char **argv, struct diag *dg);
enum status cmd_run(int argc, char **argv, struct diag *dg);
enum status cmd_lsp(int argc, char **argv, struct diag *dg);
enum status cmd_show(int argc, char **argv, struct diag *dg);
enum status cmd_info(int argc, char **argv, struct diag *dg);
enum status cmd_convert(int argc, char **argv, struct diag *dg);
enum status cmd_compare(int argc, char **argv, struct diag *dg);
enum status cmd_make(int argc, char **argv, struct diag *dg);
enum status cmd_selftest(int argc, char **argv, struct diag *dg);
enum status cmd_completion(int argc, char **argv, struct diag *dg);
enum status cmd_help(int argc, char **argv, struct diag *dg);

/* Returns the command of a name; NULL, after a message with the nearest name, if there is none. */
const struct command *command_find(const char *name, struct diag *dg);

/* `dmlop --help`, `dmlop --version [--format json]`. */
void print_help(FILE *out);
enum status print_version(bool json, struct diag *dg);

/* "WHAT 'NAME'; did you mean 'OTHER'?", with the nearest of n names, or "WHAT 'NAME'" and
 * `otherwise`; returns ST_USAGE. */
enum status usage_unknown(const char *what, const char *name, const char *const names[], size_t n,
                          const char *otherwise, struct diag *dg);

/* Prints what kernels prefetch on this processor, and why. */
void print_prefetch(void);

#endif
