#include "tensor/compare.h"

#include <math.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/samples.h"
#include "tensor/element.h"
#include "tensor/scalar.h"

__extension__ typedef unsigned __int128 u128;

enum { PIECE = 1 << 16 /* elements */ };

struct comparing {
    const struct tensor *a, *b;
    const struct compare_options *opt;
    struct comparison *per_thread; /* [threads] */
};

/* The bits of a float as an integer that counts representable values; both zeros are one. */
static int64_t ordinal(enum dtype type, const struct scalar *s)
{
    unsigned char at[8];
    uint64_t bits, sign = (uint64_t)1 << (8 * dtype_size(type) - 1);

    scalar_store(s, type, at);
    bits = element_load(at, dtype_table[type].width_log2);
    return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

static void note_ulp(const struct comparing *r, struct comparison *c, const struct scalar *x,
                     const struct scalar *y, uint64_t number)
{
    int64_t u, v;
    uint64_t d;

    if (!c->same_floats)
        return;
    u = ordinal(r->a->type, x);
    v = ordinal(r->a->type, y);
    d = u > v ? (uint64_t)u - (uint64_t)v : (uint64_t)v - (uint64_t)u;
    if (d > c->ulp) {
        c->ulp = d;
        c->ulp_number = number;
    }
}

/* (-1)^negative * m * 2^e */
struct exact {
    bool negative;
    uint64_t m;
    int e;
};

static struct exact exact_scalar(const struct scalar *s)
{
    int e = 0;
    uint64_t m = s->is_float ? (uint64_t)ldexp(frexp(fabs(s->f), &e), 53) : s->magnitude;

    return (struct exact){ s->is_float ? s->f < 0 : s->negative, m, s->is_float ? e - 53 : 0 };
}

static struct exact exact_double(double f)
{
    return exact_scalar(&(struct scalar){ .is_float = true, .f = f });
}

/* Adds (-1)^negative * m * 2^shift to a number in two's complement, the lowest word first. */
static void add_bits(uint64_t *sum, size_t words, bool negative, uint64_t m, unsigned shift)
{
    u128 more = (u128)m << shift % 64;

    for (size_t i = shift / 64; more && i < words; i++) {
        uint64_t old = sum[i], low = (uint64_t)more;

        sum[i] = negative ? old - low : old + low;
        more = (more >> 64) + (negative ? old < low : sum[i] < old);
    }
}

/* The exponents of a product of two values. */
enum { SUM_LEAST = -2 * (1074 + 53), SUM_MOST = 2 * (1024 - 53) };

/* A number in two's complement, the lowest word first, in units of 2^least. */
struct exact_sum {
    uint64_t words[(SUM_MOST - SUM_LEAST) / 64 + 4];
    size_t n;
    int least;
};

/* Adds four products; m of one factor of each is below 2^53. True if the sum is below 0. */
static bool add_products(struct exact v[4][2], struct exact_sum *sum)
{
    int most = SUM_LEAST;

    sum->least = SUM_MOST;
    for (int i = 0; i < 4; i++) {
        sum->least = v[i][0].e + v[i][1].e < sum->least ? v[i][0].e + v[i][1].e : sum->least;
        most = v[i][0].e + v[i][1].e > most ? v[i][0].e + v[i][1].e : most;
    }
    sum->n = (size_t)(most - sum->least) / 64 + 4;
    memset(sum->words, 0, sum->n * sizeof *sum->words);
    for (int i = 0; i < 4; i++) {
        u128 m = (u128)v[i][0].m * v[i][1].m;
        unsigned shift = (unsigned)(v[i][0].e + v[i][1].e - sum->least);
        bool negative = v[i][0].negative != v[i][1].negative;

        add_bits(sum->words, sum->n, negative, (uint64_t)m, shift);
        add_bits(sum->words, sum->n, negative, (uint64_t)(m >> 64), shift + 64);
    }
    return sum->words[sum->n - 1] >> 63;
}

static const struct exact plus = { false, 1, 0 }, minus = { true, 1, 0 };

/* |x - y|, rounded once. */
static double difference(const struct scalar *x, const struct scalar *y)
{
    struct exact v[4][2] = { { exact_scalar(x), plus }, { exact_scalar(y), minus } };
    struct exact_sum sum;
    size_t i;
    u128 high;

    if (x->magnitude >> 53 == 0 && y->magnitude >> 53 == 0) /* both are doubles */
        return fabs(scalar_double(x) - scalar_double(y));
    if (add_products(v, &sum)) {
        v[0][1] = minus;
        v[1][1] = plus;
        add_products(v, &sum);
    }
    for (i = sum.n - 1; i > 1 && sum.words[i] == 0;)
        i--;
    high = (u128)sum.words[i] << 64 | sum.words[i - 1]; /* 65 bits or more, or all */
    for (size_t k = i - 1; k > 0 && !(high & 1);)
        high |= sum.words[--k] != 0; /* a smaller part only makes it odd */
    return ldexp((double)high, sum.least + 64 * (int)(i - 1));
}

/* Two finite elements; |x - y| and |y|, rounded once. */
struct gap {
    struct scalar x, y;
    double d, b;
};

static bool passes_exactly(const struct gap *g, double atol, double rtol)
{
    struct exact x = exact_scalar(&g->x), y = exact_scalar(&g->y);
    struct exact b = { false, y.m, y.e };
    struct exact_sum sum;
    struct exact v[4][2] = {
        { exact_double(atol), plus }, { exact_double(rtol), b }, { x, minus }, { y, plus }
    };

    if (add_products(v, &sum))
        return false;
    v[2][1] = plus;
    v[3][1] = minus;
    return !add_products(v, &sum);
}

/* True if |x - y| <= atol + rtol * |y|: in doubles if their roundings do not matter. */
static bool passes(const struct gap *g, double atol, double rtol)
{
    double limit = atol + rtol * g->b, unsure = limit * 0x1p-49 + 0x1p-1000;

    if (isinf(atol) || isinf(rtol)) /* NaN, and false: infinity times 0 */
        return limit > 0;
    if (isfinite(g->d) && isfinite(limit) && fabs(g->d - limit) > unsure)
        return g->d < limit;
    return passes_exactly(g, atol, rtol);
}

/* Raises *t, one of the tolerances that g is compared with, to the least with which it passes.
 * Positive doubles are in the order of their bits: tries `guess` and its neighbours first. */
static void raise_to_pass(const struct gap *g, const double *atol, const double *rtol, double *t,
                          double guess)
{
    uint64_t fails = element_load(t, 3), enough = element_load(&(double){ (double)INFINITY }, 3);
    uint64_t at = element_load(&guess, 3), step = 1;

    if (passes(g, *atol, *rtol))
        return;
    for (; enough - fails > 1; step *= 2) {
        if (at <= fails || at >= enough)
            at = fails + (enough - fails) / 2;
        element_store(t, 3, at);
        if (passes(g, *atol, *rtol)) {
            enough = at;
            at -= step;
        } else {
            fails = at;
            at += step;
        }
    }
    element_store(t, 3, enough);
}

static void note_tolerances(const struct compare_options *opt, struct comparison *c,
                            const struct gap *g)
{
    double *atol = &c->least_atol, *rtol = &c->least_rtol;

    raise_to_pass(g, atol, &opt->rtol, atol, g->d - opt->rtol * g->b);
    if (g->b > 0)
        raise_to_pass(g, &opt->atol, rtol, rtol, (g->d - opt->atol) / g->b);
    else if (!passes(g, opt->atol, 0))
        *rtol = (double)INFINITY;
}

static void note_difference(const struct comparing *r, struct comparison *c,
                            const struct compare_element *e)
{
    uint64_t index[TENSOR_MAX_RANK];

    if (c->differ < COMPARE_FIRST)
        c->first[c->differ] = *e;
    c->differ++;
    tensor_coordinate(r->a->rank, r->a->sizes, e->number, index);
    for (unsigned i = 0; i < r->a->rank; i++)
        c->axes[i].differ[index[i] / c->axes[i].width]++;
}

/* Sets *old to an element if its value is larger, or as large and it is before that one. */
static void keep_larger(struct compare_element *old, const struct compare_element *e, double value,
                        double old_value)
{
    if (value > old_value || (value == old_value && e->number < old->number))
        *old = *e;
}

/* Not inlined: the loop over equal blocks is a third slower with it. */
__attribute__((noinline)) static void compare_element(const struct comparing *r,
                                                      struct comparison *c, uint64_t number,
                                                      const void *at_a, const void *at_b)
{
    struct scalar x = scalar_load(r->a->type, r->a->swapped, at_a);
    struct scalar y = scalar_load(r->b->type, r->b->swapped, at_b);
    bool nan_x = x.is_float && isnan(x.f), nan_y = y.is_float && isnan(y.f);
    bool inf_x = x.is_float && isinf(x.f), inf_y = y.is_float && isinf(y.f);
    struct compare_element e = { number, (double)INFINITY, (double)NAN };
    struct gap g;

    if (nan_x || nan_y || inf_x || inf_y) {
        bool same =
            nan_x || nan_y ? nan_x && nan_y && r->opt->equal_nan : inf_x && inf_y && x.f == y.f;

        c->specials.nan_a += nan_x;
        c->specials.nan_b += nan_y;
        c->specials.nan_both += nan_x && nan_y;
        c->specials.inf_a += inf_x;
        c->specials.inf_b += inf_y;
        if (nan_x || nan_y)
            e.difference = (double)NAN;
        if (!same)
            note_difference(r, c, &e);
        return;
    }
    g = (struct gap){ x, y, difference(&x, &y), fabs(scalar_double(&y)) };
    if (g.d == 0)
        return;
    e.difference = g.d;
    e.relative = isinf(g.d) ? fabs(x.f / 4 - y.f / 4) / (g.b / 4) : g.d / g.b;
    keep_larger(&c->largest, &e, g.d, c->largest.difference);
    keep_larger(&c->worst_ratio, &e, e.relative, c->worst_ratio.relative);
    c->unequal++;
    note_ulp(r, c, &x, &y, number);
    note_tolerances(r->opt, c, &g);
    if (!passes(&g, r->opt->atol, r->opt->rtol)) {
        note_difference(r, c, &e);
        c->finite_differ++;
    }
}

INLINE bool any_special(const char *p, size_t n, uint64_t special, unsigned width)
{
    bool any = false;

    for (size_t i = 0; i < n; i++)
        any |= (element_get(p, i, width) & special) == special;
    return any;
}

/* True if n elements are the same and neither NaN nor infinite. */
static bool same_elements(const struct tensor *t, const char *a, const char *b, size_t n)
{
    /* the exponent's bits, by width_log2: all are set in NaN and infinities */
    static const uint64_t exponent[] = { 0, 0x7c00, 0x7f800000, 0x7ff0000000000000 };
    unsigned width = dtype_table[t->type].width_log2;
    uint64_t special = t->swapped ? element_swap(exponent[width], width) : exponent[width];

    return memcmp(a, b, n << width) == 0 && (dtype_table[t->type].kind != KIND_FLOAT ||
                                             !WITH_WIDTH(any_special, width, a, n, special));
}

/* The address of n elements from number `at` on: in a packed tensor, or in buf, a copy. */
static const char *elements(const struct tensor *t, uint64_t at, uint64_t n, void *buf)
{
    if (tensor_is_packed(t))
        return (const char *)t->data + at * dtype_size(t->type);
    tensor_gather(t, at, n, buf);
    return buf;
}

static void compare_piece(void *context, uint64_t at, uint64_t left, int thread)
{
    enum { BLOCK = 256 /* elements skipped at once */ };
    const struct comparing *r = context;
    const struct tensor *a = r->a, *b = r->b;
    size_t size_a = dtype_size(a->type), size_b = dtype_size(b->type), n;
    bool same_types = a->type == b->type && a->swapped == b->swapped;
    uint64_t own_a[BLOCK], own_b[BLOCK];

    for (; left > 0; at += n, left -= n) {
        const char *at_a, *at_b;

        n = (size_t)u64_min(left, BLOCK);
        at_a = elements(a, at, n, own_a);
        at_b = elements(b, at, n, own_b);
        for (size_t i = same_types && same_elements(a, at_a, at_b, n) ? n : 0; i < n; i++)
            compare_element(r, &r->per_thread[thread], at + i, at_a + i * size_a,
                            at_b + i * size_b);
    }
}

/* Adds the result for other elements. */
static void add_result(struct comparison *c, const struct comparison *other, unsigned rank)
{
    const struct compare_element *most = &other->largest, *ratio = &other->worst_ratio;
    struct compare_element first[2 * COMPARE_FIRST];
    size_t n = (size_t)u64_min(c->differ, COMPARE_FIRST);
    size_t more = (size_t)u64_min(other->differ, COMPARE_FIRST);

    memcpy(first, c->first, n * sizeof *first);
    memcpy(first + n, other->first, more * sizeof *first);
    qsort(first, n + more, sizeof *first, samples_ascending); /* by number */
    memcpy(c->first, first, sizeof c->first);
    c->differ += other->differ;
    c->specials.nan_a += other->specials.nan_a;
    c->specials.nan_b += other->specials.nan_b;
    c->specials.nan_both += other->specials.nan_both;
    c->specials.inf_a += other->specials.inf_a;
    c->specials.inf_b += other->specials.inf_b;
    c->finite_differ += other->finite_differ;
    for (unsigned i = 0; i < rank; i++)
        for (unsigned k = 0; k < COMPARE_BUCKETS; k++)
            c->axes[i].differ[k] += other->axes[i].differ[k];
    keep_larger(&c->largest, most, most->difference, c->largest.difference);
    keep_larger(&c->worst_ratio, ratio, ratio->relative, c->worst_ratio.relative);
    c->unequal += other->unequal;
    if (other->least_atol > c->least_atol)
        c->least_atol = other->least_atol;
    if (other->least_rtol > c->least_rtol)
        c->least_rtol = other->least_rtol;
    if (other->ulp > c->ulp || (other->ulp == c->ulp && other->ulp_number < c->ulp_number)) {
        c->ulp = other->ulp;
        c->ulp_number = other->ulp_number;
    }
}

void comparison_free(struct comparison *c)
{
    free(c->axes);
    c->axes = NULL;
}

/* A result for no elements yet; false if memory is short. */
static bool begin(struct comparison *c, const struct tensor *a, const struct tensor *b)
{
    *c = (struct comparison){ .largest.number = UINT64_MAX, .worst_ratio.number = UINT64_MAX };
    c->axes = mem_zalloc(a->rank, sizeof *c->axes);
    tensor_count(a->rank, a->sizes, &c->count); /* fits, as they are files' */
    c->same_floats = a->type == b->type && dtype_table[a->type].kind == KIND_FLOAT;
    for (unsigned i = 0; c->axes && i < a->rank; i++)
        c->axes[i].width = a->sizes[i] ? u64_ceil_div(a->sizes[i], COMPARE_BUCKETS) : 1;
    return c->axes != NULL;
}

bool comparison_make(const struct tensor *a, const struct tensor *b,
                     const struct compare_options *opt, int threads, struct comparison *c)
{
    struct comparing r = { .a = a, .b = b, .opt = opt };
    struct tensor_pieces pieces = { 0, PIECE, compare_piece, &r };
    bool good = begin(c, a, b);

    if (!good || c->count == 0)
        return good;
    pieces.count = c->count;
    threads = parallel_threads_for(threads, c->count * (dtype_size(a->type) + dtype_size(b->type)));
    r.per_thread = mem_zalloc((uint64_t)threads, sizeof *r.per_thread);
    good = r.per_thread != NULL;
    for (int i = 0; i < threads && good; i++)
        good = begin(&r.per_thread[i], a, b);
    if (good)
        tensor_run_pieces(&pieces, threads);
    for (int i = 0; i < threads && r.per_thread; i++) {
        if (good)
            add_result(c, &r.per_thread[i], a->rank);
        comparison_free(&r.per_thread[i]);
    }
    free(r.per_thread);
    if (!good)
        comparison_free(c);
    return good;
}
