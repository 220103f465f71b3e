#ifndef DMLOP_BASE_PATH_H
#define DMLOP_BASE_PATH_H

#include <stdbool.h>

/* Paths as texts; no file is looked at. */

/* What follows the last '/'. */
const char *path_base_name(const char *path);

/* The folder that the path's file is in: what is before the last '/', "/" for "/x", "." for "x".
 * Owned by the caller; NULL where memory is short. */
char *path_folder(const char *path);

/* The path of `name`, which is relative to the folder that `file` is in unless it begins with '/'.
 * Owned by the caller; NULL where memory is short. */
char *path_beside(const char *file, const char *name);

/* The extension of the path's file with its dot, ".npy"; "" for "x", "x." and ".x". */
const char *path_extension(const char *path);

/* Whether a path ends with an extension such as ".npy", in any case, and something is before it. */
bool path_has_extension(const char *path, const char *extension);

#endif
