#pragma once

#include "base/diag.h"
#include "json/write.h"

/* Prints a text to standard output and frees it. ST_SYSTEM if memory ran out while the text was
 * made, and nothing is printed, or if it cannot be written; with a message, unless the reader
 * closed the pipe. */
enum status print_str(struct str *text, struct diag *dg);

/* The same with the JSON of w, after closing what is open. */
enum status print_json(struct json_writer *w, struct diag *dg);

/* Sends the text that goes to standard output from now on to a file, unless path is NULL or "-";
 * the n inputs must be other files. With a status above `most` the text is not whole. ST_USAGE or
 * ST_SYSTEM, with a message. */
enum status print_to(const char *path, enum status most, int n, char *const *inputs,
                     struct diag *dg);

/* Puts that file into place if the command's status, st, says that the text is whole; else nothing
 * is written. Returns the worse status. */
enum status print_end(enum status st, struct diag *dg);

/* The name of a path in messages: <stdin> for "-". */
const char *shown_path(const char *path);

/* Prints it, with control characters escaped. */
void print_path(const char *path, FILE *out);
