#ifndef DMLOP_JSON_NUMBER_H
#define DMLOP_JSON_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exact readers for number texts of n bytes (not NUL-terminated), in JSON's grammar. */

enum number_result {
    NUMBER_OK,
    NUMBER_SYNTAX,   /* not a JSON number */
    NUMBER_FRACTION, /* an integer was wanted and the value is not whole */
    NUMBER_RANGE,    /* outside the type, or overflows to infinity */
};

/* An integer literal: digits with an optional '-', no fraction and no exponent (NUMBER_FRACTION for
 * those, even 4.0). */
enum number_result number_int_literal(const char *s, size_t n, int64_t *v);
enum number_result number_uint_literal(const char *s, size_t n, uint64_t *v);

/* Any number whose value is whole (1e2, 4.0), exact over the whole range. */
enum number_result number_i64(const char *s, size_t n, int64_t *v);
enum number_result number_u64(const char *s, size_t n, uint64_t *v);

/* The whole number nearest to any number, ties to even, rounded once from the decimal text:
 * (-1)^*negative * *magnitude. NUMBER_OK where it is the value itself, NUMBER_FRACTION where not,
 * NUMBER_RANGE where *magnitude would be 2^64 or more. *negative is set unless NUMBER_SYNTAX. */
enum number_result number_nearest(const char *s, size_t n, bool *negative, uint64_t *magnitude);

/* Nearest value, ties to even, rounded once from the decimal text however long it is; NUMBER_RANGE
 * for finite texts that round to infinity. Underflow gives the nearest denormal or zero, with its
 * sign. *v is set for NUMBER_OK only, here and above. */
enum number_result number_double(const char *s, size_t n, double *v);
enum number_result number_float(const char *s, size_t n, float *v);
enum number_result number_half(const char *s, size_t n, uint16_t *bits);

/* The names of what a JSON number cannot be, without quotes: "nan", "inf" and "-inf", in any case,
 * as DxDispatch takes them. Reads one of n bytes; false where it is another text, as "+inf". */
bool number_special(const char *s, size_t n, double *v);

/* The name of a NaN or an infinity. */
const char *number_special_name(double v);

/*
 * Shortest text that reads back to the same bits, as a JSON number; among those of one length the
 * nearest. As Python's repr writes it, without a whole value's ".0" and without the exponent's plus
 * sign and leading zero: 1, -0.0, 0.5, 0.0001, 1e-5, 1234567890123456, 1.5e16. Whole values of a
 * half have all their digits, 65504 where 65500 would read back, too. Written to buf of at least
 * NUMBER_TEXT bytes, NUL-terminated; returns its length. Finite values only.
 */
enum { NUMBER_TEXT = 40 };
size_t number_format_double(char *buf, double v);
size_t number_format_float(char *buf, float v);
size_t number_format_half(char *buf, uint16_t bits);

/* The same for integers. */
size_t number_format_u64(char *buf, uint64_t v);
size_t number_format_i64(char *buf, int64_t v);

#endif
