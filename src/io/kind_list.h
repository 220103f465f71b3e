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

/* Numbers in columns, as spreadsheets and numpy.savetxt write them. */
struct csv {
    char delimiter; /* ',', ';', a tab, or a blank for any blanks */
    bool header;    /* the first line names the columns */
    bool mark;      /* a byte-order mark comes first */
};

/* True if the first `most` bytes of a text are that: at least two lines of equally many cells, or one
 * line of at least two cells; all numbers, except in the first of several lines. */
bool csv_is(const void *text, size_t len, size_t most, struct csv *c);

#endif
