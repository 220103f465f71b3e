#ifndef DMLOP_IO_TARGET_H
#define DMLOP_IO_TARGET_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/diag.h"

/* What the path of an output leads to. Private to output.c. */
enum target_kind {
    TARGET_FILE,       /* a regular file, which may not exist: replaced as a whole */
    TARGET_DESCRIPTOR, /* an open descriptor, as "-", /dev/stdout, /dev/fd/N and links to them name
                          it */
    TARGET_SPECIAL,    /* a device, FIFO or socket: opened by its path */
};

struct target {
    enum target_kind kind;
    char *path;        /* links followed; owned; relative to `at`, as for openat(2) */
    char *folder;      /* of path; owned */
    int at;            /* AT_FDCWD, or a folder's descriptor; owned */
    int descriptor;    /* TARGET_DESCRIPTOR: its number */
    bool exists;       /* st describes it (for a new file: its folder) */
    struct stat st;
};

/*
 * Finds out what path is. Folders, what cannot be written and, with no_clobber, files that exist
 * are ST_SYSTEM, with a message that calls the output `shown`. Release with target_free, after an
 * error too.
 */
enum status target_find(struct target *t, const char *path, bool no_clobber, const char *shown,
                        struct diag *dg);

/*
 * The same for the file `name` in the folder `at`, which t owns from now on, after an error too.
 * What is there must be a regular file: ST_SYSTEM where it is not.
 */
enum status target_find_at(struct target *t, int at, const char *name, bool no_clobber,
                           const char *shown, struct diag *dg);

/* Whether two outputs would write over, or into, each other: one file, pipe or descriptor.
 * Character devices may be shared (a terminal by two streams, /dev/null by all) unless they are
 * named twice. */
bool target_same(const struct target *a, const struct target *b);

void target_free(struct target *t);

#endif
