#pragma once

#include <limits.h>

#include "io/input.h"
#include "io/npy.h"

/* Paths of arrays in files: FILE:NAME is an array in an archive, FILE:N array number N, from 0, of
 * several that follow one another in an .npy; of standard input, -:N. FILE has the extension .npz
 * or .npy, or the first bytes of an archive or an .npy, and no file has the whole name. */
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

/* Arrays in .npz archives. libzip reads them; it is loaded when the first one is opened. */

/* Limits of an unpacked member: its bytes and, above NPZ_FREE_BYTES, its ratio to the bytes in the
 * archive that are unpacked, whatever the archive says of them. */
#define NPZ_MAX_BYTES  ((uint64_t)4 << 30)
#define NPZ_FREE_BYTES ((uint64_t)256 << 20)
enum { NPZ_MAX_RATIO = 200 };

/* Reads the member m of path, NAME with or without .npy, into memory that input_close releases,
 * after an error too. ST_INPUT if it cannot be read, is there twice or exceeds the limits above;
 * ST_SYSTEM if memory is short or a library is missing. */
enum status npz_open(struct input *in, const char *path, const struct member *m, struct diag *dg);

/* An array in an archive. */
struct npz_member {
    uint64_t packed; /* its bytes in the archive */
    struct npy_header header;
};

/* Calls `each` for every array of an archive, BFLOAT16 too, with the path by which it is read, in
 * the archive's order; only the headers are read before. Other members get a message: a warning for
 * another kind of file, an error for a damaged one and for a name that several have, none for a
 * folder. ST_INPUT from `each` does not end that. Returns ST_INPUT, also with a message if there is
 * no array, or the first other error, as npz_open. */
typedef enum status members_visit(void *context, const char *path, const struct npz_member *m,
                                  struct diag *dg);
enum status members_each(const char *archive, members_visit *each, void *context, struct diag *dg);
