#pragma once

#include "base/diag.h"

/* Files and folders of the system. Paths are relative to the folder `at`, as for openat(2). */

/* True for standard input ("-") and anything but a regular file: a FIFO must be opened only once,
 * as that waits for its writer, and closing ends it. False for a file that does not exist. */
bool file_is_special(const char *path);

/* ST_USAGE, with a message, if an output would replace an input: the same file, or FILE of
 * FILE:NAME. input: "-" is standard input, NULL none; output: "-" is standard output, NULL none. */
enum status file_check_apart(const char *input, const char *output, struct diag *dg);

/* Reads the first n bytes of a regular file, and its length into *length unless that is NULL.
 * Returns their number with errno 0, or -1 with errno: ESPIPE if it is not a regular file. */
ptrdiff_t file_head(const char *path, void *buf, size_t n, uint64_t *length);

/* Makes the names in a folder durable, as far as the system can. */
void folder_sync(int at, const char *path);

/* Makes a folder unless it exists, also if others make it at the same time, and makes its name
 * durable. ST_SYSTEM, with a message. */
enum status folder_make(const char *path, struct diag *dg);

/* Opens the folder that contains the file `path`, which is relative to the folder `root`. Symbolic
 * links, also that of the file itself, are followed as long as they stay below root; missing
 * folders are made. Returns a descriptor for openat(2) and the like, so that later changes of the
 * path do not matter, and sets name[NAME_MAX + 1], the file's name in the folder. -1 with errno on
 * failure: EXDEV if the path leads out of root, at any moment. */
int folder_open_beneath(const char *root, const char *path, char *name);
