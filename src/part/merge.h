#ifndef DMLOP_PART_MERGE_H
#define DMLOP_PART_MERGE_H

#include "io/output.h"
#include "part/set.h"

/*
 * Writes the whole output of a loaded set, and topk's indices, as .npy files: file i to
 * target[i] unless NULL. Rows are copied from the parts. Parts of topk that is split along
 * its own axis are merged by order and index; that needs memory for one block, which is the output
 * at one index of the axes before topk's, and 40 bytes per part. ST_INPUT if a part's file has
 * changed, or ST_SYSTEM, with a message.
 */
enum status part_merge(struct part_set *s, struct output *const target[RECORD_FILES],
                       struct diag *dg);

/* Merges the parts of a topk that is split along its own axis, block by block. A block is the
 * output at one index of the axes before topk's. */
struct part_merger;

/* True if the job is such a topk. */
bool part_is_merged(const struct part_job *job);

/* Allocates one block of each wanted file and 40 bytes per piece of the axis. ST_SYSTEM, with a
 * message; *m must be freed then, too. */
enum status part_merger_new(struct part_merger **m, struct part_set *s,
                            const bool want[RECORD_FILES], struct diag *dg);

/* Merges the block at index c of the axes before topk's, 0 on others, unless it was the last one.
 * *data: its elements of each wanted file. ST_INPUT or ST_SYSTEM, with a message. */
enum status part_merger_block(struct part_merger *m, const uint64_t *c, char *const **data);

/* NULL is allowed. */
void part_merger_free(struct part_merger *m);

#endif
