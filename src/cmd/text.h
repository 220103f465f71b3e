#ifndef DMLOP_CMD_TEXT_H
#define DMLOP_CMD_TEXT_H

#include <stddef.h>

#include "base/diag.h"

/*
 * Reads a text file, or standard input ("-"), of at most `most` bytes; `what` names the kind of
 * file that may be so long. *text has *len bytes and a NUL, from base/mem.h, and is the caller's.
 * ST_INPUT or ST_SYSTEM, with a message and a NULL *text, where that fails.
 */
enum status text_load(const char *path, size_t most, const char *what, char **text, size_t *len,
                      struct diag *dg);

#endif
