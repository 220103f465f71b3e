#ifndef DMLOP_MODEL_JSON_SCHEMA_H
#define DMLOP_MODEL_JSON_SCHEMA_H

#include "base/str.h"

/* What may stand beside an operator's descriptor in a dispatchable: members of "properties", each after a comma. */
extern const char model_schema_also[];

/* Adds the members of "$defs" for a model file, with a comma before each: "model" and what it refers to, but for the
 * operators. */
void model_schema_add(struct str *b);

#endif
