#ifndef DMLOP_IO_MEMBER_H
#define DMLOP_IO_MEMBER_H

#include <limits.h>
#include <stdbool.h>

/*
 * Paths of arrays in files: FILE:NAME is an array in an archive, FILE:N array number N, from 0, of
 * several that follow one another in an .npy; of standard input, -:N. FILE has the extension .npz
 * or .npy, or the first bytes of an archive or an .npy, and no file has the whole name.
 */
struct member {
    char file[PATH_MAX]; /* no longer path can be opened */
    const char *name;    /* in the path */
    bool archived;       /* FILE is an archive by its content, or by its name and no .npy */
};

/* Sets *m; false if the path names no such array. */
bool member_find(const char *path, struct member *m);

/* NAME or N, or NULL. */
const char *npz_member(const char *path);

/* True if the file begins as zip archives with members do. */
bool npz_has_magic(const char *path);

#endif
