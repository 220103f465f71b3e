#ifndef DMLOP_DESC_PLACE_H
#define DMLOP_DESC_PLACE_H

#include "desc/finding.h"

/*
 * Gives every finding and related place its offset (from its pointer, where it has none yet), line
 * and columns in text, and sorts the findings by text order. A pointer to what is not there means
 * the nearest value above. False where memory is short.
 */
bool findings_place(struct findings *fs, const char *text, size_t len);

/* Keeps fs->most findings, where so many are set: errors before warnings, then those that come
 * first in the text. */
void findings_shrink(struct findings *fs);

#endif
