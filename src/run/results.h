#ifndef DMLOP_RUN_RESULTS_H
#define DMLOP_RUN_RESULTS_H

#include "io/output.h"
#include "run/inputs.h"

/* The third stage of an operator's command: where results go, and their memory. */

/* An output tensor. */
struct result {
    const char *path;  /* NULL: computed, but not written */
    size_t file;       /* index in results.files */
    void *data;        /* owned; NULL where nothing is computed, or the result is streamed */
    uint64_t elements; /* of data */
    struct tensor view;
};

struct results {
    struct result v[SLOT_COUNT];
    struct outputs files; /* tensors, descriptor and model, which appear together */
    size_t descriptor, model; /* of --emit-descriptor, --emit-model: indices in files */
};

/*
 * Adds all files to results->files and gives each output tensor its memory, unless it is streamed
 * or nothing is computed. With --timings memory is touched, so that times show the kernel and not
 * the system. ST_SYSTEM or ST_USAGE with a message. Zero-initialise; release with results_close,
 * after an error too.
 */
enum status results_prepare(struct results *r, const struct request *rq, const struct desc *d,
                            bool streamed, struct diag *dg);

/* Writes the tensors that are in memory and, where asked for, descriptor and model; then commits
 * all files. */
enum status results_store(struct results *r, const struct request *rq, const struct inputs *in,
                          struct diag *dg);

void results_close(struct results *r);

#endif
