#include "part/gather.h"

/* A window, and the box of it at hand: on axis i indices [at, at + n) of the window. */
struct gather {
    struct part_set *s;
    unsigned file;
    const struct tensor_window *w;
    enum dtype type;
    char *to;
    uint64_t at[DML_MAX_RANK], n[DML_MAX_RANK];
    struct diag *dg;
};

/* The index on an axis of the whole that index i of the window is. */
static uint64_t index_at(const struct tensor_window *w, unsigned axis, uint64_t i)
{
    return w->start[axis] + i * (uint64_t)w->step[axis]; /* modulo 2^64, and within the axis */
}

/* Where the box goes to. */
static struct tensor target_of(const struct gather *g, unsigned rank)
{
    struct tensor t = { .type = g->type, .rank = rank };
    int64_t at = 0;

    for (unsigned i = 0; i < rank; i++) {
        t.sizes[i] = g->n[i];
        t.strides[i] = g->w->stride[i];
        at += (int64_t)g->at[i] * g->w->stride[i];
    }
    t.data = g->to + at * (int64_t)dtype_size(g->type);
    return t;
}

/* Copies the box from data whose axes have these sizes: the element at index c of the whole is
 * `offset` elements after `data`. */
static void copy_box(const struct gather *g, const char *data, uint64_t offset, unsigned rank,
                     const uint64_t *sizes)
{
    struct tensor to = target_of(g, rank), from = to;
    int64_t step = 1;

    for (unsigned i = rank; i-- > 0; step *= (int64_t)sizes[i])
        from.strides[i] = step * g->w->step[i];
    from.data = (char *)(uintptr_t)(data + offset * dtype_size(g->type)); /* only read */
    tensor_copy(&to, &from);
}

/* The box, which lies in one part. */
static enum status copy_from_part(const struct gather *g)
{
    const struct record *first = &g->s->first;
    unsigned rank = first->shape.rank;
    uint64_t c[DML_MAX_RANK], place[DML_MAX_RANK], sizes[DML_MAX_RANK], part;
    struct share share;
    const char *data;
    enum status st;

    for (unsigned i = 0; i < rank; i++)
        c[i] = index_at(g->w, i, g->at[i]);
    part = part_of(first, c, rank);
    st = part_set_data(g->s, part, g->file, &data, g->dg);
    if (st)
        return st;
    share_at(&first->shape, &first->grid, part, &share);
    share_place(&first->shape, &share, place, sizes);
    copy_box(g, data, part_offset(first, &share, c, rank), rank, sizes);
    return ST_OK;
}

/* How many pieces an axis is cut into. */
static uint64_t pieces_of(const struct share_grid *grid, unsigned axis)
{
    for (unsigned i = 0; i < grid->n; i++)
        if (grid->axis[i] == axis)
            return grid->count[i];
    return 1;
}

/* How many indices of the window from i on are in one piece of the axis. */
static uint64_t in_piece(const struct gather *g, unsigned axis, uint64_t i)
{
    const struct share_shape *shape = &g->s->first.shape;
    uint64_t pieces = pieces_of(&g->s->first.grid, axis), left = g->w->count[axis] - i;
    uint64_t at = index_at(g->w, axis, i), step = i64_magnitude(g->w->step[axis]), from, to;

    if (pieces == 1 || step == 0)
        return left;
    share_bounds(shape->sizes[axis], pieces, share_piece(shape->sizes[axis], pieces, at), &from,
                 &to);
    return u64_min(left, 1 + (g->w->step[axis] > 0 ? to - 1 - at : at - from) / step);
}

/* Goes through the boxes that differ in this axis and those after it. */
static enum status copy_axis(struct gather *g, unsigned axis)
{
    enum status st = ST_OK;

    if (axis == g->s->first.shape.rank)
        return copy_from_part(g);
    for (uint64_t i = 0; i < g->w->count[axis] && st == ST_OK; i += g->n[axis]) {
        g->at[axis] = i;
        g->n[axis] = in_piece(g, axis, i);
        st = copy_axis(g, axis + 1);
    }
    return st;
}

/* One index of the axes before topk's own after the other: each is a block of the output. */
static enum status copy_merged(struct gather *g, struct part_merger *merger)
{
    const struct share_shape *shape = &g->s->first.shape;
    unsigned along = shape->along;
    uint64_t c[DML_MAX_RANK] = { 0 }, sizes[DML_MAX_RANK], offset = 0;
    enum status st;

    for (unsigned i = 0; i < shape->rank; i++) {
        sizes[i] = i < along ? 1 : shape->sizes[i];
        g->n[i] = i < along ? 1 : g->w->count[i];
        if (i >= along)
            offset = offset * shape->sizes[i] + g->w->start[i];
    }
    do {
        for (unsigned i = 0; i < along; i++)
            c[i] = index_at(g->w, i, g->at[i]);
        st = part_merger_block(merger, c);
        if (st == ST_OK)
            copy_box(g, part_merger_data(merger, g->file), offset, shape->rank, sizes);
    } while (st == ST_OK && tensor_next(along, g->w->count, g->at));
    return st;
}

enum status part_gather(struct part_set *s, unsigned file, struct part_merger *merger,
                        const struct tensor_window *w, void *to, struct diag *dg)
{
    struct gather g = { .s = s, .file = file, .w = w, .to = to, .dg = dg,
                        .type = file == 0 ? s->first.type : s->first.index_type };

    return merger ? copy_merged(&g, merger) : copy_axis(&g, 0);
}
