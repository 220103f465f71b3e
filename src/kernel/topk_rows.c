#include <assert.h>

#include "base/util.h"
#include "kernel/topk_state.h"
#include "kernel/transpose.h"

/*
 * Many selections at once, whose sequences lie side by side. Once each has a threshold, rows are
 * compared with the row of thresholds, in the order of memory; few elements are candidates, and
 * these are appended to their selections' buffers one by one. The first rows, and rows with many candidates,
 * are transposed tile by tile and fed to one selection after the other.
 */

enum {
    FIRST_ROWS = 8,       /* of a group, that are looked at ahead for the first thresholds */
    WINDOW_BYTES = 1 << 26,
    PEEK_PART = 4,      /* rows of a window for one that is looked at ahead, at least */
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
    uint64_t *words;            /* of AT_ONCE rows: a bit for each candidate */
    uint32_t *hits;             /* the numbers of those that have one */
    char *bounds;  /* [columns] thresholds of the element's width, as rows are compared with them */
    uint32_t *counts;           /* [columns] candidates in the buffers, while rows are compared */
    size_t capacity;            /* of a buffer */
    size_t keys, index;         /* where a buffer's arrays are in a selection's state */
    char *firsts;               /* TILE_BYTES */
    char *tile;                 /* TILE_BYTES and a cache line for each column */
};

/* Where the parts of scratch begin, in bytes. */
struct rows_layout {
    size_t words, hits, bounds, counts, firsts, tile, end;
};

/* Whole cache lines. */
static size_t lines(size_t bytes) { return (size_t)u64_round_up(bytes, CACHE_LINE); }

/* Words that have a bit for each column. */
static size_t words_of(size_t columns) { return (columns + 63) / 64; }

static struct rows_layout lay_out(unsigned width_log2, size_t columns)
{
    struct rows_layout l = { .words = 0 };

    l.hits = lines(AT_ONCE * words_of(columns) * sizeof(uint64_t));
    l.bounds = l.hits + lines((AT_ONCE * words_of(columns) + 1) * sizeof(uint32_t));
    l.counts = l.bounds + lines(columns << width_log2);
    l.firsts = l.counts + lines(columns * sizeof(uint32_t));
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
 * the threshold. Where no value says the same, bounds are values no longer, and false is returned. */
INLINE bool set_bound(struct row_walk *w, size_t column, int64_t threshold, unsigned width_log2)
{
    uint64_t key = ((uint64_t)threshold & topk_ones(width_log2)) ^ topk_sign(width_log2), bits;
    uint64_t smallest_first =
        w->map->before == BEFORE_GREATER_OR_NAN ? key ^ topk_ones(width_log2) : key;

    if (w->by_value && smallest_first > 2 * topk_infinity(width_log2)) {
        w->by_value = false;
        return false;
    }
    bits = (uint64_t)threshold;
    if (w->by_value)
        topk_unkey(key, width_log2, w->order, &bits); /* of the zeros either will do */
    topk_store(w->bounds, column, width_log2, bits);
    return true;
}

static void set_bounds(struct row_walk *w)
{
    size_t j = 0;

    w->by_value = w->order.kind == KIND_FLOAT && w->width_log2 >= 2;
    while (j < w->r->columns)
        j = set_bound(w, j, state_at(w, j)->filter.threshold, w->width_log2) ? j + 1 : 0;
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

/* Begins to compare rows: every selection gets a threshold, as low as can be. */
static void enter(struct row_walk *w)
{
    for (size_t j = 0; j < w->r->columns; j++) {
        struct topk_state *s = state_at(w, j);

        if (s->filter.count >= w->k)
            topk_scan_compact(s);
        w->counts[j] = (uint32_t)s->filter.count;
    }
    set_bounds(w);
}

/* Ends comparing, for the time being, after so many rows. */
static void leave(struct row_walk *w, uint64_t rows)
{
    for (size_t j = 0; j < w->r->columns; j++) {
        struct topk_state *s = state_at(w, j);

        s->filter.count = w->counts[j];
        s->closed = s->filter.threshold == s->best;
        s->fed += rows;
        s->work += rows;
    }
}

/* Lowers the threshold of a column whose buffer is full. */
static void lower(struct row_walk *w, size_t column)
{
    struct topk_state *s = state_at(w, column);

    s->filter.count = w->counts[column];
    topk_scan_compact(s);
    w->counts[column] = (uint32_t)s->filter.count;
    if (!set_bound(w, column, s->filter.threshold, w->width_log2))
        set_bounds(w);
}

/* Appends a candidate to a column's buffer; that its row was compared before the threshold was
 * lowered does no harm. */
INLINE void append(struct row_walk *w, size_t column, uint64_t key, uint32_t index,
                   unsigned width_log2)
{
    char *state = (char *)w->r->states + column * w->r->state_bytes;
    size_t at = w->counts[column]++;

    topk_store(state + w->keys, at, width_log2, key ^ topk_sign(width_log2));
    ((uint32_t *)(void *)(state + w->index))[at] = index;
    if (at + 1 == w->capacity)
        lower(w, column);
}

/* Adds the candidates of `rows` rows; first: their first, index: its index. Returns how many. */
INLINE size_t add_hits_width(struct row_walk *w, size_t rows, size_t first, uint32_t index,
                             unsigned width_log2)
{
    size_t added = 0, words = words_of(w->r->columns), n = 0;

    /* Words that have a bit, found without a branch, which would be hard to predict. */
    for (size_t i = 0; i < rows * words; i++) {
        w->hits[n] = (uint32_t)i;
        n += w->words[i] != 0;
    }
    for (size_t i = 0; i < n; i++)
        for (uint64_t lanes = w->words[w->hits[i]]; lanes; lanes &= lanes - 1) {
            size_t row = w->hits[i] / words;
            size_t column = w->hits[i] % words * 64 + (size_t)__builtin_ctzll(lanes);
            uint64_t bits = topk_load(row_at(w, first + row, column), 0, width_log2);

            append(w, column, topk_key(bits, width_log2, w->order), index + (uint32_t)row,
                   width_log2);
            added++;
        }
    return added;
}

static size_t add_hits(struct row_walk *w, size_t rows, size_t first, uint32_t index)
{
    return WITH_WIDTH(add_hits_width, w->width_log2, w, rows, first, index);
}

/* Bytes from what is compared to what is prefetched: the next row, where that does not follow. */
static size_t rows_ahead(const struct row_walk *w)
{
    if (w->r->row_step > w->r->columns)
        return w->prefetch == PREFETCH_NONE ? 0 : w->r->row_step << w->width_log2;
    return w->prefetch == PREFETCH_PAGES ? ROWS_AHEAD : 0;
}

static size_t count_lanes(const struct row_walk *w, size_t rows)
{
    size_t lanes = 0;

    for (size_t i = 0; i < rows * words_of(w->r->columns); i++)
        lanes += (size_t)__builtin_popcountll(w->words[i]);
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
        struct topk_block block = { .src = row_at(w, row, 0), .n = columns,
                                    .row_bytes = w->r->row_step << w->width_log2, .rows = rows,
                                    .bounds = w->bounds, .map = w->map, .by_value = w->by_value,
                                    .ahead = rows_ahead(w) };
        size_t count;

        w->loops->compare(w->words, &block);
        if (wary && count_lanes(w, rows) > rows * columns / 2)
            return row;
        count = add_hits(w, rows, row, (uint32_t)(index + (row - first)));
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
    size_t first = FIRST_ROWS * topk_scan_groups(s->job.k), window;
    char *at = r->scratch;
    struct row_walk w = {
        .r = r,
        .loops = s->loops,
        .order = s->job.order,
        .width_log2 = s->job.width_log2,
        .k = s->job.k,
        .prefetch = s->job.prefetch,
        .words = (uint64_t *)(at + l.words),
        .hits = (uint32_t *)(at + l.hits),
        .map = &s->filter.map,
        .bounds = at + l.bounds,
        .counts = (uint32_t *)(at + l.counts),
        .capacity = s->filter.capacity,
        .keys = (size_t)((char *)s->filter.keys - (char *)r->states),
        .index = (size_t)((char *)s->filter.index - (char *)r->states),
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
