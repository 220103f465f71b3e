#ifndef DMLOP_IO_BENEATH_H
#define DMLOP_IO_BENEATH_H

/*
 * Opens the folder that a file lies in, below the folder `root`, so that the file can be written by
 * names relative to the descriptor: what other processes do to the path afterwards does not matter.
 * `path` is relative to root. Symbolic links are followed, also that of the file itself, as long as
 * they stay below root; folders that are missing are made. Returns the descriptor, which is good
 * for the functions whose names end in "at", and sets *name to the file's name in the folder, owned
 * by the caller. -1 with errno where that fails: EXDEV where the path leads out of root, which
 * holds at every moment, not only when it is looked at.
 */
int beneath_open(const char *root, const char *path, char **name);

#endif
