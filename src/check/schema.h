#ifndef DMLOP_CHECK_SCHEMA_H
#define DMLOP_CHECK_SCHEMA_H

#include "base/diag.h"
#include "json/write.h"

/* Writes the JSON Schema of that name: "model", "descriptor" (of any operator), an operator's name
 * in either case, or "" for any file that `validate` takes. False where there is none. */
bool schema_write(struct json_writer *w, const char *name);

/* Prints it. ST_USAGE where there is none, ST_SYSTEM where memory is short. */
enum status schema_print(const char *name, struct diag *dg);

#endif
