#include "op/slice/slice_pieces.h"

#include "kernel/slice/slice.h"
#include "op/impl.h"

enum {
    PIECE_BYTES = 1 << 20, /* output that stays in the caches until it is written */
    RUN_MIN = 64 << 10,    /* a contiguous piece that is copied without a plan */
    RUN_MAX = 64 << 20,    /* copied at a time */
};

static size_t elem_size(const struct slice_pieces *s) { return dtype_size(s->whole.type); }

/* Bytes of input from one index of axis i to the next. */
static int64_t step_at(const struct slice_pieces *s, unsigned i)
{
    return s->whole.strides[i] * (int64_t)elem_size(s); /* fits: slice_view says so */
}

/* Bytes of input between the first and the last element of `n` indices of axis i and all of the
 * axes after it. */
static uint64_t reach(const struct slice_pieces *s, unsigned i, uint64_t n)
{
    uint64_t bytes = elem_size(s) + (n - 1) * i64_magnitude(step_at(s, i));

    while (++i < s->whole.rank)
        bytes += (s->whole.sizes[i] - 1) * i64_magnitude(step_at(s, i));
    return bytes;
}

/* The outermost axis of the contiguous piece that the last axes form; *bytes is its length. */
static unsigned find_run(const struct slice_pieces *s, uint64_t *bytes)
{
    unsigned axis = s->whole.rank;

    *bytes = elem_size(s);
    while (axis > 0 && (s->whole.sizes[axis - 1] == 1 || step_at(s, axis - 1) == (int64_t)*bytes))
        *bytes *= s->whole.sizes[--axis];
    return axis;
}

/* The first axis with a negative step, or 0; the rank if there is none. */
static unsigned first_backwards(const struct slice_pieces *s)
{
    unsigned i = 0;

    while (i < s->whole.rank && (s->whole.sizes[i] == 1 || s->whole.strides[i] > 0))
        i++;
    return i;
}

/* The axis to cut so that one index of it is at most a piece; *bytes is the output of one index. */
static unsigned find_axis(const struct slice_pieces *s, uint64_t window, uint64_t *bytes)
{
    unsigned axis = s->whole.rank - 1;

    *bytes = elem_size(s);
    while (axis > 0 && *bytes * s->whole.sizes[axis] <= PIECE_BYTES &&
           (window == 0 || reach(s, axis, s->whole.sizes[axis]) <= window))
        *bytes *= s->whole.sizes[axis--];
    return axis;
}

/* True if elements of one cache line of the input are in one piece. */
static bool keeps_lines(const struct slice_pieces *s)
{
    const struct tensor *v = &s->whole;
    unsigned near = v->rank; /* the axis with the shortest steps */
    uint64_t step = UINT64_MAX;

    for (unsigned i = v->rank; i-- > 0;)
        if (v->sizes[i] > 1 && v->strides[i] != 0 && i64_magnitude(step_at(s, i)) < step) {
            near = i;
            step = i64_magnitude(step_at(s, i));
        }
    if (near == v->rank || near > s->axis || step >= CACHE_LINE)
        return true;
    return near == s->axis && (s->per_piece == v->sizes[near] || s->per_piece * step >= CACHE_LINE);
}

/* Pieces of an input that is in memory: long contiguous ones, else some that stay in caches. */
static void cut_mapped(struct slice_pieces *s)
{
    uint64_t run;  /* contiguous bytes */
    uint64_t slab; /* bytes of output per index of the axis */
    unsigned axis = find_run(s, &run);

    s->contiguous = run >= RUN_MIN;
    s->axis = s->contiguous ? axis : find_axis(s, 0, &slab);
    s->per_piece =
        u64_max(1, s->contiguous ? RUN_MAX / (run / s->whole.sizes[axis]) : PIECE_BYTES / slab);
}

/* Pieces that need only a window of the input, each at or after the one before. */
static bool cut_window(struct slice_pieces *s, uint64_t window)
{
    unsigned backwards = first_backwards(s), axis;
    uint64_t run, slab;

    if (backwards == 0)
        return false;
    axis = find_run(s, &run);
    s->axis = find_axis(s, window, &slab);
    for (; s->axis >= backwards; s->axis--)
        slab *= s->whole.sizes[s->axis];
    s->contiguous = run >= RUN_MIN && s->axis >= axis;
    s->per_piece = u64_max(1, PIECE_BYTES / slab);
    while (s->per_piece > 1 && reach(s, s->axis, s->per_piece) > window)
        s->per_piece /= 2;
    return true;
}

bool slice_pieces_plan(struct slice_pieces *s, const struct desc *d, const struct tensor *in,
                       const uint64_t *sizes, uint64_t window)
{
    *s = (struct slice_pieces){ .axis = 0 };
    if (!slice_view(d, in, sizes, &s->whole, &s->first))
        return false;
    s->first *= (int64_t)elem_size(s);
    if (window == 0)
        cut_mapped(s);
    else if (!cut_window(s, window))
        return false;
    s->per_piece = u64_min(s->per_piece, sizes[s->axis]);
    s->count = u64_ceil_div(sizes[s->axis], s->per_piece);
    for (unsigned i = 0; i < s->axis; i++)
        s->count *= sizes[i];
    return window != 0 || keeps_lines(s);
}

/* Computes a piece's bytes, low and high from its sizes and first element. */
static void set_extent(const struct slice_pieces *s, struct slice_piece *piece)
{
    int64_t low = 0, high = (int64_t)elem_size(s); /* from the first element */

    piece->bytes = elem_size(s);
    for (unsigned axis = 0; axis < s->whole.rank; axis++) {
        int64_t span = (int64_t)(piece->sizes[axis] - 1) * step_at(s, axis);

        piece->bytes *= piece->sizes[axis];
        low += span < 0 ? span : 0;
        high += span > 0 ? span : 0;
    }
    piece->low = piece->first + (uint64_t)low;
    piece->high = piece->first + (uint64_t)high;
}

void slice_piece_at(const struct slice_pieces *s, uint64_t i, struct slice_piece *piece)
{
    const uint64_t *sizes = s->whole.sizes;
    uint64_t cuts = u64_ceil_div(sizes[s->axis], s->per_piece), at = i % cuts * s->per_piece;
    int64_t first = s->first + (int64_t)at * step_at(s, s->axis);

    slice_piece_whole(s, piece);
    piece->sizes[s->axis] = u64_min(s->per_piece, sizes[s->axis] - at);
    i /= cuts;
    for (unsigned axis = s->axis; axis-- > 0; i /= sizes[axis]) {
        first += (int64_t)(i % sizes[axis]) * step_at(s, axis);
        piece->sizes[axis] = 1;
    }
    piece->first = (uint64_t)first;
    set_extent(s, piece);
}

void slice_piece_whole(const struct slice_pieces *s, struct slice_piece *whole)
{
    *whole = (struct slice_piece){ .first = (uint64_t)s->first };
    memcpy(whole->sizes, s->whole.sizes, sizeof whole->sizes);
    set_extent(s, whole);
}

enum status slice_piece_plan_new(struct op_plan **plan, const struct slice_pieces *s,
                                 const struct slice_piece *piece, const void *input, void *output,
                                 const struct op_exec *exec, struct diag *dg)
{
    struct tensor view = s->whole, out = { .type = view.type, .rank = view.rank, .data = output };

    memcpy(view.sizes, piece->sizes, sizeof piece->sizes);
    memcpy(out.sizes, piece->sizes, sizeof piece->sizes);
    tensor_pack_strides(out.rank, out.sizes, out.strides); /* fits: the whole does */
    view.data = input ? (char *)input + (piece->first - piece->low) : NULL;
    return slice_copy_plan_new(plan, &view, &out, exec, dg);
}
