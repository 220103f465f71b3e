#include <assert.h>
#include <string.h>

#include "base/util.h"
#include "kernel/topk/topk_state.h"

/*
 * Feeds many adjacent sequences row by row, in the order of memory: each row is compared with a row
 * of bounds, one for each column, and the few candidates are appended to their columns' buffers.
 */

enum {
    WORDS = 16, /* compared at once: bench_topk, {100000,100} axis 0, Xeon (AMX), 32: 1.08 */
};

struct rows_walk {
    const struct topk_rows *r;
    struct topk_order order;
    struct topk_bounds bounds;
    size_t row_words;
    uint64_t *words; /* of compared rows: a bit for each candidate */
    uint32_t *hits;  /* the numbers of nonzero words */
};

/* The parts of scratch: offsets in bytes. */
struct rows_layout {
    uint64_t words, hits, bounds, end;
};

static struct rows_layout lay_out(unsigned width_log2, uint64_t columns)
{
    uint64_t words = u64_max(u64_ceil_div(columns, 64), WORDS);
    struct rows_layout l = { .hits = words * sizeof(uint64_t) };

    l.bounds = l.hits + (words + 1) * sizeof(uint32_t) + ((uint64_t)TOPK_COLUMNS_MIN << width_log2);
    l.bounds = u64_round_up(l.bounds, CACHE_LINE);
    l.end = l.bounds + (columns << width_log2);
    return l;
}

uint64_t topk_scan_rows_scratch(unsigned width_log2, uint64_t columns)
{
    return lay_out(width_log2, columns).end;
}

static struct topk_state *state_of(const struct topk_rows *r, size_t column)
{
    return (struct topk_state *)((char *)r->states + column * r->state_bytes);
}

/* Finds the nonzero words, without a branch, which would be hard to predict. */
static size_t find_hits(const struct rows_walk *w, size_t words)
{
    size_t n = 0;

    for (size_t i = 0; i < words; i++) {
        w->hits[n] = (uint32_t)i;
        n += w->words[i] != 0;
    }
    return n;
}

/* Appends a candidate to its column's buffer unless an earlier one lowered the bound meanwhile. */
INLINE void append(struct rows_walk *w, size_t column, uint64_t bits, uint64_t row,
                   unsigned width_log2)
{
    struct topk_state *s = state_of(w->r, column);
    struct topk_filter *f = &s->filter;
    uint64_t key = topk_key(bits, width_log2, w->order) ^ topk_sign(width_log2);
    unsigned unused = 64 - (8u << width_log2);

    if ((int64_t)(key << unused) >> unused >= f->threshold)
        return;
    element_set(f->keys, f->count, width_log2, key);
    f->index[f->count++] = (uint32_t)(s->fed + row);
    if (f->count < f->capacity)
        return;
    topk_scan_make_room(s);
    element_set(w->bounds.of, column, width_log2, (uint64_t)f->bound);
}

/* Appends the candidates in n nonzero words of rows from `row` on. */
INLINE void append_all(struct rows_walk *w, size_t n, const char *src, uint64_t row,
                       unsigned width_log2)
{
    for (size_t i = 0, first = 0; i < n; i++) {
        for (; w->hits[i] >= first + w->row_words; first += w->row_words, row++)
            src += w->bounds.row_bytes;
        for (uint64_t lanes = w->words[w->hits[i]]; lanes; lanes &= lanes - 1) {
            size_t column = (w->hits[i] - first) * 64 + (size_t)__builtin_ctzll(lanes);

            append(w, column, element_get(src, column, width_log2), row, width_log2);
        }
    }
}

/* The prefetch distance: contiguous rows are one stream, others are prefetched rows ahead. */
static size_t distance(const struct topk_rows *r, const struct topk_state *s)
{
    size_t row_bytes = r->columns << s->job.width_log2;

    if (r->row_step == r->columns || s->job.prefetch == PREFETCH_NONE)
        return s->filter.ahead;
    return u64_max(1, SCAN_AHEAD / row_bytes) * (r->row_step << s->job.width_log2);
}

void topk_scan_feed_rows(const struct topk_rows *r)
{
    const struct topk_state *first = r->states;
    unsigned width_log2 = first->job.width_log2;
    struct rows_layout l = lay_out(width_log2, r->columns);
    char *at = r->scratch;
    struct rows_walk w = {
        .r = r,
        .order = first->job.order,
        .bounds = { .n = r->columns,
                    .row_bytes = r->row_step << width_log2,
                    .of = at + l.bounds,
                    .map = &first->filter.map,
                    .ahead = distance(r, first) },
        .row_words = u64_ceil_div(r->columns, 64),
        .words = (uint64_t *)(void *)(at + l.words),
        .hits = (uint32_t *)(void *)(at + l.hits),
    };
    size_t at_once = u64_max(WORDS / w.row_words, 1);

    assert(r->row_step >= r->columns);
    for (size_t j = 0; j < r->columns; j++)
        element_set(w.bounds.of, j, width_log2, (uint64_t)state_of(r, j)->filter.bound);
    for (size_t row = 0, some; row < r->rows; row += some) {
        const char *src = (const char *)r->src + row * w.bounds.row_bytes;

        some = u64_min(at_once, r->rows - row);
        first->loops->compare(w.words, src, some, &w.bounds);
        WITH_WIDTH(append_all, width_log2, &w, find_hits(&w, some * w.row_words), src, row);
    }
    for (size_t j = 0; j < r->columns; j++) {
        state_of(r, j)->fed += r->rows;
        state_of(r, j)->work += r->rows;
    }
}
