#ifndef DMLOP_RUN_WINDOW_H
#define DMLOP_RUN_WINDOW_H

#include "run/operator.h"

/* A slice as options give it: SLICE1's window and the output's sizes. */
struct window {
    uint64_t offsets[DML_MAX_RANK], sizes[DML_MAX_RANK], output[DML_MAX_RANK];
    int64_t strides[DML_MAX_RANK];
};

/* NumPy's basic slicing over an input of rank 1 to DML_MAX_RANK: "1:4, ::-2, 3, ...", in brackets,
 * too, where an entry is not an integer. An integer keeps its axis with size 1. ST_USAGE for a text
 * that is not that, ST_INPUT for an index outside or an empty result. */
enum status window_from_index(const char *spec, unsigned rank, const uint64_t *sizes,
                              struct window *w, struct diag *dg);

/* The lists of a; where not given: offsets 0, sizes to the end, strides 1, the
 * largest output. Whether the window lies within the input is not looked at. ST_USAGE for a text
 * that is not such a list, ST_INPUT for one that has not a number for each axis. */
enum status window_from_lists(const struct slice_args *a, unsigned rank, const uint64_t *sizes,
                              struct window *w, struct diag *dg);

/* Sets the window of d, which describes a SLICE1. */
void window_set(const struct window *w, struct desc *d);

#endif
