#ifndef DMLOP_PART_MERGE_TOPK_H
#define DMLOP_PART_MERGE_TOPK_H

#include "part/merge.h"

/* Private to merge.c and merge_topk.c. `but` is an axis that is left out: its index counts as 0. */

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

/* part_merge of topk that is split along its own axis. */
enum status part_merge_topk(struct part_set *s, struct outputs *outs,
                            const bool want[RECORD_FILES], const size_t target[RECORD_FILES],
                            struct diag *dg);

#endif
