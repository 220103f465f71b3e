#ifndef DMLOP_IO_LOOK_H
#define DMLOP_IO_LOOK_H

#include "base/status.h"
#include "io/npy.h"

/* What is known of a file without reading its data. */
struct npy_look {
    uint64_t length;          /* bytes */
    bool is_npy;
    struct npy_header header; /* is_npy */
};

/* Looks at a regular file in constant time. ST_INPUT with a message in error[NPY_ERROR_TEXT]; ST_SYSTEM where memory
 * is short. */
enum status npy_look(const char *path, struct npy_look *s, char *error);

#endif
