#ifndef DMLOP_RUN_EMIT_MODEL_H
#define DMLOP_RUN_EMIT_MODEL_H

#include "run/inputs.h"

/*
 * Writes a model file that `dmlop run` and DxDispatch run to files' output `index`: inputs with
 * their values, the descriptor as the dispatchable `name`, a dispatch, and a print of each output.
 * The inputs have their views. ST_SYSTEM with a message.
 */
enum status emit_model(const struct inputs *in, const char *name, struct outputs *files,
                       size_t index, struct diag *dg);

#endif
