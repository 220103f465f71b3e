#ifndef DMLOP_DESC_JSON_SCHEMA_H
#define DMLOP_DESC_JSON_SCHEMA_H

#include "base/str.h"
#include "desc/desc.h"

/* JSON Schemas (draft 2020-12) made from the operators' schema table: what they take at the newest feature level. */

/*
 * Adds the members of "$defs" for an operator to b, with a comma before each: its tensors, "NAME.fields", and "NAME", its
 * descriptor in all accepted spellings. NAME is the operator's without prefix. `also` is "" or further
 * members, each after a comma, of the "properties" of the outer object.
 */
void schema_add_operator(struct str *b, enum op op, const char *also);

/* Adds a reference to a definition: { "$ref": "#/$defs/NAME" }. */
void schema_add_ref(struct str *b, const char *name);

/* Adds the enumeration of data types (bits 1 << enum dtype), short and full names. */
void schema_add_types(struct str *b, unsigned types);

#endif
