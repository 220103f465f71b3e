#ifndef DMLOP_JSON_POWER10_H
#define DMLOP_JSON_POWER10_H

#include <stdbool.h>
#include <stdint.h>

/* Powers of ten for the readers and writers of numbers; private to json/. */

__extension__ typedef unsigned __int128 u128;

enum { POWER10_MIN = -351, POWER10_MAX = 350, POWER10_SLACK = 3 };

/* 10^q, with m * 2^e <= 10^q < (m + POWER10_SLACK) * 2^e, or equal to m * 2^e where `exact`. */
struct power10 {
    u128 m;     /* 2^127 <= m < 2^128 */
    int e;
    bool exact; /* exactly for q of 0 to 55 */
};

struct power10 power10(int q);

#endif
