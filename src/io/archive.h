#pragma once

#include "base/diag.h"
#include "base/str.h"

/* Archives of arrays (.npz) that are being written: zip files whose members are stored without
 * compression, as numpy.savez stores them. The same arrays make the same bytes. The caller writes
 * the texts that are made here and says which data follow them. Private to output.c. */

struct archive;

/* NULL if memory is short. Release with archive_free. */
struct archive *archive_new(void);
void archive_free(struct archive *a);

/* Adds the array `name`, with or without .npy. ST_USAGE, with a message about the archive `path`,
 * if another array has that name or unzip would not make a file of that name in its folder. */
enum status archive_add(struct archive *a, const char *name, const char *path, struct diag *dg);

/* Adds to b the header of the next array, in the order of archive_add, of `bytes` bytes; it begins
 * at `offset` of the file. ST_SYSTEM, with a message, for 4 GiB or more, which npz_open refuses. */
enum status archive_next(struct archive *a, uint64_t offset, uint64_t bytes, const char *path,
                         struct str *b, struct diag *dg);

/* Notes n of these bytes. */
void archive_note(struct archive *a, const void *bytes, size_t n);

/* Adds the directory, which begins at `offset`, after all arrays. */
void archive_end(struct archive *a, uint64_t offset, struct str *b);

/* Writes the checksums of the data into the headers in a complete file; false with errno. */
bool archive_patch(const struct archive *a, int fd);
