#pragma once

#include "base/util.h"

/* Handlers of the signals that end the program, unless they are ignored. They remove the temporary
 * files created here; then the program ends by that signal. If a mapped input was cut short, so
 * that reading it raises SIGBUS, the program reports that and ends with ST_INPUT; with ST_SYSTEM,
 * if the OpenMP library cannot start threads and ends it. Not for several threads. */

/* Installs the handlers, for a command that messages name. To be called once. */
void cleanup_begin(const char *command);

/* Creates the new file `path`, relative to the folder `at` as for openat(2), mode 0600, for
 * writing. The string and `at` must live until the file is removed or renamed. Returns the
 * descriptor or -1 with errno; EMFILE if there are too many. */
int cleanup_create(int at, const char *path);

/* Removes a file that was created here. */
void cleanup_remove(const char *path);

/* Renames such a file to target, relative to the same folder; false, with errno, and the file kept,
 * on failure. Unless `replace`, an existing target is EEXIST. */
bool cleanup_rename(const char *path, const char *target, bool replace);

/* Notes that `path`, which lives as long, is mapped at [base, base + n). Messages name at most 64
 * inputs. */
void cleanup_mapped(const void *base, size_t n, const char *path);
void cleanup_unmapped(const void *base);
