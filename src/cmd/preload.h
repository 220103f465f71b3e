#ifndef DMLOP_CMD_PRELOAD_H
#define DMLOP_CMD_PRELOAD_H

#include <stddef.h>

#include "cmd/driver.h"
#include "desc/desc.h"

/* For timings that show the kernel and not the disk: memory is touched before it is timed. */

/* Reads the pages of every mapped input that d's operator needs (slice: from the first element taken to the last). */
void preload_inputs(const struct desc *d, const struct binding in[SLOT_COUNT]);

/* Writes a 0 to every page of an output that holds nothing yet. */
void preload_output(void *data, size_t bytes);

#endif
