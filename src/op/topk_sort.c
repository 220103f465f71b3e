#include <string.h>

#include "base/util.h"
#include "op/topk_order.h"

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
    NEAR = 1 << 10,      /* for which a thread's stack has room */
    GROUP = 2,           /* buckets that a thread sorts at once: bench_topk, K = 10^5, Emerald
                            Rapids, 16 threads: 8 take 1.2 times as long */
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
                    uint64_t base, unsigned width_log2)
{
    const uint32_t *index = piece.list->index;
    const uint16_t *bucket_of = s->bucket_of;
    struct prefixing by = prefixing_of(s);
    unsigned buckets = s->buckets;
    void *entries = s->entries;
    bool pairs = s->pairs;

    for (size_t i = piece.first; i < piece.last; i++) {
        uint64_t key = topk_list_key(piece.list, i, width_log2);
        unsigned b = bucket_of[prefix_of(by, key)];
        uint64_t at = places[b];

        places[b] = at + (b < buckets);
        topk_entry_set(entries, at, (struct topk_entry){ key, base + (index ? index[i] : i) },
                       pairs);
    }
}

static void scatter_slice(void *context, size_t slice, int thread)
{
    const struct topk_ordering *w = context;
    const struct topk_sorter *s = w->sorter;
    uint64_t *places = s->counts + slice * SORT_PREFIXES;

    (void)thread;
    for (size_t part = 0; part < w->plan->parts; part++)
        WITH_WIDTH(scatter, w->plan->width_log2, s, piece_of(w, slice, part), places,
                   part * w->plan->part_rows);
}

/* One pass of the radix sort, by `digit` bits of key - least from `shift` on. False where all have
 * the same ones, and nothing is moved. */
INLINE bool sort_digit(void *to, const void *from, size_t n, uint64_t least, unsigned shift,
                       unsigned digit, bool pairs)
{
    size_t places[1 << DIGIT_BITS], sum = 0;
    uint64_t mask = (UINT64_C(1) << digit) - 1;

    memset(places, 0, sizeof places[0] << digit);
    for (size_t i = 0; i < n; i++)
        places[(topk_entry_key(from, i, pairs) - least) >> shift & mask]++;
    if (places[(topk_entry_key(from, 0, pairs) - least) >> shift & mask] == n)
        return false;
    for (uint64_t i = 0; i <= mask; i++) {
        size_t count = places[i];

        places[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        topk_entry_set(to, places[(topk_entry_key(from, i, pairs) - least) >> shift & mask]++,
                  topk_entry_get(from, i, pairs), pairs);
    return true;
}

/* Sorts n entries, whose keys differ from `least` by less than 2^bits; returns where they are then:
 * here or in room. Adds the entries visited to *work. */
INLINE void *sort_bits(void *entries, void *room, size_t n, uint64_t least, unsigned bits,
                       uint64_t *work, bool pairs)
{
    unsigned most = n < MANY ? 8 : DIGIT_BITS, passes = (unsigned)u64_ceil_div(bits, most), digit;

    if (n <= FEW || bits == 0) {
        *work += topk_insert(entries, bits ? n : 0, pairs);
        return entries;
    }
    digit = (unsigned)u64_ceil_div(bits, passes);
    for (unsigned pass = 0; pass < passes; pass++) {
        *work += n;
        if (sort_digit(room, entries, n, least, pass * digit, digit, pairs)) {
            void *sorted = room;

            *work += n;
            room = entries;
            entries = sorted;
        }
    }
    return entries;
}

INLINE void sort_bucket(struct topk_ordering *w, size_t number, bool pairs)
{
    const struct topk_plan *p = w->plan;
    struct topk_sorter *s = w->sorter;
    struct topk_bucket *b = &s->bucket[number];
    size_t bytes = topk_entry_bytes(pairs), n = b[1].start - b->start,
           count = u64_min(n, p->k - b->start);
    uint64_t least = s->least + ((uint64_t)b->prefix << s->shift);
    uint64_t range = ((uint64_t)b->prefixes << s->shift) - 1, start = b->start, work = 0;
    struct topk_entry near[NEAR]; /* memory that no other thread writes */
    void *room = n <= NEAR ? near : (void *)((char *)s->room + start * bytes);
    const void *sorted = sort_bits((char *)s->entries + start * bytes, room, n, least,
                                   bits_of(range), &work, pairs);

    b->work = work; /* once, for other threads' buckets share its cache line */
    topk_write(p, w->strip, w->column, start, sorted, pairs, count);
}

/* Prefetches a bucket's entries, which other threads may have written. */
static void prefetch_bucket(const struct topk_sorter *s, size_t bucket, size_t bytes)
{
    const char *entries = s->entries;

    for (size_t at = s->bucket[bucket].start * bytes; at < s->bucket[bucket + 1].start * bytes;
         at += CACHE_LINE)
        __builtin_prefetch(entries + at);
}

static void finish_buckets(void *context, size_t group, int thread)
{
    struct topk_ordering *w = context;
    const struct topk_sorter *s = w->sorter;
    size_t last = u64_min((group + 1) * GROUP, s->buckets);

    (void)thread;
    for (size_t b = group * GROUP; b < last; b++) {
        if (b + 1 < s->buckets)
            prefetch_bucket(s, b + 1, topk_entry_bytes(s->pairs));
        if (s->pairs)
            sort_bucket(w, b, true);
        else
            sort_bucket(w, b, false);
    }
}

void topk_sort(struct topk_ordering *w)
{
    struct topk_sorter *s = w->sorter;

    plan_prefix(w, s);
    topk_each(w, s->slices, count_slice);
    plan_buckets(w, s);
    plan_places(s);
    topk_each(w, s->slices, scatter_slice);
    topk_each(w, u64_ceil_div(s->buckets, GROUP), finish_buckets);
}
