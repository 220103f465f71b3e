#ifndef DMLOP_DESC_JSON_SCHEMA_H
#define DMLOP_DESC_JSON_SCHEMA_H

#include "desc/desc.h"
#include "json/write.h"

/*
 * JSON Schemas (draft 2020-12) made from the operators' schema table: what they take at the newest
 * feature level. Their text is in fragments/NAME.json, where
 *
 *     @                 within a string is the name of what the schema is for: "DML_OPERATOR_@"
 *     "@word"           is a value that is filled in, or a list of values
 *     "@word": null     is a list of members that is filled in
 */

/*
 * Writes the members of "$defs" for an operator: its tensors, "NAME.fields", and "NAME", its
 * descriptor in all accepted spellings. NAME is the operator's without prefix. The last is made
 * from a fragment with "@fields": null and "@required"; NULL: descriptor.json.
 */
void schema_write_operator(struct json_writer *w, enum op op, const char *fragment);

/* Writes a reference to the definition NAME: { "$ref": "#/$defs/NAME" }. */
void schema_write_ref(struct json_writer *w, const char *name);

/* Writes the enumeration of data types (bits 1 << enum dtype), short and full names. */
void schema_write_types(struct json_writer *w, unsigned types);

#endif
