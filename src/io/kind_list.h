#ifndef DMLOP_IO_KIND_LIST_H
#define DMLOP_IO_KIND_LIST_H

#include "io/input.h"

/* Formats that are known by their first bytes and cannot be read. */

/* The way to a file that can be read. */
enum way {
    ADVICE, /* `how` is a text */
    MEMBER, /* an array in it can be named */
    UNPACK, /* `how FILE >OTHER` */
    DECODE, /* the same for a text */
    TO_NPY, /* Python that reads the file i and writes the .npy o */
    TO_NPZ, /* the same for many arrays: an .npz */
};

struct kind {
    const char *name;
    enum way way;
    const char *how;
    const char *magic; /* at an offset; NULL: none */
    size_t len, offset;
    bool (*is)(const struct input *in); /* a further condition, or NULL */
};

/* The first format that fits the bytes read of an input; NULL if none does. */
const struct kind *kind_find(const struct input *in);

#endif
