#ifndef DMLOP_IO_PEEK_H
#define DMLOP_IO_PEEK_H

#include "io/npy.h"

/* The header of a file that may be an .npy. */
struct npy_peek {
    uint64_t length;            /* bytes of the file */
    bool is_npy;                /* an .npy whose header can be read */
    struct npy_header header;   /* if is_npy */
    bool failed;                /* memory was short */
    char error[NPY_ERROR_TEXT]; /* why the file cannot be used; else "" */
};

enum { NPY_PEEK_BYTES = 1 << 17 /* longer than the headers of all types that can be read */ };

/* The number of bytes after the header. */
static inline uint64_t npy_peek_rest(const struct npy_peek *p)
{
    return p->length > p->header.data_offset ? p->length - p->header.data_offset : 0;
}

/* Reads the header of a regular file, if it is an .npy, in constant time. False, with the reason in
 * p->error or p->failed, if the file or its header cannot be read; other formats are no error. */
bool npy_peek(const char *path, struct npy_peek *p);

/* The same for the first `have` bytes of a file, at most NPY_PEEK_BYTES; sets all but p->length. */
bool npy_peek_bytes(const void *bytes, size_t have, struct npy_peek *p);

#endif
