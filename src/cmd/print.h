#ifndef DMLOP_CMD_PRINT_H
#define DMLOP_CMD_PRINT_H

#include <stdio.h>

#include "base/diag.h"
#include "base/str.h"

/* Prints a text and frees it. ST_SYSTEM, with a message and nothing printed, where memory ran out
 * while it was made. */
enum status print_str(struct str *text, FILE *out, struct diag *dg);

#endif
