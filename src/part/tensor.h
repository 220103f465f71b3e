#ifndef DMLOP_PART_TENSOR_H
#define DMLOP_PART_TENSOR_H

#include "io/tensor_file.h"

/*
 * Parts as a tensor: a folder FILE.parts, or any that has records of parts in it, is the output of
 * their job, FOLDER:indices the indices of topk. Nothing is written, and checksums are not read.
 */

/* Whether a path names parts: an existing folder, and no file has that name. */
bool part_tensor_is(const char *path);

/* The path of the file that parts are of: "y.npy" of y.npy.parts, "y.indices.npy" of
 * y.npy.parts:indices; of another path that path. Owned by the caller; NULL where memory is
 * short. */
char *part_tensor_file(const char *path);

/* Whether a path names parts that lie in a folder. */
bool part_tensor_in(const char *path, const char *folder);

/*
 * tensor_file_begin of a file or of parts. Of these all records and files are checked as `join`
 * does, without checksums; the data are read by need, see tensor_file_from.
 */
enum status part_tensor_begin(struct tensor_file *f, const char *path, enum dtype json_type,
                              int threads, struct diag *dg);

/* tensor_file_read of a file or of parts. */
enum status part_tensor_read(struct tensor_file *f, const char *path, enum dtype json_type,
                             int threads, struct diag *dg);

#endif
