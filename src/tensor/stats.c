#include "tensor/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/util.h"

enum {
    BLOCK = 1 << 14,   /* elements */
    CHUNK_BLOCKS = 4,  /* blocks that a thread reads at a time: some 50 us */
    STATS_LANES = 16,  /* sums that are kept apart: they depend on the index of an element alone */
};

/* What is known of a block. */
struct block_stats {
    double sum, squares;   /* of the finite elements, in the pass's unit, minus its shift */
    uint64_t zeros, nans, up, down; /* these two: infinities */
    bool any;              /* one is finite */
    struct scalar low, high; /* of the finite ones */
};

static double add_lanes(const double *v)
{
    double sum = 0;

    for (int l = 0; l < STATS_LANES; l++)
        sum += v[l];
    return sum;
}

#define AS_FLOAT(to, v) ((to) = (struct scalar){ .is_float = true, .f = (double)(v) })
#define AS_SIGNED(to, v) \
    ((to) = (struct scalar){ .negative = (v) < 0, .magnitude = i64_magnitude(v) })
#define AS_UNSIGNED(to, v) ((to) = (struct scalar){ .magnitude = (v) })
#define PLAIN(e) (e)

#define FLOAT 1
#define STORE AS_FLOAT
#define VALUE double
#define LOAD PLAIN
#define ELEM double
#define NAME(f) f##_f64
#include "tensor/stats.inc"
#undef VALUE
#define VALUE float
#define ELEM float
#define NAME(f) f##_f32
#include "tensor/stats.inc"
#undef LOAD
#define LOAD half_to_float
#define ELEM uint16_t
#define NAME(f) f##_f16
#include "tensor/stats.inc"

#undef FLOAT
#undef STORE
#undef VALUE
#undef LOAD
#define FLOAT 0
#define STORE AS_SIGNED
#define VALUE int64_t
#define LOAD PLAIN
#define ELEM int8_t
#define NAME(f) f##_i8
#include "tensor/stats.inc"
#define ELEM int16_t
#define NAME(f) f##_i16
#include "tensor/stats.inc"
#define ELEM int32_t
#define NAME(f) f##_i32
#include "tensor/stats.inc"
#define ELEM int64_t
#define NAME(f) f##_i64
#include "tensor/stats.inc"

#undef STORE
#undef VALUE
#define STORE AS_UNSIGNED
#define VALUE uint64_t
#define ELEM uint8_t
#define NAME(f) f##_u8
#include "tensor/stats.inc"
#define ELEM uint16_t
#define NAME(f) f##_u16
#include "tensor/stats.inc"
#define ELEM uint32_t
#define NAME(f) f##_u32
#include "tensor/stats.inc"
#define ELEM uint64_t
#define NAME(f) f##_u64
#include "tensor/stats.inc"

/* By element type. */
static const struct {
    void (*block)(const void *data, size_t n, double shift, double unit, struct block_stats *p);
    void (*bins)(const void *data, size_t n, double low, double unit, double scale, uint64_t *bins);
} functions[DT_COUNT] = {
    [DT_FLOAT64] = { block_f64, bins_f64 }, [DT_FLOAT32] = { block_f32, bins_f32 },
    [DT_FLOAT16] = { block_f16, bins_f16 }, [DT_INT8] = { block_i8, bins_i8 },
    [DT_INT16] = { block_i16, bins_i16 },   [DT_INT32] = { block_i32, bins_i32 },
    [DT_INT64] = { block_i64, bins_i64 },   [DT_UINT8] = { block_u8, bins_u8 },
    [DT_UINT16] = { block_u16, bins_u16 },  [DT_UINT32] = { block_u32, bins_u32 },
    [DT_UINT64] = { block_u64, bins_u64 },
};

/* A pass over the elements by blocks. */
struct pass {
    const struct tensor *t;
    uint64_t count, blocks;
    uint64_t from;       /* the first block that is read now, and the one after the last */
    uint64_t to;
    int threads;
    double unit; /* a power of 2 that elements are multiplied by: shift and low are, too */
    double shift, low, scale;
    struct block_stats *parts;    /* [blocks]; NULL: the pass fills bins */
    uint64_t (*bins)[STATS_BINS]; /* [threads] */
    unsigned char *scratch;       /* [threads][BLOCK elements], where bytes are swapped */
};

static struct pass begin_pass(const struct tensor *t, uint64_t count, int threads)
{
    return (struct pass){ .t = t, .count = count, .blocks = u64_ceil_div(count, BLOCK),
                          .threads = parallel_threads_for(threads, count * dtype_size(t->type)),
                          .unit = 1 };
}

static void run_chunk(void *context, size_t chunk, int thread)
{
    struct pass *p = context;
    enum dtype type = p->t->type;
    size_t size = dtype_size(type);
    uint64_t bins[STATS_BINS] = { 0 }; /* added at the end, for threads share cache lines there */
    uint64_t first = p->from + (uint64_t)chunk * CHUNK_BLOCKS;
    uint64_t end = u64_min(p->to, first + CHUNK_BLOCKS);

    for (uint64_t b = first; b < end; b++) {
        size_t n = (size_t)u64_min(BLOCK, p->count - b * BLOCK);
        const void *data = (const char *)p->t->data + b * BLOCK * size;

        if (p->t->swapped) {
            unsigned char *copy = p->scratch + (size_t)thread * BLOCK * size;

            memcpy(copy, data, n * size);
            tensor_swap_bytes(copy, size, n);
            data = copy;
        }
        if (p->parts)
            functions[type].block(data, n, p->shift, p->unit, &p->parts[b]);
        else
            functions[type].bins(data, n, p->low, p->unit, p->scale, bins);
    }
    for (int i = 0; p->bins && i < STATS_BINS; i++)
        p->bins[thread][i] += bins[i];
}

/* Goes through blocks of which as many are read at a time as the tensor can have in memory. */
static bool run_blocks(struct pass *p)
{
    const struct tensor *t = p->t;
    uint64_t bytes = BLOCK * dtype_size(t->type);
    uint64_t most = t->feed ? u64_max(CHUNK_BLOCKS, TENSOR_FEED_BYTES / bytes) : p->blocks;

    for (p->from = 0; p->from < p->blocks; p->from = p->to) {
        uint64_t at = p->from * bytes;

        p->to = p->from + u64_min(most, p->blocks - p->from);
        if (tensor_need(t, (const char *)t->data + at,
                        u64_min(p->to * bytes, p->count * dtype_size(t->type)) - at))
            return false;
        parallel_for((size_t)u64_ceil_div(p->to - p->from, CHUNK_BLOCKS), p->threads, run_chunk,
                     p);
    }
    return true;
}

static bool run_pass(struct pass *p)
{
    bool done;

    if (p->t->swapped) {
        p->scratch = mem_alloc_aligned((uint64_t)p->threads * BLOCK, dtype_size(p->t->type));
        if (!p->scratch)
            return false;
    }
    done = run_blocks(p);
    free(p->scratch);
    return done;
}

static int compare(const struct scalar *a, const struct scalar *b)
{
    if (a->is_float)
        return (a->f > b->f) - (a->f < b->f);
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    return ((a->magnitude > b->magnitude) - (a->magnitude < b->magnitude)) * (a->negative ? -1 : 1);
}

/* The sums of neighbours, then of those, so that errors do not grow with the count. */
static void add_parts(const struct block_stats *parts, uint64_t n, double *sum, double *squares)
{
    double s[2], q[2];

    if (n == 1) {
        *sum = parts[0].sum;
        *squares = parts[0].squares;
        return;
    }
    add_parts(parts, n / 2, &s[0], &q[0]);
    add_parts(parts + n / 2, n - n / 2, &s[1], &q[1]);
    *sum = s[0] + s[1];
    *squares = q[0] + q[1];
}

static void merge_counts(const struct pass *p, struct stats *s)
{
    const struct scalar positive = { .is_float = true, .f = (double)INFINITY },
                        negative = { .is_float = true, .f = -(double)INFINITY };
    uint64_t up = 0, down = 0;
    bool any = false;

    for (uint64_t i = 0; i < p->blocks; i++) {
        const struct block_stats *b = &p->parts[i];

        s->zeros += b->zeros;
        s->nans += b->nans;
        up += b->up;
        down += b->down;
        if (!b->any)
            continue;
        if (!any || compare(&b->low, &s->finite_min) < 0)
            s->finite_min = b->low;
        if (!any || compare(&b->high, &s->finite_max) > 0)
            s->finite_max = b->high;
        any = true;
    }
    s->infinities = up + down;
    s->finite = s->count - s->nans - s->infinities;
    s->min = down ? negative : any ? s->finite_min : positive;
    s->max = up ? positive : any ? s->finite_max : negative;
}

static void merge_sums(const struct pass *p, struct stats *s)
{
    double sum, squares, variance;

    add_parts(p->parts, p->blocks, &sum, &squares);
    s->mean = (p->shift + sum / (double)s->finite) / p->unit;
    variance = (squares - sum * (sum / (double)s->finite)) / (double)s->finite;
    s->deviation = (variance > 0 ? sqrt(variance) : 0) / p->unit;
}

/*
 * The power of 2 that makes the largest finite magnitude about 1, where the squares of differences
 * might overflow or vanish without; else 1. Only FLOAT64 has such values.
 */
static double choose_unit(const struct stats *s)
{
    enum { GREATEST = 400, LEAST = -400, UNIT_MOST = 1023 };
    double low = fabs(scalar_double(&s->finite_min)), high = fabs(scalar_double(&s->finite_max));
    double most = low > high ? low : high;
    int exponent;

    frexp(most, &exponent);
    if (most == 0 || (exponent >= LEAST && exponent <= GREATEST))
        return 1;
    return ldexp(1, -exponent < UNIT_MOST ? -exponent : UNIT_MOST);
}

/* A value near the elements' own, so that little is lost when squares are taken: the first finite
 * one of a few. */
static double first_finite(const struct pass *p)
{
    const struct tensor *t = p->t;
    uint64_t n = u64_min(p->count, BLOCK);

    if (tensor_need(t, t->data, n * dtype_size(t->type)))
        return 0; /* nor will the pass go on */
    for (uint64_t i = 0; i < n; i++) {
        struct scalar s = scalar_load(t->type, t->swapped,
                                      (const char *)t->data + i * dtype_size(t->type));
        double d = scalar_double(&s);

        if (isfinite(d))
            return d;
    }
    return 0;
}

/* A second pass where the first one's sums are of no use. */
static bool sum_in_units(struct pass *p, const struct stats *s)
{
    double unit = choose_unit(s);

    if (unit == 1)
        return true;
    p->unit = unit;
    p->shift *= unit;
    return run_pass(p);
}

bool stats_compute(const struct tensor *t, uint64_t count, int threads, struct stats *s)
{
    struct pass p = begin_pass(t, count, threads);
    bool done;

    *s = (struct stats){ .count = count };
    if (count == 0)
        return true;
    p.parts = mem_alloc(p.blocks, sizeof *p.parts);
    if (!p.parts)
        return false;
    p.shift = first_finite(&p);
    done = run_pass(&p);
    if (done)
        merge_counts(&p, s);
    if (done && s->finite > 0) {
        done = sum_in_units(&p, s);
        merge_sums(&p, s);
    }
    free(p.parts);
    return done;
}

bool stats_histogram(const struct tensor *t, int threads, const struct stats *s,
                     struct histogram *h)
{
    struct pass p = begin_pass(t, s->count, threads);
    double span;

    *h = (struct histogram){ .low = scalar_double(&s->finite_min),
                             .high = scalar_double(&s->finite_max) };
    if (s->finite == 0)
        return true;
    p.unit = choose_unit(s);
    p.low = h->low * p.unit;
    span = h->high * p.unit - p.low;
    p.scale = span > 0 ? (double)STATS_BINS / span : 0;
    p.bins = mem_zalloc((uint64_t)p.threads, sizeof *p.bins);
    if (!p.bins || !run_pass(&p)) {
        free(p.bins);
        return false;
    }
    for (int thread = 0; thread < p.threads; thread++)
        for (int i = 0; i < STATS_BINS; i++)
            h->bins[i] += p.bins[thread][i];
    free(p.bins);
    return true;
}
