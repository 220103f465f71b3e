#ifndef DMLOP_KERNEL_TOPK_TOPK_WALK_H
#define DMLOP_KERNEL_TOPK_TOPK_WALK_H

#include "kernel/topk/topk_state.h"

/*
 * Private to topk_walk.c and topk_rows.c: a walk over the rows of many selections at once, whose
 * sequences lie side by side. Rows are fed to one selection after the other, by tiles that are
 * transposed, or compared with a row of thresholds, in the order of memory: then few elements are
 * candidates. These are a column's entries at first: for small k they replace one another at once,
 * else they go to the selections' buffers, some together.
 */

enum { WALK_TILE_BYTES = 1 << 18 };

/* Keys are those of topk_key here. */
struct topk_walk {
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
    uint64_t base;              /* the index of row 0 */
    size_t entered;             /* the row before which comparing began */
    size_t capacity;            /* of a buffer */
    char *firsts;               /* WALK_TILE_BYTES */
    char *tile;                 /* WALK_TILE_BYTES and a cache line for each column */
};

/* Words that have a bit for each column. */
static inline size_t topk_walk_words(size_t columns) { return (columns + 63) / 64; }

/* The selection of a column. */
static inline struct topk_state *topk_walk_state(const struct topk_walk *w, size_t column)
{
    return (struct topk_state *)((char *)w->r->states + column * w->r->state_bytes);
}

/* Element (row, column). */
static inline const char *topk_walk_at(const struct topk_walk *w, size_t row, size_t column)
{
    return (const char *)w->r->src + ((row * w->r->row_step + column) << w->width_log2);
}

/* Bytes of r's scratch that a walk needs. */
size_t topk_walk_scratch(unsigned width_log2, size_t columns);

/* A walk over rows, which must outlive it. */
struct topk_walk topk_walk_of(const struct topk_rows *r);

/* Feeds rows first..last-1 tile by tile. Not while rows are compared. */
void topk_walk_feed(struct topk_walk *w, size_t first, size_t last);

/* Begins to compare rows from this one on, or ends it before this one. Every selection has a
 * threshold, which becomes as low as can be; before and after, its buffer has all candidates. */
void topk_walk_enter(struct topk_walk *w, size_t row);
void topk_walk_leave(struct topk_walk *w, size_t row);

/* Begins anew for n columns while rows are compared: these have been fed what all others have.
 * topk_walk_set_bounds is to follow. */
void topk_walk_enter_again(struct topk_walk *w, size_t first, size_t n);

/* Takes over the selections' thresholds while rows are compared. */
void topk_walk_set_bounds(struct topk_walk *w);

/* Compares rows with the bounds, some at once, until `last` or until candidates are too many;
 * returns the row after. wary: stops before rows that are mostly candidates. */
size_t topk_walk_scan(struct topk_walk *w, size_t first, size_t last, bool wary);

/* Whether a column that is compared has so many candidates, k at most. */
bool topk_walk_has(const struct topk_walk *w, size_t column, size_t candidates);

#endif
