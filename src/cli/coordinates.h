#ifndef DMLOP_CLI_COORDINATES_H
#define DMLOP_CLI_COORDINATES_H

#include <stdint.h>

#include "base/diag.h"
#include "base/str.h"
#include "cli/options.h"

/* Coordinates of an element, on the command line and in messages. */

/*
 * Reads coordinates of an element of the output, which has rank sizes, each at least 1, into
 * c[rank], from the words of a list (cli/list_text.h). A negative one counts from the end of its
 * axis. All are wanted, or, where least is below the rank, the last `least` of them, and the others
 * are 0. ST_USAGE for something else than a list of whole numbers, ST_INPUT for a number of
 * coordinates or a coordinate that does not fit the output, with a message that names the option.
 */
enum status coordinates_read(const char *option, const struct option_list *words, unsigned rank,
                             const uint64_t *sizes, unsigned least, uint64_t *c, struct diag *dg);

/* Adds "[0,0,1,0]"; the coordinate of axis `all`, where it is below the rank, as ":". */
void coordinates_add(struct str *out, unsigned rank, const uint64_t *c, unsigned all);

#endif
