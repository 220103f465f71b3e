#ifndef DMLOP_CMD_NOTES_H
#define DMLOP_CMD_NOTES_H

#include "io/tensor_file.h"

/* What -v says in several commands. */

/* "x.npy: FLOAT32 {3,4}, .npy version 1.0, C order". */
void note_tensor_file(const char *path, const struct tensor_file *f, struct diag *dg);

#endif
