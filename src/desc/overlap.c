#include <stdlib.h>

#include "base/util.h"
#include "desc/check.h"

/*
 * Two coordinates meet where a difference d, not all 0 and |d[i]| < sizes[i], has dot(d, strides) =
 * 0. The search goes through the axes by falling stride and follows only sums that the axes left
 * can bring back to 0.
 */

enum { SEARCH_STEPS = 1 << 27 }; /* about a second; undecided strides then count as overlapping */

struct overlap_axis {
    int64_t most;   /* size - 1 */
    int64_t stride;
};

struct search {
    struct overlap_axis axes[DML_MAX_RANK]; /* by falling stride, sizes above 1 */
    int64_t reach[DML_MAX_RANK + 1]; /* largest sum of the axes from i on */
    unsigned n;
    int64_t steps;
};

static int by_falling_stride(const void *a, const void *b)
{
    const struct overlap_axis *x = a, *y = b;

    return (x->stride < y->stride) - (x->stride > y->stride);
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Whether the axes from `at` on can bring `sum` to 0; `moved`: some axis before has d != 0. Depth
 * is at most 8. */
static bool meets(struct search *s, unsigned at, int64_t sum, bool moved)
{
    const struct overlap_axis *x = &s->axes[at];
    int64_t lo, hi;

    if (at == s->n)
        return moved && sum == 0;
    /* |sum + d * stride| <= reach of the rest; a first move may as well be forward. */
    lo = -floor_div(s->reach[at + 1] + sum, x->stride);
    hi = floor_div(s->reach[at + 1] - sum, x->stride);
    if (lo < -x->most)
        lo = -x->most;
    if (hi > x->most)
        hi = x->most;
    if (!moved && lo < 0)
        lo = 0;
    for (int64_t d = hi; d >= lo; d--) {
        if (--s->steps < 0)
            return true;
        if (meets(s, at + 1, sum + d * x->stride, moved || d != 0))
            return true;
    }
    return false;
}

bool strides_overlap(unsigned rank, const uint64_t *sizes, const uint64_t *strides)
{
    struct search s = { .steps = SEARCH_STEPS };
    uint64_t extent = 1, count = 1;

    for (unsigned i = 0; i < rank; i++) {
        uint64_t reach;

        if (sizes[i] == 1)
            continue;
        if (strides[i] == 0)
            return true;
        if (!u64_mul(sizes[i] - 1, strides[i], &reach) || !u64_add(extent, reach, &extent) ||
            extent > INT64_MAX / 4)
            return false; /* no such buffer can be; tensor.total-size says so */
        if (!u64_mul(count, sizes[i], &count))
            return true;
        s.axes[s.n++] = (struct overlap_axis){ (int64_t)sizes[i] - 1, (int64_t)strides[i] };
    }
    if (count > extent)
        return true;
    qsort(s.axes, s.n, sizeof s.axes[0], by_falling_stride);
    for (unsigned i = s.n; i-- > 0;)
        s.reach[i] = s.reach[i + 1] + s.axes[i].most * s.axes[i].stride;
    return meets(&s, 0, 0, false);
}
