#ifndef DMLOP_CMD_NOTES_H
#define DMLOP_CMD_NOTES_H

#include "io/tensor_file.h"

/* What several commands say of a tensor that they have read: with -v, and warnings. */

/* "x.npy: FLOAT32 {3,4}, .npy version 1.0, C order". */
void note_tensor_file(const char *path, const struct tensor_file *f, struct diag *dg);

/* Warns that --dtype `asked`, where it is given, does not change the type of a file that has one,
 * unless that is the same. */
void warn_dtype(const char *path, enum dtype asked, enum dtype type, struct diag *dg);

#endif
