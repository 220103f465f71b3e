#ifndef DMLOP_CHECK_DIFF_H
#define DMLOP_CHECK_DIFF_H

#include "base/str.h"

/* Adds the unified diff of two texts to out, three lines of context around each change; nothing
 * where they are equal. For texts that differ in few places. */
void diff_texts(const char *old_name, const char *new_name, const struct str *old_text,
                const struct str *new_text, struct str *out);

/* Where two texts differ: the bytes [start, end) of each, of whole characters. */
struct diff_change {
    size_t old_start, old_end, new_start, new_end;
};

/* The first difference at or after the ends of *at, which is zero at first; false where there is
 * none. */
bool diff_next(const struct str *old_text, const struct str *new_text, struct diff_change *at);

#endif
