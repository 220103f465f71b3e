#ifndef DMLOP_RUN_RATIO_H
#define DMLOP_RUN_RATIO_H

#include <stdint.h>

/* Numbers in decimal that are not rounded. */

enum { FLOAT_TEXT = 136 /* bytes: a FLOAT32 has at most 112 digits */ };

/* A finite FLOAT32 with all of its digits: 0.1 is 0.100000001490116119384765625. Returns text. */
const char *float_exact(float f, char text[FLOAT_TEXT]);

/*
 * sum * a * b / c, for finite floats, c not 0, worked out exactly: all digits where these are at
 * most RATIO_DIGITS, else the first of them, not rounded, and "...". Returns text.
 */
enum { RATIO_DIGITS = 20, RATIO_TEXT = 48 /* bytes */ };
const char *ratio_exact(int64_t sum, float a, float b, float c, char text[RATIO_TEXT]);

#endif
