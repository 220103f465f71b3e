#ifndef DMLOP_IO_CLEANUP_H
#define DMLOP_IO_CLEANUP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What must be done when a signal ends the program. Temporary files created here are removed (by
 * any signal that can be caught and is not ignored), and the program still ends by that signal.
 * Where a mapped input was cut short, so that reading it raises SIGBUS, the program says so and
 * ends with ST_INPUT. Not for use from several threads.
 */

/* Creates the new file path, relative to the folder `at` as for openat(2), mode 0600, for writing,
 * and remembers it. The string and the descriptor must live until the file is removed or renamed.
 * Returns the descriptor or -1 as open(2) does, with EMFILE where too many are remembered. */
int cleanup_create(int at, const char *path);

/* Removes a file that was created here and forgets it. */
void cleanup_remove(const char *path);

/* Renames such a file to target, relative to the same folder, and forgets it; false, with errno and
 * the file kept, where that fails. Unless `replace`, a target that exists is EEXIST. */
bool cleanup_rename(const char *path, const char *target, bool replace);

/* Remembers that path, a string that must live as long, is mapped at [base, base + n), by a command
 * (NULL: none is known), whose name lives on; forgets it. Of more than 64 inputs mapped at once
 * only 64 are named in the message. */
void cleanup_mapped(const void *base, size_t n, const char *path, const char *by);
void cleanup_unmapped(const void *base);

#endif
