#include "op/slice_parts.h"

#include <string.h>

#include "base/util.h"

enum {
    LINE = 64,                 /* bytes that memory gives at once */
    PART_BYTES = 1 << 20,      /* of output: stays in the caches until it is written */
    RUN_MIN = 64 << 10,        /* contiguous pieces from here on are copied as they are, */
    RUN_MAX = 64 << 20,        /* this much at a time */
};

/* Bytes of input from the first to the last that `n` elements on axis i and all on those after it reach. */
static uint64_t reach(const struct slice_parts *s, unsigned i, uint64_t n)
{
    uint64_t bytes = s->elem + (i < s->rank ? (n - 1) * i64_magnitude(s->from[i]) : 0);

    while (++i < s->rank)
        bytes += (s->sizes[i] - 1) * i64_magnitude(s->from[i]);
    return bytes;
}

static bool place(struct slice_parts *s, const struct desc *d, const struct tensor *in)
{
    for (unsigned i = 0; i < s->rank; i++) {
        int64_t at = (int64_t)d->offsets[i], step;

        if (d->op == OP_SLICE1 && d->strides[i] < 0)
            at += (int64_t)d->sizes[i] - 1;
        if (__builtin_mul_overflow(in->strides[i], (int64_t)s->elem, &step) || __builtin_mul_overflow(at, step, &at) ||
            __builtin_add_overflow(s->start, at, &s->start))
            return false;
        if (s->sizes[i] > 1 && __builtin_mul_overflow(d->strides[i], step, &s->from[i]))
            return false;
    }
    return true;
}

/* The outermost axis of the contiguous piece that the last axes make up; *bytes is its length. */
static unsigned find_run(const struct slice_parts *s, uint64_t *bytes)
{
    unsigned axis = s->rank;

    *bytes = s->elem;
    while (axis > 0 && (s->sizes[axis - 1] == 1 || s->from[axis - 1] == (int64_t)*bytes))
        *bytes *= s->sizes[--axis];
    return axis;
}

/* Axes from here on go backwards, or none. */
static unsigned first_backwards(const struct slice_parts *s)
{
    unsigned i = 0;

    while (i < s->rank && (s->sizes[i] == 1 || s->from[i] > 0))
        i++;
    return i;
}

/* The axis to cut so that one element of it makes no more than a part; *bytes is what it makes. */
static unsigned find_axis(const struct slice_parts *s, uint64_t window, uint64_t *bytes)
{
    unsigned axis = s->rank - 1;

    *bytes = s->elem;
    while (axis > 0 && *bytes * s->sizes[axis] <= PART_BYTES &&
           (window == 0 || reach(s, axis, s->sizes[axis]) <= window))
        *bytes *= s->sizes[axis--];
    return axis;
}

/* Whether neighbours in the input, of which a line holds several, lie in one part. */
static bool keeps_lines(const struct slice_parts *s)
{
    unsigned near = s->rank;

    for (unsigned i = s->rank; i-- > 0;)
        if (s->sizes[i] > 1 && s->from[i] != 0 && (near == s->rank || i64_magnitude(s->from[i]) < i64_magnitude(s->from[near])))
            near = i;
    if (near == s->rank || near > s->axis || i64_magnitude(s->from[near]) >= LINE)
        return true;
    return near == s->axis && (s->per_part == s->sizes[near] || s->per_part * i64_magnitude(s->from[near]) >= LINE);
}

bool slice_parts_plan(struct slice_parts *s, const struct desc *d, const struct tensor *in, const uint64_t *sizes,
                      uint64_t window)
{
    uint64_t run, slab;
    unsigned backwards, axis;

    *s = (struct slice_parts){ .rank = in->rank, .elem = dtype_size(in->type) };
    memcpy(s->sizes, sizes, s->rank * sizeof sizes[0]);
    if (!place(s, d, in))
        return false;
    axis = find_run(s, &run);
    s->contiguous = run >= RUN_MIN;
    if (s->contiguous && window == 0) {
        s->axis = axis;
        slab = run / s->sizes[axis];
        s->per_part = u64_max(1, RUN_MAX / slab);
    } else {
        s->axis = find_axis(s, window, &slab);
        backwards = first_backwards(s);
        if (window != 0 && backwards == 0)
            return false;
        for (; window != 0 && s->axis >= backwards; s->axis--)
            slab *= s->sizes[s->axis];
        s->contiguous = s->contiguous && s->axis >= axis;
        s->per_part = u64_max(1, PART_BYTES / slab);
        while (window != 0 && s->per_part > 1 && reach(s, s->axis, s->per_part) > window)
            s->per_part /= 2;
    }
    s->per_part = u64_min(s->per_part, s->sizes[s->axis]);
    s->count = (s->sizes[s->axis] + s->per_part - 1) / s->per_part;
    for (unsigned i = 0; i < s->axis; i++)
        s->count *= s->sizes[i];
    return window != 0 || keeps_lines(s);
}

void slice_part_at(const struct slice_parts *s, uint64_t i, struct slice_part *part)
{
    uint64_t cuts = (s->sizes[s->axis] + s->per_part - 1) / s->per_part, at = i % cuts * s->per_part;
    int64_t low = s->start, high = s->start + (int64_t)s->elem;

    memcpy(part->sizes, s->sizes, sizeof part->sizes);
    part->sizes[s->axis] = u64_min(s->per_part, s->sizes[s->axis] - at);
    part->shift = (int64_t)at * s->from[s->axis];
    i /= cuts;
    for (unsigned axis = s->axis; axis-- > 0; i /= s->sizes[axis]) {
        part->shift += (int64_t)(i % s->sizes[axis]) * s->from[axis];
        part->sizes[axis] = 1;
    }
    part->bytes = s->elem;
    for (unsigned axis = 0; axis < s->rank; axis++) {
        int64_t span = (int64_t)(part->sizes[axis] - 1) * s->from[axis];

        part->bytes *= part->sizes[axis];
        low += span < 0 ? span : 0;
        high += span > 0 ? span : 0;
    }
    part->low = (uint64_t)(low + part->shift);
    part->high = (uint64_t)(high + part->shift);
}
