#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/util.h"
#include "op/topk_plan.h"

/*
 * The order of many candidates, in time that grows as their number for any data: they are counted
 * by a prefix of their keys, scattered to buckets of neighbouring prefixes, and each bucket gets a
 * radix sort of the bits left. All is stable: candidates stay in the order of the sequence, of
 * which each thread has an equal slice. What comes after the k-th is left out early.
 */

enum {
    BUCKETS = ARRAY_LEN(((struct topk_sort *)0)->bucket) - 1,
    BUCKET_MIN = 512,   /* entries; smaller ones are not worth a bucket */
    PER_PREFIX_LOG2 = 4, /* candidates for each prefix, about */
    PREFIX_BITS = 15,    /* most, as SORT_PREFIXES holds */
    FEW = 32,           /* entries that are sorted by insertion */
    MANY = 1 << 13,     /* for which the longest digits pay */
    DIGIT_BITS = 11,
    AT_ONCE = 256,      /* entries, between sorting and writing */
    NEAR = 1 << 10,     /* for which a thread's stack has room */
    GROUP = 8,          /* buckets that a thread sorts at once */
    RUN = 1 << 13,      /* entries of a run that one thread writes at once */
};

/* One column's work, as the threads see it. */
struct sort_work {
    struct topk_plan *plan;
    const struct topk_strip *strip;
    uint64_t column;
    const struct topk_list *lists;
    bool reversed, whole; /* of a run; of all elements */
};

static const struct topk_list *list_at(const struct sort_work *w, size_t part)
{
    return &w->lists[part * w->plan->strip_columns];
}

INLINE uint64_t key_at(const struct topk_list *list, size_t i, unsigned width_log2)
{
    return topk_load(list->entries, i, width_log2) ^ topk_sign(width_log2);
}

static unsigned bits_of(uint64_t n) { return n ? 64 - (unsigned)__builtin_clzll(n) : 0; }

/* Candidate i of a part. */
INLINE struct topk_entry candidate(const struct sort_work *w, size_t part, size_t i,
                                   unsigned width_log2)
{
    const struct topk_list *list = list_at(w, part);

    return (struct topk_entry){ key_at(list, i, width_log2),
                                part * w->plan->part_rows + (list->index ? list->index[i] : i) };
}

/* Candidates first..last-1 of one part. */
struct piece {
    const struct topk_list *list;
    size_t first, last;
};

/* What a slice has of a part. */
static struct piece piece_of(const struct sort_work *w, size_t slice, size_t part)
{
    const struct topk_sort *s = &w->plan->sort;
    uint64_t total = s->starts[w->plan->parts], start = s->starts[part], end = s->starts[part + 1];
    uint64_t from = total / s->slices * slice,
             to = slice + 1 < s->slices ? from + total / s->slices : total;

    from = u64_min(u64_max(from, start), end);
    to = u64_min(u64_max(to, start), end);
    return (struct piece){ list_at(w, part), from - start, to - start };
}

/* How prefixes are computed; a copy, which no store can change. */
struct prefixing {
    uint64_t least, last;
    unsigned shift;
};

static struct prefixing prefixing_of(const struct topk_sort *s)
{
    return (struct prefixing){ s->least, s->prefixes - 1, s->shift };
}

/* A candidate's prefix; that of one that cannot be in the result is the last. */
INLINE size_t prefix_of(struct prefixing by, uint64_t key)
{
    return (size_t)u64_min((key - by.least) >> by.shift, by.last);
}

INLINE void count_keys(const struct topk_sort *s, struct piece piece, uint32_t *counts,
                       unsigned width_log2)
{
    size_t quarter = (piece.last - piece.first) / 4, end = piece.first + 4 * quarter;
    struct prefixing by = prefixing_of(s);

    /* From far apart, as neighbours may share a count, which would be waited for. */
    for (size_t i = piece.first; i < piece.first + quarter; i++)
        for (size_t j = i; j < end; j += quarter)
            counts[prefix_of(by, key_at(piece.list, j, width_log2))]++;
    for (size_t i = end; i < piece.last; i++)
        counts[prefix_of(by, key_at(piece.list, i, width_log2))]++;
}

static void count_slice(void *context, size_t slice, int thread)
{
    const struct sort_work *w = context;
    const struct topk_sort *s = &w->plan->sort;
    uint32_t *counts = s->counts + slice * SORT_PREFIXES;

    (void)thread;
    memset(counts, 0, s->prefixes * sizeof counts[0]);
    for (size_t part = 0; part < w->plan->parts; part++)
        WITH_WIDTH(count_keys, w->plan->width_log2, s, piece_of(w, slice, part), counts);
}

/* The largest key of a part that has k candidates: what comes after it is out, and would make
 * prefixes of the others coarse. UINT64_MAX where no part has. */
static uint64_t last_that_matters(const struct sort_work *w)
{
    uint64_t last = UINT64_MAX;

    for (size_t i = 0; i < w->plan->parts; i++)
        if (list_at(w, i)->count >= w->plan->k)
            last = u64_min(last, list_at(w, i)->most);
    return last;
}

/* Settles where parts start, and what the prefix is, from the range of the keys that matter and the
 * number of candidates in the parts that have any. */
static void plan_prefix(const struct sort_work *w, struct topk_sort *s)
{
    uint64_t last = last_that_matters(w), most = 0;
    unsigned bits, longest;

    s->least = UINT64_MAX;
    s->starts[0] = 0;
    for (size_t i = 0; i < w->plan->parts; i++) {
        const struct topk_list *list = list_at(w, i);
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
    s->shift = bits > longest ? bits - longest : 0;
    s->prefixes = (uint32_t)((most - s->least) >> s->shift) + 2;
}

/* Cuts the prefixes into buckets of about equal size, until these hold k entries. A slice's counts
 * by prefix become counts by bucket, in place. */
static void plan_buckets(const struct sort_work *w, struct topk_sort *s)
{
    const struct topk_plan *p = w->plan;
    uint64_t start = 0, size = u64_max(s->starts[p->parts] / (BUCKETS - 1) + 1, BUCKET_MIN);
    unsigned b = 0;
    bool open = false;

    for (uint32_t prefix = 0; prefix < s->prefixes; prefix++) {
        bool first = !open;

        if (first && start < p->k) {
            s->bucket[b] = (struct topk_bucket){ .start = start, .prefix = prefix };
            open = true;
        }
        s->bucket_of[prefix] = (uint16_t)b;
        for (size_t i = 0; i < s->slices; i++) {
            uint32_t *counts = s->counts + i * SORT_PREFIXES, count = counts[prefix];

            start += count;
            counts[b] = first ? count : counts[b] + count; /* b <= prefix */
        }
        if (open && (start - s->bucket[b].start >= size || start >= p->k)) {
            s->bucket[b].prefixes = prefix + 1 - s->bucket[b].prefix;
            s->bucket[++b].start = start;
            open = false;
        }
    }
    s->buckets = b;
}

/* Turns counts into the position of each slice's first entry in each bucket. What is left out goes
 * to a position beyond. */
static void plan_places(const struct topk_sort *s)
{
    for (unsigned b = 0; b < s->buckets; b++) {
        uint64_t at = s->bucket[b].start;

        for (size_t i = 0; i < s->slices; i++) {
            uint32_t *place = &s->counts[i * SORT_PREFIXES + b], count = *place;

            *place = (uint32_t)at;
            at += count;
        }
    }
    for (size_t i = 0; i < s->slices; i++)
        s->counts[i * SORT_PREFIXES + s->buckets] = (uint32_t)(s->most + i * SORT_DUMMY);
}

INLINE void scatter(const struct topk_sort *s, struct piece piece, uint32_t *places, uint32_t base,
                    unsigned width_log2)
{
    const uint32_t *index = piece.list->index;
    const uint16_t *bucket_of = s->bucket_of;
    struct prefixing by = prefixing_of(s);
    unsigned buckets = s->buckets;
    void *entries = s->entries;

    for (size_t i = piece.first; i < piece.last; i++) {
        uint64_t key = key_at(piece.list, i, width_log2);
        unsigned b = bucket_of[prefix_of(by, key)];
        uint32_t at = places[b];

        places[b] = at + (b < buckets);
        topk_entry_set(entries, at, key, base + (index ? index[i] : (uint32_t)i), width_log2);
    }
}

static void scatter_slice(void *context, size_t slice, int thread)
{
    const struct sort_work *w = context;
    const struct topk_sort *s = &w->plan->sort;
    uint32_t *places = s->counts + slice * SORT_PREFIXES;

    (void)thread;
    for (size_t part = 0; part < w->plan->parts; part++)
        WITH_WIDTH(scatter, w->plan->width_log2, s, piece_of(w, slice, part), places,
                 (uint32_t)(part * w->plan->part_rows));
}

INLINE uint64_t entry_key(const void *entries, size_t i, unsigned width_log2)
{
    return topk_entry_get(entries, i, width_log2).key;
}

INLINE void move(void *to, size_t i, const void *from, size_t j, unsigned width_log2)
{
    if (width_log2 < 3)
        ((uint64_t *)to)[i] = ((const uint64_t *)from)[j];
    else
        ((struct topk_entry *)to)[i] = ((const struct topk_entry *)from)[j];
}

/* This and the next return the entries visited. */
INLINE uint64_t sort_few(void *entries, size_t n, unsigned width_log2)
{
    uint64_t work = n;

    for (size_t i = 1; i < n; i++) {
        struct topk_entry e = topk_entry_get(entries, i, width_log2);
        size_t at = i;

        for (; at > 0 && entry_key(entries, at - 1, width_log2) > e.key; at--)
            move(entries, at, entries, at - 1, width_log2);
        topk_entry_set(entries, at, e.key, (uint32_t)e.index, width_log2);
        work += i - at;
    }
    return work;
}

/* One pass of the radix sort: by `digit` bits of key - least from `shift` on. Moves nothing where
 * all have the same. */
INLINE uint64_t sort_digit(void *to, const void *from, size_t n, uint64_t least, unsigned shift,
                           unsigned digit, unsigned width_log2)
{
    uint32_t places[1 << DIGIT_BITS], mask = (1u << digit) - 1, sum = 0;

    memset(places, 0, (mask + 1) * sizeof places[0]);
    for (size_t i = 0; i < n; i++)
        places[(entry_key(from, i, width_log2) - least) >> shift & mask]++;
    if (places[(entry_key(from, 0, width_log2) - least) >> shift & mask] == n)
        return n;
    for (uint32_t i = 0; i <= mask; i++) {
        uint32_t count = places[i];

        places[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        move(to, places[(entry_key(from, i, width_log2) - least) >> shift & mask]++, from, i,
             width_log2);
    return 2 * n;
}

/* Sorts n entries, whose keys differ from `least` by less than 2^bits; returns where they are then:
 * here or in room. Adds to *work. */
INLINE void *sort_bits(void *entries, void *room, size_t n, uint64_t least, unsigned bits,
                       uint64_t *work, unsigned width_log2)
{
    unsigned most = n < MANY ? 8 : DIGIT_BITS, passes = (unsigned)u64_ceil_div(bits, most), digit;

    if (n <= FEW || bits == 0) {
        *work += sort_few(entries, bits ? n : 0, width_log2);
        return entries;
    }
    digit = (unsigned)u64_ceil_div(bits, passes);
    for (unsigned shift = 0; shift < bits; shift += digit) {
        uint64_t visited = sort_digit(room, entries, n, least, shift, digit, width_log2);

        *work += visited;
        if (visited > n) {
            void *sorted = room;

            room = entries;
            entries = sorted;
        }
    }
    return entries;
}

INLINE void sort_bucket(struct sort_work *w, size_t number, unsigned width_log2)
{
    const struct topk_plan *p = w->plan;
    struct topk_sort *s = &w->plan->sort;
    struct topk_bucket *b = &s->bucket[number];
    size_t bytes = topk_entry_bytes(width_log2), n = b[1].start - b->start,
           count = u64_min(n, p->k - b->start);
    uint64_t least = s->least + ((uint64_t)b->prefix << s->shift);
    uint64_t range = ((uint64_t)b->prefixes << s->shift) - 1, start = b->start, work = 0;
    struct topk_entry entries[AT_ONCE], near[NEAR]; /* near: memory that no other thread writes */
    void *room = n <= NEAR ? near : (void *)((char *)s->room + start * bytes);
    const void *sorted = sort_bits((char *)s->entries + start * bytes, room, n, least,
                                   bits_of(range), &work, width_log2);

    b->work = work; /* once, for other threads' buckets share its cache line */
    for (size_t i = 0; i < count; i += AT_ONCE) {
        size_t some = u64_min(count - i, AT_ONCE);

        for (size_t j = 0; j < some; j++)
            entries[j] = topk_entry_get(sorted, i + j, width_log2);
        topk_write(p, w->strip, w->column, start + i, entries, some);
    }
}

/* Prefetches a bucket's entries, which other threads may have written. */
static void prefetch_bucket(const struct topk_sort *s, size_t bucket, size_t bytes)
{
    const char *entries = s->entries;

    for (size_t at = s->bucket[bucket].start * bytes; at < s->bucket[bucket + 1].start * bytes;
         at += CACHE_LINE)
        __builtin_prefetch(entries + at);
}

static void finish_buckets(void *context, size_t group, int thread)
{
    struct sort_work *w = context;
    const struct topk_sort *s = &w->plan->sort;
    size_t last = u64_min((group + 1) * GROUP, s->buckets);

    (void)thread;
    for (size_t b = group * GROUP; b < last; b++) {
        if (b + 1 < last)
            prefetch_bucket(s, b + 1, topk_entry_bytes(w->plan->width_log2));
        WITH_WIDTH(sort_bucket, w->plan->width_log2, w, b);
    }
}

/* Whether all lists are runs that go on from one to the next; sets where each starts. */
static bool find_run(struct sort_work *w)
{
    const struct topk_plan *p = w->plan;
    uint64_t *starts = p->sort.starts;
    const struct topk_list *before = NULL;
    bool up = true, down = true;

    starts[0] = 0;
    w->whole = true;
    for (size_t i = 0; i < p->parts; i++) {
        const struct topk_list *list = list_at(w, i);
        bool one = list->count == 1;

        starts[i + 1] = starts[i] + list->count;
        w->whole = w->whole && !list->index;
        if (list->count == 0)
            continue;
        up =
            up && list->run && (one || !list->reversed) && (!before || before->most <= list->least);
        down =
            down && list->run && (one || list->reversed) && (!before || before->least > list->most);
        before = list;
    }
    w->reversed = !up;
    return up || down;
}

/* Writes n entries of a run of candidates, from `rank` on. */
INLINE void write_candidates(const struct sort_work *w, uint64_t rank, uint64_t n,
                             unsigned width_log2)
{
    const struct topk_plan *p = w->plan;
    const uint64_t *starts = p->sort.starts;
    uint64_t total = starts[p->parts];
    struct topk_entry entries[AT_ONCE];
    size_t part = 0;

    for (uint64_t i = 0; i < n; i += AT_ONCE) {
        size_t some = u64_min(n - i, AT_ONCE);

        for (size_t j = 0; j < some; j++) {
            uint64_t number = w->reversed ? total - 1 - (rank + i + j) : rank + i + j;

            while (number < starts[part])
                part--;
            while (number >= starts[part + 1])
                part++;
            entries[j] = candidate(w, part, number - starts[part], width_log2);
        }
        topk_write(p, w->strip, w->column, rank + i, entries, some);
    }
}

static void write_run(void *context, size_t chunk, int thread)
{
    const struct sort_work *w = context;
    uint64_t first = chunk * RUN, n = u64_min(RUN, w->plan->k - first);

    (void)thread;
    if (w->whole)
        topk_write_run(w->plan, w->strip, w->column, w->reversed, first, n);
    else
        WITH_WIDTH(write_candidates, w->plan->width_log2, w, first, n);
}

void topk_sort(struct topk_plan *p, const struct topk_strip *strip, uint64_t column,
               const struct topk_list *lists)
{
    struct sort_work w = { .plan = p, .strip = strip, .column = column, .lists = lists };
    struct topk_sort *s = &p->sort;

    if (find_run(&w)) {
        parallel_for(u64_ceil_div(p->k, RUN), p->base.threads, write_run, &w);
        return;
    }
    plan_prefix(&w, s);
    parallel_for(s->slices, p->base.threads, count_slice, &w);
    plan_buckets(&w, s);
    plan_places(s);
    parallel_for(s->slices, p->base.threads, scatter_slice, &w);
    parallel_for(u64_ceil_div(s->buckets, GROUP), p->base.threads, finish_buckets, &w);
}

bool topk_sort_init(struct topk_plan *p)
{
    struct topk_sort *s = &p->sort;
    uint64_t count;

    s->slices = (size_t)p->base.threads;
    if (!u64_mul(p->parts, topk_candidates(p->part_rows, u64_min(p->k, p->part_rows)), &s->most) ||
        !u64_add(s->most, s->slices * SORT_DUMMY, &count))
        return false;
    s->entries = mem_alloc_aligned(count, topk_entry_bytes(p->width_log2));
    s->room = mem_alloc_aligned(count, topk_entry_bytes(p->width_log2));
    s->starts = mem_alloc(p->parts + 1, sizeof s->starts[0]);
    s->counts = mem_alloc_aligned(s->slices, SORT_PREFIXES * sizeof s->counts[0]);
    s->bucket_of = mem_alloc_aligned(SORT_PREFIXES, sizeof s->bucket_of[0]);
    return s->entries && s->room && s->starts && s->counts && s->bucket_of;
}

void topk_sort_free(struct topk_plan *p)
{
    free(p->sort.entries);
    free(p->sort.room);
    free(p->sort.starts);
    free(p->sort.counts);
    free(p->sort.bucket_of);
}
