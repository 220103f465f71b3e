#include <string.h>

#include "base/util.h"
#include "op/topk/topk_order.h"

OPTIMIZE_LOOPS

/*
 * The order of many candidates, in time that grows as their number for any data: they are counted
 * by a prefix of their keys, scattered to buckets of neighbouring prefixes, and each bucket gets a
 * radix sort of the bits left. All is stable: candidates stay in the order of the sequence, of
 * which each thread has an equal slice. What comes after the k-th is left out early.
 */

enum {
    BUCKETS = ARRAY_LEN(((struct topk_sorter *)0)->bucket) - 1,
    BUCKET_MIN = 512,    /* entries; smaller ones are not worth a bucket */
    PER_PREFIX_LOG2 = 8, /* candidates for each prefix, about: bench_topk, K = 10^5, Emerald Rapids,
                            8 threads: 16 for each prefix take 1.35 times as long */
    PREFIX_BITS = 14,    /* most, as SORT_PREFIXES holds; 15: no gain, bench_topk, K = n, Zen 4 */
    ONE_BUCKET = 1 << 12, /* candidates that are not worth more than one bucket */
    FEW = 32,            /* entries that are sorted by insertion */
    MANY = 1 << 13,      /* for which the longest digits pay */
    DIGIT_BITS = 11,
    LONG = 256, /* entries of a slice in a bucket, for which the next line is prefetched: a shorter
                   run's may be another thread's. bench_topk, K = 10^5, Emerald Rapids, 16 threads:
                   0.35 of reading so, else 0.24 */
};

static unsigned bits_of(uint64_t n) { return n ? 64 - (unsigned)__builtin_clzll(n) : 0; }

/* Candidates first..last-1 of one part. */
struct piece {
    const struct topk_list *list;
    size_t first, last;
};

/* What a slice has of a part. */
static struct piece piece_of(const struct topk_ordering *w, size_t slice, size_t part)
{
    const struct topk_sorter *s = w->sorter;
    uint64_t total = s->starts[w->plan->parts], start = s->starts[part], end = s->starts[part + 1];
    uint64_t from = total / s->slices * slice,
             to = slice + 1 < s->slices ? from + total / s->slices : total;

    from = u64_min(u64_max(from, start), end);
    to = u64_min(u64_max(to, start), end);
    return (struct piece){ topk_list_of(w, part), from - start, to - start };
}

/* How prefixes are computed; a copy, which no store can change. */
struct prefixing {
    uint64_t least, last;
    unsigned shift;
};

static struct prefixing prefixing_of(const struct topk_sorter *s)
{
    return (struct prefixing){ s->least, s->prefixes - 1, s->shift };
}

/* A candidate's prefix; that of one that cannot be in the result is the last. */
INLINE size_t prefix_of(struct prefixing by, uint64_t key)
{
    return (size_t)u64_min((key - by.least) >> by.shift, by.last);
}

INLINE void count_keys(const struct topk_sorter *s, struct piece piece, uint64_t *counts,
                       unsigned width_log2)
{
    struct prefixing by = prefixing_of(s);

    for (size_t i = piece.first; i < piece.last; i++)
        counts[prefix_of(by, topk_list_key(piece.list, i, width_log2))]++;
}

static void count_slice(void *context, size_t slice, int thread)
{
    const struct topk_ordering *w = context;
    const struct topk_sorter *s = w->sorter;
    uint64_t *counts = s->counts + slice * SORT_PREFIXES;

    (void)thread;
    memset(counts, 0, s->prefixes * sizeof counts[0]);
    for (size_t part = 0; part < w->plan->parts; part++)
        WITH_WIDTH(count_keys, w->plan->width_log2, s, piece_of(w, slice, part), counts);
}

/* The largest key of a part that has k candidates: what comes after it is out, and would make
 * prefixes of the others coarse. UINT64_MAX where no part has. */
static uint64_t last_that_matters(const struct topk_ordering *w)
{
    uint64_t last = UINT64_MAX;

    for (size_t i = 0; i < w->plan->parts; i++)
        if (topk_list_of(w, i)->count >= w->plan->k)
            last = u64_min(last, topk_list_of(w, i)->most);
    return last;
}

/* Settles where parts start, and what the prefix is, from the range of the keys that matter and the
 * number of candidates in the parts that have any. */
static void plan_prefix(const struct topk_ordering *w, struct topk_sorter *s)
{
    uint64_t last = last_that_matters(w), most = 0;
    unsigned bits, longest;

    s->least = UINT64_MAX;
    s->starts[0] = 0;
    for (size_t i = 0; i < w->plan->parts; i++) {
        const struct topk_list *list = topk_list_of(w, i);
        bool out = list->least > last;

        s->starts[i + 1] = s->starts[i] + (out ? 0 : list->count);
        if (out)
            continue;
        s->least = u64_min(s->least, list->least);
        most = u64_max(most, list->most);
    }
    most = u64_min(most, last);
    bits = bits_of(most - s->least);
    longest = bits_of(s->starts[w->plan->parts] >> PER_PREFIX_LOG2);
    longest = longest < PREFIX_BITS ? longest : PREFIX_BITS;
    if (s->starts[w->plan->parts] <= ONE_BUCKET)
        longest = bits == 64; /* so that it can be shifted */
    s->shift = bits > longest ? bits - longest : 0;
    s->prefixes = (uint32_t)((most - s->least) >> s->shift) + 2;
}

/* Cuts the prefixes into buckets of about equal size, until these hold k entries. */
static void plan_buckets(const struct topk_ordering *w, struct topk_sorter *s)
{
    const struct topk_plan *p = w->plan;
    uint64_t start = 0, size = u64_max(s->starts[p->parts] / (BUCKETS - 1) + 1, BUCKET_MIN);
    uint64_t *counts = s->counts + s->slices * SORT_PREFIXES; /* of all slices */
    unsigned b = 0;
    bool open = false;

    s->largest = 0;
    memset(counts, 0, s->prefixes * sizeof counts[0]);
    for (size_t i = 0; i < s->slices; i++)
        for (uint32_t prefix = 0; prefix < s->prefixes; prefix++)
            counts[prefix] += s->counts[i * SORT_PREFIXES + prefix];
    for (uint32_t prefix = 0; prefix < s->prefixes; prefix++) {
        if (!open && start < p->k) {
            s->bucket[b] = (struct topk_bucket){ .start = start, .prefix = prefix };
            open = true;
        }
        s->bucket_of[prefix] = (uint16_t)b;
        start += counts[prefix];
        if (open && (start - s->bucket[b].start >= size || start >= p->k)) {
            s->largest = u64_max(s->largest, start - s->bucket[b].start);
            s->bucket[b].prefixes = prefix + 1 - s->bucket[b].prefix;
            s->bucket[++b].start = start;
            open = false;
        }
    }
    s->buckets = b;
}

/* Turns counts by prefix into the position of each slice's first entry in each bucket. What is left
 * out goes to a position beyond. */
static void plan_places(const struct topk_sorter *s)
{
    uint64_t next[BUCKETS];

    for (unsigned b = 0; b < s->buckets; b++)
        next[b] = s->bucket[b].start;
    for (size_t i = 0; i < s->slices; i++) {
        uint64_t *counts = s->counts + i * SORT_PREFIXES;

        for (unsigned b = 0; b < s->buckets; b++) {
            const struct topk_bucket *bucket = &s->bucket[b];
            uint64_t count = 0;

            for (uint32_t j = 0; j < bucket->prefixes; j++)
                count += counts[bucket->prefix + j];
            counts[b] = next[b]; /* b <= bucket->prefix */
            next[b] += count;
        }
        counts[s->buckets] = s->most + i * SORT_DUMMY;
    }
}

INLINE void scatter(const struct topk_sorter *s, struct piece piece, uint64_t *places,
                    uint64_t base, bool prefetch, unsigned width_log2)
{
    const uint32_t *index = piece.list->index;
    const uint16_t *bucket_of = s->bucket_of;
    struct prefixing by = prefixing_of(s);
    unsigned buckets = s->buckets;
    char *entries = s->entries;
    bool pairs = s->pairs;

    for (size_t i = piece.first; i < piece.last; i++) {
        uint64_t key = topk_list_key(piece.list, i, width_log2);
        unsigned b = bucket_of[prefix_of(by, key)];
        uint64_t at = places[b];

        places[b] = at + (b < buckets);
        topk_entry_set(entries, at, (struct topk_entry){ key, base + (index ? index[i] : i) },
                       pairs);
        if (prefetch)
            __builtin_prefetch(entries + at * topk_entry_bytes(pairs) + CACHE_LINE, 1);
    }
}

static void scatter_slice(void *context, size_t slice, int thread)
{
    const struct topk_ordering *w = context;
    const struct topk_sorter *s = w->sorter;
    const struct topk_plan *p = w->plan;
    uint64_t *places = s->counts + slice * SORT_PREFIXES;
    bool prefetch = s->starts[p->parts] / s->slices / s->buckets >= LONG;

    (void)thread;
    for (size_t part = 0; part < p->parts; part++)
        WITH_WIDTH(scatter, p->width_log2, s, piece_of(w, slice, part), places,
                   part * p->part_rows, prefetch);
}

/* The digit of keys that a pass sorts by. */
struct digit {
    uint64_t least, mask;
    unsigned shift;
};

INLINE size_t digit_of(struct digit by, uint64_t key)
{
    return (key - by.least) >> by.shift & by.mask;
}

/* One pass of the radix sort. False where all have the same digit, and nothing is moved. */
INLINE bool sort_digit(void *to, const void *from, size_t n, struct digit by, bool pairs)
{
    size_t places[1 << DIGIT_BITS], sum = 0;

    memset(places, 0, (by.mask + 1) * sizeof places[0]);
    for (size_t i = 0; i < n; i++)
        places[digit_of(by, topk_entry_key(from, i, pairs))]++;
    if (places[digit_of(by, topk_entry_key(from, 0, pairs))] == n)
        return false;
    for (size_t i = 0; i <= by.mask; i++) {
        size_t count = places[i];

        places[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) {
        struct topk_entry e = topk_entry_get(from, i, pairs);

        topk_entry_set(to, places[digit_of(by, e.key)]++, e, pairs);
    }
    return true;
}

/* Sorts n entries, whose keys differ from `least` by less than 2^bits; returns where they are then:
 * here or in one of two rooms. Adds the entries visited to *work. */
INLINE void *sort_bits(void *entries, void *room, void *other, size_t n, uint64_t least,
                       unsigned bits, uint64_t *work, bool pairs)
{
    unsigned most = n < MANY ? 8 : DIGIT_BITS, passes = (unsigned)u64_ceil_div(bits, most), digit;

    if (n <= FEW || bits == 0) {
        *work += topk_insert(entries, bits ? n : 0, pairs);
        return entries;
    }
    digit = (unsigned)u64_ceil_div(bits, passes);
    for (unsigned pass = 0; pass < passes; pass++) {
        struct digit by = { least, (UINT64_C(1) << digit) - 1, pass * digit };

        *work += n;
        if (sort_digit(room, entries, n, by, pairs)) {
            *work += n;
            entries = room;
            room = other;
            other = entries;
        }
    }
    return entries;
}

/* Sorts a bucket and writes it. Where two rooms as large as the largest bucket fit for each thread,
 * they are the thread's own, which stay in its caches; else they are the bucket's. */
INLINE void sort_bucket(struct topk_ordering *w, size_t number, int thread, bool pairs)
{
    const struct topk_plan *p = w->plan;
    struct topk_sorter *s = w->sorter;
    struct topk_bucket *b = &s->bucket[number];
    size_t bytes = topk_entry_bytes(pairs), n = b[1].start - b->start;
    uint64_t least = s->least + ((uint64_t)b->prefix << s->shift);
    uint64_t range = ((uint64_t)b->prefixes << s->shift) - 1, work = 0;
    bool own = s->largest <= s->most / (2 * (uint64_t)s->threads);
    char *entries = (char *)s->entries + b->start * bytes;
    char *room = (char *)s->room + (own ? 2 * (uint64_t)thread * s->largest : b->start) * bytes;
    const void *sorted = sort_bits(entries, room, own ? room + s->largest * bytes : entries, n,
                                   least, bits_of(range), &work, pairs);

    b->work = work; /* once, for other threads' buckets share its cache line */
    topk_write(p, w->strip, w->column, b->start, sorted, pairs, u64_min(n, p->k - b->start));
}

static void finish_bucket(void *context, size_t bucket, int thread)
{
    struct topk_ordering *w = context;

    if (w->sorter->pairs)
        sort_bucket(w, bucket, thread, true);
    else
        sort_bucket(w, bucket, thread, false);
}

void topk_sort(struct topk_ordering *w)
{
    struct topk_sorter *s = w->sorter;

    plan_prefix(w, s);
    topk_each(w, s->slices, count_slice);
    plan_buckets(w, s);
    plan_places(s);
    topk_each(w, s->slices, scatter_slice);
    topk_each(w, s->buckets, finish_bucket);
}
