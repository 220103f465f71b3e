#ifndef DMLOP_IO_NOTES_H
#define DMLOP_IO_NOTES_H

#include "io/npz.h"
#include "io/tensor_file.h"

/* What several commands say of a tensor that they have read: with -v, and warnings. */

/* "x.npy: FLOAT32 {3,4}, .npy version 1.0, C order". */
void note_tensor_file(const char *path, const struct tensor_file *f, struct diag *dg);

/* Warns that --dtype `asked`, where it is given, does not change the type of a file that has one,
 * unless that is the same. */
void warn_dtype(const char *path, enum dtype asked, enum dtype type, struct diag *dg);

/* What commands that go through an archive have found in it. */
struct members_seen {
    size_t arrays;      /* read, or refused with a message */
    enum status worst;  /* status of these */
};

/* Says why a member is not read that is not an array: a warning for another kind of file, and
 * nothing for a folder. */
void note_member(struct members_seen *seen, const char *path, const struct npz_member *m,
                 struct diag *dg);

/* The status of a whole archive: ST_INPUT, with a message, where it has no array. */
enum status members_status(const struct members_seen *seen, const char *archive, struct diag *dg);

#endif
