#ifndef DMLOP_CMD_EMIT_MODEL_H
#define DMLOP_CMD_EMIT_MODEL_H

#include "cmd/job.h"

/* Writes a job to output `index` of its outputs as a model file that `dmlop run` and DxDispatch run: inputs with their
 * values, the descriptor, a dispatch, and a print of each output. The inputs have their views. */
enum status emit_model(struct job *j, size_t index, struct diag *dg);

#endif
