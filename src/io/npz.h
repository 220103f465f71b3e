#ifndef DMLOP_IO_NPZ_H
#define DMLOP_IO_NPZ_H

#include "io/input.h"
#include "io/peek.h"

/* Arrays in .npz archives, by libzip, which is loaded when the first one is opened: most runs of the program never need it. */

#define NPZ_MAX_BYTES ((uint64_t)4 << 30)   /* of one member, unpacked */
#define NPZ_FREE_BYTES ((uint64_t)256 << 20) /* from there on it may be ... */
enum { NPZ_MAX_RATIO = 200 };                /* ... at most so many times what it takes in the archive */

/* Whether a path means a member of an archive: FILE.npz:NAME, and there is no file of that name. */
bool npz_is_member(const char *path);

/* Reads a member into memory that input_close releases, after an error too; NAME with or without .npy. ST_INPUT for what
 * is not an archive, has no such member, is damaged, or is larger than the limits above; ST_SYSTEM where memory is short or
 * libzip is missing. */
enum status npz_open(struct input *in, const char *path, struct diag *dg);

/* One member as it is listed. */
struct npz_member {
    const char *name;
    uint64_t packed;      /* bytes that it takes in the archive */
    struct npy_peek file; /* unpacked; file.error says why where it is not an .npy */
};

/* Calls found for each member of an archive in its order, until it returns other than ST_OK. Reads the members' headers
 * only. Errors as npz_open. */
enum status npz_list(const char *path, enum status (*found)(void *context, const struct npz_member *m), void *context,
                     struct diag *dg);

#endif
