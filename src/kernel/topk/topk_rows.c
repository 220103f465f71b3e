#include <string.h>

#include "base/util.h"
#include "kernel/topk/topk_walk.h"
#include "kernel/transpose.h"

/*
 * Feeds many selections at once. Rows are compared once each selection has a threshold: a guess, or
 * what the first rows say; where candidates are many for a while, they are fed tile by tile.
 */

enum {
    ROWS_MIN = 16,        /* of a group, for comparing them to pay, */
    FIRST_ROWS = 8,       /* and of these, that are looked at ahead for the first thresholds; */
    FEW = 4,              /* both where k is no larger, so that few candidates are inserted: */
    ROWS_MIN_FEW = 6,     /* bench_topk, Zen 5, K = 1: {400,80000} axis 0 0.46 of the time, */
    FIRST_FEW = 4,        /* {1000,40000} 0.92 */
    GUESS_LEAST = 8,      /* least k for which guesses are made: bench_topk, axis 0, {10000,1000}
                             K = 1: 0.99 of the time on a Zen 5, 1.05 on an Emerald Rapids */
    GUESS_COLUMNS = 1 << 12, /* most for which one is made; */
    GUESS_PER_K = 2,      /* candidates that it is to leave of a column, for each of k, */
    GUESS_MORE = 32,      /* and beside: enough for one that has somewhat fewer than the others */
    SAMPLED_MAX = 100,    /* rows that it is made by: of fewer it is less exact, more cost more */
    SAMPLED_MIN = 10,     /* of fewer rows thresholds are no better than without; */
    SAMPLED_MIN_FEW = 30, /* where candidates replace one another, neither are they of fewer than
                             these */
    SAMPLED_RANK = 32,    /* columns of which a candidate is sampled, for a guess to be exact */
    CHANCE = 8,           /* candidates, or pairs of them, that are no sign of anything */
    FIRST_CHECK = 8,      /* of the rows, a part after which it is looked at whether it was wrong */
    MENDED_PART = 8,      /* of the columns, a part that is done again one by one: bench_topk's
                             {10000,1000} axis 0, Zen 5, where the guess is wrong for a tenth of
                             them: 0.8 of the time of doing all again */
    WINDOW_BYTES = 1 << 26,
    PEEK_PART = 4,        /* rows of a window for one that is looked at ahead, at least */
};

/*
 * Lowers the selections' thresholds to what groups * rows rows from `first` on hold, row i of which
 * belongs to group i % groups. False where nothing was done, or not for all of them.
 */
static bool look_ahead(struct topk_walk *w, size_t first, size_t rows)
{
    size_t groups = topk_scan_groups(w->k), columns = w->r->columns;
    size_t width = u64_min((WALK_TILE_BYTES / groups) >> w->width_log2, columns),
           step = groups + (CACHE_LINE >> w->width_log2);
    bool all = true;

    if (topk_walk_state(w, 0)->groups == 0 || width < w->loops->lanes)
        return false;
    for (size_t j = 0; j < columns; j += width) {
        j = u64_min(j, columns - width); /* the last columns may come twice */
        for (size_t i = 0; i < groups; i++)
            w->loops->firsts(w->firsts + (i * width << w->width_log2),
                             topk_walk_at(w, first + i, j), width, groups * w->bounds.row_bytes,
                             rows, w->bounds.map, w->bounds.ahead);
        if (w->first_k)
            w->loops->kth(w->tile, w->firsts, width, groups, w->k);
        else
            transpose(w->tile, step, w->firsts, width, groups, width, w->width_log2);
        for (size_t i = 0; i < width; i++) {
            struct topk_state *s = topk_walk_state(w, j + i);
            uint64_t key = topk_load(w->tile, i, w->width_log2) ^ topk_sign(w->width_log2);

            if (w->first_k)
                topk_scan_lower_to(s, topk_signed_key(key, w->width_log2));
            else
                topk_scan_lower(s, w->tile + ((i * step) << w->width_log2), groups, w->k);
            all = all && !s->open;
        }
    }
    for (size_t j = 0; j < columns; j++)
        topk_walk_state(w, j)->work += groups * rows;
    return all;
}

/*
 * Whether rows from `first` on, a step apart, promise that columns have about as many candidates as
 * each other: no more pairs in one column than chance makes, nearly, and none of the rows has most
 * candidates.
 */
static bool resemble(struct topk_walk *w, size_t first, size_t step, size_t rows)
{
    size_t columns = w->r->columns, all = 0, most = 0, pairs = 0;
    struct topk_bounds bounds = w->bounds;

    bounds.ahead = 0;
    for (size_t row = 0; row < rows; row++) {
        size_t before = all;

        w->loops->compare(w->words, topk_walk_at(w, first + row * step, 0), 1, &bounds);
        for (size_t i = 0; i < topk_walk_words(columns); i++)
            for (uint64_t lanes = w->words[i]; lanes; lanes &= lanes - 1, all++)
                pairs += w->counts[i * 64 + (size_t)__builtin_ctzll(lanes)]++;
        most = u64_max(most, all - before);
    }
    /* chance makes all * all / columns / 2 pairs; an eighth more */
    return most <= 3 * all / rows + CHANCE && pairs <= 9 * all * all / (16 * columns) + CHANCE;
}

/*
 * Lowers the selections' thresholds to one that somewhat more than k elements of each column come
 * before, if these resemble each other, as a sample of the rows says. False where it says
 * otherwise, or too little. bench_topk, Zen 5, {10000,1000} axis 0: 0.82 of the time of looking
 * ahead, as half as many elements become candidates; K = 32 and 100 0.5 and 0.67.
 */
static bool guess(struct topk_walk *w)
{
    size_t columns = w->r->columns, rows = w->r->rows, row_bytes = w->bounds.row_bytes, step;
    size_t wanted = GUESS_PER_K * w->k + GUESS_MORE, sampled = u64_min(rows / wanted, SAMPLED_MAX);
    /* Of a column's sampled elements x = hits / rows, 1 at most, are to be candidates. So many
     * columns have some: 1 - exp(-x) of all, which nearly is 2x / (2 + x). */
    size_t hits = sampled * wanted, rank = 2 * hits * columns / (2 * rows + hits);
    struct topk_state *s = topk_walk_state(w, 0);

    if (w->k < GUESS_LEAST || columns > GUESS_COLUMNS || rank < SAMPLED_RANK ||
        sampled < (w->first_k ? SAMPLED_MIN_FEW : SAMPLED_MIN))
        return false;
    step = (rows / sampled - 1) | 1; /* odd: no even period hides behind it */
    w->loops->firsts(w->firsts, topk_walk_at(w, step / 2, 0), columns, step * row_bytes, sampled,
                     w->bounds.map, w->prefetch ? step * row_bytes : 0);
    topk_scan_lower(s, w->firsts, columns, rank);
    for (size_t j = 1; j < columns && !s->open; j++)
        topk_scan_lower_to(topk_walk_state(w, j), s->filter.threshold - 1);
    topk_walk_enter(w, 0);
    if (!s->open && resemble(w, step / 2, step, sampled))
        return true;
    for (size_t j = 0; j < columns; j++)
        topk_walk_state(w, j)->open = true;
    return false;
}

/* Whether a window has many rows from `row` on beside those that peek looks at. */
static bool may_peek(const struct topk_walk *w, size_t row, size_t last)
{
    return last - row >= PEEK_PART * topk_scan_groups(w->k);
}

/* Looks ahead at the last rows of a window, which lowers thresholds much where the data rise
 * towards the result's order. */
static bool peek(struct topk_walk *w, size_t last)
{
    size_t groups = topk_scan_groups(w->k);

    if (!look_ahead(w, last - groups, 1))
        return false;
    topk_walk_set_bounds(w);
    return true;
}

/* Compares rows first..last-1 with thresholds, window by window. */
static void compare_rows(struct topk_walk *w, size_t first, size_t last)
{
    size_t window = u64_max(2 * FIRST_ROWS * topk_scan_groups(w->k),
                            WINDOW_BYTES / (w->r->columns << w->width_log2));

    for (size_t row = first, end; row < last;) {
        end = u64_min(row + window, last);
        row = topk_walk_scan(w, row, end, may_peek(w, row, end));
        if (row < end && may_peek(w, row, end) && peek(w, end))
            row = topk_walk_scan(w, row, end, false);
        if (row < end) {
            topk_walk_leave(w, row);
            topk_walk_feed(w, row, end);
            row = end;
            topk_walk_enter(w, row);
        }
    }
}

/* Whether rows are so many, and so wide, that comparing them pays. */
static bool comparable(const struct topk_walk *w)
{
    return w->r->columns >= w->loops->lanes &&
           w->r->rows >= (w->k <= FEW ? ROWS_MIN_FEW : ROWS_MIN) * topk_scan_groups(w->k);
}

/* Feeds all rows, without a guess. */
static void feed(struct topk_walk *w)
{
    size_t groups = topk_scan_groups(w->k), first_rows = FIRST_ROWS, first = 0;

    if (!comparable(w)) {
        topk_walk_feed(w, 0, w->r->rows);
        return;
    }
    if (w->k <= FEW)
        first_rows = u64_min(FIRST_FEW, w->r->rows / groups - PEEK_PART);
    if (topk_walk_state(w, 0)->fed > 0 || !look_ahead(w, 0, first_rows)) {
        first = first_rows * groups;
        topk_walk_feed(w, 0, first);
    }
    topk_walk_enter(w, first);
    compare_rows(w, first, w->r->rows);
    topk_walk_leave(w, w->r->rows);
}

/* Feeds the first rows again to n columns, from which nothing is left out. */
static void feed_again(struct topk_walk *w, size_t first, size_t n, size_t rows, void *scratch)
{
    struct topk_rows some = *w->r;
    struct topk_walk again;

    some.states = topk_walk_state(w, first);
    some.columns = n;
    some.src = topk_walk_at(w, 0, first);
    some.rows = rows;
    some.scratch = scratch;
    for (size_t j = first; j < first + n; j++)
        topk_scan_restart(topk_walk_state(w, j));
    again = topk_walk_of(&some);
    feed(&again);
    topk_walk_enter_again(w, first, n);
}

/* Mends what a guess did to columns that have a smaller part of k, or less than 1, than `rows` are
 * of all rows: few columns one by one, so that others need not be read, else all. */
static void mend(struct topk_walk *w, size_t rows)
{
    size_t least = u64_max(w->k * rows / w->r->rows, 1), columns = w->r->columns, lacking = 0;
    char *room = (char *)w->r->scratch + topk_walk_scratch(w->width_log2, columns);

    for (size_t j = 0; j < columns; j++)
        lacking += !topk_walk_has(w, j, least);
    if (lacking > columns / MENDED_PART) {
        feed_again(w, 0, columns, rows, w->r->scratch);
    } else {
        for (size_t j = 0; j < columns && lacking > 0; j++)
            if (!topk_walk_has(w, j, least))
                feed_again(w, j, 1, rows, room);
    }
    if (lacking > 0)
        topk_walk_set_bounds(w);
}

/* Feeds all rows after a guess. For most columns where it leaves out too much, the first ones tell,
 * so that these cost little. */
static void feed_guessed(struct topk_walk *w)
{
    size_t rows = w->r->rows, row = 0;

    topk_walk_enter(w, 0);
    for (size_t part = FIRST_CHECK; part > 0; part /= 2) {
        compare_rows(w, row, rows / part);
        row = rows / part;
        mend(w, row);
    }
    topk_walk_leave(w, rows);
}

uint64_t topk_scan_rows_scratch(unsigned width_log2, uint64_t columns)
{
    return topk_walk_scratch(width_log2, columns) + topk_walk_scratch(width_log2, 1);
}

void topk_scan_feed_rows(const struct topk_rows *r)
{
    const struct topk_state *s = r->states;
    struct topk_walk w = topk_walk_of(r);

    if (comparable(&w) && s->open && r->rows == s->job.n && guess(&w))
        feed_guessed(&w);
    else
        feed(&w);
}
