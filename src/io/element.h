#pragma once

#include "json/number.h"
#include "json/write.h"
#include "tensor/scalar.h"

/* The shortest text that reads back to an element's bits (all digits of a whole FLOAT16),
 * NUL-terminated, in buf[NUMBER_TEXT]; nan, inf and -inf, in quotes if `quoted`. Returns its
 * length. The element is at an address, as for scalar_load, or is the value of one. */
size_t element_text(enum dtype type, bool swapped, const void *at, bool quoted, char *buf);
size_t scalar_text(const struct scalar *s, enum dtype type, bool quoted, char *buf);

/* Writes that text as a JSON value. */
void scalar_json(struct json_writer *w, const char *key, enum dtype type, const struct scalar *s);

/* Converts a number's text of n bytes to an element of a type, rounded once, at an address that is
 * aligned for the type; for DT_NONE only checks the syntax. Several threads may call it. */
enum number_result element_parse(enum dtype type, const char *s, size_t n, void *to);
