#ifndef DMLOP_IO_JSON_VALUE_H
#define DMLOP_IO_JSON_VALUE_H

#include "io/json_reader.h"
#include "json/number.h"

/* Single elements of a tensor in JSON: text to the type of the reader. Private to json_reader.c and
 * json_pieces.c; several threads may call these at once. */

/* Converts a number text of n bytes to r->type, at `to`, by the file's rules, and adds to counts
 * what these were needed for; for DT_NONE only checks its syntax. */
enum number_result json_value_convert(const struct json_reader *r, const char *s, size_t n,
                                      void *to, struct cast_counts *counts);

/* The end of NaN, Infinity, -Infinity, or in any case "nan", "inf" or "-inf" at s, and in *v its
 * value; NULL where the text, up to `end`, begins with none of these. */
const char *json_value_special(const char *s, const char *end, double *v);

#endif
