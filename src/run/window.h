#pragma once

#include "run/operator.h"

/* A slice given by options. Sets the window of d, a SLICE1 that is zeroed before, and the sizes of
 * its output, d->tensor[SLOT_OUT].sizes. */

/* Reads NumPy's basic slicing of an input of rank 1 to DML_MAX_RANK: "1:4, ::-2, 3, ...", also in
 * brackets unless all entries are integers. An integer keeps its axis with size 1. ST_USAGE for a
 * malformed text, ST_INPUT for an index outside or an empty result. */
enum status window_from_index(const char *spec, unsigned rank, const uint64_t *sizes,
                              struct desc *d, struct diag *dg);

/* Reads the lists of a; defaults: offsets 0, sizes to the end, strides 1, the largest output.
 * Does not check that the window lies within the input. ST_USAGE for a malformed
 * list, ST_INPUT for a list without one number per axis. */
enum status window_from_lists(const struct slice_args *a, unsigned rank, const uint64_t *sizes,
                              struct desc *d, struct diag *dg);
