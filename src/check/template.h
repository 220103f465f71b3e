#ifndef DMLOP_CHECK_TEMPLATE_H
#define DMLOP_CHECK_TEMPLATE_H

#include "base/diag.h"
#include "base/str.h"

/*
 * `validate --template=NAME`: a file to start from, an example of check/examples/ with what its
 * members mean as comments. NAME is an operator's name, long or short, in any case, or "model".
 */

/* Adds the file; false where there is none of that name. */
bool template_add(struct str *b, const char *name);

/* Prints it. ST_USAGE, with the names that there are, where there is none of that name. */
enum status template_print(const char *name, struct diag *dg);

#endif
