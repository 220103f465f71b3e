#ifndef DMLOP_CLI_PRINT_H
#define DMLOP_CLI_PRINT_H

#include <stdio.h>

#include "base/diag.h"
#include "base/str.h"
#include "json/write.h"

/* Prints a text to standard output and frees it. ST_SYSTEM if memory ran out while the text was
 * made, and nothing is printed, or if it cannot be written; with a message, unless the reader
 * closed the pipe. */
enum status print_str(struct str *text, struct diag *dg);

/* The same with the JSON of w, after closing what is open. */
enum status print_json(struct json_writer *w, struct diag *dg);

/* The name of a path in messages: <stdin> for "-". */
const char *shown_path(const char *path);

/* Prints it, with control characters escaped. */
void print_path(const char *path, FILE *out);

#endif
