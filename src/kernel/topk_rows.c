#include <assert.h>

#include "base/util.h"
#include "kernel/topk_state.h"
#include "kernel/transpose.h"

/*
 * Many selections at once, whose sequences lie side by side. Once each has a threshold, rows are
 * compared with the row of thresholds, in the order of memory; few elements are candidates. For
 * small k these replace one another at once, else they go to their selections' buffers, some
 * together. The first rows, and rows with many candidates, are transposed tile by tile and fed to
 * one selection after the other.
 */

enum {
    ROWS_MIN = 16,        /* of a group, for comparing them to pay, */
    FIRST_ROWS = 8,       /* and of these, that are looked at ahead for the first thresholds; */
    FEW = 4,              /* both where k is no larger, so that few candidates are inserted: */
    ROWS_MIN_FEW = 6,     /* bench_topk, Zen 5, K = 1: {400,80000} axis 0 0.46 of the time, */
    FIRST_FEW = 4,        /* {1000,40000} 0.92 */
    WINDOW_BYTES = 1 << 26,
    PEEK_PART = 4,      /* rows of a window for one that is looked at ahead, at least */
    KEPT = 8,             /* candidates of a column that come into a buffer together */
    KEPT_MAX = SCAN_KTH_MAX, /* largest k for which candidates replace one another: bench_topk,
                                Zen 4, axis 0, K = 10: 1.3 times as fast */
    WORDS = 16,         /* of rows that are compared together, where one has fewer: bench_topk,
                           axis 0, Emerald Rapids, 16 threads: 0.74 to 0.79 of the time that one
                           row after the other takes; 8 and 64 gain less, 32 no more */
    APART = 8,          /* rows that are read side by side, at least, where they do not follow each
                           other: bench_topk, Zen 4, {10000,4000}: 1.15 times as fast as one, and
                           1.35 times where 8 rows are prefetched, too; 4 and 16 gain no more */
    DENSE_PART = 8,       /* of all elements are candidates: too many */
    TILE_BYTES = 1 << 18,
    TILE_ROWS = 16,       /* that are transposed at once, and prefetched before */
    TILE_WIDTH = 256,     /* bytes */
};

/* A walk over rows. Keys are those of topk_key here. */
struct row_walk {
    const struct topk_rows *r;
    const struct topk_scan *loops;
    struct topk_order order;
    unsigned width_log2;
    size_t k;
    bool prefetch;              /* rows that do not follow each other */
    struct topk_bounds bounds;  /* thresholds, as rows are compared with them */
    uint64_t *words;            /* of some rows, row by row: a bit for each candidate */
    uint32_t *hits;             /* the numbers of words that have one */
    bool first_k;               /* entries are the first k so far: candidates replace one another */
    size_t kept;                /* entries of a column: k, or so many that are not in buffers yet */
    uint64_t *entries;          /* [columns][kept] side by side, which the buffers are not */
    uint8_t *counts;            /* [columns] of those that are not in buffers yet */
    size_t capacity;            /* of a buffer */
    char *firsts;               /* TILE_BYTES */
    char *tile;                 /* TILE_BYTES and a cache line for each column */
};

/* Where the parts of scratch begin, in bytes. */
struct rows_layout {
    size_t words, hits, bounds, entries, counts, firsts, tile, end;
};

/* Whole cache lines. */
static size_t lines(size_t bytes) { return (size_t)u64_round_up(bytes, CACHE_LINE); }

/* Words that have a bit for each column. */
static size_t words_of(size_t columns) { return (columns + 63) / 64; }

static struct rows_layout lay_out(unsigned width_log2, size_t columns)
{
    struct rows_layout l = { .words = 0 };
    size_t words = u64_max(words_of(columns) * APART, WORDS);

    l.hits = lines(words * sizeof(uint64_t));
    l.bounds = l.hits + lines((words + 1) * sizeof(uint32_t));
    l.entries = l.bounds + lines(columns << width_log2);
    l.counts = l.entries + lines(columns * KEPT_MAX * 2 * sizeof(uint64_t));
    l.firsts = l.counts + lines(columns);
    l.tile = l.firsts + TILE_BYTES;
    l.end = l.tile + TILE_BYTES + columns * CACHE_LINE;
    return l;
}

uint64_t topk_scan_rows_scratch(unsigned width_log2, uint64_t columns)
{
    return lay_out(width_log2, columns).end;
}

static struct topk_state *state_at(const struct row_walk *w, size_t column)
{
    return (struct topk_state *)((char *)w->r->states + column * w->r->state_bytes);
}

static const char *row_at(const struct row_walk *w, size_t row, size_t column)
{
    return (const char *)w->r->src + ((row * w->r->row_step + column) << w->width_log2);
}

/* Sets the bits with which elements of a column are compared: a value where bounds are values, else
 * the threshold. Where no value says the same, bounds are values no longer, and it returns false.
 */
INLINE bool set_bound(struct row_walk *w, size_t column, int64_t threshold, unsigned width_log2)
{
    uint64_t key = ((uint64_t)threshold & topk_ones(width_log2)) ^ topk_sign(width_log2), bits;
    uint64_t smallest_first =
        w->bounds.map->before == BEFORE_GREATER_OR_NAN ? key ^ topk_ones(width_log2) : key;

    if (w->bounds.by_value && smallest_first > 2 * topk_infinity(width_log2)) {
        w->bounds.by_value = false;
        return false;
    }
    bits = (uint64_t)threshold;
    if (w->bounds.by_value)
        topk_unkey(key, width_log2, w->order, &bits); /* of the zeros either will do */
    topk_store(w->bounds.of, column, width_log2, bits);
    return true;
}

/* Prefetches n columns of TILE_ROWS rows. Inlined, or gcc takes out the call, as it sees no effect.
 * bench_topk, Zen 4, {1000,40000} axis 0: 0.75 of the time that it takes without. */
INLINE void prefetch_rows(const struct row_walk *w, size_t row, size_t column, size_t n)
{
    size_t last = w->prefetch ? u64_min(row + TILE_ROWS, w->r->rows) : 0;

    for (; row < last; row++)
        for (size_t at = 0; at < n << w->width_log2; at += CACHE_LINE)
            __builtin_prefetch(row_at(w, row, column) + at, 0, 2);
}

/* Feeds rows first..last-1 tile by tile. */
static void feed_tiles(struct row_walk *w, size_t first, size_t last)
{
    size_t width = TILE_WIDTH >> w->width_log2, columns = w->r->columns;

    for (size_t j = 0; j < columns; j += width) {
        size_t n = u64_min(width, columns - j), rows = ((size_t)TILE_BYTES >> w->width_log2) / n;
        size_t step = rows + (CACHE_LINE >> w->width_log2);

        for (size_t row = first; row < last; row += rows) {
            size_t count = u64_min(rows, last - row);

            for (size_t i = 0; i < count; i += TILE_ROWS) {
                prefetch_rows(w, row + i + 2 * TILE_ROWS, j, n);
                transpose(w->tile + (i << w->width_log2), step, row_at(w, row + i, j),
                          w->r->row_step, u64_min(TILE_ROWS, count - i), n, w->width_log2);
            }
            for (size_t i = 0; i < n; i++)
                topk_scan_feed(state_at(w, j + i), w->tile + ((i * step) << w->width_log2), count);
        }
    }
}

/* Entry i of a column: a key and an index, packed where they fit 8 bytes. */
INLINE uint64_t *entry_at(const struct row_walk *w, size_t column, size_t i, unsigned width_log2)
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
static void append(struct row_walk *w, size_t column, uint64_t key, uint32_t index)
{
    struct topk_state *s = state_at(w, column);
    struct topk_filter *f = &s->filter;

    topk_store(f->keys, f->count, w->width_log2, key ^ topk_sign(w->width_log2));
    f->index[f->count++] = index;
    if (f->count == f->capacity)
        topk_scan_compact(s);
}

/* The k-th key so far of a column whose entries are the first k; after all others where there are
 * fewer yet. */
INLINE uint64_t last_key(const struct row_walk *w, const uint64_t *entries, unsigned width_log2)
{
    return entry_key(entries + ((w->k - 1) << (width_log2 == 3)), width_log2);
}

/* Makes a column's candidates its entries, where these are the first k, k at most. */
static void load_entries(const struct row_walk *w, size_t column)
{
    const struct topk_filter *f = &state_at(w, column)->filter;
    uint64_t *entries = entry_at(w, column, 0, w->width_log2);

    for (size_t i = 0; i < w->k; i++)
        entry_set(entry_at(w, column, i, w->width_log2), UINT64_MAX, UINT32_MAX, w->width_log2);
    for (size_t i = 0; i < f->count; i++) {
        uint64_t key = topk_load(f->keys, i, w->width_log2) ^ topk_sign(w->width_log2);

        WITH_WIDTH(insert, w->width_log2, entries, w->k, key, f->index[i]);
    }
}

/* Lowers the threshold of a column's selection to what its entries say. */
static void sync_threshold(const struct row_walk *w, size_t column)
{
    const uint64_t *entries = entry_at(w, column, 0, w->width_log2);
    struct topk_filter *f = &state_at(w, column)->filter;
    int64_t last = topk_signed_key(last_key(w, entries, w->width_log2), w->width_log2);

    if (w->first_k && last < f->threshold)
        f->threshold = last;
}

static void set_bounds(struct row_walk *w)
{
    size_t j = 0;

    for (size_t i = 0; i < w->r->columns; i++)
        sync_threshold(w, i);
    w->bounds.by_value = w->order.kind == KIND_FLOAT && w->width_log2 >= 2;
    while (j < w->r->columns)
        j = set_bound(w, j, state_at(w, j)->filter.threshold, w->width_log2) ? j + 1 : 0;
}

/* Makes the entries its buffer again, in the order of the sequence. */
INLINE void store_entries(const struct row_walk *w, size_t column, unsigned width_log2)
{
    struct topk_filter *f = &state_at(w, column)->filter;
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
static void flush(struct row_walk *w, size_t column)
{
    struct topk_state *s = state_at(w, column);
    int64_t before = s->filter.threshold;

    for (size_t i = 0; i < w->counts[column]; i++) {
        const uint64_t *e = entry_at(w, column, i, w->width_log2);

        append(w, column, entry_key(e, w->width_log2), entry_index(e, w->width_log2));
    }
    w->counts[column] = 0;
    if (s->filter.threshold != before &&
        !set_bound(w, column, s->filter.threshold, w->width_log2))
        set_bounds(w);
}

/* Begins to compare rows: every selection gets a threshold, as low as can be. */
static void enter(struct row_walk *w)
{
    for (size_t j = 0; j < w->r->columns; j++) {
        struct topk_state *s = state_at(w, j);

        if (s->filter.count >= w->k)
            topk_scan_compact(s);
        w->counts[j] = 0;
        if (w->first_k)
            load_entries(w, j);
    }
    set_bounds(w);
}

/* Ends comparing, for the time being, after so many rows. */
static void leave(struct row_walk *w, uint64_t rows)
{
    for (size_t j = 0; j < w->r->columns; j++) {
        struct topk_state *s = state_at(w, j);

        sync_threshold(w, j);
        if (w->first_k)
            WITH_WIDTH(store_entries, w->width_log2, w, j);
        else
            flush(w, j);
        s->closed = s->filter.threshold == s->best;
        s->fed += rows;
        s->work += rows;
    }
}

/* Notes a candidate of a column, if it still is one. */
INLINE void note(struct row_walk *w, size_t column, uint64_t key, uint32_t index,
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
        set_bounds(w);
}

/* Words of rows that have been compared that have a bit: their numbers go to hits. Without a
 * branch, which would be hard to predict. */
static size_t find_hits(const struct row_walk *w, size_t rows)
{
    size_t n = 0;

    for (size_t i = 0; i < rows * words_of(w->r->columns); i++) {
        w->hits[n] = (uint32_t)i;
        n += w->words[i] != 0;
    }
    return n;
}

/* Notes the candidates of rows, the first of that index, which have some in n words. Returns how
 * many there are. */
INLINE size_t add_hits(struct row_walk *w, size_t n, const char *row, uint32_t index,
                       unsigned width_log2)
{
    size_t added = 0, next = words_of(w->r->columns); /* the next row's first word */

    for (size_t i = 0, first = 0; i < n; i++) {
        for (; w->hits[i] >= next; next += words_of(w->r->columns), index++) {
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
static bool mostly_candidates(const struct row_walk *w, size_t rows, size_t n)
{
    size_t lanes = 0;

    if (n < rows * words_of(w->r->columns))
        return false;
    for (size_t i = 0; i < n; i++)
        lanes += (size_t)__builtin_popcountll(w->words[i]);
    return lanes > rows * w->r->columns / 2;
}

/* Compares rows with the bounds, some at once, until `last` or until candidates are too many;
 * returns the row after. The first row is that of index `index`. wary: stops before rows that are
 * mostly candidates. */
static size_t scan(struct row_walk *w, size_t first, size_t last, uint64_t index, bool wary)
{
    size_t columns = w->r->columns, row = first, found = 0, some = w->capacity * columns;
    size_t at_once = u64_max(apart(w->r) ? APART : 1, WORDS / words_of(columns)), rows;

    for (; row < last && found <= some + (row - first) * columns / DENSE_PART; row += rows) {
        const char *at = row_at(w, row, 0);
        size_t n;

        rows = u64_min(at_once, last - row);
        (apart(w->r) ? w->loops->compare_apart : w->loops->compare)(w->words, at, rows, &w->bounds);
        n = find_hits(w, rows);
        if (wary && mostly_candidates(w, rows, n))
            return row;
        found += WITH_WIDTH(add_hits, w->width_log2, w, n, at, (uint32_t)(index + (row - first)));
    }
    return row;
}

/*
 * Lowers the selections' thresholds to what groups * rows rows from `first` on hold, row i of which
 * belongs to group i % groups. False where nothing was done, or not for all of them.
 */
static bool look_ahead(struct row_walk *w, size_t first, size_t rows)
{
    size_t groups = topk_scan_groups(w->k), columns = w->r->columns;
    size_t width = u64_min((TILE_BYTES / groups) >> w->width_log2, columns),
           step = groups + (CACHE_LINE >> w->width_log2);
    bool all = true;

    if (state_at(w, 0)->groups == 0 || width < w->loops->lanes)
        return false;
    for (size_t j = 0; j < columns; j += width) {
        j = u64_min(j, columns - width); /* the last columns may come twice */
        for (size_t i = 0; i < groups; i++)
            w->loops->firsts(w->firsts + (i * width << w->width_log2), row_at(w, first + i, j),
                             width, groups * w->bounds.row_bytes, rows, w->bounds.map,
                             w->bounds.ahead);
        if (w->first_k)
            w->loops->kth(w->tile, w->firsts, width, groups, w->k);
        else
            transpose(w->tile, step, w->firsts, width, groups, width, w->width_log2);
        for (size_t i = 0; i < width; i++) {
            struct topk_state *s = state_at(w, j + i);
            uint64_t key = topk_load(w->tile, i, w->width_log2) ^ topk_sign(w->width_log2);

            if (w->first_k)
                topk_scan_lower_to(s, topk_signed_key(key, w->width_log2));
            else
                topk_scan_lower(s, w->tile + ((i * step) << w->width_log2), groups);
            all = all && !s->open;
        }
    }
    for (size_t j = 0; j < columns; j++)
        state_at(w, j)->work += groups * rows;
    return all;
}

/* Whether a window has many rows from `row` on beside those that peek looks at. */
static bool may_peek(const struct row_walk *w, size_t row, size_t last)
{
    return last - row >= PEEK_PART * topk_scan_groups(w->k);
}

/* Looks ahead at the last rows of a window, which lowers thresholds much where the data rise
 * towards the result's order. */
static bool peek(struct row_walk *w, size_t last)
{
    size_t groups = topk_scan_groups(w->k);

    for (size_t j = 0; j < w->r->columns; j++)
        sync_threshold(w, j);
    if (!look_ahead(w, last - groups, 1))
        return false;
    set_bounds(w);
    return true;
}

/* Compares rows from `first` on with thresholds, window by window. */
static void compare_rows(struct row_walk *w, size_t first, size_t window)
{
    uint64_t fed = state_at(w, 0)->fed; /* before row `first` */
    size_t entered = first, rows = w->r->rows;

    enter(w);
    for (size_t row = first; row < rows;) {
        size_t last = u64_min(row + window, rows);

        row = scan(w, row, last, fed + (row - first), may_peek(w, row, last));
        if (row < last && may_peek(w, row, last) && peek(w, last))
            row = scan(w, row, last, fed + (row - first), false);
        if (row < last) {
            leave(w, row - entered);
            feed_tiles(w, row, last);
            row = entered = last;
            enter(w);
        }
    }
    leave(w, rows - entered);
}

void topk_scan_feed_rows(const struct topk_rows *r)
{
    const struct topk_state *s = r->states;
    struct rows_layout l = lay_out(s->job.width_log2, r->columns);
    size_t groups = topk_scan_groups(s->job.k), first_rows, first, window;
    size_t rows = r->rows / groups; /* of a group */
    char *at = r->scratch;
    struct row_walk w = {
        .r = r,
        .loops = s->loops,
        .order = s->job.order,
        .width_log2 = s->job.width_log2,
        .k = s->job.k,
        .prefetch = s->job.prefetch != PREFETCH_NONE,
        .words = (uint64_t *)(at + l.words),
        .hits = (uint32_t *)(at + l.hits),
        .bounds = { .n = r->columns, .row_bytes = r->row_step << s->job.width_log2,
                    .of = at + l.bounds, .map = &s->filter.map,
                    .ahead = rows_ahead(r, &s->job), .second = to_second(&s->job) },
        .first_k = s->job.k <= KEPT_MAX,
        .kept = s->job.k <= KEPT_MAX ? s->job.k : KEPT,
        .entries = (uint64_t *)(void *)(at + l.entries),
        .counts = (uint8_t *)(at + l.counts),
        .capacity = s->filter.capacity,
        .firsts = at + l.firsts,
        .tile = at + l.tile,
    };

    assert(r->row_step >= r->columns && (uintptr_t)r->scratch % CACHE_LINE == 0);
    if (r->columns < s->loops->lanes || rows < (w.k <= FEW ? ROWS_MIN_FEW : ROWS_MIN)) {
        feed_tiles(&w, 0, r->rows);
        return;
    }
    first_rows = w.k <= FEW ? u64_min(FIRST_FEW, rows - PEEK_PART) : FIRST_ROWS;
    first = first_rows * groups;
    window = u64_max(2 * first, WINDOW_BYTES / (r->columns << w.width_log2));
    if (s->fed > 0 || !look_ahead(&w, 0, first_rows))
        feed_tiles(&w, 0, first);
    else
        first = 0;
    compare_rows(&w, first, window);
}
