#ifndef DMLOP_PART_TENSOR_H
#define DMLOP_PART_TENSOR_H

#include "io/tensor_file.h"

/* Parts as a tensor: a folder FILE.parts, or any folder with records of parts, is read as the
 * output of their job, and FOLDER:indices as topk's indices. Nothing is written. */

/* True if a path names parts: a folder exists, and no file has the path's name. */
bool part_tensor_is(const char *path);

/* The name of the whole: "y.npy" for y.npy.parts, "y.indices.npy" for y.npy.parts:indices; a path
 * that does not name parts is returned as it is. Owned by the caller; NULL if memory is short. */
char *part_tensor_file(const char *path);

/* part_check_output if a path names parts. */
enum status part_tensor_check_output(const char *path, const char *output, struct diag *dg);

/* The same for an output that replaces no input: ST_USAGE, with a message, also if it is the file
 * itself, or FILE of FILE:NAME. path: "-" is standard input, NULL none. */
enum status part_tensor_check_other(const char *path, const char *output, struct diag *dg);

/* tensor_file_begin for a file or parts. All records and files of parts are checked as by `join`,
 * except checksums; the data are read on demand, see tensor_file_from and tensor_source.all. */
enum status part_tensor_begin(struct tensor_file *f, const char *path, enum dtype json_type,
                              int threads, struct diag *dg);

#endif
