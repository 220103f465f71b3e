#ifndef DMLOP_OP_SLICE_PARTS_H
#define DMLOP_OP_SLICE_PARTS_H

#include "desc/desc.h"
#include "tensor/tensor.h"

/*
 * A slice cut into parts, neighbours in the packed output, each a slice of its own by the same descriptor: its input is the
 * whole one with data moved by `shift`, its output has `sizes`. So output, and where `window` is given the input
 * too, need never be in memory as a whole.
 */
struct slice_parts {
    unsigned rank, axis;          /* axis: the one that is cut; those before it are walked step by step */
    size_t elem;                  /* bytes, as all that follows */
    uint64_t sizes[DML_MAX_RANK]; /* of the output, in elements */
    int64_t from[DML_MAX_RANK];   /* steps in the input */
    int64_t start;                /* of the output's first element in the input */
    bool contiguous;              /* every part is one piece of the input */
    uint64_t per_part;            /* elements of `axis` */
    uint64_t count;               /* of parts */
};

struct slice_part {
    int64_t shift;
    uint64_t sizes[DML_MAX_RANK];
    uint64_t bytes;     /* of output */
    uint64_t low, high; /* the input's bytes from its data on that are needed: [low, high); they ascend where there is a window */
};

/*
 * Cuts the slice that d describes of a view `in` (its data do not matter) into an output of these sizes. window:
 * 0 where all of the input is in memory; else the input comes front to back in row-major order, and a part should not need
 * more than that many bytes of it, though it may where the slice goes backwards. False where parts
 * would cost more than the whole: the input is permuted, or all of it would be in the window.
 */
bool slice_parts_plan(struct slice_parts *s, const struct desc *d, const struct tensor *in, const uint64_t *sizes,
                      uint64_t window);

/* Part i, 0..count-1. */
void slice_part_at(const struct slice_parts *s, uint64_t i, struct slice_part *part);

#endif
