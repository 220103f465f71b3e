#pragma once

#include "check/checked.h"

/* How the lines of an old and of a fixed text correspond. Zero-initialise; release with
 * diff_free. */
struct diff {
    size_t *old_start; /* [n + 1]: where lines begin in the old text, and its end */
    size_t *new_start; /* the same in the fixed text, at the end */
    size_t n;          /* lines of the fixed text, the empty one after a last \n included */
};

/* Finds the lines of a text, to begin with the old text, unchanged, and to end with the fixed text.
 * starts is old_start or new_start of d. Like the next one, false if memory is short. */
bool diff_lines(struct diff *d, size_t **starts, const struct str *text);

/* Follows n fixes, in text order and disjoint, that are made in the text: stores old_start after
 * them in *d, which may be `from`. */
bool diff_fix(struct diff *d, const struct diff *from, const struct str *text,
              const struct finding_fix *const *fixes, size_t n);

void diff_free(struct diff *d);

/* Changed lines [first, end), and their bytes in the old and in the fixed text. */
struct diff_change {
    size_t first, end;
    size_t old_start, old_end, new_start, new_end;
};

/* The next change after c, which is zero at first, false if there is none; diff_trim narrows it to
 * the characters that differ. */
bool diff_next(const struct diff *d, const struct str *old_text, const struct str *new_text,
               struct diff_change *c);
void diff_trim(struct diff_change *c, const struct str *old_text, const struct str *new_text);

/* Adds a unified diff to out, with three lines of context; nothing if the texts are equal. */
void diff_print(const struct diff *d, const char *old_name, const char *new_name,
                const struct str *old_text, const struct str *new_text, struct str *out);

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

/* ST_USAGE, with a message, if an output is a bound file or one that the model reads. */
enum status checked_apart(const struct checked *c, const struct check_options *opt,
                          const char *output, struct diag *dg);

/* `validate --fix`: writes the fixed text of a file to `output` (NULL: standard output), the
 * changes as a unified diff to `diff`, the remaining findings to standard error, coloured by an
 * enum color_when. ST_OK if the fixed text is valid, ST_INVALID if errors remain; else as
 * checked_load, or ST_SYSTEM. */
enum status fix_file(const char *path, const char *output, const struct check_options *opt,
                     FILE *diff, int color, struct diag *dg);
