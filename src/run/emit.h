#ifndef DMLOP_RUN_EMIT_MODEL_H
#define DMLOP_RUN_EMIT_MODEL_H

#include "run/inputs.h"

/* Writes a model file for `dmlop run` and DxDispatch to an output: the inputs' values,
 * the descriptor as dispatchable `name`, a dispatch, and a print of each output. The inputs must be
 * complete. ST_SYSTEM with a message. */
enum status emit_model(const struct inputs *in, const char *name, struct output *out,
                       struct diag *dg);

#endif
