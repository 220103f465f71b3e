#ifndef DMLOP_IO_CLEANUP_H
#define DMLOP_IO_CLEANUP_H

#include <stdbool.h>

/*
 * Temporary files that must not outlive the program. Those created here are
 * removed when a signal ends it (any that can be caught and is not ignored), and the program still ends by
 * that signal. Not for use from several threads.
 */

/* Creates path anew, mode 0600, for writing, and remembers it. The string must live until the file is
 * removed or renamed. Returns the descriptor, or -1 with errno (EMFILE where too many are remembered). */
int cleanup_create(const char *path);

/* Removes the file and forgets it. */
void cleanup_remove(const char *path);

/* Renames the file to target and forgets it; 0, or -1 with errno and the file kept. Unless `replace`, a target that
 * exists is EEXIST. */
int cleanup_rename(const char *path, const char *target, bool replace);

#endif
