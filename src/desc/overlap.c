#include "base/mem.h"
#include "desc/check.h"

/*
 * Two coordinates have one address if a difference d of coordinates, not all 0 and |d[i]| <
 * sizes[i], has dot(d, strides) = 0. There is none if each stride exceeds the extent of all axes of
 * smaller strides. Otherwise the search with fewer steps decides:
 *
 *   equations   solve an integer equation for the two largest axes, for all differences of the rest
 *   sums        store the sums of the smallest axes, and look up those of the rest
 */

__extension__ typedef __int128 i128;

enum {
    STORED_MOST = 1 << 20,  /* sums: 8 MB */
    SEARCH_STEPS = 1 << 25, /* of a document: about a second */
};

struct overlap_axis {
    int64_t steps; /* size - 1 */
    int64_t stride;
};

struct axes {
    struct overlap_axis v[DML_MAX_RANK];
    unsigned n;
};

static int by_rising_stride(const void *a, const void *b)
{
    const struct overlap_axis *x = a, *y = b;

    return (x->stride > y->stride) - (x->stride < y->stride);
}

/* Sorts sums, or axes by their first member, `steps`. */
static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* True if each stride exceeds the extent of all axes of smaller strides. Sorts the axes. */
static bool nested(struct axes *a)
{
    int64_t reach = 0;

    qsort(a->v, a->n, sizeof a->v[0], by_rising_stride);
    for (unsigned i = 0; i < a->n; i++) {
        if (a->v[i].stride <= reach)
            return false;
        reach += a->v[i].steps * a->v[i].stride;
    }
    return true;
}

/* The number of differences that n axes have, at most `limit`. */
static uint64_t differences(const struct overlap_axis *v, unsigned n, uint64_t limit)
{
    uint64_t product = 1;

    for (unsigned i = 0; i < n; i++)
        if (!u64_mul(product, 2 * (uint64_t)v[i].steps + 1, &product) || product > limit)
            return limit;
    return product;
}

/* A difference of n axes and its sum. Differences come in pairs of opposite signs: it is enough to
 * try the first half of them and the middle, which is 0. */
struct difference {
    const struct overlap_axis *v;
    unsigned n;
    int64_t d[DML_MAX_RANK];
    int64_t sum;
};

static struct difference first_difference(const struct overlap_axis *v, unsigned n)
{
    struct difference x = { .v = v, .n = n };

    for (unsigned i = 0; i < n; i++) {
        x.d[i] = -v[i].steps;
        x.sum -= v[i].steps * v[i].stride;
    }
    return x;
}

/* Goes to the next difference; after the last comes the first. */
static void next_difference(struct difference *x)
{
    for (unsigned i = 0; i < x->n; i++) {
        if (x->d[i] < x->v[i].steps) {
            x->d[i]++;
            x->sum += x->v[i].stride;
            return;
        }
        x->sum -= 2 * x->v[i].steps * x->v[i].stride;
        x->d[i] = -x->v[i].steps;
    }
}

/* d[0] * x.stride + d[1] * y.stride = -sum, with both strides divided by their divisor. */
struct equation {
    int64_t x, y, divisor;
    int64_t inverse; /* of x modulo y */
    int64_t steps_x, steps_y;
};

static struct equation make_equation(const struct overlap_axis *x, const struct overlap_axis *y)
{
    int64_t a = x->stride, b = y->stride, s = 1, t = 0; /* a = s * x->stride modulo y->stride */
    struct equation e = { .steps_x = x->steps, .steps_y = y->steps };

    while (b != 0) {
        int64_t q = a / b, rest = a % b, before = s - q * t;

        a = b;
        b = rest;
        s = t;
        t = before;
    }
    e.divisor = a;
    e.x = x->stride / a;
    e.y = y->stride / a;
    e.inverse = (s % e.y + e.y) % e.y;
    return e;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* True if a difference of the two axes, not all 0, brings `sum` to 0. */
static bool solves(const struct equation *e, int64_t sum)
{
    int64_t rest = -sum / e->divisor, low, high, least;

    if (sum % e->divisor != 0)
        return false;
    if (sum == 0)
        return e->y <= e->steps_x && e->x <= e->steps_y;
    low = -floor_div(e->steps_y * e->y - rest, e->x); /* keeps d[1] in range */
    high = floor_div(rest + e->steps_y * e->y, e->x);
    if (low < -e->steps_x)
        low = -e->steps_x;
    if (high > e->steps_x)
        high = e->steps_x;
    least = (int64_t)((i128)(rest % e->y + e->y) * e->inverse % e->y); /* d[0] modulo y */
    least -= low % e->y;
    return low + (least % e->y + e->y) % e->y <= high;
}

static bool meets_by_equations(const struct axes *a)
{
    unsigned n = a->n - 2;
    struct equation e = make_equation(&a->v[n], &a->v[n + 1]);
    struct difference x = first_difference(a->v, n);

    for (uint64_t left = differences(a->v, n, UINT64_MAX) / 2; left > 0; left--) {
        if (x.sum == 0 || solves(&e, x.sum))
            return true;
        next_difference(&x);
    }
    return solves(&e, 0);
}

/* Stores the sums of the first n axes. */
static enum overlap meets_by_sums(const struct axes *a, unsigned n)
{
    uint64_t count = differences(a->v, n, STORED_MOST);
    int64_t opposite, *sums = mem_alloc(count, sizeof *sums);
    struct difference x = first_difference(a->v, n);
    enum overlap found = OVERLAP_NONE;

    if (!sums)
        return OVERLAP_NO_MEMORY;
    for (uint64_t i = 0; i < count; i++, next_difference(&x))
        sums[i] = x.sum;
    qsort(sums, count, sizeof *sums, by_value);
    for (uint64_t i = 1; i < count && found == OVERLAP_NONE; i++)
        if (sums[i] == 0 && sums[i - 1] == 0)
            found = OVERLAP_FOUND;
    x = first_difference(a->v + n, a->n - n);
    for (uint64_t left = differences(x.v, x.n, UINT64_MAX) / 2; left > 0 && found == OVERLAP_NONE;
         left--, next_difference(&x)) {
        opposite = -x.sum;
        if (bsearch(&opposite, sums, count, sizeof *sums, by_value))
            found = OVERLAP_FOUND;
    }
    free(sums);
    return found;
}

static enum overlap search(struct axes *a, uint64_t *spent)
{
    uint64_t by_equations, by_sums, left = SEARCH_STEPS - *spent;
    unsigned stored = 0;

    qsort(a->v, a->n, sizeof a->v[0], by_value);
    while (stored < a->n && differences(a->v, stored + 1, STORED_MOST + 1) <= STORED_MOST)
        stored++;
    by_equations = a->n < 2 ? 1 : differences(a->v, a->n - 2, UINT64_MAX);
    by_sums = u64_max(differences(a->v + stored, a->n - stored, UINT64_MAX), STORED_MOST);
    if (by_equations > left && by_sums > left)
        return OVERLAP_UNDECIDED;
    if (by_equations <= by_sums) {
        *spent += by_equations;
        return a->n >= 2 && meets_by_equations(a) ? OVERLAP_FOUND : OVERLAP_NONE;
    }
    *spent += by_sums;
    return meets_by_sums(a, stored);
}

enum overlap strides_overlap(unsigned rank, const uint64_t *sizes, const uint64_t *strides,
                             uint64_t *spent)
{
    uint64_t extent = 1, count = 1;
    struct axes a = { .n = 0 };

    for (unsigned i = 0; i < rank; i++) {
        uint64_t reach;

        if (sizes[i] == 1)
            continue;
        if (strides[i] == 0)
            return OVERLAP_FOUND;
        if (!u64_mul(sizes[i] - 1, strides[i], &reach) || !u64_add(extent, reach, &extent) ||
            extent > INT64_MAX / 4)
            return OVERLAP_NONE; /* too large for memory; tensor.total-size reports that */
        if (!u64_mul(count, sizes[i], &count))
            return OVERLAP_FOUND;
        a.v[a.n++] = (struct overlap_axis){ (int64_t)sizes[i] - 1, (int64_t)strides[i] };
    }
    if (count > extent)
        return OVERLAP_FOUND;
    return nested(&a) ? OVERLAP_NONE : search(&a, spent);
}
