#pragma once

#include "desc/desc.h"

/* How a job is split into N parts, and which share of the job each part computes. Pure arithmetic,
 * the same in every task and every release. */

enum { SHARE_PARTS_MAX = 1000000 };

/* The axes of the output that are split, each with its number of pieces. Parts are numbered in
 * row-major order; the first axis in the list varies slowest. */
struct share_grid {
    unsigned n;
    unsigned axis[DML_MAX_RANK];
    uint64_t count[DML_MAX_RANK];
};

/* The properties of a job that shares depend on. */
struct share_shape {
    unsigned rank;
    uint64_t sizes[DML_MAX_RANK]; /* of the output */
    unsigned along;               /* topk's axis; the rank for other operators */
    uint64_t length;              /* topk: the input's size along that axis; the output's is K */
};

struct share {
    /* [from, to) on each axis of the output, or of the input along topk's axis if it is split */
    uint64_t from[DML_MAX_RANK], to[DML_MAX_RANK];
    uint64_t place[DML_MAX_RANK], sizes[DML_MAX_RANK]; /* the part's block of the output */
    bool stretched;                                    /* topk's axis is split */
};

struct share_shape share_shape_of(const struct desc *d);

/* Elements of an axis that can be split: of the input along topk's axis, else of the output. */
static inline uint64_t share_axis_size(const struct share_shape *s, unsigned axis)
{
    return axis == s->along ? s->length : s->sizes[axis];
}

/* Piece i < n of an axis: size / n elements, and one more in each of the first size % n. */
void share_bounds(uint64_t size, uint64_t n, uint64_t i, uint64_t *from, uint64_t *to);

/* The piece that contains element `at` of the axis. */
uint64_t share_piece(uint64_t size, uint64_t n, uint64_t at);

/* Number of pieces of an axis; 1 if it is not split. */
uint64_t share_pieces(const struct share_grid *grid, unsigned axis);

/* From a piece's part number to the next piece's on an axis; 0 if it is not in the grid. */
uint64_t share_step(const struct share_grid *grid, unsigned axis);

/* The share of part number `part`. No count of the grid may exceed the size of its axis. */
void share_at(const struct share_shape *s, const struct share_grid *grid, uint64_t part,
              struct share *share);

/* The part of element c[rank] of the output; on skip_axis (rank: none) the index is 0. */
uint64_t share_part_of(const struct share_shape *s, const struct share_grid *grid,
                       const uint64_t *c, unsigned skip_axis);

/* Elements from the start of a part's data to element c[rank] of the output; skip_axis as above. */
uint64_t share_offset(const struct share_shape *s, const struct share *share, const uint64_t *c,
                      unsigned skip_axis);

/* Splits the outermost axis of size n or more, topk's last; false if there is none. */
bool share_default(const struct share_shape *s, uint64_t n, struct share_grid *grid);

/* Finds any grid of n parts; false if there is none. */
bool share_suggest(const struct share_shape *s, uint64_t n, struct share_grid *grid);

/* Narrows a whole job to a share: d becomes the descriptor of the share, with packed tensors, and
 * the views of inputs, [SLOT_COUNT] with NULL for absent tensors, become views of the share. Views
 * have d's shapes. For a slice the window is narrowed and the view does not change. */
void share_narrow(struct desc *d, const struct share *share, struct tensor *const views[]);
