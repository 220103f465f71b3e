#ifndef DMLOP_JSON_NUMBER_H
#define DMLOP_JSON_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exact readers for number texts of n bytes (not NUL-terminated), in JSON's grammar. */

enum number_result {
    NUMBER_OK,
    NUMBER_SYNTAX,   /* not a JSON number */
    NUMBER_FRACTION, /* an integer was asked and the value is not whole */
    NUMBER_RANGE,    /* outside the type, or overflows to infinity */
};

/* An integer literal: digits with an optional '-', no fraction and no exponent (NUMBER_FRACTION for
 * those, even 4.0). */
enum number_result number_int_literal(const char *s, size_t n, int64_t *v);
enum number_result number_uint_literal(const char *s, size_t n, uint64_t *v);

/* Any number whose value is whole (1e2, 4.0), exact over the whole range. */
enum number_result number_i64(const char *s, size_t n, int64_t *v);
enum number_result number_u64(const char *s, size_t n, uint64_t *v);

/* Nearest value, ties to even, rounded once from the decimal text; NUMBER_RANGE for finite
 * texts that round to infinity. Underflow gives the nearest denormal or zero, with its sign. */
enum number_result number_double(const char *s, size_t n, double *v);
enum number_result number_float(const char *s, size_t n, float *v);
enum number_result number_half(const char *s, size_t n, uint16_t *bits);

/*
 * Shortest text that reads back to the same bits, as a JSON number; for floats of one
 * length the nearest. Written to buf of at least NUMBER_TEXT bytes, NUL-terminated; returns its length.
 * Finite values only.
 */
enum { NUMBER_TEXT = 40 };
size_t number_format_double(char *buf, double v);
size_t number_format_float(char *buf, float v);
size_t number_format_half(char *buf, uint16_t bits);

#endif
