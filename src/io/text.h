#ifndef DMLOP_IO_TEXT_H
#define DMLOP_IO_TEXT_H

#include <stddef.h>

#include "base/diag.h"
#include "io/kind.h"

/*
 * Reads a text file, or standard input ("-"), of at most `most` bytes; `wanted` says
 * what it is to be. *text has *len bytes and a NUL, from base/mem.h, and is the caller's.
 * ST_INPUT or ST_SYSTEM, with a message and a NULL *text, where that fails or it is something else.
 */
enum status text_load(const char *path, size_t most, enum kind_wanted wanted, char **text,
                      size_t *len, struct diag *dg);

#endif
