#pragma once

#include "base/diag.h"
#include "base/str.h"

/* `validate --template=NAME`: prints a file to start from, an example of check/examples/ with
 * descriptions of its members as comments. NAME is "model" or an operator's name, long or short, in
 * any case. ST_USAGE, with the valid names, if there is none of that name. */
enum status template_print(const char *name, struct diag *dg);

/* Adds a text in lines of at most `columns` bytes, each after a prefix; breaks at blanks. */
void template_wrap(struct str *b, size_t columns, const char *prefix, const char *text);
