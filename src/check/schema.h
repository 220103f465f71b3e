#ifndef DMLOP_CHECK_SCHEMA_H
#define DMLOP_CHECK_SCHEMA_H

#include "base/diag.h"
#include "desc/json_schema.h"

/* Writes the JSON Schema of that name: "model", "descriptor" (of any operator), the name of an
 * operator as schema_index takes it, or "" for any file that `validate` accepts. False if there is
 * none. */
bool schema_write(struct json_writer *w, const char *name, const struct schema_scope *scope);

/* Prints it. ST_USAGE if there is none, ST_SYSTEM if memory is short. */
enum status schema_print(const char *name, struct diag *dg);

#endif
