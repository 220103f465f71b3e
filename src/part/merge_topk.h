#ifndef DMLOP_PART_MERGE_TOPK_H
#define DMLOP_PART_MERGE_TOPK_H

#include "part/merge.h"

/* Private to merge.c, merge_topk.c and gather.c. `but` is an axis that is left out: its index
 * counts as 0. */

/* From a piece of that axis to the next, in part numbers; 0 for an axis that is not split. */
uint64_t part_step(const struct share_grid *g, unsigned axis);

/* The part that element c of the output is in. */
uint64_t part_of(const struct record *first, const uint64_t *c, unsigned but);

/* Where element c of the output is in the data of its part. */
uint64_t part_offset(const struct record *first, const struct share *share, const uint64_t *c,
                     unsigned but);

/* Begins the .npy of a file. */
enum status part_merge_header(const struct part_set *s, unsigned file, struct outputs *outs,
                              size_t target, struct diag *dg);

/* Whether parts are of topk that is split along its own axis. */
bool part_is_merged(const struct record *first);

/* Merges such parts block by block: a block is the output of one index of the axes before topk's.
 * Holds the block and 40 bytes a part. */
struct part_merger;

/* want: which files are merged. ST_SYSTEM, with a message. */
enum status part_merger_new(struct part_merger **m, struct part_set *s,
                            const bool want[RECORD_FILES], struct diag *dg);

/* Merges the block of index c of the axes before topk's, unless it is the one before; c[rank] is
 * 0 on the others. ST_INPUT or ST_SYSTEM, with a message. */
enum status part_merger_block(struct part_merger *m, const uint64_t *c);

/* The block's elements of a file; NULL where it is not wanted. */
const char *part_merger_data(const struct part_merger *m, unsigned file);

/* NULL is allowed. */
void part_merger_free(struct part_merger *m);

/* part_merge of topk that is split along its own axis. */
enum status part_merge_topk(struct part_set *s, struct outputs *outs,
                            const bool want[RECORD_FILES], const size_t target[RECORD_FILES],
                            struct diag *dg);

#endif
