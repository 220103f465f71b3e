#ifndef DMLOP_PART_GATHER_H
#define DMLOP_PART_GATHER_H

#include "io/tensor_source.h"
#include "part/merge_topk.h"

/*
 * Copies a window of what the parts of a loaded set make together, of the output or of topk's
 * indices (`file`), and reads no parts that have nothing of it. merger: where topk is split along
 * its own axis, what merges its blocks. ST_INPUT or ST_SYSTEM, with a message.
 */
enum status part_gather(struct part_set *s, unsigned file, struct part_merger *merger,
                        const struct tensor_window *w, void *to, struct diag *dg);

#endif
