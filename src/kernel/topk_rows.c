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
    WINDOW_ROWS = 4096,
    GLANCE_PART = 4,      /* rows of a window for one that is read ahead, at least */
    REPLACE_MAX = 32,     /* largest k for which candidates replace one another */
    DENSE_PART = 8,       /* of all elements are candidates: too many */
    TILE_BYTES = 1 << 18,
    TILE_WIDTH = 256,     /* bytes */
    LINE = 64,
};

/* A walk over rows. */
struct walk {
    const struct topk_rows *r;
    const struct topk_scan *loops;
    unsigned width_log2;
    size_t k;
    bool replace;               /* candidates are in entries, not in the selections */
    bool by_value;              /* bounds are values */
    struct topk_filter found;   /* candidates of two rows: keys and columns */
    char *thresholds;           /* [columns] signed keys, of the element's width as are bounds */
    char *bounds;               /* [columns] the same as rows are compared with */
    uint16_t *last;             /* [columns] where replace */
    char *entries;              /* [columns][k] where replace */
    size_t entries_bytes;       /* of one column */
    char *tile;                 /* TILE_BYTES and a line a column */
};

/* Places in scratch, in bytes from its start. */
struct layout {
    size_t keys, index, thresholds, bounds, last, entries, tile, end;
};

static size_t align(size_t n) { return (n + LINE - 1) / LINE * LINE; }

static struct layout lay_out(unsigned width_log2, size_t columns)
{
    size_t padded = columns + SCAN_PAD, row = align(padded << width_log2);
    struct layout l = { .keys = 0, .index = 2 * row };

    l.thresholds = l.index + 2 * align(padded * sizeof(uint32_t));
    l.bounds = l.thresholds + row;
    l.last = l.bounds + row;
    l.entries = l.last + align(columns * sizeof(uint16_t));
    l.tile = l.entries + align(columns * REPLACE_MAX * topk_scan_entry_bytes(width_log2));
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

/* A signed key from an array of them. */
static int64_t load_key(const void *keys, size_t i, unsigned width_log2)
{
    unsigned unused = 64 - (8u << width_log2);

    return (int64_t)(topk_load(keys, i, width_log2) << unused) >> unused;
}

/* The bound of a column as a value; false where keys have to be compared. */
static bool value_bound(struct walk *w, size_t column, int64_t *value)
{
    w->found.threshold = load_key(w->thresholds, column, w->width_log2);
    return w->loops->value && w->found.threshold != state_at(w, 0)->best && w->loops->value(&w->found, value);
}

static void set_bounds(struct walk *w)
{
    int64_t bound;

    w->by_value = true;
    for (size_t j = 0; w->by_value && j < w->r->columns; j++) {
        w->by_value = value_bound(w, j, &bound);
        topk_store(w->bounds, j, w->width_log2, (uint64_t)bound);
    }
    if (!w->by_value)
        memcpy(w->bounds, w->thresholds, w->r->columns << w->width_log2);
}

/* Lowers the threshold of one column. */
static void set_threshold(struct walk *w, size_t column, int64_t threshold)
{
    int64_t bound = threshold;

    topk_store(w->thresholds, column, w->width_log2, (uint64_t)threshold);
    if (w->by_value && !value_bound(w, column, &bound))
        set_bounds(w);
    else
        topk_store(w->bounds, column, w->width_log2, (uint64_t)bound);
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

/* Begins to compare rows: every selection gets a threshold, as low as can be. */
static void enter(struct walk *w)
{
    for (size_t j = 0; j < w->r->columns; j++) {
        struct topk_state *s = state_at(w, j);

        topk_scan_compact(s);
        topk_store(w->thresholds, j, w->width_log2, (uint64_t)s->filter.threshold);
        if (w->replace)
            topk_scan_take_out(s, w->entries + j * w->entries_bytes, &w->last[j]);
    }
    set_bounds(w);
}

/* Ends comparing, for the time being: the selections know all rows before `row`. */
static void leave(struct walk *w, uint64_t rows)
{
    for (size_t j = 0; j < w->r->columns; j++) {
        struct topk_state *s = state_at(w, j);

        s->filter.threshold = load_key(w->thresholds, j, w->width_log2);
        s->closed = s->filter.threshold == s->best;
        s->fed += rows;
        s->work += rows;
        if (w->replace)
            topk_scan_put_back(s, w->entries + j * w->entries_bytes);
    }
}

/* Hands a candidate found to its selection; index: that of the first row looked at. */
static void hand_over(struct walk *w, size_t i, uint32_t index)
{
    size_t column = w->found.index[i] & ~ROW_INDEX;
    int64_t key = load_key(w->found.keys, i, w->width_log2), last;
    int64_t threshold = load_key(w->thresholds, column, w->width_log2);

    if (key >= threshold) /* which was lowered by a candidate just before */
        return;
    index += w->found.index[i] / ROW_INDEX;
    if (w->replace) {
        last = topk_scan_replace(w->entries + column * w->entries_bytes, w->k, &w->last[column], w->width_log2, key,
                                 index);
    } else {
        struct topk_state *s = state_at(w, column);
        struct topk_filter *f = &s->filter;

        topk_store(f->keys, f->count, w->width_log2, (uint64_t)key);
        f->index[f->count++] = index;
        if (f->count < f->capacity)
            return;
        topk_scan_compact(s);
        last = f->threshold;
    }
    if (last < threshold)
        set_threshold(w, column, last);
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
        for (size_t i = 0; i < w->found.count; i++)
            hand_over(w, i, (uint32_t)(index + (row - first)));
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

            s->filter.threshold = load_key(w->thresholds, j + i, w->width_log2);
            topk_scan_look_ahead(s, w->tile + ((i * step) << w->width_log2), rows, 1);
            topk_store(w->thresholds, j + i, w->width_log2, (uint64_t)s->filter.threshold);
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

    enter(w);
    for (size_t row = first; row < rows;) {
        size_t last = u64_min(row + WINDOW_ROWS, rows);

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
        .r = r, .loops = s->loops, .width_log2 = s->job.width_log2, .k = s->job.k,
        .replace = s->job.k <= REPLACE_MAX,
        .found = { .keys = at + l.keys, .index = (uint32_t *)(at + l.index), .flip = s->filter.flip,
                   .largest = s->filter.largest },
        .thresholds = at + l.thresholds, .bounds = at + l.bounds, .last = (uint16_t *)(at + l.last),
        .entries = at + l.entries, .entries_bytes = s->job.k * topk_scan_entry_bytes(s->job.width_log2),
        .tile = at + l.tile,
    };

    if (r->columns < s->loops->lanes || r->rows / 2 < first) {
        feed_tiles(&w, 0, r->rows);
        return;
    }
    feed_tiles(&w, 0, first);
    compare_rows(&w, first);
}
