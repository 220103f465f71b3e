#pragma once

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
