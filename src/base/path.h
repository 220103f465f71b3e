#pragma once

#include "base/util.h"

/* Paths as texts; no file is accessed. */

struct str;

/* The part after the last separator. */
const char *path_base_name(const char *path);

/* The folder of the path's file: the part before the last separator, "/" for "/x", "." for "x".
 * Owned by the caller; NULL if memory is short. */
char *path_folder(const char *path);

/* The path of `name` beside `file` unless it has a root. Owned; NULL if memory is short. */
char *path_beside(const char *file, const char *name);

/* The same in a folder, on Windows also in "C:". */
char *path_join(const char *folder, const char *name);

/* The last colon after the root; NULL if there is none. */
char *path_last_colon(char *path);

/* The extension of the path's file with its dot, ".npy"; "" for "x", "x." and ".x". */
const char *path_extension(const char *path);

/* True if a path is longer than an extension such as ".npy" and ends with it, in any case. */
bool path_has_extension(const char *path, const char *extension);

/* Adds a path as a word of a shell; FILE for a path with control characters. An extension that is
 * not NULL replaces the path's own. */
void path_add_word(struct str *b, const char *path, const char *extension);
