#include <assert.h>
#include <string.h>

#include "base/util.h"
#include "kernel/topk/topk_state.h"

/*
 * Feeds many adjacent sequences in the order of memory: rows are compared with a row of bounds, one
 * for each column, and the few candidates are appended to their columns' buffers. Rows that are not
 * contiguous are compared several at once, as the processor then loads from all of them.
 */

/* bench_topk: */
enum {
    WORDS = 16, /* compared at once: {100000,100} axis 0, Xeon (AMX), 32: 1.08 */
    APART = 8,  /* rows that are not contiguous: {10000,1000} axis 0, Zen 3, 1: 1.2 to 1.4 */
};

struct rows_walk {
    const struct topk_rows *r;
    struct topk_order order;
    bool one;                  /* k = 1 */
    struct topk_bounds bounds; /* of the first column */
    size_t rows, columns;      /* of a block */
    uint64_t words[WORDS];     /* of compared rows: a bit for each candidate */
    uint32_t hits[WORDS + 1];  /* the numbers of nonzero words */
};

uint64_t topk_scan_rows_scratch(unsigned width_log2, uint64_t columns)
{
    return (TOPK_COLUMNS_MIN + columns) << width_log2;
}

static struct topk_state *state_of(const struct topk_rows *r, size_t column)
{
    return (struct topk_state *)((char *)r->states + column * r->state_bytes);
}

/* Finds the nonzero words, without a branch, which would be hard to predict. */
static size_t find_hits(struct rows_walk *w, size_t words)
{
    size_t n = 0;

    for (size_t i = 0; i < words; i++) {
        w->hits[n] = (uint32_t)i;
        n += w->words[i] != 0;
    }
    return n;
}

/* Appends a candidate to its column's buffer, or replaces the only one, unless an earlier one
 * lowered the bound meanwhile. */
INLINE void append(struct rows_walk *w, size_t column, uint64_t bits, uint64_t row,
                   unsigned width_log2)
{
    struct topk_state *s = state_of(w->r, column);
    struct topk_filter *f = &s->filter;
    int64_t key = topk_signed_key(topk_key(bits, width_log2, w->order), width_log2);
    size_t at = w->one ? 0 : f->count;

    if (key >= f->threshold)
        return;
    element_set(f->keys, at, width_log2, (uint64_t)key);
    f->index[at] = (uint32_t)(s->fed + row);
    f->count = at + 1;
    if (f->count < f->capacity)
        return;
    if (w->one)
        topk_set_threshold(s, width_log2, w->order, key);
    else
        topk_scan_make_room(s);
    element_set(w->bounds.of, column, width_log2, (uint64_t)f->bound);
}

/* Feeds a block that begins at a row and a column. */
INLINE void feed_block(struct rows_walk *w, size_t row, size_t column, unsigned width_log2)
{
    struct topk_bounds b = w->bounds;
    const char *src = (const char *)w->r->src + row * b.row_bytes;
    size_t rows = u64_min(w->rows, w->r->rows - row), row_words, n;

    b.n = u64_min(w->columns, w->r->columns - column);
    b.of = (char *)b.of + (column << width_log2);
    row_words = u64_ceil_div(b.n, 64);
    state_of(w->r, 0)->loops->compare(w->words, src + (column << width_log2), rows, &b);
    n = find_hits(w, rows * row_words);
    for (size_t i = 0, first = 0; i < n; i++) {
        for (; w->hits[i] >= first + row_words; first += row_words, row++)
            src += b.row_bytes;
        for (uint64_t lanes = w->words[w->hits[i]]; lanes; lanes &= lanes - 1) {
            size_t j = column + (w->hits[i] - first) * 64 + (size_t)__builtin_ctzll(lanes);

            append(w, j, element_get(src, j, width_log2), row, width_log2);
        }
    }
}

void topk_scan_feed_rows(const struct topk_rows *r)
{
    const struct topk_state *first = r->states;
    unsigned width_log2 = first->job.width_log2;
    bool apart = r->row_step > r->columns;
    struct rows_walk w = {
        .r = r,
        .order = first->job.order,
        .one = first->job.k == 1,
        .bounds = { .row_bytes = r->row_step << width_log2,
                    .of = (char *)r->scratch + (TOPK_COLUMNS_MIN << width_log2),
                    .map = &first->filter.map,
                    .ahead = first->filter.ahead },
        .columns = u64_min(r->columns, 64 * (apart ? WORDS / APART : WORDS)),
    };

    assert(r->row_step >= r->columns);
    w.rows = WORDS / u64_ceil_div(w.columns, 64);
    if (apart && first->job.prefetch != PREFETCH_NONE)
        w.bounds.ahead = u64_max(w.rows, SCAN_AHEAD / w.bounds.row_bytes) * w.bounds.row_bytes;
    for (size_t j = 0; j < r->columns; j++)
        element_set(w.bounds.of, j, width_log2, (uint64_t)state_of(r, j)->filter.bound);
    for (size_t row = 0; row < r->rows; row += w.rows) {
        for (size_t column = 0; column < r->columns; column += w.columns)
            WITH_WIDTH(feed_block, width_log2, &w, row, column);
    }
    for (size_t j = 0; j < r->columns; j++) {
        state_of(r, j)->fed += r->rows;
        state_of(r, j)->work += r->rows;
    }
}
