#ifndef DMLOP_CLI_PRINT_H
#define DMLOP_CLI_PRINT_H

#include <stdio.h>

#include "base/diag.h"
#include "base/str.h"
#include "json/write.h"

/* Prints a text to standard output and frees it. ST_SYSTEM, with a message, where memory ran out
 * while it was made, and then nothing is printed, or where it cannot be written; no message where
 * the reader of a pipe has gone. */
enum status print_str(struct str *text, struct diag *dg);

/* The same with the text that w writes, after all that is open is closed. */
enum status print_json(struct json_writer *w, struct diag *dg);

/* The name to print for a path: "-" is <stdin>. */
const char *shown_path(const char *path);

/* Prints it, control characters escaped. */
void print_path(const char *path, FILE *out);

#endif
