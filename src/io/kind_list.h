#ifndef DMLOP_IO_KIND_LIST_H
#define DMLOP_IO_KIND_LIST_H

#include "io/input.h"

/* The formats that dmlop knows by their first bytes and does not read. */

/* How a file becomes one that can be read. */
enum way {
    ADVICE, /* `how` is all that can be said */
    MEMBER, /* an array is named in it */
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
    bool (*is)(const struct input *in); /* what else holds; NULL: nothing */
};

/* The first that fits what has been read of an input; NULL where none does. */
const struct kind *kind_find(const struct input *in);

#endif
