#ifndef DMLOP_IO_LOOK_H
#define DMLOP_IO_LOOK_H

#include "io/npy.h"

/* What is known of a file without reading its data. */
struct npy_look {
    uint64_t length;          /* bytes */
    bool is_npy;
    struct npy_header header; /* is_npy */
};

/* Looks at a regular file in constant time. Returns 0, or -1 with a message in error[NPY_ERROR_TEXT]. */
int npy_look(const char *path, struct npy_look *s, char *error);

#endif
