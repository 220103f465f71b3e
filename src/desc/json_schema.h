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

/* The operators that a schema covers. At one place of an editor they are offered by name, and only
 * one, or the ones that dmlop runs, are covered in full. */
struct schema_scope {
    bool near;
    const struct op_schema *op; /* with near; NULL: the ones that dmlop runs */
    size_t first, end;          /* operators first to end - 1 of schema_at */
};

/*
 * Writes three kinds of members of "$defs" for each operator covered in full: "NAME.TENSOR" for its
 * tensors, "NAME.fields", and "NAME" for its descriptor in all accepted spellings; with near, also
 * "operator", which has the names of the others. NAME is the operator's without prefix. `fragment`
 * is the text of a descriptor, with "@fields": null and "@required"; NULL: descriptor.json.
 */
void schema_write_operators(struct json_writer *w, const struct schema_scope *scope,
                            const char *fragment);

/* Writes references to these definitions of descriptors. */
void schema_write_refs(struct json_writer *w, const struct schema_scope *scope);

/* Writes a reference to the definition NAME: { "$ref": "#/$defs/NAME" }. */
void schema_write_ref(struct json_writer *w, const char *name);

/* Writes the enumeration of data types (bits 1 << enum dtype) with short and full names. */
void schema_write_types(struct json_writer *w, unsigned types);

#endif
