#pragma once

#include <limits.h>
#include <sys/types.h>

#include "base/diag.h"
#include "tensor/tensor.h"

/* A set of output files that appear together, complete, or not at all. Each is a temporary file
 * beside its target until outputs_commit renames it; signals that end the program remove the
 * temporaries. Zero-initialise, set the options. */
enum { OUTPUTS_MAX = 4 };

struct output; /* one file; owned by its set, private to output.c */

struct outputs {
    struct output *v[OUTPUTS_MAX]; /* in the order of outputs_add */
    size_t n;
    bool no_sync;    /* skip fsync */
    bool no_clobber; /* refuse to replace a file */
    bool digests;    /* for output_digest */
    bool shared;     /* output_copy may need no room: too little is found when it is used up */
};

/* Adds an output: a path, "-" for standard output, or a device, FIFO or /dev/fd/N, which are
 * written in place. Symbolic links are followed. Nothing is created yet. ST_SYSTEM if the target
 * cannot be written (folder missing, no-clobber), ST_USAGE for the same file twice in the set. */
enum status outputs_add(struct outputs *o, const char *path, struct diag *dg);

/* Adds the file `name` in the folder `at`, a descriptor that o owns from now on. It must
 * be a regular file if it exists, and no link. Messages call it `path`. Errors as above. */
enum status outputs_add_at(struct outputs *o, int at, const char *name, const char *path,
                           struct diag *dg);

/* ST_USAGE, with a message, if a file of one set is a file of the other. */
enum status outputs_check_apart(const struct outputs *a, const struct outputs *b, struct diag *dg);

/* A file, whatever path leads to it; compared as bytes. All 0: a folder that does not exist. */
struct output_place {
    dev_t device;
    ino_t folder;
    char name[NAME_MAX + 1];
};

/* Finds the place of the file at a path. Symbolic links are followed, and the file need not exist.
 * False if it is not a regular file or cannot be found; *failed is set if memory is short. */
bool output_place(const char *path, struct output_place *place, bool *failed);

/* Adds the output of a tensor and sets *f to it. With a `member`, the path is FILE.npz, or
 * FILE.npz:NAME with NAME for the member: the output is an archive, which is added once, and the
 * tensor becomes the array of that name in it, a .npy. Arrays are written in the order in which
 * they were added. ST_USAGE for two arrays of one name; ST_SYSTEM for a device or pipe, and for
 * FILE.npz:NAME if there is such an archive, whose other arrays would be lost. */
enum status outputs_add_tensor(struct outputs *o, const char *path, const char *member,
                               struct output **f, struct diag *dg);

/* Makes `onto`, a descriptor, lead to an output, before the first output_write: what others write
 * there is part of it. ST_SYSTEM with a message. */
enum status output_redirect(struct output *f, int onto, struct diag *dg);

/* Appends n bytes to an output. The first call creates the temporary. ST_SYSTEM with a message, or
 * without one if the reader of a pipe has closed it. */
enum status output_write(struct output *f, const void *bytes, size_t n, struct diag *dg);

/* output_write of a text, which is released. */
enum status output_text(struct output *f, struct str *text, struct diag *dg);

/* Begins the next tensor of an output, of `bytes` bytes, before the first is written. Reserves room
 * for them, so that a full disk is found early: ST_SYSTEM with a message. */
enum status output_begin(struct output *f, uint64_t bytes, struct diag *dg);

/* output_write of bytes that are also at `offset` in the file fd: the system may share whole
 * blocks of 4096 bytes, where these begin at the same distance in both files. */
enum status output_copy(struct output *f, const void *bytes, size_t n, int fd, uint64_t offset,
                        struct diag *dg);

/* The bytes written to an output so far, and their digest (base/digest.h), with `digests` only. */
uint64_t output_digest(const struct output *f, uint64_t *bytes);

/* Completes all: writes what is buffered, syncs, then renames each over its target. */
enum status outputs_commit(struct outputs *o, struct diag *dg);

/* Removes files that were not committed and releases all. Also for a zeroed set. */
void outputs_close(struct outputs *o);

/* Elements of a tensor that threads make in pieces, which are written in order. */
struct output_pieces {
    uint64_t count, piece; /* elements: all; at most, of a piece */
    size_t most;           /* bytes of a piece */
    /* Makes elements [from, from + n) in buf[most]; returns the length. On several threads. */
    size_t (*make)(const void *context, uint64_t from, uint64_t n, char *buf);
    const void *context;
};

/* Makes all pieces, on at most `threads` threads with a buffer each, and appends them to an
 * output. Errors as output_write, or ST_SYSTEM if memory is short. */
enum status output_pieces_write(struct output *f, const struct output_pieces *pieces, int threads,
                                struct diag *dg);
