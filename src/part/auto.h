#pragma once

#include "base/util.h"

/* --part auto: the part that this task computes, from the environment variables that a batch system
 * or MPI launcher ("engine") sets. */

enum { AUTO_TEXT = 320 };

struct auto_part {
    uint64_t part, parts;
    char text[AUTO_TEXT]; /* the variables that were used, "PMI_RANK and PMI_SIZE", or an error */
};

/* parts: N of auto/N, or 0. False, with an error in p->text, if no part is named. */
bool auto_part_find(struct auto_part *p, uint64_t parts);

/* Reads decimal digits, with leading zeros allowed, up to UINT32_MAX; false for any other text. */
bool auto_part_number(const char *text, uint64_t *v);
