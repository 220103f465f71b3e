#pragma once

#include <sys/stat.h>

#include "base/diag.h"

/* What the path of an output names. Private to output.c. */
enum target_kind {
    TARGET_FILE,       /* a regular file, which may not exist: replaced as a whole */
    TARGET_DESCRIPTOR, /* an open descriptor: "-", /dev/stdout, /dev/fd/N and links to them */
    TARGET_SPECIAL,    /* a device, FIFO or socket: opened by its path */
};

struct output_target {
    const char *shown; /* the name for messages; must live as long */
    enum target_kind kind;
    char *path;     /* links followed; owned; relative to `at`, as for openat(2) */
    char *folder;   /* of path; owned */
    int at;         /* AT_FDCWD, or a folder's descriptor; owned */
    int descriptor; /* of TARGET_DESCRIPTOR */
    bool exists;    /* st describes it; else its folder */
    struct stat st;
};

/* Finds the target of a path. ST_SYSTEM, with a message, for folders, files that cannot be written
 * and, with no_clobber, files that exist. Unless `at` is AT_FDCWD, the path is a name in that
 * folder, which t owns from now on, and ST_SYSTEM also for all but a regular file. Release with
 * target_free, after an error too. */
enum status target_find(struct output_target *t, int at, const char *path, const char *shown,
                        bool no_clobber, struct diag *dg);

/* True if two outputs would overwrite, or write into, each other: one file, pipe or descriptor.
 * Character devices may be shared (a terminal by two streams, /dev/null by all) unless they are
 * named twice. */
bool target_same(const struct output_target *a, const struct output_target *b);

void target_free(struct output_target *t);
