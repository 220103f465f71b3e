#include "tensor/stats.h"

#include <math.h>

#include "base/mem.h"
#include "base/parallel.h"

enum {
    BLOCK = 1 << 14,   /* elements */
    CHUNK = 4 * BLOCK, /* that a thread reads at a time: some 50 us */
    STATS_LANES = 16,  /* separate sums, by the index of an element modulo this */
};

struct block_stats {
    double sum, squares; /* of the finite elements, in the pass's unit, minus its shift */
    uint64_t zeros, nans, up, down; /* these two: infinities */
    bool any;                       /* one is finite */
    struct scalar low, high;        /* of the finite ones */
};

/* A pass over the elements by blocks. */
struct pass {
    const struct tensor *t;
    uint64_t count, blocks;
    int threads;
    double unit; /* a power of 2; elements, shift and low are multiplied by it */
    double shift, low, scale;
    struct block_stats *sums; /* [blocks] */
    size_t n;                 /* bins */
    uint64_t *bins;           /* [threads][bins_apart(n)]; NULL: sums are set */
    double *scratch;          /* [threads][2][BLOCK]: elements as doubles, and swapped */
};

/* From one thread's bins to the next one's, which are in other cache lines. */
static size_t bins_apart(size_t n) { return n + CACHE_LINE / sizeof(uint64_t); }

static double add_lanes(const double *v)
{
    double sum = 0;

    for (int l = 0; l < STATS_LANES; l++)
        sum += v[l];
    return sum;
}

/* Converts n elements of a type to doubles. */
static void widen(enum dtype type, const void *data, size_t n, double *wide)
{
#define WIDEN(type, elem, convert) \
    case type: \
        for (size_t i = 0; i < n; i++) \
            wide[i] = (double)convert(((const elem *)data)[i]); \
        return;

    switch (type) {
        WIDEN(DT_FLOAT64, double, )
        WIDEN(DT_FLOAT32, float, )
        WIDEN(DT_FLOAT16, uint16_t, half_to_float)
        WIDEN(DT_INT8, int8_t, )
        WIDEN(DT_INT16, int16_t, )
        WIDEN(DT_INT32, int32_t, )
        WIDEN(DT_INT64, int64_t, )
        WIDEN(DT_UINT8, uint8_t, )
        WIDEN(DT_UINT16, uint16_t, )
        WIDEN(DT_UINT32, uint32_t, )
        WIDEN(DT_UINT64, uint64_t, )
    default: return;
    }
}

/* An element's value as a scalar; rounded if the type has 64-bit integers. */
static struct scalar to_scalar(enum dtype type, double v)
{
    if (dtype_table[type].kind == KIND_FLOAT)
        return (struct scalar){ .is_float = true, .f = v };
    return (struct scalar){ .negative = v < 0,
                            .magnitude = fabs(v) < 0x1p63 ? (uint64_t)fabs(v) : INT64_MAX };
}

/* Sets the extremes of 64-bit integers, which doubles round. */
static void exact_extremes(const void *data, size_t n, enum dtype type, struct block_stats *p)
{
    const uint64_t *e = data;
    uint64_t flip = type == DT_INT64 ? (uint64_t)1 << 63 : 0; /* orders signed ones as unsigned */
    uint64_t low = e[0] ^ flip, high = low;

    for (size_t i = 1; i < n; i++) {
        low = u64_min(low, e[i] ^ flip);
        high = u64_max(high, e[i] ^ flip);
    }
    low ^= flip;
    high ^= flip;
    p->low = scalar_load(type, false, &low);
    p->high = scalar_load(type, false, &high);
}

/* Statistics of any elements. */
static void sum_any(const double *e, size_t n, const struct pass *pass, struct block_stats *p)
{
    double sum[STATS_LANES] = { 0 }, squares[STATS_LANES] = { 0 }, low, high;
    size_t first = 0;

    while (first + 1 < n && !isfinite(e[first]))
        first++;
    low = high = e[first]; /* finite, if any is */
    *p = (struct block_stats){ 0 };
    for (size_t i = 0; i < n; i++) {
        bool finite = isfinite(e[i]);
        double d = finite ? e[i] * pass->unit - pass->shift : 0;

        low = finite && e[i] < low ? e[i] : low;
        high = finite && e[i] > high ? e[i] : high;
        p->any = p->any || finite;
        p->zeros += e[i] == 0;
        p->nans += isnan(e[i]) != 0;
        p->up += !finite && e[i] > 0;
        p->down += !finite && e[i] < 0;
        sum[i % STATS_LANES] += d;
        squares[i % STATS_LANES] += d * d;
    }
    p->sum = add_lanes(sum);
    p->squares = add_lanes(squares);
    p->low = to_scalar(pass->t->type, low);
    p->high = to_scalar(pass->t->type, high);
}

/* The same for whole lanes of finite elements, without branches, so that it is vectorized. False
 * if an element is not finite: then the sum is not, either. */
static bool sum_finite(const double *e, size_t n, const struct pass *pass, struct block_stats *p)
{
    double sum[STATS_LANES] = { 0 }, squares[STATS_LANES] = { 0 }, zeros[STATS_LANES] = { 0 };
    double low[STATS_LANES], high[STATS_LANES], unit = pass->unit, shift = pass->shift;

    memcpy(low, e, sizeof low);
    memcpy(high, e, sizeof high);
    for (size_t i = 0; i < n; i += STATS_LANES)
        for (int l = 0; l < STATS_LANES; l++) {
            double v = e[i + (size_t)l], d = v * unit - shift;

            low[l] = v < low[l] ? v : low[l];
            high[l] = v > high[l] ? v : high[l];
            zeros[l] += v == 0 ? 1 : 0;
            sum[l] += d;
            squares[l] += d * d;
        }
    for (int l = 1; l < STATS_LANES; l++) {
        low[0] = low[l] < low[0] ? low[l] : low[0];
        high[0] = high[l] > high[0] ? high[l] : high[0];
    }
    *p = (struct block_stats){ .sum = add_lanes(sum),
                               .squares = add_lanes(squares),
                               .zeros = (uint64_t)add_lanes(zeros),
                               .any = true,
                               .low = to_scalar(pass->t->type, low[0]),
                               .high = to_scalar(pass->t->type, high[0]) };
    return isfinite(p->sum);
}

static void fill_bins(const double *e, size_t n, const struct pass *p, uint64_t *bins)
{
    for (size_t i = 0; i < n; i++) {
        double at = (e[i] * p->unit - p->low) * p->scale;

        if (isfinite(e[i]))
            bins[at >= (double)p->n ? p->n - 1 : at > 0 ? (size_t)at : 0]++;
    }
}

static struct pass begin_pass(const struct tensor *t, uint64_t count, int threads)
{
    return (struct pass){ .t = t,
                          .count = count,
                          .blocks = u64_ceil_div(count, BLOCK),
                          .threads = parallel_threads_for(threads, count * dtype_size(t->type)),
                          .unit = 1 };
}

static void run_chunk(void *context, uint64_t from, uint64_t left, int thread)
{
    struct pass *p = context;
    enum dtype type = p->t->type;
    size_t size = dtype_size(type), n;
    double *wide = p->scratch + (size_t)thread * 2 * BLOCK;

    for (; left > 0; from += n, left -= n) {
        const void *data = (const char *)p->t->data + from * size;

        n = (size_t)u64_min(BLOCK, left);
        if (p->t->swapped) {
            data = memcpy(wide + BLOCK, data, n * size);
            tensor_swap_bytes(wide + BLOCK, size, n);
        }
        widen(type, data, n, wide);
        if (p->bins) {
            fill_bins(wide, n, p, p->bins + (size_t)thread * bins_apart(p->n));
            continue;
        }
        if (n % STATS_LANES != 0 || !sum_finite(wide, n, p, &p->sums[from / BLOCK]))
            sum_any(wide, n, p, &p->sums[from / BLOCK]);
        if (type == DT_INT64 || type == DT_UINT64)
            exact_extremes(data, n, type, &p->sums[from / BLOCK]);
    }
}

static bool run_pass(struct pass *p)
{
    struct tensor_pieces pieces = { p->count, CHUNK, run_chunk, p };
    bool done;

    p->scratch = mem_alloc_aligned((uint64_t)p->threads * 2 * BLOCK, sizeof *p->scratch);
    done = p->scratch != NULL;
    if (done)
        tensor_run_pieces(&pieces, p->threads);
    free(p->scratch);
    return done;
}

/* The sums of neighbours, then of those, so that errors do not grow with the count. */
static void add_blocks(const struct block_stats *sums, uint64_t n, double *sum, double *squares)
{
    double s[2], q[2];

    if (n == 1) {
        *sum = sums[0].sum;
        *squares = sums[0].squares;
        return;
    }
    add_blocks(sums, n / 2, &s[0], &q[0]);
    add_blocks(sums + n / 2, n - n / 2, &s[1], &q[1]);
    *sum = s[0] + s[1];
    *squares = q[0] + q[1];
}

static void merge_counts(const struct pass *p, struct stats *s)
{
    const struct scalar positive = { .is_float = true, .f = (double)INFINITY },
                        negative = { .is_float = true, .f = -(double)INFINITY };
    bool any = false;

    for (uint64_t i = 0; i < p->blocks; i++) {
        const struct block_stats *b = &p->sums[i];

        s->zeros += b->zeros;
        s->nans += b->nans;
        s->up += b->up;
        s->down += b->down;
        if (!b->any)
            continue;
        if (!any || scalar_compare(&b->low, &s->finite_min) < 0)
            s->finite_min = b->low;
        if (!any || scalar_compare(&b->high, &s->finite_max) > 0)
            s->finite_max = b->high;
        any = true;
    }
    s->finite = s->count - s->nans - s->up - s->down;
    s->min = s->down ? negative : any ? s->finite_min : positive;
    s->max = s->up ? positive : any ? s->finite_max : negative;
}

static void merge_sums(const struct pass *p, struct stats *s)
{
    double sum, squares, variance;

    add_blocks(p->sums, p->blocks, &sum, &squares);
    s->mean = (p->shift + sum / (double)s->finite) / p->unit;
    variance = (squares - sum * (sum / (double)s->finite)) / (double)s->finite;
    s->deviation = (variance > 0 ? sqrt(variance) : 0) / p->unit;
}

/* The power of 2 that makes the largest finite magnitude about 1, if squares of differences might
 * overflow or vanish without it; else 1. Only FLOAT64 has such values. */
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

/* The first finite element of a few: subtracting a value near the others keeps squares accurate. */
static double first_finite(const struct pass *p)
{
    const struct tensor *t = p->t;
    uint64_t n = u64_min(p->count, BLOCK);

    for (uint64_t i = 0; i < n; i++) {
        struct scalar s =
            scalar_load(t->type, t->swapped, (const char *)t->data + i * dtype_size(t->type));
        double d = scalar_double(&s);

        if (isfinite(d))
            return d;
    }
    return 0;
}

bool stats_compute(const struct tensor *t, uint64_t count, int threads, struct stats *s)
{
    struct pass p = begin_pass(t, count, threads);
    bool done;

    *s = (struct stats){ .count = count };
    if (count == 0)
        return true;
    p.sums = mem_alloc(p.blocks, sizeof *p.sums);
    if (!p.sums)
        return false;
    p.shift = first_finite(&p);
    done = run_pass(&p);
    if (done)
        merge_counts(&p, s);
    if (done && s->finite > 0) {
        p.unit = choose_unit(s);
        p.shift *= p.unit;
        done = p.unit == 1 || run_pass(&p); /* again, if the first pass's sums are useless */
        merge_sums(&p, s);
    }
    free(p.sums);
    return done;
}

/* Gives a histogram of equal elements a width that is not lost beside their value. */
static void widen_range(struct histogram *h)
{
    double step = fabs(h->low) * 0x1p-20;

    step = step > 1 ? step : 1;
    h->high += step;
    if (!isfinite(h->high)) {
        h->high = h->low;
        h->low -= step;
    }
}

bool stats_histogram(const struct tensor *t, int threads, const struct stats *s,
                     struct histogram *h)
{
    struct pass p = begin_pass(t, s->count, threads);
    size_t apart = bins_apart(h->n);
    bool good;

    h->low = scalar_double(&s->finite_min);
    h->high = scalar_double(&s->finite_max);
    if (s->finite == 0)
        return true;
    if (h->low == h->high)
        widen_range(h);
    p.n = h->n;
    p.unit = choose_unit(s);
    p.low = h->low * p.unit;
    p.scale = (double)p.n / (h->high * p.unit - p.low);
    p.bins = mem_zalloc((uint64_t)p.threads, apart * sizeof *p.bins);
    h->bins = mem_zalloc(h->n, sizeof *h->bins);
    good = p.bins && h->bins && run_pass(&p);
    for (int thread = 0; good && thread < p.threads; thread++)
        for (size_t i = 0; i < h->n; i++)
            h->bins[i] += p.bins[(size_t)thread * apart + i];
    free(p.bins);
    return good;
}

bool stats_places(const struct tensor *t, const struct stats *s,
                  struct stats_place places[STATS_PLACES], size_t *n)
{
    size_t most = (size_t)u64_min(s->nans + s->up + s->down, STATS_PLACES);
    size_t size = dtype_size(t->type);
    char *block = mem_alloc(BLOCK, size);
    bool good = block != NULL;

    *n = 0;
    for (uint64_t at = 0, end; good && *n < most; at = end) {
        end = at + u64_min(BLOCK, s->count - at);
        tensor_gather(t, at, end - at, block);
        for (uint64_t i = at; i < end && *n < most; i++) {
            struct scalar v = scalar_load(t->type, t->swapped, block + (i - at) * size);

            if (!isfinite(scalar_double(&v)))
                places[(*n)++] = (struct stats_place){ i, v.f };
        }
    }
    free(block);
    return good;
}
