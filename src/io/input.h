#pragma once

#include "base/diag.h"

/* The bytes of an input: a regular file is mapped read-only, others are read. */
struct input {
    const char *path; /* as given; "-" is standard input */
    unsigned char *data;
    size_t len;
    bool mapped;
    bool more;     /* input_begin only: bytes after `data` are not read yet */
    bool numbered; /* data begin with an array of an .npy, chosen by number; others may follow */
    bool utf16;    /* data were UTF-16: utf16_decode */
    int fd;        /* open if `mapped` or `more`; -1 after input_detach */
    uint64_t consumed; /* bytes of data that input_read has passed */
    /* Private: the pages of data, their length, and the dropped bytes at their beginning. */
    unsigned char *base;
    size_t base_len, dropped;
};

/* Opens and maps or reads all of path, or an array in a file (io/npz.h). Folders and files that
 * cannot be read are ST_INPUT, memory ST_SYSTEM, both with a message. */
enum status input_open(struct input *in, const char *path, struct diag *dg);

/* The same, but an input that cannot be mapped is not read yet: then `more` is set. */
enum status input_begin(struct input *in, const char *path, struct diag *dg);

/* Reads until `len` is at least n or the input ends. */
enum status input_fill(struct input *in, size_t n, struct diag *dg);

/* Reads to the end. */
static inline enum status input_finish(struct input *in, struct diag *dg)
{
    return input_fill(in, SIZE_MAX, dg);
}

/* Reads n bytes of an input with `more` into buf, from `offset` on, and skips those before, which
 * must not have been passed. *got is below n only if the input ends. */
enum status input_read(struct input *in, uint64_t offset, void *buf, uint64_t n, uint64_t *got,
                       struct diag *dg);

/* Advises the system that [from, from + n) of mapped `data` will be read from front to back, or in
 * small pieces far apart. */
void input_advise(const struct input *in, size_t from, size_t n, bool sequential);

/* The offset of data[0] in the mapped file. */
static inline uint64_t input_offset(const struct input *in)
{
    return (uint64_t)(in->data - in->base);
}

/* Releases the memory of bytes before `offset`, which are not needed again. Later they are
 * undefined in an input that was read, and unchanged in a mapped one. */
void input_drop(struct input *in, size_t offset);

/* ST_INPUT, with a message, if a mapped file has become shorter since it was opened: bytes past its
 * new end, on its last page, were read as zeros. To be called before results are used. */
enum status input_intact(const struct input *in, struct diag *dg);

/* Closes the file of an input, whose bytes stay. input_intact must be called before. */
void input_detach(struct input *in);

/* Also for a zeroed input. */
void input_close(struct input *in);

/* The offset of the first byte of a text after a byte-order mark and blanks. */
static inline size_t text_start(const struct input *in)
{
    size_t i = in->len > 3 && memcmp(in->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (i < in->len && isspace(in->data[i]))
        i++;
    return i;
}
