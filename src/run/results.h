#pragma once

#include "run/inputs.h"

/* The fourth stage of an operator's command: output files, and the memory of output tensors. */

/* An output tensor. */
struct result {
    const char *path;      /* NULL: computed, but not written */
    struct output *out;    /* NULL: the same */
    void *data;            /* owned; NULL if the result is streamed */
    uint64_t elements;     /* of data */
    struct tensor view;    /* as computed */
    struct tensor written; /* as in the file, without data */
};

struct results {
    struct result v[SLOT_COUNT];
    struct outputs files; /* of tensors, and what callers add; they appear together */
};

/* Adds the files of d's outputs, and allocates the output tensors unless they are streamed. With
 * --timings touches that memory, so that times show the kernel and not the system. rq must outlive
 * r. ST_SYSTEM or ST_USAGE with a message. Zero-initialise, except the options of `files`; release
 * with results_close, after an error too. */
enum status results_prepare(struct results *r, const struct request *rq, const struct desc *d,
                            bool streamed, struct diag *dg);

/* Writes the tensors that are in memory; then commits all files. */
enum status results_store(struct results *r, const struct request *rq, const struct inputs *in,
                          struct diag *dg);

void results_close(struct results *r);
