#pragma once

#include "cli/progress.h"
#include "op/slice/slice_pieces.h"
#include "run/inputs.h"
#include "run/timings.h"

/* The third stage of an operator's command: what is computed, from which memory, and whether it is
 * streamed. */
struct plan {
    struct desc desc;               /* of the job */
    struct tensor view[SLOT_COUNT]; /* of its inputs */
    bool streamed;                  /* a slice, by stream_run */
    struct slice_pieces pieces;     /* if streamed */
    const uint64_t *place;          /* set by the caller: of the result, in the result of a larger
                                       job; NULL: it is all of it */
};

/* Plans the computation, and reads what inputs_load left unread, unless the slice is streamed. With
 * --timings touches the pages of mapped inputs, so that times show the kernel and not the disk.
 * Adds to the time of loading, and sets times->work, of a computation in memory without its
 * operations. Errors as inputs_load. Zero-initialise; `in` owns all memory. */
enum status plan_make(struct plan *p, const struct request *rq, struct inputs *in,
                      struct timings *times, struct diag *dg);

/* With -v prints the kernel that runs, and on how many threads. */
void plan_note_kernel(const struct plan *p, const char *kernel, int threads, struct diag *dg);

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
 * r. ST_SYSTEM or ST_USAGE with a message. Zero-initialise, except the options of `files`;
 * job_close releases it. */
enum status results_prepare(struct results *r, const struct request *rq, const struct desc *d,
                            bool streamed, struct diag *dg);

/* Writes the tensors that are in memory; then commits all files. */
enum status results_store(struct results *r, const struct request *rq, const struct inputs *in,
                          struct diag *dg);

/* A job: an operator's computation, from files to files. Its stages are request -> inputs -> plan
 * -> results; each reads those before it. What more a command does is done by callers of these
 * functions, in driver/. On the heap, as it is larger than a small stack. */
struct job {
    struct request request;
    struct inputs inputs;
    struct plan plan;
    struct results results;
    struct timings times;
    uint64_t start; /* clock_ns */
};

/* Zero-initialise j; release with job_close, after an error too. Errors are those of the stages,
 * with messages. */
enum status job_load(struct job *j, struct diag *dg);    /* the inputs of j->request */
enum status job_prepare(struct job *j, struct diag *dg); /* the plan, and the output files */
enum status job_compute(struct job *j, struct diag *dg);
enum status job_store(struct job *j, struct diag *dg);  /* and commit */
enum status job_report(struct job *j, struct diag *dg); /* --timings */

void job_close(struct job *j);

/* Slices that are streamed from an input to an .npy, piece by piece, never whole in memory. Each
 * piece is computed in a buffer that fits the caches and written from there: a full disk is an
 * error, not a fatal signal. Pieces that are contiguous in the input's file are copied by the
 * system. */

/* Computes the pieces of a streamed plan from its input `source` and writes them to r. ST_INPUT,
 * ST_USAGE or ST_SYSTEM, with a message. */
enum status stream_run(const struct plan *plan, struct tensor_file *source,
                       const struct op_exec *exec, struct results *r, struct progress *progress,
                       struct diag *dg);
