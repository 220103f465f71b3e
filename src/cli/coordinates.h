#ifndef DMLOP_CLI_COORDINATES_H
#define DMLOP_CLI_COORDINATES_H

#include <stdint.h>

#include "base/diag.h"
#include "base/str.h"
#include "cli/options.h"

/* Coordinates of an element, on the command line and in messages. */

/*
 * Reads coordinates of an element of the output, whose sizes are at least 1, into c[rank] from the
 * words of a list (cli/list_text.h). A negative coordinate counts from the end of its axis. There
 * must be `rank` coordinates, or only the last `least`; the others are 0 then. ST_USAGE if the
 * words are not a list of whole numbers, ST_INPUT if their number or a coordinate does not fit the
 * output, with a message that names the option.
 */
enum status coordinates_read(const char *option, const struct option_list *words, unsigned rank,
                             const uint64_t *sizes, unsigned least, uint64_t *c, struct diag *dg);

/* Adds "[0,0,1,0]", with ":" for axis `all` if that is below the rank. */
void coordinates_add(struct str *out, unsigned rank, const uint64_t *c, unsigned all);

#endif
