#ifndef DMLOP_RUN_STREAM_H
#define DMLOP_RUN_STREAM_H

#include "cli/progress.h"
#include "op/slice/slice_parts.h"
#include "run/results.h"

/*
 * Slices that are streamed from an input to an .npy, part by part, never whole in memory. Each part
 * is made in a buffer that the caches hold and written from there. Making them in the mapped output
 * instead came out no faster, as most of the time goes into the file's new pages either way; a
 * buffer also serves pipes, and a full disk is an error where a mapping dies. Parts that are
 * contiguous in the input's file are copied by the system, file to file.
 */

/* Whether the slice is streamed, and how it is cut into parts then. */
bool stream_plan(struct slice_parts *parts, const struct request *rq, const struct inputs *in);

/* Computes the parts and writes the output of `out`. ST_INPUT, ST_USAGE or ST_SYSTEM, with a
 * message. */
enum status stream_run(const struct slice_parts *parts, const struct request *rq, struct inputs *in,
                       struct results *out, struct progress *progress, struct diag *dg);

#endif
