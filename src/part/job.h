#ifndef DMLOP_PART_JOB_H
#define DMLOP_PART_JOB_H

#include "base/diag.h"
#include "part/share.h"

/* What parts must have in common to be put together. */

/* An input of the job: what its tensor is, and its bytes as the file has them. */
struct job_input {
    bool present;
    const struct tensor *tensor;
    const void *header; /* NULL: none */
    size_t header_bytes;
    const void *data; /* of tensor, which may have a feed */
    uint64_t bytes;
};

struct job {
    const struct desc *desc; /* of the whole */
    uint64_t parts;
    const struct share_grid *grid;
    const char *name; /* --job; NULL: none */
    struct job_input in[SLOT_COUNT];
};

/*
 * Hashes the descriptor (with it the type of indices), the number of parts, the axes, the name, and
 * of each input its type, its sizes, the header, and the data: all up to 64 KiB, of more 16 blocks
 * of 4 KiB from the first to the last. So a change elsewhere is not noticed. ST_SYSTEM, with a
 * message, where memory is short, or what a feed fails with.
 */
enum status job_hash(const struct job *j, uint64_t *hash, struct diag *dg);

#endif
