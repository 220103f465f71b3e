#ifndef DMLOP_OP_SLICE_SLICE_PARTS_H
#define DMLOP_OP_SLICE_SLICE_PARTS_H

#include "op/op.h"

/*
 * A slice cut into parts, which follow one another in the packed output and are slices of their
 * own. So the output, and where `window` is given the input too, need never be in memory as a
 * whole.
 */
struct slice_parts {
    struct tensor whole; /* what the slice selects of its input, as slice_view has it */
    int64_t first;       /* bytes from the input's data to the view's first element */
    bool contiguous;     /* every part is one piece of the input */
    unsigned axis;       /* the one that is cut; a part has one index of each of those before it */
    uint64_t per_part;   /* indices of `axis` in a part */
    uint64_t count;      /* of parts */
};

struct slice_part {
    uint64_t sizes[DML_MAX_RANK];
    uint64_t bytes;     /* of output */
    uint64_t first;     /* where the part's first element lies, in bytes from the input's data */
    /* the bytes that it needs, [low, high); they ascend where there is a window */
    uint64_t low, high;
};

/* The window of an input that is not in memory, and whose parts are read in any order. */
#define SLICE_PARTS_READ UINT64_MAX

/*
 * Cuts the slice that d describes of a view `in`, whose data do not matter, into an output of these
 * sizes. window: 0 where all of the input is in memory; else the input comes front to back in
 * row-major order, and a part should not need more than that many bytes of it, though it may where
 * the slice goes backwards. With SLICE_PARTS_READ no part is larger than others are, contiguous or
 * not. False where parts would cost more than the whole: the input is
 * permuted, or all of it would be in the window.
 */
bool slice_parts_plan(struct slice_parts *s, const struct desc *d, const struct tensor *in,
                      const uint64_t *sizes, uint64_t window);

/* Part i, 0..count-1; all parts together as one. */
void slice_part_at(const struct slice_parts *s, uint64_t i, struct slice_part *part);
void slice_part_whole(const struct slice_parts *s, struct slice_part *whole);

/* What a part selects of the input whose data are at that address. */
struct tensor slice_part_view(const struct slice_parts *s, const struct slice_part *part,
                              const void *data);

/*
 * Plans a part, as op_plan_new does the whole. input: the input's bytes [low, high) of the part;
 * output: room for the part's packed output. Both must outlive the plan; both may be NULL for a
 * plan that is not run.
 */
enum status slice_part_plan_new(struct op_plan **plan, const struct slice_parts *s,
                                const struct slice_part *part, const void *input, void *output,
                                const struct op_exec *exec, struct diag *dg);

/* Sets *name to the kernel that copies parts if op_exec names `wanted`. ST_USAGE, with a message,
 * as for op_plan_new. */
enum status slice_parts_kernel(const char *wanted, const char **name, struct diag *dg);

#endif
