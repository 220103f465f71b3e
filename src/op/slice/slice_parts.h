#ifndef DMLOP_OP_SLICE_SLICE_PARTS_H
#define DMLOP_OP_SLICE_SLICE_PARTS_H

#include "op/op.h"

/*
 * A slice cut into parts, which are consecutive in the packed output and are slices themselves. So
 * the output need not be in memory as a whole, nor, with a window, the input.
 */
struct slice_parts {
    struct tensor whole; /* what the slice selects of its input, as slice_view has it */
    int64_t first;       /* bytes from the input's data to the view's first element */
    bool contiguous;     /* every part is one piece of the input */
    unsigned axis;       /* the axis that is cut; a part has one index of each axis before it */
    uint64_t per_part;   /* indices of `axis` in a part */
    uint64_t count;      /* of parts */
};

struct slice_part {
    uint64_t sizes[DML_MAX_RANK];
    uint64_t bytes; /* of output */
    uint64_t first; /* offset of the first element from the input's data, in bytes */
    /* the bytes that it needs, [low, high); they ascend where there is a window */
    uint64_t low, high;
};

/*
 * Cuts the slice d of a view `in`, whose data are ignored, into parts of an output of these sizes.
 * window: 0 if the input is in memory; else it is read front to back in row-major order, and a part
 * should need at most `window` bytes of it, but may need more if a step is negative. False if parts
 * would cost more than the whole: the input is permuted, or all of it would be in the window.
 */
bool slice_parts_plan(struct slice_parts *s, const struct desc *d, const struct tensor *in,
                      const uint64_t *sizes, uint64_t window);

/* Part i, 0..count-1; the whole slice as one part. */
void slice_part_at(const struct slice_parts *s, uint64_t i, struct slice_part *part);
void slice_part_whole(const struct slice_parts *s, struct slice_part *whole);

/*
 * Plans a part; errors as op_plan_new. input: the part's bytes [low, high) of the input; output:
 * memory for the part's packed output. Both must outlive the plan; both may be NULL for a plan that
 * is not run.
 */
enum status slice_part_plan_new(struct op_plan **plan, const struct slice_parts *s,
                                const struct slice_part *part, const void *input, void *output,
                                const struct op_exec *exec, struct diag *dg);

/* Sets *name to the kernel that copies parts if op_exec names `wanted`. ST_USAGE, with a message,
 * as for op_plan_new. */
enum status slice_parts_kernel(const char *wanted, const char **name, struct diag *dg);

#endif
