#pragma once

#include "check/checked.h"
#include "check/diff.h"

/* A text after fixes. Zero-initialise; release with fixed_free. Must not move. */
struct fixed {
    struct str text;
    struct checked checked; /* the text, parsed and judged */
    size_t count;           /* values that were fixed */
    struct str from;        /* lines: what fixes are computed from that may be meant otherwise */
    struct diff diff;       /* from the original to the text */
};

/* Makes the fixes of the findings in a text, which came from path, and of the findings in the fixed
 * text, until there are none; other bytes stay as they are. A fix that would cause an error is left
 * out. ST_OK whatever findings remain; else as checked_text, or ST_SYSTEM. */
enum status fix_text(const char *path, const struct str *original, const struct check_options *opt,
                     struct fixed *f, struct diag *dg);

void fixed_free(struct fixed *f);

/* `validate --fix`: writes the fixed text of a file to `output` (NULL: standard output), the
 * changes as a unified diff to `diff`, the remaining findings to standard error, coloured by an
 * enum color_when. ST_OK if the fixed text is valid, ST_INVALID if errors remain; else as
 * checked_load, or ST_SYSTEM. */
enum status fix_file(const char *path, const char *output, const struct check_options *opt,
                     FILE *diff, int color, struct diag *dg);
