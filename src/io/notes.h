#ifndef DMLOP_IO_NOTES_H
#define DMLOP_IO_NOTES_H

#include "io/npz.h"
#include "io/tensor_file.h"

/* Notes and warnings of several commands about a tensor. */

/* With -v: "x.npy: FLOAT32 {3,4}, .npy version 1.0, C order". */
void note_tensor_file(const char *path, const struct tensor_file *f, struct diag *dg);

/* Warns that --dtype `asked` does not change the type of a file that names another one. */
void warn_dtype(const char *path, enum dtype asked, enum dtype type, struct diag *dg);

/*
 * Calls `each` for every array of an archive, with the path by which it is read. Other members get
 * a message: a warning for another kind of file, an error for a damaged one, none for a folder.
 * ST_INPUT from `each` does not end that. Returns ST_INPUT, also with a message if there is no
 * array, or the first other error.
 */
enum status members_each(const char *archive,
                         enum status (*each)(void *context, const char *path,
                                             const struct npz_member *m, struct diag *dg),
                         void *context, struct diag *dg);

#endif
