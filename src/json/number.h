#pragma once

#include "base/util.h"

/* Exact readers of n bytes in JSON's grammar. *v is set for NUMBER_OK only. */

enum number_result {
    NUMBER_OK,
    NUMBER_SYNTAX,   /* not a JSON number */
    NUMBER_FRACTION, /* not whole, for an integer */
    NUMBER_RANGE,    /* outside the type, or overflows to infinity */
};

/* A whole number of -least to most, in two's complement; with `literal`, as an integer literal. */
enum number_result number_whole(const char *s, size_t n, bool literal, uint64_t least,
                                uint64_t most, uint64_t *v);

/* An integer literal: digits with an optional '-'. 4.0 and 1e2 are NUMBER_FRACTION. */
static inline enum number_result number_int_literal(const char *s, size_t n, int64_t *v)
{
    return number_whole(s, n, true, (uint64_t)INT64_MAX + 1, INT64_MAX, (uint64_t *)v);
}
static inline enum number_result number_uint_literal(const char *s, size_t n, uint64_t *v)
{
    return number_whole(s, n, true, 0, UINT64_MAX, v);
}

/* Any number whose value is whole (1e2, 4.0), exact over the whole range. */
static inline enum number_result number_i64(const char *s, size_t n, int64_t *v)
{
    return number_whole(s, n, false, (uint64_t)INT64_MAX + 1, INT64_MAX, (uint64_t *)v);
}
static inline enum number_result number_u64(const char *s, size_t n, uint64_t *v)
{
    return number_whole(s, n, false, 0, UINT64_MAX, v);
}

/* The nearest whole number, ties to even, rounded once: (-1)^*negative * *magnitude.
 * NUMBER_FRACTION if it was rounded, NUMBER_RANGE if *magnitude would be 2^64 or more. *negative is
 * set unless NUMBER_SYNTAX. */
enum number_result number_nearest(const char *s, size_t n, bool *negative, uint64_t *magnitude);

/* The nearest value, ties to even, rounded once however long the text is. NUMBER_RANGE if a finite
 * text rounds to infinity; underflow gives a denormal or zero with its sign. */
enum number_result number_double(const char *s, size_t n, double *v);
enum number_result number_float(const char *s, size_t n, float *v);
enum number_result number_half(const char *s, size_t n, uint16_t *bits);

/* Rewrites a number as other programs may write it, +1, 007, .5 or 5., in JSON's grammar, in
 * buf[NUMBER_RELAXED]. Returns its length, 0 if the text is longer than that or no number. */
enum { NUMBER_RELAXED = 512 };
size_t number_relaxed(const char *s, size_t n, char *buf);

/* Reads "nan", "inf" or "-inf" in any case, n bytes, as DxDispatch does; false for other texts. */
bool number_special(const char *s, size_t n, double *v);

/* The name of a NaN or an infinity. */
const char *number_special_name(double v);

/* The shortest JSON number that reads back to the same bits, the nearest among those of one length.
 * As Python's repr, but without a whole value's ".0" and without the exponent's plus sign and
 * leading zero: 1, -0.0, 0.5, 0.0001, 1e-5, 1234567890123456, 1.5e16. Whole halves have all their
 * digits: 65504, though 65500 reads back too. Finite values only. Writes at most NUMBER_TEXT bytes,
 * NUL-terminated; returns the length. */
enum { NUMBER_TEXT = 40 };
size_t number_format_double(char *buf, double v);
size_t number_format_float(char *buf, float v);
size_t number_format_half(char *buf, uint16_t bits);
size_t number_format_u64(char *buf, uint64_t v);
