#pragma once

#include "cli/progress.h"
#include "run/plan.h"
#include "run/results.h"

/*
 * Slices that are streamed from an input to an .npy, piece by piece, never whole in memory. Each
 * piece is computed in a buffer that fits the caches and written from there: a full disk is an
 * error, not a fatal signal. Pieces that are contiguous in the input's file are copied by the
 * system.
 */

/* Computes the pieces of a streamed plan from its input `source` and writes them to r. ST_INPUT,
 * ST_USAGE or ST_SYSTEM, with a message. */
enum status stream_run(const struct plan *plan, struct tensor_file *source,
                       const struct op_exec *exec, struct results *r, struct progress *progress,
                       struct diag *dg);
