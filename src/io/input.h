#ifndef DMLOP_IO_INPUT_H
#define DMLOP_IO_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* The bytes of an input: mapped read-only where it is a regular file, else read. */
struct input {
    const char *path;   /* as given; "-" is standard input */
    unsigned char *data;
    size_t len;
    bool mapped;
    bool more;           /* input_begin only: what follows `data` has not been read yet */
    int fd;              /* open where `mapped` or `more`; -1 after input_detach */
    /* Private: the pages that data lies in, their length, how many bytes of them were dropped, and
     * how many bytes of data input_read has returned. */
    unsigned char *base;
    size_t base_len, dropped, consumed;
};

/* Opens and maps or reads all of path ("-": standard input). Directories and files that
 * cannot be read are ST_INPUT, memory ST_SYSTEM, both with a message. */
enum status input_open(struct input *in, const char *path, struct diag *dg);

/* The same, but of what cannot be mapped nothing is read yet: then `more` is set. */
enum status input_begin(struct input *in, const char *path, struct diag *dg);

/* Reads until `len` is at least n or the input ends. */
enum status input_fill(struct input *in, size_t n, struct diag *dg);

/* Reads to the end. */
enum status input_finish(struct input *in, struct diag *dg);

/* Reads the next n bytes of an input with `more` into buf, or skips them where buf is NULL. The
 * first call begins with data[0]. *got is below n only where the input ends. */
enum status input_read(struct input *in, void *buf, uint64_t n, uint64_t *got, struct diag *dg);

/* Advises the system how [from, from + n) of mapped `data` will be read: from front to back, or in
 * distant small pieces. */
void input_advise(const struct input *in, size_t from, size_t n, bool sequential);

/* Where data[0] lies in the file that is mapped. */
uint64_t input_offset(const struct input *in);

/* Advises the system that bytes before `offset` will not be needed again, so that they leave
 * memory. Contents there are undefined afterwards for inputs that were read, and unchanged for
 * mapped ones. */
void input_drop(struct input *in, size_t offset);

/* ST_INPUT, with a message, where a mapped file has become shorter since it was opened: what was
 * read past its new end, on its last page, were zeros. To be called before results are used. */
enum status input_intact(const struct input *in, struct diag *dg);

/* Closes the file of a mapped input, whose bytes stay: for many at once. input_intact is not for it
 * then. */
void input_detach(struct input *in);

/* A zeroed one is allowed. */
void input_close(struct input *in);

#endif
