#pragma once

#include "desc/finding.h"

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
