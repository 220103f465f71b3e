#include "kernel/topk/topk_walk.h"

#include <assert.h>

#include "base/util.h"
#include "kernel/transpose.h"

enum {
    KEPT = 8,             /* candidates of a column that come into a buffer together */
    KEPT_MAX = SCAN_KTH_MAX, /* largest k for which candidates replace one another: bench_topk,
                                axis 0, Zen 4, K = 10: 1.3 times as fast; Zen 5, K = 24 and 32: 0.6
                                to 1 times as fast */
    WORDS = 16,         /* of rows that are compared together, where one has fewer: bench_topk,
                           axis 0, Emerald Rapids, 16 threads: 0.74 to 0.79 of the time that one
                           row after the other takes; 8 and 64 gain less, 32 no more */
    APART = 8,          /* rows that are read side by side, at least, where they do not follow each
                           other: bench_topk, Zen 4, {10000,4000}: 1.15 times as fast as one, and
                           1.35 times where 8 rows are prefetched, too; 4 and 16 gain no more */
    DENSE_PART = 8,       /* of all elements are candidates: too many */
    TILE_ROWS = 16,       /* that are transposed at once, and prefetched before */
    TILE_WIDTH = 256,     /* bytes */
};

/* Where the parts of scratch begin, in bytes. */
struct rows_layout {
    size_t words, hits, bounds, entries, counts, firsts, tile, end;
};

/* Whole cache lines. */
static size_t lines(size_t bytes) { return (size_t)u64_round_up(bytes, CACHE_LINE); }

static struct rows_layout lay_out(unsigned width_log2, size_t columns)
{
    struct rows_layout l = { .words = 0 };
    size_t words = u64_max(topk_walk_words(columns) * APART, WORDS);

    l.hits = lines(words * sizeof(uint64_t));
    l.bounds = l.hits + lines((words + 1) * sizeof(uint32_t));
    l.entries = l.bounds + lines(columns << width_log2);
    l.counts = l.entries + lines(columns * KEPT_MAX * 2 * sizeof(uint64_t));
    l.firsts = l.counts + lines(columns);
    l.tile = l.firsts + WALK_TILE_BYTES;
    l.end = l.tile + WALK_TILE_BYTES + columns * CACHE_LINE;
    return l;
}

size_t topk_walk_scratch(unsigned width_log2, size_t columns)
{
    return lay_out(width_log2, columns).end;
}

/* Sets the bits with which elements of a column are compared: a value where bounds are values, else
 * the threshold. Where no value says the same, bounds are values no longer, and it returns false.
 */
INLINE bool set_bound(struct topk_walk *w, size_t column, int64_t threshold, unsigned width_log2)
{
    uint64_t key = ((uint64_t)threshold & topk_ones(width_log2)) ^ topk_sign(width_log2), bits;
    uint64_t smallest_first =
        w->bounds.map->before == BEFORE_GREATER_OR_NAN ? key ^ topk_ones(width_log2) : key;

    if (w->bounds.by_value && smallest_first > 2 * topk_infinity(width_log2)) {
        w->bounds.by_value = false;
        return false;
    }
    bits = (uint64_t)threshold;
    if (w->bounds.by_value && width_log2 == 1)
        bits = smallest_first ^ topk_sign(width_log2);
    else if (w->bounds.by_value)
        topk_unkey(key, width_log2, w->order, &bits); /* of the zeros either will do */
    topk_store(w->bounds.of, column, width_log2, bits);
    return true;
}

/* Prefetches n columns of TILE_ROWS rows. Inlined, or gcc takes out the call, as it sees no effect.
 * bench_topk, Zen 4, {1000,40000} axis 0: 0.75 of the time that it takes without. */
INLINE void prefetch_rows(const struct topk_walk *w, size_t row, size_t column, size_t n)
{
    size_t last = w->prefetch ? u64_min(row + TILE_ROWS, w->r->rows) : 0;

    for (; row < last; row++)
        for (size_t at = 0; at < n << w->width_log2; at += CACHE_LINE)
            __builtin_prefetch(topk_walk_at(w, row, column) + at, 0, 2);
}

void topk_walk_feed(struct topk_walk *w, size_t first, size_t last)
{
    size_t width = TILE_WIDTH >> w->width_log2, columns = w->r->columns;

    for (size_t j = 0; j < columns; j += width) {
        size_t n = u64_min(width, columns - j);
        size_t rows = ((size_t)WALK_TILE_BYTES >> w->width_log2) / n;
        size_t step = rows + (CACHE_LINE >> w->width_log2);

        for (size_t row = first; row < last; row += rows) {
            size_t count = u64_min(rows, last - row);

            for (size_t i = 0; i < count; i += TILE_ROWS) {
                prefetch_rows(w, row + i + 2 * TILE_ROWS, j, n);
                transpose(w->tile + (i << w->width_log2), step, topk_walk_at(w, row + i, j),
                          w->r->row_step, u64_min(TILE_ROWS, count - i), n, w->width_log2);
            }
            for (size_t i = 0; i < n; i++)
                topk_scan_feed(topk_walk_state(w, j + i),
                               w->tile + ((i * step) << w->width_log2), count);
        }
    }
}

/* Entry i of a column: a key and an index, packed where they fit 8 bytes. */
INLINE uint64_t *entry_at(const struct topk_walk *w, size_t column, size_t i, unsigned width_log2)
{
    return w->entries + ((column * w->kept + i) << (width_log2 == 3));
}

INLINE uint64_t entry_key(const uint64_t *e, unsigned width_log2)
{
    return width_log2 == 3 ? e[0] : e[0] >> 32;
}

INLINE uint32_t entry_index(const uint64_t *e, unsigned width_log2)
{
    return (uint32_t)e[width_log2 == 3];
}

INLINE void entry_set(uint64_t *e, uint64_t key, uint32_t index, unsigned width_log2)
{
    e[0] = width_log2 == 3 ? key : key << 32 | index;
    if (width_log2 == 3)
        e[1] = index;
}

/*
 * Inserts an entry among k, which are in the result's order, the equal ones first; the last is
 * dropped. Packed ones go through all k: where to stop would be hard to predict.
 */
INLINE void insert(uint64_t *entries, size_t k, uint64_t key, uint32_t index,
                   unsigned width_log2)
{
    uint64_t e = key << 32 | index;
    size_t i = k - 1;

    if (width_log2 == 3) {
        uint64_t *at = entries + 2 * i;

        /* none has the last key, too, which may be this one's */
        for (; at > entries && (at[-2] > key || (at[-2] == key && at[-1] > index)); at -= 2) {
            at[0] = at[-2];
            at[1] = at[-1];
        }
        entry_set(at, key, index, 3);
        return;
    }
#pragma GCC unroll 4
    for (uint64_t at = entries[i]; i > 0; i--) {
        uint64_t before = entries[i - 1];

        at = at > e ? e : at;
        entries[i] = before > e ? before : at;
        at = before;
    }
    entries[0] = entries[0] > e ? e : entries[0];
}

/* Appends a candidate to a column's buffer, whose threshold is lowered when it is full. */
static void append(struct topk_walk *w, size_t column, uint64_t key, uint32_t index)
{
    struct topk_state *s = topk_walk_state(w, column);
    struct topk_filter *f = &s->filter;

    topk_store(f->keys, f->count, w->width_log2, key ^ topk_sign(w->width_log2));
    f->index[f->count++] = index;
    if (f->count == f->capacity)
        topk_scan_compact(s);
}

/* The k-th key so far of a column whose entries are the first k; after all others where there are
 * fewer yet. */
INLINE uint64_t last_key(const struct topk_walk *w, const uint64_t *entries, unsigned width_log2)
{
    return entry_key(entries + ((w->k - 1) << (width_log2 == 3)), width_log2);
}

/* Makes a column's candidates its entries, where these are the first k, k at most. */
static void load_entries(const struct topk_walk *w, size_t column)
{
    const struct topk_filter *f = &topk_walk_state(w, column)->filter;
    uint64_t *entries = entry_at(w, column, 0, w->width_log2);

    for (size_t i = 0; i < w->k; i++)
        entry_set(entry_at(w, column, i, w->width_log2), UINT64_MAX, UINT32_MAX, w->width_log2);
    for (size_t i = 0; i < f->count; i++) {
        uint64_t key = topk_load(f->keys, i, w->width_log2) ^ topk_sign(w->width_log2);

        WITH_WIDTH(insert, w->width_log2, entries, w->k, key, f->index[i]);
    }
}

/* Lowers the threshold of a column's selection to what its entries say, where they are the first k.
 */
static void sync_threshold(const struct topk_walk *w, size_t column)
{
    struct topk_filter *f = &topk_walk_state(w, column)->filter;
    int64_t last;

    if (!w->first_k)
        return;
    last = topk_signed_key(last_key(w, entry_at(w, column, 0, w->width_log2), w->width_log2),
                           w->width_log2);
    if (last < f->threshold)
        f->threshold = last;
}

void topk_walk_set_bounds(struct topk_walk *w)
{
    size_t j = 0;

    for (size_t i = 0; i < w->r->columns; i++)
        sync_threshold(w, i);
    w->bounds.by_value = w->order.kind == KIND_FLOAT;
    while (j < w->r->columns)
        j = set_bound(w, j, topk_walk_state(w, j)->filter.threshold, w->width_log2) ? j + 1 : 0;
}

/* Makes the entries its buffer again, in the order of the sequence. */
INLINE void store_entries(const struct topk_walk *w, size_t column, unsigned width_log2)
{
    struct topk_filter *f = &topk_walk_state(w, column)->filter;
    const uint64_t *entries = entry_at(w, column, 0, width_log2);
    size_t size = (size_t)1 << (width_log2 == 3), n = 0;
    uint32_t index[KEPT_MAX];

    for (; n < w->k && entry_index(entries + n * size, width_log2) != UINT32_MAX; n++)
        index[n] = entry_index(entries + n * size, width_log2);
    for (size_t i = 0; i < n; i++) {
        uint32_t at = 0, own = index[i];

        for (size_t j = 0; j < n; j++)
            at += index[j] < own;
        f->index[at] = own;
        topk_store(f->keys, at, width_log2,
                   entry_key(entries + i * size, width_log2) ^ topk_sign(width_log2));
    }
    f->count = n;
}

/* Moves a column's entries to its buffer, where they are the latest candidates. */
static void flush(struct topk_walk *w, size_t column)
{
    struct topk_state *s = topk_walk_state(w, column);
    int64_t before = s->filter.threshold;

    for (size_t i = 0; i < w->counts[column]; i++) {
        const uint64_t *e = entry_at(w, column, i, w->width_log2);

        append(w, column, entry_key(e, w->width_log2), entry_index(e, w->width_log2));
    }
    w->counts[column] = 0;
    if (s->filter.threshold != before &&
        !set_bound(w, column, s->filter.threshold, w->width_log2))
        topk_walk_set_bounds(w);
}

/* Makes candidates entries, where these are the first k. */
static void enter_columns(struct topk_walk *w, size_t first, size_t n)
{
    for (size_t j = first; j < first + n; j++) {
        struct topk_state *s = topk_walk_state(w, j);

        if (s->filter.count >= w->k)
            topk_scan_compact(s);
        w->counts[j] = 0;
        if (w->first_k)
            load_entries(w, j);
    }
}

void topk_walk_enter(struct topk_walk *w, size_t row)
{
    w->entered = row;
    enter_columns(w, 0, w->r->columns);
    topk_walk_set_bounds(w);
}

void topk_walk_enter_again(struct topk_walk *w, size_t first, size_t n)
{
    for (size_t j = first; j < first + n; j++)
        topk_walk_state(w, j)->fed = w->base + w->entered; /* the rest is added when all leave */
    enter_columns(w, first, n);
}

void topk_walk_leave(struct topk_walk *w, size_t row)
{
    for (size_t j = 0; j < w->r->columns; j++) {
        struct topk_state *s = topk_walk_state(w, j);

        sync_threshold(w, j);
        if (w->first_k)
            WITH_WIDTH(store_entries, w->width_log2, w, j);
        else
            flush(w, j);
        s->closed = s->filter.threshold == s->best;
        s->fed += row - w->entered;
        s->work += row - w->entered;
    }
}

/* Notes a candidate of a column, if it still is one. */
INLINE void note(struct topk_walk *w, size_t column, uint64_t key, uint32_t index,
                 unsigned width_log2)
{
    uint64_t *entries = entry_at(w, column, 0, width_log2), before, last;

    if (!w->first_k) {
        entry_set(entry_at(w, column, w->counts[column]++, width_log2), key, index, width_log2);
        if (w->counts[column] == w->kept)
            flush(w, column);
        return;
    }
    before = last_key(w, entries, width_log2);
    if (key >= before) /* an earlier row of those compared together lowered the bound */
        return;
    insert(entries, w->k, key, index, width_log2);
    last = last_key(w, entries, width_log2);
    if (last != before && !set_bound(w, column, topk_signed_key(last, width_log2), width_log2))
        topk_walk_set_bounds(w);
}

/* Words of rows that have been compared that have a bit: their numbers go to hits. Without a
 * branch, which would be hard to predict. */
static size_t find_hits(const struct topk_walk *w, size_t rows)
{
    size_t n = 0;

    for (size_t i = 0; i < rows * topk_walk_words(w->r->columns); i++) {
        w->hits[n] = (uint32_t)i;
        n += w->words[i] != 0;
    }
    return n;
}

/* Notes the candidates of rows, the first of that index, which have some in n words. Returns how
 * many there are. */
INLINE size_t add_hits(struct topk_walk *w, size_t n, const char *row, uint32_t index,
                       unsigned width_log2)
{
    size_t added = 0, next = topk_walk_words(w->r->columns); /* the next row's first word */

    for (size_t i = 0, first = 0; i < n; i++) {
        for (; w->hits[i] >= next; next += topk_walk_words(w->r->columns), index++) {
            first = next;
            row += w->bounds.row_bytes;
        }
        for (uint64_t lanes = w->words[w->hits[i]]; lanes; lanes &= lanes - 1, added++) {
            size_t column = (w->hits[i] - first) * 64 + (size_t)__builtin_ctzll(lanes);
            uint64_t bits = topk_load(row, column, width_log2);

            note(w, column, topk_key(bits, width_log2, w->order), index, width_log2);
        }
    }
    return added;
}

/* Whether rows do not follow each other: what comes next no processor guesses. */
static bool apart(const struct topk_rows *r) { return r->row_step > r->columns; }

/* Whether rows apart are prefetched to the second cache. bench_topk, axis 0: a Zen 4 takes 0.83 of
 * the time of prefetching to the first, for whose few buffers it waits; an Emerald Rapids, 16
 * threads, takes 1.2 times as long. */
static bool to_second(const struct topk_job *job) { return job->prefetch == PREFETCH_LINES; }

/* Bytes from what is compared to what is prefetched: of rows apart, as many rows ahead as are
 * compared together, or as hold SCAN_AHEAD. bench_topk -t 1, Zen 5, axis 0, strips of 256 to 1024
 * bytes: 0.6 to 0.9 of the time that one row ahead takes. */
static size_t rows_ahead(const struct topk_rows *r, const struct topk_job *job)
{
    size_t rows = u64_max(APART, 1 + SCAN_AHEAD / (r->columns << job->width_log2));

    if (!apart(r))
        return topk_scan_ahead(job);
    return job->prefetch == PREFETCH_NONE ? 0 : rows * (r->row_step << job->width_log2);
}

/* Whether most elements of rows are candidates, which have some in n words. */
static bool mostly_candidates(const struct topk_walk *w, size_t rows, size_t n)
{
    size_t lanes = 0;

    if (n < rows * topk_walk_words(w->r->columns))
        return false;
    for (size_t i = 0; i < n; i++)
        lanes += (size_t)__builtin_popcountll(w->words[i]);
    return lanes > rows * w->r->columns / 2;
}

size_t topk_walk_scan(struct topk_walk *w, size_t first, size_t last, bool wary)
{
    size_t columns = w->r->columns, row = first, found = 0, some = w->capacity * columns;
    size_t at_once = u64_max(apart(w->r) ? APART : 1, WORDS / topk_walk_words(columns)), rows;

    for (; row < last && found <= some + (row - first) * columns / DENSE_PART; row += rows) {
        const char *at = topk_walk_at(w, row, 0);
        size_t n;

        rows = u64_min(at_once, last - row);
        (apart(w->r) ? w->loops->compare_apart : w->loops->compare)(w->words, at, rows, &w->bounds);
        n = find_hits(w, rows);
        if (wary && mostly_candidates(w, rows, n))
            return row;
        found += WITH_WIDTH(add_hits, w->width_log2, w, n, at, (uint32_t)(w->base + row));
    }
    return row;
}

struct topk_walk topk_walk_of(const struct topk_rows *r)
{
    const struct topk_state *s = r->states;
    unsigned width_log2 = s->job.width_log2;
    struct rows_layout l = lay_out(width_log2, r->columns);
    char *at = r->scratch;

    assert(r->row_step >= r->columns && (uintptr_t)r->scratch % CACHE_LINE == 0);
    return (struct topk_walk){
        .r = r,
        .loops = s->loops,
        .order = s->job.order,
        .width_log2 = width_log2,
        .k = s->job.k,
        .prefetch = s->job.prefetch != PREFETCH_NONE,
        .words = (uint64_t *)(at + l.words),
        .hits = (uint32_t *)(at + l.hits),
        .bounds = { .n = r->columns, .row_bytes = r->row_step << width_log2, .of = at + l.bounds,
                    .map = &s->filter.map, .ahead = rows_ahead(r, &s->job),
                    .second = to_second(&s->job) },
        .base = s->fed,
        .first_k = s->job.k <= KEPT_MAX,
        .kept = s->job.k <= KEPT_MAX ? s->job.k : KEPT,
        .entries = (uint64_t *)(void *)(at + l.entries),
        .counts = (uint8_t *)(at + l.counts),
        .capacity = s->filter.capacity,
        .firsts = at + l.firsts,
        .tile = at + l.tile,
    };
}

bool topk_walk_has(const struct topk_walk *w, size_t column, size_t candidates)
{
    if (w->first_k)
        return entry_index(entry_at(w, column, candidates - 1, w->width_log2), w->width_log2) !=
               UINT32_MAX;
    return topk_walk_state(w, column)->filter.count + w->counts[column] >= candidates;
}
