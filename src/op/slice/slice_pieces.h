#pragma once

#include "op/op.h"

/* A slice cut into pieces, which are consecutive in the packed output and are slices themselves. So
 * the output need not be in memory as a whole, nor, with a window, the input. */
struct slice_pieces {
    struct tensor whole; /* what the slice selects of its input, as slice_view has it */
    int64_t first;       /* bytes from the input's data to the view's first element */
    bool contiguous;     /* every piece is one piece of the input */
    unsigned axis;       /* the axis that is cut; a piece has one index of each axis before it */
    uint64_t per_piece;  /* indices of `axis` in a piece */
    uint64_t count;      /* of pieces */
};

struct slice_piece {
    uint64_t sizes[DML_MAX_RANK];
    uint64_t bytes; /* of output */
    uint64_t first; /* offset of the first element from the input's data, in bytes */
    /* the bytes that it needs, [low, high); they ascend where there is a window */
    uint64_t low, high;
};

/* Cuts the slice d of a view `in`, whose data are ignored, into pieces of an output of these sizes.
 * window: 0 if the input is in memory; else it is read front to back in row-major order, and a
 * piece should need at most `window` bytes of it, but may need more if a step is negative. False if
 * pieces would cost more than the whole: the input is permuted, or all of it would be in the
 * window. */
bool slice_pieces_plan(struct slice_pieces *s, const struct desc *d, const struct tensor *in,
                       const uint64_t *sizes, uint64_t window);

/* Part i, 0..count-1; the whole slice as one piece. */
void slice_piece_at(const struct slice_pieces *s, uint64_t i, struct slice_piece *piece);
void slice_piece_whole(const struct slice_pieces *s, struct slice_piece *whole);

/* Plans a piece; errors as op_plan_new. input: the piece's bytes [low, high) of the input; output:
 * memory for the piece's packed output. Both must outlive the plan; both may be NULL for a plan
 * that is not run. */
enum status slice_piece_plan_new(struct op_plan **plan, const struct slice_pieces *s,
                                 const struct slice_piece *piece, const void *input, void *output,
                                 const struct op_exec *exec, struct diag *dg);

/* A slice as a view of its input: element c of the output is element c of the view. d is the slice
 * of `in`, whose data are ignored; sizes are the output's. The view has no data: its element
 * (0, ..., 0) is element *first of the input, counted from in->data. Strides may be negative, and
 * are 0 along axes of size 1. False if an offset or a stride in bytes overflows 64 bits, which
 * cannot happen for an input that is mapped or allocated. */
bool slice_view(const struct desc *d, const struct tensor *in, const uint64_t *sizes,
                struct tensor *view, int64_t *first);
