#ifndef DMLOP_PART_MERGE_H
#define DMLOP_PART_MERGE_H

#include "io/output.h"
#include "part/set.h"

/*
 * Writes what the parts of a loaded set make together: the output, and topk's indices where `want`
 * says so for that file, each as an .npy, to output target[file] of outs. Rows are copied from part
 * to part; topk that is split along its own axis is merged by order and, where that is equal, by
 * index, in memory of a block, the output of one index of the axes before it, and 40 bytes a part.
 * ST_INPUT, where a part's file is no longer what it was, or ST_SYSTEM, with a message.
 */
enum status part_merge(struct part_set *s, struct outputs *outs, const bool want[RECORD_FILES],
                       const size_t target[RECORD_FILES], struct diag *dg);

#endif
