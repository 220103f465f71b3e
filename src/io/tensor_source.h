#ifndef DMLOP_IO_TENSOR_SOURCE_H
#define DMLOP_IO_TENSOR_SOURCE_H

#include "base/diag.h"
#include "tensor/tensor.h"

/* A tensor whose elements come from more than one file. Its data are reserved addresses, filled by
 * tensor_need, so views of it are made like those of other tensors, whatever its size. */

/* Elements of a tensor: on axis i `count` indices from `start` on, `step` apart. */
struct tensor_window {
    uint64_t start[TENSOR_MAX_RANK], count[TENSOR_MAX_RANK];
    int64_t step[TENSOR_MAX_RANK];
    int64_t stride[TENSOR_MAX_RANK]; /* between them in the destination, in elements */
};

/* The maker of a source sets read and close; the rest except `all` is private. */
struct tensor_source {
    /* Copies a window of the tensor, bits unchanged. ST_INPUT or ST_SYSTEM, with a message. */
    enum status (*read)(struct tensor_source *s, const struct tensor_window *w, void *to);
    void (*close)(struct tensor_source *s); /* releases s, too */
    enum status st;      /* of the first read that failed */
    bool all;            /* all elements are read, so that checksums can be compared */
    struct tensor whole; /* packed */
    struct tensor_feed feed;
    unsigned char *base; /* [bytes] of addresses, of which [low, high) are in memory */
    uint64_t bytes;
    uint64_t low, high;
    struct diag *dg;
};

/* Sets the addresses and feed of t, a packed tensor without data. ST_SYSTEM, with a message, if
 * there are not enough addresses. */
enum status tensor_source_begin(struct tensor_source *s, struct tensor *t, struct diag *dg);

/* Reads all elements into memory; t needs no feed afterwards. */
enum status tensor_source_all(struct tensor_source *s, struct tensor *t);

/* Copies the elements of a view, not empty and perhaps with negative strides, in row-major order.
 * Reads no others if each axis of the view goes along one of the tensor. */
enum status tensor_source_copy(struct tensor_source *s, const struct tensor *view, void *to);

void tensor_source_close(struct tensor_source *s);

#endif
