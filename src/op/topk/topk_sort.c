#include <string.h>

#include "base/util.h"
#include "op/topk/topk_plan.h"

OPTIMIZE_LOOPS

/*
 * Sorts many candidates in time proportional to their number for any data: they are counted by
 * a prefix of their keys, scattered to buckets of neighbouring prefixes, and each bucket gets
 * a radix sort of the bits left. Each thread counts and scatters the candidates of a part. All
 * passes are stable.
 */

/* Measured as those in topk.c. */
enum {
    PER_PREFIX_LOG2 = 8, /* candidates for each prefix: 10^7 K = 10^5, 10: 1.07 */
    DIGIT_BITS = 11,     /* 10^7 K = n, 8: 1.09 */
};

INLINE void survey(struct topk_list *list, unsigned width_log2)
{
    size_t n = list->count;

    for (size_t i = 1, end; i < n && !list->falls; i = end) {
        bool falls = false;

        end = u64_min(i + 64, n);
        for (size_t j = i; j < end; j++)
            falls |= topk_list_key(list, j, width_log2) < topk_list_key(list, j - 1, width_log2);
        list->falls = falls;
    }
    list->least = n > 0 ? topk_list_key(list, 0, width_log2) : UINT64_MAX;
    list->most = n > 0 ? topk_list_key(list, n - 1, width_log2) : 0;
    for (size_t i = 0; list->falls && i < n; i++) {
        list->least = u64_min(list->least, topk_list_key(list, i, width_log2));
        list->most = u64_max(list->most, topk_list_key(list, i, width_log2));
    }
}

void topk_survey(struct topk_list *list, unsigned width_log2)
{
    WITH_WIDTH(survey, width_log2, list);
}

INLINE void insert(void *entries, size_t n, bool pairs)
{
    uint64_t most = topk_entry_get(entries, 0, pairs).key;

    for (size_t i = 1; i < n; i++) {
        struct topk_entry e = topk_entry_get(entries, i, pairs);
        size_t at = i;

        if (e.key >= most) {
            most = e.key;
            continue;
        }
        for (; at > 0 && topk_entry_get(entries, at - 1, pairs).key > e.key; at--)
            topk_entry_set(entries, at, topk_entry_get(entries, at - 1, pairs), pairs);
        topk_entry_set(entries, at, e, pairs);
    }
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

/* One pass of the radix sort. False if all entries have the same digit: nothing is moved. */
INLINE bool sort_digit(void *to, const void *from, size_t n, struct digit by, bool pairs)
{
    size_t places[1 << DIGIT_BITS], sum = 0;

    memset(places, 0, (by.mask + 1) * sizeof places[0]);
    for (size_t i = 0; i < n; i++)
        places[digit_of(by, topk_entry_get(from, i, pairs).key)]++;
    if (places[digit_of(by, topk_entry_get(from, 0, pairs).key)] == n)
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

INLINE void *sort_bits(void *entries, void *room, size_t n, uint64_t least, unsigned bits,
                       uint64_t *work, bool pairs)
{
    unsigned passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    unsigned width = passes ? (bits + passes - 1) / passes : 0;

    for (unsigned pass = 0; pass < passes; pass++) {
        struct digit by = { least, (UINT64_C(1) << width) - 1, pass * width };
        void *from = entries;

        *work += n;
        if (!sort_digit(room, from, n, by, pairs))
            continue;
        *work += n;
        entries = room;
        room = from;
    }
    return entries;
}

INLINE void *sort_few(void *entries, void *room, size_t n, uint64_t least, unsigned bits,
                      bool pairs)
{
    unsigned width = (unsigned)u64_min(bits, topk_bits_of(n));
    struct digit by = { least, (UINT64_C(1) << width) - 1, bits - width };
    void *sorted = sort_digit(room, entries, n, by, pairs) ? room : entries;

    insert(sorted, n, pairs);
    return sorted;
}

void *topk_sort_few(void *entries, void *room, size_t n, uint64_t least, unsigned bits, bool pairs)
{
    return pairs ? sort_few(entries, room, n, least, bits, true)
                 : sort_few(entries, room, n, least, bits, false);
}

INLINE void count_keys(const struct topk_list *list, uint64_t *counts, uint64_t least,
                       unsigned shift, unsigned width_log2)
{
    for (size_t i = 0; i < list->count; i++)
        counts[(topk_list_key(list, i, width_log2) - least) >> shift]++;
}

static void count_part(void *context, size_t part, int thread)
{
    const struct topk_ordering *w = context;
    const struct topk_sorter *s = w->sorter;
    uint64_t *counts = s->counts + part * s->most_prefixes;

    (void)thread;
    memset(counts, 0, s->prefixes * sizeof counts[0]);
    WITH_WIDTH(count_keys, w->plan->task.width_log2, topk_part(w, part), counts, w->least,
               s->shift);
}

uint32_t topk_prefixes(uint64_t n)
{
    unsigned bits = topk_bits_of(n >> PER_PREFIX_LOG2);

    return UINT32_C(1) << u64_min(u64_max(bits, 1), SORT_PREFIX_BITS);
}

/* Chooses the prefix by the range and the number of the keys. */
static void plan_prefix(const struct topk_ordering *w, uint64_t n)
{
    struct topk_sorter *s = w->sorter;
    unsigned longest = topk_bits_of(topk_prefixes(n) - 1);

    s->shift = w->bits > longest ? w->bits - longest : 0;
    s->prefixes = UINT32_C(1) << (w->bits - s->shift);
}

/*
 * Divides the prefixes into buckets of about equal size, until these have k entries; the rest is
 * one more bucket, which is not sorted. Turns the counts of each part into the positions of its
 * first entries in the buckets.
 */
static void plan_buckets(const struct topk_ordering *w, uint64_t total)
{
    const struct topk_plan *p = w->plan;
    struct topk_sorter *s = w->sorter;
    uint64_t size = u64_max(total / (SORT_BUCKETS - 1) + 1, TOPK_FEW), at = 0;
    unsigned b = 0;

    for (uint32_t first = 0, end; first < s->prefixes; first = end, b++) {
        uint64_t start = at, most = start < p->task.k ? size : UINT64_MAX;

        s->bucket[b] = (struct topk_bucket){ .start = start };
        for (end = first; end < s->prefixes && at - start < most; end++) {
            if (start < p->task.k && at >= p->task.k)
                break;
            s->bucket_of[end] = (uint16_t)b;
            for (uint64_t i = 0; i < p->cut.parts; i++)
                at += s->counts[i * s->most_prefixes + end];
        }
        s->bucket[b].least = w->least + ((uint64_t)first << s->shift);
        s->bucket[b].bits = topk_bits_of(((uint64_t)(end - first) << s->shift) - 1);
        for (uint64_t i = 0, place = start; i < p->cut.parts; i++) {
            uint64_t *counts = s->counts + i * s->most_prefixes, count = 0;

            for (uint32_t j = first; j < end; j++)
                count += counts[j];
            counts[b] = place; /* b <= first */
            place += count;
        }
    }
    s->bucket[b].start = total;
    s->buckets = b - (s->bucket[b - 1].start >= p->task.k);
    s->largest = 0;
    for (unsigned i = 0; i < s->buckets; i++)
        s->largest = u64_max(s->largest, s->bucket[i + 1].start - s->bucket[i].start);
}

INLINE void scatter(const struct topk_ordering *w, size_t part, unsigned width_log2)
{
    const struct topk_sorter *s = w->sorter;
    const struct topk_list list = *topk_part(w, part); /* copies, which no store changes */
    uint64_t first = part * w->plan->cut.part_rows, least = w->least;
    uint64_t *places = s->counts + part * s->most_prefixes;
    const uint16_t *bucket_of = s->bucket_of;
    unsigned shift = s->shift;
    void *entries = s->entries;
    bool pairs = w->plan->task.pairs;

    for (size_t i = 0; i < list.count; i++) {
        struct topk_entry e = topk_candidate(&list, first, i, width_log2);
        uint64_t at = places[bucket_of[(e.key - least) >> shift]]++;

        topk_entry_set(entries, at, e, pairs);
        __builtin_prefetch((char *)entries + at * topk_entry_bytes(pairs) + CACHE_LINE, 1);
    }
}

static void scatter_part(void *context, size_t part, int thread)
{
    const struct topk_ordering *w = context;

    (void)thread;
    WITH_WIDTH(scatter, w->plan->task.width_log2, w, part);
}

static void finish_bucket(void *context, size_t number, int thread)
{
    struct topk_ordering *w = context;
    const struct topk_plan *p = w->plan;
    struct topk_sorter *s = w->sorter;
    struct topk_bucket *b = &s->bucket[number];
    size_t bytes = topk_entry_bytes(p->task.pairs), n = b[1].start - b->start;
    char *entries = (char *)s->entries + b->start * bytes;
    bool own = s->largest * (uint64_t)s->threads <= s->most; /* stays in the thread's cache */
    char *room = (char *)s->room + (own ? (uint64_t)thread * s->largest : b->start) * bytes;
    uint64_t work = 0;
    const void *sorted;

    sorted = p->task.pairs ? sort_bits(entries, room, n, b->least, b->bits, &work, true)
                           : sort_bits(entries, room, n, b->least, b->bits, &work, false);
    b->work = work; /* once, as adjacent buckets share its cache line */
    topk_write(p, w->strip, w->column, b->start, sorted, u64_min(n, p->task.k - b->start));
}

void topk_sort(struct topk_ordering *w, uint64_t n)
{
    struct topk_sorter *s = w->sorter;

    plan_prefix(w, n);
    parallel_for(w->plan->cut.parts, s->threads, count_part, w);
    plan_buckets(w, n);
    parallel_for(w->plan->cut.parts, s->threads, scatter_part, w);
    parallel_for(s->buckets, s->threads, finish_bucket, w);
}
