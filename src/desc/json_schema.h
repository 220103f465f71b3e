#ifndef DMLOP_DESC_JSON_SCHEMA_H
#define DMLOP_DESC_JSON_SCHEMA_H

#include "desc/schema.h"
#include "json/write.h"

/*
 * JSON Schemas (draft 2020-12) of the operators at the newest feature level, made from their files.
 * Their text is in fragments/NAME.json, with placeholders:
 *
 *     @                 in a string: the definition's name, as in "DML_OPERATOR_@"
 *     "@word"           a value or a list of values
 *     "@word": null     a list of members
 */

/*
 * Writes three kinds of members of "$defs" for an operator: "NAME.TENSOR" for its tensors,
 * "NAME.fields", and "NAME" for its descriptor in all accepted spellings. NAME is the operator's
 * without prefix. `fragment` is the text of the last one, with "@fields": null and "@required";
 * NULL: descriptor.json.
 */
void schema_write_operator(struct json_writer *w, const struct op_schema *op, const char *fragment);

/* The operators that a schema covers: all, or those that matter to an editor at one place. There
 * operators are offered by name, and only one, or the ones that dmlop runs, in full. */
struct schema_scope {
    bool near;
    const struct op_schema *op; /* with near; NULL: the ones that dmlop runs */
};

/* True if operator i of schema_at is covered in full. */
bool schema_covers(const struct schema_scope *s, size_t i);

/* With near: writes the definition "operator", which has the names of the others. */
void schema_write_names(struct json_writer *w, const struct schema_scope *scope);

/* Writes a reference to the definition NAME: { "$ref": "#/$defs/NAME" }. */
void schema_write_ref(struct json_writer *w, const char *name);

/* Writes the enumeration of data types (bits 1 << enum dtype) with short and full names. */
void schema_write_types(struct json_writer *w, unsigned types);

#endif
