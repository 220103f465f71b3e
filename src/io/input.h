#ifndef DMLOP_IO_INPUT_H
#define DMLOP_IO_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* The bytes of an input: mapped read-only where it is a regular file, else read. */
struct input {
    const char *path;   /* as given; "-" is standard input */
    unsigned char *data;
    size_t len;
    bool mapped;
    unsigned char *base; /* private: the pages that data lies in, their length, and how far they were dropped */
    size_t base_len, dropped;
};

/* Opens and maps or reads all of path ("-": standard input). Directories and files that
 * cannot be read are ST_INPUT, memory ST_SYSTEM, both with a message. */
enum status input_open(struct input *in, const char *path, struct diag *dg);

/* Tells the system that bytes before `offset` will not be needed again: they leave memory. Contents
 * there are undefined afterwards for inputs that were read, and unchanged for mapped ones. */
void input_drop(struct input *in, size_t offset);

void input_close(struct input *in);

#endif
