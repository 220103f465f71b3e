#ifndef DMLOP_PART_MERGE_H
#define DMLOP_PART_MERGE_H

#include "io/output.h"
#include "part/set.h"

/*
 * Writes the whole output of a loaded set, and topk's indices, as .npy files: file i to output
 * target[i] of outs if want[i]. Rows are copied from the parts. Parts of topk that is split along
 * its own axis are merged by order and index; that needs memory for one block, which is the output
 * at one index of the axes before topk's, and 40 bytes per part. ST_INPUT if a part's file has
 * changed, or ST_SYSTEM, with a message.
 */
enum status part_merge(struct part_set *s, struct outputs *outs, const bool want[RECORD_FILES],
                       const size_t target[RECORD_FILES], struct diag *dg);

#endif
