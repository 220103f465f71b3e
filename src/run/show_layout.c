#include "run/show_layout.h"

#include "base/util.h"

/* Shows `edge` indices at both ends of an axis, or all if they are no more. */
static void set_edges(struct show_axis *a, uint64_t size, uint64_t edge)
{
    a->elided = size / 2 > edge || (size / 2 == edge && size % 2);
    a->lead = a->elided ? edge : size;
    a->trail = a->elided ? edge : 0;
}

/* Number of shown elements, at most UINT64_MAX. */
static uint64_t count_shown(const struct show_layout *l)
{
    uint64_t n = 1;

    for (unsigned i = 0; i < l->rank; i++)
        if (l->axis[i].lead == 0)
            return 0;
    for (unsigned i = 0; i < l->rank; i++)
        if (!u64_mul(n, l->axis[i].lead + l->axis[i].trail, &n))
            return UINT64_MAX;
    return n;
}

/* Shows less of the axes, outermost first, down to one index, until at most SHOW_ELEMENTS are
 * shown. */
static void shorten(struct show_layout *l, const uint64_t *sizes)
{
    for (unsigned i = 0; i < l->rank; i++) {
        struct show_axis *a = &l->axis[i];

        for (uint64_t edge = SHOW_EDGE - 1; edge > 0 && count_shown(l) > SHOW_ELEMENTS; edge--)
            set_edges(a, sizes[i], edge);
        if (count_shown(l) <= SHOW_ELEMENTS)
            return;
        a->elided = sizes[i] > 1;
        a->lead = 1;
        a->trail = 0;
    }
}

void show_layout_make(struct show_layout *l, const struct tensor *t, bool all, uint64_t edge)
{
    uint64_t count;
    bool few = tensor_count(t->rank, t->sizes, &count) && count <= SHOW_ELEMENTS;
    bool whole = all || (few && !edge);

    *l = (struct show_layout){ .rank = t->rank };
    for (unsigned i = 0; i < t->rank; i++)
        set_edges(&l->axis[i], t->sizes[i], whole ? t->sizes[i] : edge ? edge : SHOW_EDGE);
    if (!whole && !edge)
        shorten(l, t->sizes);
    for (unsigned i = 0; i < t->rank; i++) {
        struct show_axis *a = &l->axis[i];

        a->stride = t->strides[i];
        a->jump = a->trail ? (int64_t)(t->sizes[i] - a->lead - a->trail) * a->stride : 0;
        l->elided = l->elided || a->elided;
    }
    l->count = count_shown(l);
}

int64_t show_layout_offset(const struct show_axis *a, uint64_t i)
{
    return (int64_t)i * a->stride + (i < a->lead ? 0 : a->jump);
}

static bool walk_axis(const struct show_layout *l, unsigned i, int64_t at,
                      bool (*visit)(void *context, int64_t at), void *context)
{
    const struct show_axis *a = &l->axis[i];

    if (i == l->rank)
        return visit(context, at);
    for (uint64_t k = 0; k < a->lead + a->trail; k++)
        if (!walk_axis(l, i + 1, at + show_layout_offset(a, k), visit, context))
            return false;
    return true;
}

bool show_layout_walk(const struct show_layout *l, bool (*visit)(void *context, int64_t at),
                      void *context)
{
    return l->count == 0 || walk_axis(l, 0, 0, visit, context);
}

bool show_layout_ascends(const struct show_layout *l)
{
    int64_t inner = 0; /* distance of the last element of the inner axes */

    for (unsigned i = l->rank; i-- > 0;) {
        const struct show_axis *a = &l->axis[i];
        uint64_t n = a->lead + a->trail;

        if (n > 1 && a->stride <= inner)
            return false;
        inner += n ? show_layout_offset(a, n - 1) : 0;
    }
    return true;
}

void show_layout_pack(struct show_layout *l)
{
    int64_t step = 1;

    for (unsigned i = l->rank; i-- > 0;) {
        struct show_axis *a = &l->axis[i];

        a->stride = step;
        a->jump = 0;
        step *= (int64_t)(a->lead + a->trail);
    }
}
