#ifndef DMLOP_IO_NOTES_H
#define DMLOP_IO_NOTES_H

#include "io/npz.h"
#include "io/tensor_file.h"

/* Messages of several commands about tensors that they read. */

/* With -v: "x.npy: FLOAT32 {3,4}, .npy version 1.0, C order". */
void note_tensor_file(const char *path, const struct tensor_file *f, struct diag *dg);

/* Warns that --dtype `asked`, if given and different, does not change a file's own type. */
void warn_dtype(const char *path, enum dtype asked, enum dtype type, struct diag *dg);

/* The members of an archive that a command has seen. */
struct members_seen {
    size_t arrays;      /* read, or refused with a message */
    enum status worst;  /* status of these */
};

/* Reports a member that is not read: an error for an array, a warning for another kind of file,
 * nothing for a folder. */
void note_member(struct members_seen *seen, const char *path, const struct npz_member *m,
                 struct diag *dg);

/* The status of a whole archive: ST_INPUT, with a message, if it has no array. */
enum status members_status(const struct members_seen *seen, const char *archive, struct diag *dg);

#endif
