#include "tensor/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "tensor/element.h"
#include "tensor/scalar.h"

__extension__ typedef __int128 i128;

struct comparing {
    const struct tensor *a, *b;
    const struct compare_options *opt;
    struct comparison *c;
};

static i128 integer_value(const struct scalar *s)
{
    return s->negative ? -(i128)s->magnitude : (i128)s->magnitude;
}

/*
 * |x - y|, rounded once, for |x| <= 2^64 and a finite y. Both become integers in units of 2^-60, or
 * of 1 where y is so large that it is whole. A smaller part of y only makes its integer odd ("round
 * to odd"): then y is less than 2^-7, and the difference has at least 59 bits, so that rounding it
 * to the 53 of a double gives what the exact difference would.
 */
static double mixed_difference(i128 x, double y)
{
    double scaled;
    int bits;
    i128 whole;

    if (y < 0) {
        x = -x;
        y = -y;
    }
    if (x == 0 || y >= 0x1p120) /* where x is less than half the distance to the next double */
        return y;
    bits = y < 0x1p53 ? 60 : 0;
    scaled = bits ? y * 0x1p60 : y;
    whole = (i128)scaled;
    if ((double)whole != scaled)
        whole |= 1;
    return fabs((double)(x * ((i128)1 << bits) - whole)) * (bits ? 0x1p-60 : 1);
}

/* |x - y|, rounded once. */
static double difference(const struct scalar *x, const struct scalar *y)
{
    i128 d;

    if (x->is_float && y->is_float)
        return fabs(x->f - y->f);
    if (x->is_float || y->is_float)
        return x->is_float ? mixed_difference(integer_value(y), x->f)
                           : mixed_difference(integer_value(x), y->f);
    d = integer_value(x) - integer_value(y);
    return (double)(d < 0 ? -d : d);
}

/* The bits of a float as an integer that counts representable values; both zeros are one. */
static int64_t ordinal(enum dtype type, const struct scalar *s)
{
    unsigned char at[8];
    uint64_t bits, sign = (uint64_t)1 << (8 * dtype_size(type) - 1);

    scalar_store(s, type, at);
    bits = element_load(at, dtype_table[type].width_log2);
    return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

static void note_ulp(struct comparing *r, const struct scalar *x, const struct scalar *y,
                     const uint64_t *index)
{
    int64_t u, v;
    uint64_t d;

    if (!r->c->same_floats)
        return;
    u = ordinal(r->a->type, x);
    v = ordinal(r->a->type, y);
    d = u > v ? (uint64_t)u - (uint64_t)v : (uint64_t)v - (uint64_t)u;
    if (d > r->c->ulp) {
        r->c->ulp = d;
        memcpy(r->c->ulp_index, index, r->a->rank * sizeof *index);
    }
}

/* The next double above one that is not negative (what is below 0 counts as 0). */
static double next_up(double v)
{
    uint64_t bits = 0;

    if (v > 0)
        memcpy(&bits, &v, sizeof bits);
    bits++;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Raises both tolerances to where this difference passes, as the test computes it. Where b is 0 no
 * rtol but infinity is left. */
static void note_tolerances(struct comparing *r, double d, double b)
{
    double *atol = &r->c->least_atol, *rtol = &r->c->least_rtol;

    if (d > *atol + r->opt->rtol * b)
        for (*atol = d - r->opt->rtol * b; d > *atol + r->opt->rtol * b;)
            *atol = next_up(*atol);
    if (d > r->opt->atol + *rtol * b)
        for (*rtol = (d - r->opt->atol) / b; d > r->opt->atol + *rtol * b;)
            *rtol = next_up(*rtol);
}

static void note_element(struct compare_element *p, const struct comparing *r,
                         const uint64_t *index, double d, double relative)
{
    memcpy(p->index, index, r->a->rank * sizeof *index);
    p->difference = d;
    p->relative = relative;
}

static void note_difference(struct comparing *r, const uint64_t *index, double d, double relative)
{
    struct comparison *c = r->c;

    if (c->differ < COMPARE_FIRST)
        note_element(&c->first[c->differ], r, index, d, relative);
    c->differ++;
    for (unsigned i = 0; i < r->a->rank; i++)
        c->axes[i].differ[index[i] / c->axes[i].width]++;
}

static void compare_element(struct comparing *r, const uint64_t *index)
{
    struct scalar x = scalar_load(r->a->type, r->a->swapped, tensor_at(r->a, index));
    struct scalar y = scalar_load(r->b->type, r->b->swapped, tensor_at(r->b, index));
    bool nan_x = x.is_float && isnan(x.f), nan_y = y.is_float && isnan(y.f);
    bool inf_x = x.is_float && isinf(x.f), inf_y = y.is_float && isinf(y.f);
    struct comparison *c = r->c;
    double d, b, relative;

    if (nan_x || nan_y || inf_x || inf_y) {
        bool same =
            nan_x || nan_y ? nan_x && nan_y && r->opt->equal_nan : inf_x && inf_y && x.f == y.f;

        c->nan_a += nan_x;
        c->nan_b += nan_y;
        c->nan_both += nan_x && nan_y;
        c->inf_a += inf_x;
        c->inf_b += inf_y;
        if (!same)
            note_difference(r, index, nan_x || nan_y ? (double)NAN : (double)INFINITY, (double)NAN);
        return;
    }
    d = difference(&x, &y);
    if (d == 0)
        return;
    b = fabs(scalar_double(&y));
    relative = b > 0 ? d / b : (double)INFINITY;
    if (c->unequal == 0 || d > c->largest.difference)
        note_element(&c->largest, r, index, d, relative);
    if (c->unequal == 0 || relative > c->worst_ratio.relative)
        note_element(&c->worst_ratio, r, index, d, relative);
    c->unequal++;
    note_ulp(r, &x, &y, index);
    note_tolerances(r, d, b);
    if (!(d <= r->opt->atol + r->opt->rtol * b)) {
        note_difference(r, index, d, relative);
        c->finite_differ++;
    }
}

/* Bytes that are alike in both and hold no NaN or infinity that would have to be counted. */
static bool alike(const struct comparing *r)
{
    return r->a->type == r->b->type && r->a->swapped == r->b->swapped &&
           dtype_table[r->a->type].kind != KIND_FLOAT;
}

/* Rows of the last axis, whole rows of equal integers at once where they lie densely. */
static void compare_all(struct comparing *r)
{
    unsigned last = r->a->rank - 1;
    uint64_t index[TENSOR_MAX_RANK] = { 0 }, n = r->a->sizes[last];
    size_t bytes = (size_t)n * dtype_size(r->a->type);
    bool fast = alike(r) && r->a->strides[last] == 1 && r->b->strides[last] == 1;

    do {
        if (!fast || memcmp(tensor_at(r->a, index), tensor_at(r->b, index), bytes) != 0)
            for (; index[last] < n; index[last]++)
                compare_element(r, index);
        index[last] = n - 1;
    } while (tensor_next(r->a->rank, r->a->sizes, index));
}

bool comparison_make(const struct tensor *a, const struct tensor *b,
                     const struct compare_options *opt, struct comparison *c)
{
    struct comparing r = { a, b, opt, c };
    const uint64_t none[TENSOR_MAX_RANK] = { 0 };

    *c = (struct comparison){ 0 };
    tensor_count(a->rank, a->sizes, &c->count); /* fits: they are files' */
    c->same_floats = a->type == b->type && dtype_table[a->type].kind == KIND_FLOAT;
    c->axes = mem_zalloc(a->rank, sizeof *c->axes);
    if (!c->axes)
        return false;
    for (unsigned i = 0; i < a->rank; i++)
        c->axes[i].width = a->sizes[i] ? u64_ceil_div(a->sizes[i], COMPARE_BUCKETS) : 1;
    if (c->count > 0 && a->rank == 0)
        compare_element(&r, none);
    else if (c->count > 0)
        compare_all(&r);
    return true;
}

void comparison_free(struct comparison *c)
{
    free(c->axes);
    c->axes = NULL;
}
