#ifndef DMLOP_RUN_SHOW_VALUE_H
#define DMLOP_RUN_SHOW_VALUE_H

#include "base/str.h"
#include "json/number.h"
#include "tensor/dtype.h"

/* Elements as text in columns whose decimal points are below each other. */

enum { SHOW_EXACT = -1, SHOW_PRECISION_MOST = 17 /* digits */ };

/*
 * What a column's cells need: characters before the decimal point, from it on, and of a NaN or an
 * infinity, which are right-aligned. Zero-initialise, then measure every element of the column.
 */
struct show_column {
    enum dtype type;
    bool swapped;  /* elements are in the other byte order */
    int precision; /* digits after the decimal point at most, or SHOW_EXACT */
    unsigned before, after, special;
};

/* The text of the element at an address of any alignment, in buf[NUMBER_TEXT]: the shortest that
 * reads back, or one rounded to c->precision; a value that would round to 0 has an exponent. */
void show_value_text(const struct show_column *c, const void *element, char *buf);

/* Widens the column to hold the element. */
void show_column_measure(struct show_column *c, const void *element);

/* Characters of a cell. */
unsigned show_column_width(const struct show_column *c);

/* Adds the element, padded with blanks on both sides to the width of the column. */
void show_column_add(const struct show_column *c, const void *element, struct str *out);

#endif
