#ifndef DMLOP_RUN_OUTPUT_FORMAT_H
#define DMLOP_RUN_OUTPUT_FORMAT_H

#include "io/tensor_file.h"

/* The formats of outputs, by their names. */

/*
 * Chooses the format of a tensor's output: `asked` (--format; FORMAT_BY_NAME: not given), or else
 * the format of the path's extension; `otherwise` for a path without extension and for standard
 * output, JSON for CSV, which keeps neither the type nor sizes of 1. In an archive it is .npy.
 * ST_USAGE, with a message that begins with the option, for any other extension, for raw data
 * unless they are allowed, for other formats in an archive, and for FILE.npz:NAME.npy. The option
 * is
 * "" for paths that --output-dir makes.
 */
enum status output_format(const char *option, const char *path, int asked, bool allow_raw,
                          enum tensor_format otherwise, enum tensor_format *format,
                          struct diag *dg);

/* The name of the array in an archive that a path for a tensor names: NAME of FILE.npz:NAME, and
 * `otherwise` for FILE.npz. NULL for other paths, also if NAME has the extension of a format: so
 * --output-dir names files. */
const char *output_member(const char *path, const char *otherwise);

/* ST_USAGE, with a message, if the extension of a path for JSON names another format of tensors. */
enum status output_check_json(const char *option, const char *path, struct diag *dg);

#endif
