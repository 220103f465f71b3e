#pragma once

#include "base/util.h"

/* Parts of number texts. */

/* A number text: (-1)^negative * w * 10^q unless `cut`; else w is its first 19 significant digits,
 * and further digits that are not all 0 follow. */
struct decimal {
    uint64_t w; /* below 10^19 */
    int64_t q;
    bool negative;
    bool cut;
    bool literal;      /* no fraction and no exponent are written */
    const char *first; /* the digits, perhaps with a '.' and leading zeros */
    const char *end;
    int64_t unit; /* the last digit counts 10^unit */
};

/* Reads n bytes; false if they are not a JSON number. */
bool decimal_read(struct decimal *d, const char *s, size_t n);

/* Compares the absolute value, not 0, with m * 2^e exactly: below 0, 0, above 0. m is below 2^55
 * and e within double's range, -1075 to 971. */
int decimal_compare(const struct decimal *d, uint64_t m, int e);

/* A natural number, 9 decimal digits a limb: m * 5^1150 of decimal_compare has 824 digits. */
enum { LIMB = 1000000000, LIMB_DIGITS = 9, BIG_LIMBS = 96 };

struct big {
    uint32_t limb[BIG_LIMBS]; /* least first */
    int n;                    /* limbs in use */
};

struct big big_of(uint64_t m);
void big_multiply(struct big *b, uint32_t factor);

/* The digit of 10^i, with i below LIMB_DIGITS * b->n. */
unsigned big_digit(const struct big *b, int i);

__extension__ typedef unsigned __int128 u128;

enum { POWER10_MIN = -351, POWER10_MAX = 350, POWER10_SLACK = 3 };

/* 10^q: m * 2^e <= 10^q < (m + POWER10_SLACK) * 2^e; equal to m * 2^e if `exact`. */
struct power10 {
    u128 m; /* 2^127 <= m < 2^128 */
    int e;
    bool exact; /* q is 0 to 55 */
};

struct power10 power10(int q);
