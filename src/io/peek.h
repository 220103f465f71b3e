#ifndef DMLOP_IO_PEEK_H
#define DMLOP_IO_PEEK_H

#include "io/npy.h"

/* What the beginning of a file says about it. */
struct npy_peek {
    uint64_t length;            /* bytes of the file */
    bool is_npy;                /* an .npy whose header can be read */
    struct npy_header header;   /* where is_npy */
    bool failed;                /* memory was short */
    char error[NPY_ERROR_TEXT]; /* why the file cannot be used; "" where it can */
};

/* How many bytes follow the header. */
static inline uint64_t npy_peek_rest(const struct npy_peek *p)
{
    return p->length > p->header.data_offset ? p->length - p->header.data_offset : 0;
}

/* Reads the header of a regular file, if it is an .npy, in constant time. False, with the reason in
 * p->error or p->failed, where the file or its header cannot be read; another file is not an error.
 */
bool npy_peek(const char *path, struct npy_peek *p);

/*
 * The same for what read(context, ...) gives: bytes as read(2) does, 0 at the end, below 0 for an
 * error, after which the caller says in p->error what it was. Sets all but p->length.
 */
bool npy_peek_stream(ptrdiff_t (*read)(void *context, void *buf, size_t n), void *context,
                     struct npy_peek *p);

#endif
