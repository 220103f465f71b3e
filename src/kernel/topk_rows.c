#include <assert.h>

#include "base/util.h"
#include "kernel/topk_state.h"
#include "kernel/transpose.h"

/*
 * Many selections at once, whose sequences lie side by side. Once each has a threshold, rows are
 * compared with the row of thresholds, in the order of memory; few elements are candidates, and
 * these are added to their selections one by one. The first rows, and rows with many candidates,
 * are transposed tile by tile and fed to one selection after the other.
 */

enum {
    FIRST_ROWS = 8,       /* of a group, that are looked at ahead for the first thresholds */
    WINDOW_BYTES = 1 << 26,
    PEEK_PART = 4,      /* rows of a window for one that is looked at ahead, at least */
    REPLACE_MAX = 32,     /* largest k for which candidates replace one another */
    AT_ONCE = 8,          /* rows that are compared before their candidates are looked at */
    DENSE_PART = 8,       /* of all elements are candidates: too many */
    TILE_BYTES = 1 << 18,
    TILE_WIDTH = 256,     /* bytes */
    ROWS_AHEAD = 2048,    /* bytes that are prefetched ahead of rows that follow each other */
};

/* A walk over rows. Keys are those of topk_key here. */
struct row_walk {
    const struct topk_rows *r;
    const struct topk_scan *loops;
    struct topk_order order;
    unsigned width_log2;
    size_t k;
    enum prefetch_policy prefetch;
    const struct topk_mapping *map;
    bool by_value;              /* bounds are values */
    struct topk_hit *hits;      /* candidates of AT_ONCE rows */
    uint64_t visited;           /* entries, to add candidates, since comparing began */
    uint64_t *thresholds;       /* [columns] keys below them are candidates */
    char *bounds;  /* [columns] the same, of the element's width, as rows are compared with them */
    char *entries; /* [columns][k] the first k so far, in the result's order; NULL: in the
                      selections */
    char *firsts;               /* TILE_BYTES */
    char *tile;                 /* TILE_BYTES and a cache line for each column */
};

/* Where the parts of scratch begin, in bytes. */
struct rows_layout {
    size_t hits, thresholds, bounds, entries, firsts, tile, end;
};

/* Whole cache lines. */
static size_t lines(size_t bytes) { return (size_t)u64_round_up(bytes, CACHE_LINE); }

static struct rows_layout lay_out(unsigned width_log2, size_t columns)
{
    struct rows_layout l = { .hits = 0 };

    l.thresholds = lines((AT_ONCE * SCAN_HITS(columns, width_log2) + 1) * sizeof(struct topk_hit));
    l.bounds = l.thresholds + lines(columns * sizeof(uint64_t));
    l.entries = l.bounds + lines((columns + scan_pad(width_log2)) << width_log2);
    l.firsts = l.entries + lines(columns * REPLACE_MAX * sizeof(struct topk_entry));
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

/* Keys to signed ones and back. */
static int64_t to_signed(const struct row_walk *w, uint64_t key)
{
    return topk_signed_key(key, w->width_log2);
}

static uint64_t to_key(const struct row_walk *w, int64_t signed_key)
{
    return ((uint64_t)signed_key & topk_ones(w->width_log2)) ^ topk_sign(w->width_log2);
}

/* The bits with which elements are compared for a threshold: a value where bounds are values, else
 * a signed key. Where no value says the same, bounds are values no longer. */
INLINE uint64_t bound_of(struct row_walk *w, uint64_t threshold, unsigned width_log2)
{
    uint64_t value;

    if (!w->by_value)
        return threshold ^ topk_sign(width_log2);
    w->by_value = (w->map->before == BEFORE_GREATER_OR_NAN ? threshold ^ topk_ones(width_log2)
                                                            : threshold) <=
                  2 * topk_infinity(width_log2);
    topk_unkey(threshold, width_log2, w->order, &value); /* of the zeros either will do */
    return value;
}

static void set_bounds(struct row_walk *w)
{
    w->by_value = w->order.kind == KIND_FLOAT && w->width_log2 >= 2;
    for (size_t j = 0; j < w->r->columns; j++)
        topk_store(w->bounds, j, w->width_log2, bound_of(w, w->thresholds[j], w->width_log2));
    for (size_t j = 0; !w->by_value && j < w->r->columns; j++)
        topk_store(w->bounds, j, w->width_log2, bound_of(w, w->thresholds[j], w->width_log2));
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

            transpose(w->tile, step, row_at(w, row, j), w->r->row_step, count, n, w->width_log2);
            for (size_t i = 0; i < n; i++)
                topk_scan_feed(state_at(w, j + i), w->tile + ((i * step) << w->width_log2), count);
        }
    }
}

INLINE void *entries_at(const struct row_walk *w, size_t column, unsigned width_log2)
{
    return w->entries + column * w->k * topk_entry_bytes(width_log2);
}

/*
 * Inserts an entry among k, which are in the result's order, the equal ones first; the last is
 * dropped. They go through all k: where to stop would be hard to predict.
 */
static void insert_packed(uint64_t *entries, size_t k, uint64_t e)
{
    uint64_t at = entries[k - 1];

    for (size_t i = k - 1; i > 0; i--) {
        uint64_t before = entries[i - 1];

        at = at > e ? e : at;
        entries[i] = before > e ? before : at;
        at = before;
    }
    entries[0] = at > e ? e : at;
}

static void insert_pair(struct topk_entry *entries, size_t k, struct topk_entry e)
{
    size_t i = k - 1;

    for (; i > 0 && entries[i - 1].key > e.key; i--)
        entries[i] = entries[i - 1];
    entries[i] = e;
}

INLINE void insert(void *entries, size_t k, uint64_t key, uint32_t index, unsigned width_log2)
{
    if (width_log2 < 3)
        insert_packed(entries, k, key << 32 | index);
    else
        insert_pair(entries, k, (struct topk_entry){ key, index });
}

/* Loads a column's entries from its selection's buffer, which holds k at most. */
static void load_entries(const struct row_walk *w, size_t column)
{
    const struct topk_filter *f = &state_at(w, column)->filter;
    void *entries = entries_at(w, column, w->width_log2);

    for (size_t i = 0; i < w->k; i++)
        topk_entry_set(entries, i, UINT64_MAX, UINT32_MAX,
                       w->width_log2); /* none yet: after all others */
    for (size_t i = 0; i < f->count; i++)
        insert(entries, i + 1, topk_load(f->keys, i, w->width_log2) ^ topk_sign(w->width_log2),
               f->index[i], w->width_log2);
}

/* Stores them there again; at the sequence's end, as the result. */
static void store_entries(const struct row_walk *w, size_t column)
{
    struct topk_state *s = state_at(w, column);
    struct topk_filter *f = &s->filter;
    const void *entries = entries_at(w, column, w->width_log2);

    s->sorted = s->fed == s->job.n;
    if (s->sorted) {
        memcpy(s->room, entries, w->k * topk_entry_bytes(w->width_log2));
        return;
    }
    f->count = 0;
    for (size_t i = 0; i < w->k; i++) {
        struct topk_entry e = topk_entry_get(entries, i, w->width_log2);
        size_t at = f->count;

        if (e.index == UINT32_MAX)
            break; /* none: the sequence has elements after this one */
        for (; at > 0 && f->index[at - 1] > e.index; at--) {
            f->index[at] = f->index[at - 1];
            topk_store(f->keys, at, w->width_log2, topk_load(f->keys, at - 1, w->width_log2));
        }
        f->index[at] = (uint32_t)e.index;
        topk_store(f->keys, at, w->width_log2, e.key ^ topk_sign(w->width_log2));
        f->count++;
    }
}

/* Begins to compare rows: every selection gets a threshold, as low as can be. */
static void enter(struct row_walk *w)
{
    for (size_t j = 0; j < w->r->columns; j++) {
        struct topk_state *s = state_at(w, j);

        if (s->filter.count >= w->k)
            topk_scan_compact(s);
        w->thresholds[j] = to_key(w, s->filter.threshold);
        if (w->entries)
            load_entries(w, j);
    }
    set_bounds(w);
}

/* Ends comparing, for the time being, after so many rows. */
static void leave(struct row_walk *w, uint64_t rows)
{
    for (size_t j = 0; j < w->r->columns; j++) {
        struct topk_state *s = state_at(w, j);

        s->filter.threshold = to_signed(w, w->thresholds[j]);
        s->closed = s->filter.threshold == s->best;
        s->fed += rows;
        s->work += rows + w->visited / w->r->columns;
        if (w->entries)
            store_entries(w, j);
    }
    w->visited = 0;
}

/* Adds a candidate to a column's entries or selection; returns a threshold that holds then. */
INLINE uint64_t add(struct row_walk *w, size_t column, uint64_t key, uint32_t index,
                    unsigned width_log2)
{
    struct topk_filter *f;

    if (w->entries) {
        void *entries = entries_at(w, column, width_log2);

        insert(entries, w->k, key, index, width_log2);
        return topk_entry_get(entries, w->k - 1, width_log2).key;
    }
    f = &state_at(w, column)->filter;
    topk_store(f->keys, f->count, width_log2, key ^ topk_sign(width_log2));
    f->index[f->count++] = index;
    if (f->count >= f->capacity)
        topk_scan_compact(state_at(w, column));
    return to_key(w, f->threshold);
}

/* Adds one candidate to its selection. False where the threshold was lowered by a row before. */
INLINE bool add_candidate(struct row_walk *w, size_t column, uint64_t key, uint32_t index,
                          unsigned width_log2)
{
    uint64_t threshold = w->thresholds[column];
    bool by_value = w->by_value;

    if (key >= threshold)
        return false;
    key = add(w, column, key, index, width_log2);
    if (key >= threshold)
        return true;
    w->thresholds[column] = key;
    topk_store(w->bounds, column, width_log2, bound_of(w, key, width_log2));
    if (by_value != w->by_value)
        set_bounds(w);
    return true;
}

/* Prefetches the entries that the first candidate of each hit goes to. */
INLINE void prefetch_entries(const struct row_walk *w, size_t count, unsigned width_log2)
{
    for (const struct topk_hit *h = w->hits; h < w->hits + count; h++) {
        const char *at = entries_at(w, h->column + (size_t)__builtin_ctzll(h->lanes), width_log2);

        __builtin_prefetch(at);
        __builtin_prefetch(at + CACHE_LINE);
    }
}

/* Adds the candidates of rows; first: the row of the first hits, index: its index. Returns how
 * many. */
INLINE size_t add_hits_width(struct row_walk *w, size_t count, size_t first, uint32_t index,
                             unsigned width_log2)
{
    size_t added = 0;

    /* What came in by rows has driven the entries out of the nearest caches. */
    if (w->entries && w->prefetch != PREFETCH_NONE)
        prefetch_entries(w, count, width_log2);
    for (const struct topk_hit *h = w->hits; h < w->hits + count; h++)
        for (uint64_t lanes = h->lanes; lanes; lanes &= lanes - 1) {
            size_t column = h->column + (size_t)__builtin_ctzll(lanes);
            uint64_t bits = topk_load(row_at(w, first + h->row, column), 0, width_log2);

            added += add_candidate(w, column, topk_key(bits, width_log2, w->order), index + h->row,
                                   width_log2);
        }
    return added;
}

static size_t add_hits(struct row_walk *w, size_t count, size_t first, uint32_t index)
{
    return WITH_WIDTH(add_hits_width, w->width_log2, w, count, first, index);
}

/* Bytes from what is compared to what is prefetched: the next row, where that does not follow. */
static size_t rows_ahead(const struct row_walk *w)
{
    if (w->r->row_step > w->r->columns)
        return w->prefetch == PREFETCH_NONE ? 0 : w->r->row_step << w->width_log2;
    return w->prefetch == PREFETCH_PAGES ? ROWS_AHEAD : 0;
}

static size_t count_lanes(const struct topk_hit *hits, size_t count)
{
    size_t lanes = 0;

    for (size_t i = 0; i < count; i++)
        lanes += (size_t)__builtin_popcountll(hits[i].lanes);
    return lanes;
}

/* Compares rows with the bounds, until `last` or until candidates are too many; returns the row
 * after. The first row is that of index `index`. wary: stops before rows that are mostly
 * candidates. */
static size_t scan(struct row_walk *w, size_t first, size_t last, uint64_t index, bool wary)
{
    size_t columns = w->r->columns, row = first, found = 0;

    while (row < last && found <= w->k * columns + (row - first) * columns / DENSE_PART) {
        size_t rows = u64_min(AT_ONCE, last - row);
        size_t count = w->loops->filter_rows(w->hits, row_at(w, row, 0), columns,
                                             w->r->row_step << w->width_log2, rows, w->bounds,
                                             w->map, w->by_value, rows_ahead(w));

        if (wary && count_lanes(w->hits, count) > rows * columns / 2)
            return row;
        count = add_hits(w, count, row, (uint32_t)(index + (row - first)));
        w->visited += count * (w->entries ? w->k : 1);
        found += count;
        row += rows;
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
    size_t row_bytes = w->r->row_step << w->width_log2;
    bool all = true;

    if (state_at(w, 0)->groups == 0 || width < w->loops->lanes)
        return false;
    for (size_t j = 0; j < columns; j += width) {
        j = u64_min(j, columns - width); /* the last columns may come twice */
        for (size_t i = 0; i < groups; i++)
            w->loops->firsts(w->firsts + (i * width << w->width_log2), row_at(w, first + i, j),
                             width, groups * row_bytes, rows, w->map,
                             w->prefetch == PREFETCH_PAGES);
        transpose(w->tile, step, w->firsts, width, groups, width, w->width_log2);
        for (size_t i = 0; i < width; i++) {
            topk_scan_lower(state_at(w, j + i), w->tile + ((i * step) << w->width_log2), groups);
            all = all && !state_at(w, j + i)->open;
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
        state_at(w, j)->filter.threshold = to_signed(w, w->thresholds[j]);
    if (!look_ahead(w, last - groups, 1))
        return false;
    for (size_t j = 0; j < w->r->columns; j++)
        w->thresholds[j] = to_key(w, state_at(w, j)->filter.threshold);
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
    size_t first = FIRST_ROWS * topk_scan_groups(s->job.k), window;
    char *at = r->scratch;
    struct row_walk w = {
        .r = r,
        .loops = s->loops,
        .order = s->job.order,
        .width_log2 = s->job.width_log2,
        .k = s->job.k,
        .prefetch = s->job.prefetch,
        .hits = (struct topk_hit *)(at + l.hits),
        .map = &s->filter.map,
        .thresholds = (uint64_t *)(at + l.thresholds),
        .bounds = at + l.bounds,
        .entries = s->job.k <= REPLACE_MAX ? at + l.entries : NULL,
        .firsts = at + l.firsts,
        .tile = at + l.tile,
    };

    assert(r->row_step >= r->columns && (uintptr_t)r->scratch % CACHE_LINE == 0);
    if (r->columns < s->loops->lanes || r->rows / 2 < first) {
        feed_tiles(&w, 0, r->rows);
        return;
    }
    window = u64_max(2 * first, WINDOW_BYTES / (r->columns << w.width_log2));
    if (s->fed > 0 || !look_ahead(&w, 0, FIRST_ROWS))
        feed_tiles(&w, 0, first);
    else
        first = 0;
    compare_rows(&w, first, window);
}
