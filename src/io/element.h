#ifndef DMLOP_IO_ELEMENT_H
#define DMLOP_IO_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "json/number.h"
#include "json/write.h"
#include "tensor/dtype.h"

/* The shortest text that reads back to the element's bits (native byte order; all digits of a whole
 * FLOAT16), NUL-terminated, in buf[NUMBER_TEXT]; nan, inf and -inf, in quotes if `quoted`. Returns
 * its length. */
size_t element_text(enum dtype type, const void *element, bool quoted, char *buf);

/* Writes that text as a JSON value; the same for a double. */
void element_json(struct json_writer *w, const char *key, enum dtype type, const void *element);
void double_json(struct json_writer *w, const char *key, double v);

#endif
