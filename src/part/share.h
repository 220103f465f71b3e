#ifndef DMLOP_PART_SHARE_H
#define DMLOP_PART_SHARE_H

#include <stdbool.h>

#include "desc/desc.h"
#include "tensor/tensor.h"

/* A job cut into N parts: which share of it each part is. Nothing but arithmetic, the same for
 * every task and for ever. */

enum { SHARE_PARTS_MAX = 1000000 };

/* Axes of the output that are split, and into how many pieces. Parts are counted in row-major
 * order, the first axis named slowest. */
struct share_grid {
    unsigned n;
    unsigned axis[DML_MAX_RANK];
    uint64_t count[DML_MAX_RANK];
};

/* What shares depend on. */
struct share_shape {
    unsigned rank;
    uint64_t sizes[DML_MAX_RANK]; /* of the output */
    unsigned along;               /* topk: its axis; others: the rank, which is no axis */
    uint64_t length;              /* topk: the input's size along it; the output's is K */
};

/* [from, to) on each axis of the output; along topk's own axis, where that is split, the stretch of
 * the input's. */
struct share {
    uint64_t from[DML_MAX_RANK], to[DML_MAX_RANK];
    bool stretched; /* topk's own axis is split */
};

struct share_shape share_shape_of(const struct desc *d);

/* What can be split of an axis: elements of the output, along topk's own axis of the input. */
uint64_t share_axis_size(const struct share_shape *s, unsigned axis);

/* Piece i of n of an axis of that size: [i*q + min(i,r), (i+1)*q + min(i+1,r)) with q = size / n,
 * r = size % n. i < n. */
void share_bounds(uint64_t size, uint64_t n, uint64_t i, uint64_t *from, uint64_t *to);

/* The piece that element `at` of the axis is in. */
uint64_t share_piece(uint64_t size, uint64_t n, uint64_t at);

/* Part number `part` of the grid, each of whose counts is at most the size of its axis. */
void share_at(const struct share_shape *s, const struct share_grid *grid, uint64_t part,
              struct share *share);

/* Where the part lies in the output, and its sizes there: [rank] each. */
void share_place(const struct share_shape *s, const struct share *share, uint64_t *place,
                 uint64_t *sizes);

/* The outermost axis of size n or more, topk's own last; false where there is none. */
bool share_default(const struct share_shape *s, uint64_t n, struct share_grid *grid);

/* Some grid of n parts; false where there is none. */
bool share_suggest(const struct share_shape *s, uint64_t n, struct share_grid *grid);

/*
 * Narrows a whole job to a share of it: d becomes the share's own descriptor, of packed tensors,
 * and the views of inputs, [SLOT_COUNT] with NULL for those that are not present, become views into
 * them. Views have the shapes that d gives them. Of a slice the views stay and the window is
 * narrowed.
 */
void share_narrow(struct desc *d, const struct share *share, struct tensor *const views[]);

#endif
