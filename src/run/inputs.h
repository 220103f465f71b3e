#ifndef DMLOP_RUN_INPUTS_H
#define DMLOP_RUN_INPUTS_H

#include "io/tensor_file.h"
#include "run/request.h"
#include "run/timings.h"

/* The second stage of an operator's command: the tensors that a request names, and the descriptor,
 * read or made from options. */

/* An input tensor. */
struct loaded {
    struct tensor_file file; /* zeroed for a number */
    void *owned;             /* converted values; NULL: none */
    struct tensor view; /* in its description's shape; data are NULL while file.input.more is set */
};

struct inputs {
    struct desc desc; /* what is computed: the whole job, or a share of it */
    struct desc job;  /* the whole job */
    struct desc left; /* what is left to compute of desc, once inputs_finish has read the inputs: of
                         a slice of parts, whose window is all that was read, nothing but a copy */
    struct loaded v[SLOT_COUNT];
};

/*
 * Reads or makes the descriptor, loads all inputs, and holds both to the rules. Of a slice that may
 * be streamed (request_may_stream) only the header of a pipe is read. Adds what it takes to
 * times->load and times->validate. ST_INVALID, ST_INPUT, ST_USAGE or ST_SYSTEM, with messages.
 * Zero-initialise; release with inputs_close, after an error too.
 */
enum status inputs_load(struct inputs *in, const struct request *rq, struct timings *times,
                        struct diag *dg);

/* Reads the rest of a pipe, for a slice that is not streamed. Errors as inputs_load. */
enum status inputs_finish_pipe(struct inputs *in, struct timings *times, struct diag *dg);

/* The same, and reads what desc needs of inputs that are parts of a job. With --timings touches
 * what it needs of mapped inputs, so that times show the kernel and not the disk. Errors as
 * inputs_load. */
enum status inputs_finish(struct inputs *in, const struct request *rq, struct timings *times,
                          struct diag *dg);

/* -v: "x.npy: InputTensor is FLOAT32 {3,4}". */
void inputs_note_tensor(const char *path, const char *name, const struct tensor *t,
                        struct diag *dg);

void inputs_close(struct inputs *in);

#endif
