#ifndef DMLOP_CHECK_SCHEMA_H
#define DMLOP_CHECK_SCHEMA_H

#include "base/diag.h"
#include "json/write.h"

/* The operator of a name, long or short, with or without "DML_OPERATOR_", in any case and without
 * regard to '_'; OP_NONE for "model", OP_COUNT if there is none. */
int schema_op(const char *name);

/* Writes the JSON Schema of that name: "descriptor" (of any operator), "" for any file that
 * `validate` accepts, or as schema_op. False if there is none. */
bool schema_write(struct json_writer *w, const char *name);

/* Prints it. ST_USAGE if there is none, ST_SYSTEM if memory is short. */
enum status schema_print(const char *name, struct diag *dg);

#endif
