#include "base/util.h"
#include "kernel/topk_state.h"
#include "kernel/transpose.h"

/*
 * Many selections at once, whose sequences lie side by side. Once each has a threshold, rows are compared with
 * the row of thresholds, in the order of memory; few elements are candidates, and these are handed to their
 * selections one by one. The first rows, and rows with many candidates, are transposed tile by tile and fed to one
 * selection after the other.
 */

enum {
    FIRST_ROWS = 8,       /* fed by tiles, for each group of a window */
    WINDOW_BYTES = 1 << 26,
    GLANCE_PART = 4,      /* rows of a window for one that is read ahead, at least */
    REPLACE_MAX = 32,     /* largest k for which candidates replace one another */
    DENSE_PART = 8,       /* of all elements are candidates: too many */
    TILE_BYTES = 1 << 18,
    TILE_WIDTH = 256,     /* bytes */
    LINE = 64,
};

/* A walk over rows. Keys are those of topk_key here. */
struct walk {
    const struct topk_rows *r;
    const struct topk_scan *loops;
    struct topk_order order;
    unsigned width_log2;
    size_t k;
    bool by_value;              /* bounds are values */
    struct topk_filter found;   /* candidates of two rows: signed keys, and columns */
    uint64_t *thresholds;       /* [columns] keys below them are candidates */
    char *bounds;               /* [columns] the same, of the element's width, as rows are compared with them */
    char *entries;              /* [columns][k] the first k so far, in no order; NULL: in the selections */
    uint8_t *last;              /* [columns] which of them is last in the result's order */
    char *tile;                 /* TILE_BYTES and a line a column */
};

/* Places in scratch, in bytes from its start. */
struct layout {
    size_t keys, index, thresholds, bounds, entries, last, tile, end;
};

static size_t align(size_t n) { return (n + LINE - 1) / LINE * LINE; }

static struct layout lay_out(unsigned width_log2, size_t columns)
{
    size_t padded = columns + SCAN_PAD, row = align(padded << width_log2);
    struct layout l = { .keys = 0, .index = 2 * row };

    l.thresholds = l.index + 2 * align(padded * sizeof(uint32_t));
    l.bounds = l.thresholds + align(columns * sizeof(uint64_t));
    l.entries = l.bounds + row;
    l.last = l.entries + columns * REPLACE_MAX * sizeof(struct topk_entry);
    l.tile = l.last + align(columns);
    l.end = l.tile + TILE_BYTES + ((size_t)TILE_WIDTH >> width_log2) * LINE;
    return l;
}

uint64_t topk_scan_rows_scratch(unsigned width_log2, uint64_t columns) { return lay_out(width_log2, columns).end; }

static struct topk_state *state_at(const struct walk *w, size_t column)
{
    return (struct topk_state *)((char *)w->r->states + column * w->r->state_bytes);
}

static const char *row_at(const struct walk *w, size_t row, size_t column)
{
    return (const char *)w->r->src + ((row * w->r->row_step + column) << w->width_log2);
}

/* Keys to signed ones and back. */
static int64_t to_signed(const struct walk *w, uint64_t key)
{
    unsigned unused = 64 - (8u << w->width_log2);

    return (int64_t)((key ^ topk_sign(w->width_log2)) << unused) >> unused;
}

static uint64_t to_key(const struct walk *w, int64_t signed_key)
{
    return ((uint64_t)signed_key & topk_ones(w->width_log2)) ^ topk_sign(w->width_log2);
}

/* The bits with which elements are compared for a threshold: a value where bounds are values, else a signed key.
 * Where no value says the same, bounds are values no longer. */
INLINE uint64_t bound_of(struct walk *w, uint64_t threshold, unsigned width_log2)
{
    uint64_t value;

    if (!w->by_value)
        return threshold ^ topk_sign(width_log2);
    w->by_value = (w->order.largest ? threshold ^ topk_ones(width_log2) : threshold) <= 2 * topk_infinity(width_log2);
    topk_unkey(threshold, width_log2, w->order, &value); /* of the zeros either will do */
    return value;
}

static void set_bounds(struct walk *w)
{
    w->by_value = w->order.kind == KIND_FLOAT && w->width_log2 >= 2;
    for (size_t j = 0; j < w->r->columns; j++)
        topk_store(w->bounds, j, w->width_log2, bound_of(w, w->thresholds[j], w->width_log2));
    for (size_t j = 0; !w->by_value && j < w->r->columns; j++)
        topk_store(w->bounds, j, w->width_log2, bound_of(w, w->thresholds[j], w->width_log2));
}

/* Feeds rows first..last-1 tile by tile. */
static void feed_tiles(struct walk *w, size_t first, size_t last)
{
    size_t width = TILE_WIDTH >> w->width_log2, columns = w->r->columns;

    for (size_t j = 0; j < columns; j += width) {
        size_t n = u64_min(width, columns - j), rows = ((size_t)TILE_BYTES >> w->width_log2) / n;
        size_t step = rows + (LINE >> w->width_log2);

        for (size_t row = first; row < last; row += rows) {
            size_t count = u64_min(rows, last - row);

            transpose(w->tile, step, row_at(w, row, j), w->r->row_step, count, n, w->width_log2);
            for (size_t i = 0; i < n; i++)
                topk_scan_feed(state_at(w, j + i), w->tile + ((i * step) << w->width_log2), count);
        }
    }
}

/*
 * Entries are key << 32 | index, or pairs where keys take 64 bits: the larger of two comes later in the result.
 * Which of a column's entries is last:
 */
static uint8_t last_packed(const uint64_t *entries, size_t k)
{
    uint64_t last = entries[0];
    size_t at = 0;

    for (size_t i = 1; i < k; i++) {
        at = entries[i] > last ? i : at;
        last = entries[i] > last ? entries[i] : last;
    }
    return (uint8_t)at;
}

static uint8_t last_pair(const struct topk_entry *entries, size_t k)
{
    struct topk_entry last = entries[0];
    size_t at = 0;

    for (size_t i = 1; i < k; i++) {
        bool later = entries[i].key > last.key || (entries[i].key == last.key && entries[i].index > last.index);

        last = later ? entries[i] : last;
        at = later ? i : at;
    }
    return (uint8_t)at;
}

INLINE void *entries_at(const struct walk *w, size_t column, unsigned width_log2)
{
    return w->entries + column * w->k * (width_log2 < 3 ? sizeof(uint64_t) : sizeof(struct topk_entry));
}

INLINE uint8_t find_last(const void *entries, size_t k, unsigned width_log2)
{
    return width_log2 < 3 ? last_packed(entries, k) : last_pair(entries, k);
}

INLINE void set_entry(void *entries, size_t i, uint64_t key, uint32_t index, unsigned width_log2)
{
    if (width_log2 < 3)
        ((uint64_t *)entries)[i] = key << 32 | index;
    else
        ((struct topk_entry *)entries)[i] = (struct topk_entry){ key, index };
}

INLINE struct topk_entry entry(const void *entries, size_t i, unsigned width_log2)
{
    uint64_t packed;

    if (width_log2 == 3)
        return ((const struct topk_entry *)entries)[i];
    packed = ((const uint64_t *)entries)[i];
    return (struct topk_entry){ packed >> 32, packed & UINT32_MAX };
}

/* Moves the first k from a selection's buffer to its entries, and back in the order of indices. */
static void take_out(struct walk *w, size_t column)
{
    const struct topk_filter *f = &state_at(w, column)->filter;
    void *entries = entries_at(w, column, w->width_log2);

    for (size_t i = 0; i < w->k; i++)
        set_entry(entries, i, topk_load(f->keys, i, w->width_log2) ^ topk_sign(w->width_log2), f->index[i],
                  w->width_log2);
    w->last[column] = find_last(entries, w->k, w->width_log2);
}

static void put_back(struct walk *w, size_t column)
{
    struct topk_filter *f = &state_at(w, column)->filter;
    const void *entries = entries_at(w, column, w->width_log2);

    for (size_t i = 0; i < w->k; i++) {
        struct topk_entry e = entry(entries, i, w->width_log2);
        size_t at = i;

        for (; at > 0 && f->index[at - 1] > e.index; at--) {
            f->index[at] = f->index[at - 1];
            topk_store(f->keys, at, w->width_log2, topk_load(f->keys, at - 1, w->width_log2));
        }
        f->index[at] = (uint32_t)e.index;
        topk_store(f->keys, at, w->width_log2, e.key ^ topk_sign(w->width_log2));
    }
}

/* Begins to compare rows: every selection gets a threshold, as low as can be. */
static void enter(struct walk *w)
{
    for (size_t j = 0; j < w->r->columns; j++) {
        struct topk_state *s = state_at(w, j);

        topk_scan_compact(s);
        w->thresholds[j] = to_key(w, s->filter.threshold);
        if (w->entries)
            take_out(w, j);
    }
    set_bounds(w);
}

/* Ends comparing, for the time being, after so many rows. */
static void leave(struct walk *w, uint64_t rows)
{
    for (size_t j = 0; j < w->r->columns; j++) {
        struct topk_state *s = state_at(w, j);

        s->filter.threshold = to_signed(w, w->thresholds[j]);
        s->closed = s->filter.threshold == s->best;
        s->fed += rows;
        s->work += rows;
        if (w->entries)
            put_back(w, j);
    }
}

/* Adds a candidate to a column's entries or selection; returns a threshold that holds then. */
INLINE uint64_t add(struct walk *w, size_t column, uint64_t key, uint32_t index, unsigned width_log2)
{
    struct topk_filter *f;

    if (w->entries) {
        void *entries = entries_at(w, column, width_log2);

        set_entry(entries, w->last[column], key, index, width_log2);
        w->last[column] = find_last(entries, w->k, width_log2);
        return entry(entries, w->last[column], width_log2).key;
    }
    f = &state_at(w, column)->filter;
    topk_store(f->keys, f->count, width_log2, key ^ topk_sign(width_log2));
    f->index[f->count++] = index;
    if (f->count >= f->capacity)
        topk_scan_compact(state_at(w, column));
    return to_key(w, f->threshold);
}

/* Hands the candidates found to their selections; index: that of the first row looked at. */
INLINE void hand_over_width(struct walk *w, uint32_t index, unsigned width_log2)
{
    for (size_t i = 0; i < w->found.count; i++) {
        size_t column = w->found.index[i] & ~ROW_INDEX;
        uint64_t key = topk_load(w->found.keys, i, width_log2) ^ topk_sign(width_log2), threshold;

        if (key >= w->thresholds[column]) /* which was lowered by a candidate just before */
            continue;
        threshold = add(w, column, key, index + w->found.index[i] / ROW_INDEX, width_log2);
        if (threshold < w->thresholds[column]) {
            bool by_value = w->by_value;

            w->thresholds[column] = threshold;
            topk_store(w->bounds, column, width_log2, bound_of(w, threshold, width_log2));
            if (by_value != w->by_value)
                set_bounds(w);
        }
    }
}

static void hand_over(struct walk *w, uint32_t index)
{
    switch (w->width_log2) {
    case 0: hand_over_width(w, index, 0); break;
    case 1: hand_over_width(w, index, 1); break;
    case 2: hand_over_width(w, index, 2); break;
    default: hand_over_width(w, index, 3); break;
    }
}

/* Compares rows with the bounds, until `last` or until candidates are too many; returns the row after. The first
 * row is that of index `index`. */
static size_t scan(struct walk *w, size_t first, size_t last, uint64_t index)
{
    size_t columns = w->r->columns, row = first, found = 0;

    while (row < last && found <= 2 * columns + (row - first) * columns / DENSE_PART) {
        unsigned rows = last - row > 1 ? 2 : 1;

        w->found.count = 0;
        w->loops->filter_rows(&w->found, row_at(w, row, 0), columns, w->r->row_step << w->width_log2, rows,
                              w->bounds, w->by_value);
        if (w->found.count > 0)
            hand_over(w, (uint32_t)(index + (row - first)));
        found += w->found.count;
        row += rows;
    }
    return row;
}

/* Lowers all thresholds to what the last rows before `last` hold, where that leaves many rows from `first` on;
 * tells much where the data rise towards the result's order. */
static bool glance(struct walk *w, size_t first, size_t last)
{
    size_t rows = topk_scan_groups(w->k), width = u64_min(TILE_WIDTH, TILE_BYTES / rows) >> w->width_log2;
    size_t step = rows + (LINE >> w->width_log2);

    if (state_at(w, 0)->groups == 0 || width == 0 || last - first < GLANCE_PART * rows)
        return false;
    for (size_t j = 0; j < w->r->columns; j += width) {
        size_t n = u64_min(width, w->r->columns - j);

        transpose(w->tile, step, row_at(w, last - rows, j), w->r->row_step, rows, n, w->width_log2);
        for (size_t i = 0; i < n; i++) {
            struct topk_state *s = state_at(w, j + i);

            s->filter.threshold = to_signed(w, w->thresholds[j + i]);
            topk_scan_look_ahead(s, w->tile + ((i * step) << w->width_log2), rows, 1);
            w->thresholds[j + i] = to_key(w, s->filter.threshold);
        }
    }
    set_bounds(w);
    return true;
}

/* Compares rows first..r->rows-1 with thresholds, window by window. */
static void compare_rows(struct walk *w, size_t first)
{
    uint64_t fed = state_at(w, 0)->fed; /* before row `first` */
    size_t entered = first, rows = w->r->rows;
    size_t window = u64_max(2 * first, WINDOW_BYTES / (w->r->columns << w->width_log2));

    enter(w);
    for (size_t row = first; row < rows;) {
        size_t last = u64_min(row + window, rows);

        row = scan(w, row, last, fed + (row - first));
        if (row < last && glance(w, row, last))
            row = scan(w, row, last, fed + (row - first));
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
    struct layout l = lay_out(s->job.width_log2, r->columns);
    size_t first = FIRST_ROWS * topk_scan_groups(s->job.k);
    char *at = r->scratch;
    struct walk w = {
        .r = r, .loops = s->loops, .order = s->job.order, .width_log2 = s->job.width_log2, .k = s->job.k,
        .found = { .keys = at + l.keys, .index = (uint32_t *)(at + l.index), .flip = s->filter.flip,
                   .largest = s->filter.largest },
        .thresholds = (uint64_t *)(at + l.thresholds), .bounds = at + l.bounds,
        .entries = s->job.k <= REPLACE_MAX ? at + l.entries : NULL,
        .last = (uint8_t *)(at + l.last), .tile = at + l.tile,
    };

    if (r->columns < s->loops->lanes || r->rows / 2 < first) {
        feed_tiles(&w, 0, r->rows);
        return;
    }
    feed_tiles(&w, 0, first);
    compare_rows(&w, first);
}
