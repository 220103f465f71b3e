#ifndef DMLOP_RUN_PRELOAD_H
#define DMLOP_RUN_PRELOAD_H

#include "run/inputs.h"

/* For timings that show the kernel and not the disk: memory is touched before it is timed. */

/* Reads the pages of every mapped input that the operator needs; for slice these are the pages from
 * the first element of the output to the last. */
void preload_inputs(const struct inputs *in);

/* Writes a 0 to every page of an output that holds nothing yet. */
void preload_output(void *data, size_t bytes);

#endif
