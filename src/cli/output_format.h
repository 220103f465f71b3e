#ifndef DMLOP_CLI_OUTPUT_FORMAT_H
#define DMLOP_CLI_OUTPUT_FORMAT_H

#include "io/tensor_file.h"

/* The formats of outputs, by their names. */

/*
 * Sets the format of a tensor's output: as `asked` says (--format; FORMAT_BY_NAME: not given), else
 * by the path's extension. A path without an extension and standard output get `otherwise`.
 * ST_USAGE, with a message that begins with the option
 * and tells what would do, for any other extension, for raw data where they are not allowed, and
 * for .npz in any case.
 */
enum status output_format(const char *option, const char *path, int asked, bool allow_raw,
                          enum tensor_format otherwise, enum tensor_format *format,
                          struct diag *dg);

/* ST_USAGE, with a message, where a path has the extension of a tensor that is not JSON, but JSON
 * will be written there. */
enum status output_check_json(const char *option, const char *path, struct diag *dg);

#endif
