#pragma once

#include "base/diag.h"
#include "desc/schema.h"

/*
 * JSON Schemas (draft 2020-12) of operators at the newest feature level, made from their files, and
 * of models. Their text is in fragments/NAME.json, file.json first, with placeholders:
 *
 *     @                 in a string: the definition's name, as in "DML_OPERATOR_@"
 *     "@word"           a value or a list of values
 *     "@word": null     a list of members
 */

/* The operators that a schema covers in full: all, or at one place of an editor only one, or the
 * ones that dmlop runs, and the others by name. */
struct schema_scope {
    bool near;
    const struct op_schema *op; /* with near; NULL: the ones that dmlop runs */
};

/* Writes the JSON Schema of that name: "model", "descriptor" (of any operator), the name of an
 * operator as schema_index takes it, or "" for any file that `validate` accepts; or prints it.
 * False or ST_USAGE if there is none. */
bool schema_write(struct json_writer *w, const char *name, const struct schema_scope *scope);
enum status schema_print(const char *name, struct diag *dg);
