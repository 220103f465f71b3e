#ifndef DMLOP_JSON_DECIMAL_H
#define DMLOP_JSON_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parts of number texts; private to json/. */

/*
 * A number text: value = (-1)^negative * w * 10^q where `cut` is not set; else w is its first 19
 * significant digits, and further digits that are not all 0 follow.
 */
struct decimal {
    uint64_t w;        /* below 10^19 */
    int64_t q;
    bool negative;
    bool cut;
    bool literal;      /* no fraction and no exponent are written */
    const char *first; /* the digits, from the first that is not 0; a '.' may be among them */
    const char *end;
    int64_t unit;      /* the last digit before `end` counts 10^unit */
};

/* Reads the parts of n bytes; false where they are not a JSON number. */
bool decimal_read(struct decimal *d, const char *s, size_t n);

/* Compares the absolute value with m * 2^e, exactly: below 0, 0, above 0. For values and m * 2^e
 * that agree in their first 15 digits, w of them, and double's range. */
int decimal_compare(const struct decimal *d, uint64_t m, int e);

#endif
