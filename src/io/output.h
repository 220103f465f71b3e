#ifndef DMLOP_IO_OUTPUT_H
#define DMLOP_IO_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/*
 * A set of output files that appear together, whole, or not at all. Each is a
 * temporary file beside its target until outputs_commit renames it over; signals that
 * end the program remove the temporaries. Zero-initialise, set the options.
 */
enum { OUTPUTS_MAX = 4 };

struct output; /* one file; private to output.c */

struct outputs {
    struct output *v[OUTPUTS_MAX];
    size_t n;
    bool no_sync;    /* skip fsync */
    bool no_clobber; /* refuse to replace a file */
    bool digests;    /* outputs_digest will be asked for */
};

/*
 * Adds an output: a path, "-" for standard output, or a device, FIFO or /dev/fd/N, which are
 * written in place. Symbolic links are followed. Nothing is created yet, but a target that cannot
 * be written (folder missing, no-clobber) is reported now, as ST_SYSTEM; the same file twice in the
 * set, as ST_USAGE.
 */
enum status outputs_add(struct outputs *o, const char *path, struct diag *dg);

/* Adds the file `name`, in the folder whose descriptor is `at`, which is o's from now on, after an
 * error too; all is done relative to it. What is there must be a regular file, and no link is
 * followed. Messages call the output `path`. Errors as above. */
enum status outputs_add_at(struct outputs *o, int at, const char *name, const char *path,
                           struct diag *dg);

/* ST_USAGE, with a message, where a file of one set is a file of the other. */
enum status outputs_check_apart(const struct outputs *a, const struct outputs *b, struct diag *dg);

/* Appends n bytes to output i. Opens it (creates the temporary) at the first call. ST_SYSTEM with a
 * message, or without one where the reader of a pipe has gone. */
enum status outputs_write(struct outputs *o, size_t i, const void *bytes, size_t n,
                          struct diag *dg);

/* Makes room for `bytes` in all where the system can, so that a full disk is found before the work
 * is done: ST_SYSTEM with a message. To be called before anything is written to output i. */
enum status outputs_reserve(struct outputs *o, size_t i, uint64_t bytes, struct diag *dg);

/* outputs_write of bytes that are also at `offset` in the file fd, so that the system can copy or
 * share them. */
enum status outputs_copy(struct outputs *o, size_t i, const void *bytes, size_t n, int fd,
                         uint64_t offset, struct diag *dg);

/* The bytes that were written to output i so far, and their digest (base/digest.h), which takes
 * time and is there only with `digests`. */
uint64_t outputs_digest(const struct outputs *o, size_t i, uint64_t *bytes);

/* Completes all: writes what is buffered, syncs, then renames each over its target. */
enum status outputs_commit(struct outputs *o, struct diag *dg);

/* Removes what was not committed and releases everything; safe after a commit and on a zeroed
 * set. */
void outputs_close(struct outputs *o);

#endif
