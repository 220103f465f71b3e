#ifndef DMLOP_CMD_COMMAND_H
#define DMLOP_CMD_COMMAND_H

#include "base/diag.h"

/*
 * To add a command: a file in cmd/ with its function, a row in the table of commands.c, a manual
 * page man/dmlop-NAME.1. `make lint` compares help and manual.
 */
struct command {
    const char *name, *summary;
    /* argv[0] is the command's name. Returns the exit status. */
    enum status (*run)(int argc, char **argv, struct diag *dg);
};

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

/* The command of that name, or NULL, after a message with the nearest name. */
const struct command *command_find(const char *name, struct diag *dg);

/* `dmlop --help`, `dmlop --version [--format json]`. */
void print_help(FILE *out);
enum status print_version(bool json, struct diag *dg);

#endif
