#ifndef DMLOP_PART_MERGE_H
#define DMLOP_PART_MERGE_H

#include "io/output.h"
#include "part/set.h"

/*
 * Writes the whole output of a loaded set, and topk's indices, as .npy files: file i to
 * target[i] unless NULL. Rows are copied from the parts, and share their blocks where the
 * file system can do that. Parts of topk that is split along its own axis are merged by order and
 * index; that needs memory for one block, which is the output at one index of the axes before
 * topk's, and 40 bytes per part. ST_INPUT if a part's file has changed, or ST_SYSTEM, with a
 * message.
 */
enum status part_merge(struct part_set *s, struct output *const target[RECORD_FILES],
                       struct diag *dg);

#endif
