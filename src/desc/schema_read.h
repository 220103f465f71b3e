#ifndef DMLOP_DESC_SCHEMA_READ_H
#define DMLOP_DESC_SCHEMA_READ_H

#include "desc/schema.h"

/* Private to desc/. */

/* Fills in o, which has a name and an op, from the text of its file. */
void schema_read(struct op_schema *o, const char *json);

/* Keeps n bytes of text, NUL-terminated, until the program ends. */
const char *schema_text(const char *text, size_t n);

#endif
