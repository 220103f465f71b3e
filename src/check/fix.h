#ifndef DMLOP_CHECK_FIX_H
#define DMLOP_CHECK_FIX_H

#include "base/str.h"
#include "check/checked.h"

/*
 * `validate --fix`: writes the values that the findings of a file know for certain back into its
 * text, every other byte as it is, until none is left; fixes that would bring in an error are left
 * out. The fixed text goes to `output`, or to standard output where that is NULL, the changes as a
 * unified diff to `diff`, the findings that are left to standard error, coloured by an enum
 * color_when. ST_OK where the fixed text is valid, ST_INVALID where errors are left, else as
 * checked_load, or ST_SYSTEM.
 */
enum status fix_file(const char *path, const char *output, const struct check_options *opt,
                     FILE *diff, int color, struct diag *dg);

/*
 * The same in memory: text, which came from path, becomes the fixed text, *fixes the number of
 * values that were fixed, and left (zero-initialised; the caller's to release) the fixed text,
 * checked. ST_OK whatever findings are left; else as checked_text, or ST_SYSTEM.
 */
enum status fix_text(const char *path, struct str *text, const struct check_options *opt,
                     struct checked *left, size_t *fixes, struct diag *dg);

#endif
