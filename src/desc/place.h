#ifndef DMLOP_DESC_PLACE_H
#define DMLOP_DESC_PLACE_H

#include "desc/finding.h"

/* Calls findings_locate, then sets line and columns of every finding and related place in text (len
 * bytes). False if memory is short. */
bool findings_place(struct findings *fs, const char *text, size_t len);

#endif
