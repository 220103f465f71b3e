#ifndef DMLOP_CMD_THROUGH_H
#define DMLOP_CMD_THROUGH_H

#include "cmd/job.h"

/*
 * Slices that go straight from an input to an .npy, part by part, never whole in memory. Each part is made in a buffer that
 * the caches hold and written from there. Making them in the mapped output instead came out no faster, as most
 * of the time goes into the file's new pages either way; a buffer also serves pipes, and a full disk is an error where a
 * mapping dies. Pieces that are contiguous in the input's file are copied by the system, file to file.
 */

/* Whether the options allow it: before inputs are loaded, which need not be whole then. */
bool through_allowed(const struct job *j);

/* Whether the slice allows it, too: once j->desc and the input's view are known. Sets j->through. Otherwise
 * loads the rest of the input. */
enum status through_plan(struct job *j, struct diag *dg);

/* Computes and writes the output. */
enum status through_run(struct job *j, struct diag *dg);

#endif
