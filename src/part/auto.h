#ifndef DMLOP_PART_AUTO_H
#define DMLOP_PART_AUTO_H

#include <stdbool.h>
#include <stdint.h>

/* --part auto: which part this task is, by what the engine that started it has put into the
 * environment. */

enum { AUTO_TEXT = 320 };

struct auto_part {
    uint64_t part, parts;
    char text[AUTO_TEXT]; /* what says so, "PMI_RANK and PMI_SIZE", or what is wrong */
};

/*
 * Looks variables up with get(context, name), which returns NULL for those that are not set. parts:
 * of auto/N; 0 for auto alone. False, with a message in p->text, where the environment does not
 * say, or says two things.
 */
bool auto_part_find(struct auto_part *p, uint64_t parts,
                    const char *(*get)(void *context, const char *name), void *context);

/* The number of a text of decimal digits, leading zeros allowed, up to UINT32_MAX; false for
 * another text. */
bool auto_part_number(const char *text, uint64_t *v);

#endif
