#ifndef DMLOP_CMD_USAGE_H
#define DMLOP_CMD_USAGE_H

#include "cmd/options.h"

/* Prints a command's help. */
void usage_print(const struct usage *usage, FILE *out);

#endif
