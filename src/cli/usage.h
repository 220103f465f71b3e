#ifndef DMLOP_CLI_USAGE_H
#define DMLOP_CLI_USAGE_H

#include "cli/options.h"

/* Prints a command's help. */
void usage_print(const struct usage *usage, FILE *out);

/* The help of one of a command's options, in the command's own words where it has some. */
const char *usage_help(const struct option_row *command, const struct option_row *option);

#endif
