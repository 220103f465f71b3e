#ifndef DMLOP_RUN_RESULTS_H
#define DMLOP_RUN_RESULTS_H

#include "io/output.h"
#include "run/inputs.h"

/* The fourth stage of an operator's command: output files, and the memory of output tensors. */

/* An output tensor. */
struct result {
    const char *path;      /* NULL: computed, but not written */
    struct output *out;    /* NULL: the same */
    void *data;            /* owned; NULL if the result is streamed or nothing is computed */
    uint64_t elements;     /* of data */
    struct tensor view;    /* as computed */
    struct tensor written; /* as in the file, without data */
};

struct results {
    struct result v[SLOT_COUNT];
    struct outputs files;              /* tensors, descriptor and model, which appear together */
    struct output *descriptor, *model; /* of --emit-descriptor, --emit-model; NULL: none */
};

/*
 * Adds all files, with the paths of d's outputs by slot, and allocates the output tensors unless
 * they are streamed or nothing is computed. With --timings touches that memory, so that times show
 * the kernel and not the system. paths must outlive r. ST_SYSTEM or ST_USAGE with a message.
 * Zero-initialise; release with results_close, after an error too.
 */
enum status results_prepare(struct results *r, const struct request *rq, const struct desc *d,
                            const char *const paths[SLOT_COUNT], bool streamed, struct diag *dg);

/* Writes the tensors that are in memory and, if requested, descriptor and model of the whole job;
 * then commits all files. */
enum status results_store(struct results *r, const struct request *rq, const struct inputs *in,
                          struct diag *dg);

void results_close(struct results *r);

#endif
