#ifndef DMLOP_CLI_COMMAND_H
#define DMLOP_CLI_COMMAND_H

#include "base/diag.h"

/*
 * To add a command: a file in cmd/ with its function, a row in the table of cmd/commands.c, a
 * manual page man/dmlop-NAME.1. `make lint` compares help and manual.
 */
struct command {
    const char *name, *summary;
    /* argv[0] is the command's name. Returns the exit status. */
    enum status (*run)(int argc, char **argv, struct diag *dg);
};

#endif
