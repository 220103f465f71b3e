#ifndef DMLOP_MODEL_JSON_SCHEMA_H
#define DMLOP_MODEL_JSON_SCHEMA_H

#include "json/write.h"

/* Writes the members of "$defs" for a model file: the operators as dispatchables, "model" and what
 * it refers to. */
void model_schema_write(struct json_writer *w);

#endif
