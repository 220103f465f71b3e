#ifndef DMLOP_IO_TEXT_H
#define DMLOP_IO_TEXT_H

#include <stddef.h>

#include "base/diag.h"
#include "io/kind.h"

/* Reads a text file, or standard input ("-"), of at most `most` bytes, which should be `wanted`.
 * *text has *len bytes and a NUL and is owned by the caller. ST_INPUT or ST_SYSTEM, with a message
 * and a NULL *text, if that fails or it is something else. */
enum status text_load(const char *path, size_t most, enum kind_wanted wanted, char **text,
                      size_t *len, struct diag *dg);

#endif
