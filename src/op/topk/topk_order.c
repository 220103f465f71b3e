#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "op/topk/topk_order.h"

OPTIMIZE_LOOPS

/* Sorts candidates: a few at once; many in order, or in strictly reverse order, are written as they
 * are; others go to topk_sort.c. */

/* Finds if all candidates are in order, or in strictly reverse order. Sets starts and w->whole. */
static void find_order(struct topk_ordering *w, bool *up, bool *down)
{
    const struct topk_list *before = NULL;

    *up = *down = false;
    w->whole = true;
    w->sorter->starts[0] = 0;
    for (size_t i = 0; i < w->plan->cut.parts; i++) {
        const struct topk_list *list = topk_part(w, i);

        w->sorter->starts[i + 1] = w->sorter->starts[i] + list->count;
        w->whole = w->whole && !list->index;
        if (list->count == 0)
            continue;
        *up |= list->up || (before && before->least <= list->most);
        *down |= list->down || (before && before->most > list->least);
        before = list;
    }
}

/* Writes n candidates that are in order, or reversed, from `rank` on. */
INLINE void write_candidates(const struct topk_ordering *w, uint64_t rank, uint64_t n,
                             bool reversed, unsigned width_log2)
{
    const struct topk_plan *p = w->plan;
    const uint64_t *starts = w->sorter->starts;
    struct topk_entry entries[TOPK_FEW];
    const struct topk_list *list;
    bool pairs = p->task.pairs;
    size_t part = 0;

    for (uint64_t i = 0, some, first; i < n; i += some) {
        uint64_t at = reversed ? starts[p->cut.parts] - 1 - (rank + i) : rank + i;

        for (part = reversed ? p->cut.parts - 1 : part; at < starts[part];)
            part--;
        while (at >= starts[part + 1])
            part++;
        some = u64_min(n - i, TOPK_FEW);
        some = u64_min(some, reversed ? at + 1 - starts[part] : starts[part + 1] - at);
        at -= starts[part];
        list = topk_part(w, part);
        first = part * p->cut.part_rows;
        for (size_t j = 0; j < some; j++)
            topk_entry_set(entries, j,
                           topk_candidate(list, first, reversed ? at - j : at + j, width_log2),
                           pairs);
        topk_write(p, w->strip, w->column, rank + i, entries, some);
    }
}

/* Entries in order that one thread writes at once. */
static uint64_t run_length(const struct topk_ordering *w)
{
    return u64_max(TOPK_FEW,
                   u64_ceil_div(w->plan->task.k, (uint64_t)w->sorter->threads * TOPK_CHUNKS));
}

static void write_run(void *context, size_t chunk, int thread)
{
    const struct topk_ordering *w = context;
    uint64_t run = run_length(w), first = chunk * run, n = u64_min(run, w->plan->task.k - first);

    (void)thread;
    if (w->whole)
        topk_copy(w->plan, w->strip, w->column, first, n, w->reversed);
    else
        WITH_WIDTH(write_candidates, w->plan->task.width_log2, w, first, n, w->reversed);
}

static void order_many(struct topk_ordering *w)
{
    bool up, down;

    find_order(w, &up, &down);
    w->reversed = down;
    w->sorter->buckets = 0;
    if (up && down)
        topk_sort(w);
    else
        parallel_for(u64_ceil_div(w->plan->task.k, run_length(w)), w->sorter->threads, write_run,
                     w);
}

INLINE void collect(const struct topk_ordering *w, void *entries, size_t n, bool reversed,
                    unsigned width_log2)
{
    size_t at = reversed ? n - 1 : 0, step = reversed ? SIZE_MAX : 1;
    bool pairs = w->plan->task.pairs;

    for (size_t part = 0; part < w->plan->cut.parts; part++) {
        const struct topk_list list = *topk_part(w, part);
        uint64_t first = part * w->plan->cut.part_rows;

        for (size_t i = 0; i < list.count; i++, at += step)
            topk_entry_set(entries, at, topk_candidate(&list, first, i, width_log2), pairs);
    }
}

/* Not inlined: sorting many does not need its stack. */
__attribute__((noinline)) static void order_few(const struct topk_ordering *w, size_t n,
                                                struct topk_guess *guess)
{
    const struct topk_plan *p = w->plan;
    struct topk_entry entries[TOPK_FEW], room[TOPK_FEW];
    uint64_t least;
    unsigned bits = topk_key_range(w, &least);
    bool one = p->cut.parts == 1, reversed = one && !w->lists->up;
    const void *sorted = entries;

    WITH_WIDTH(collect, p->task.width_log2, w, entries, n, reversed);
    if (!one || (w->lists->up && w->lists->down))
        sorted = topk_sort_few(entries, room, n, least, bits, p->task.pairs);
    topk_write(p, w->strip, w->column, 0, sorted, p->task.k);
    if (guess)
        topk_limit_learn(p, guess, sorted, n);
}

void topk_order(const struct topk_plan *p, uint64_t worker, const struct topk_strip *strip,
                uint64_t column, const struct topk_list *lists)
{
    struct topk_ordering w = { .plan = p, .strip = strip, .column = column, .lists = lists };
    uint64_t n = 0;

    for (size_t part = 0; part < p->cut.parts; part++)
        n += topk_part(&w, part)->count;
    if (n <= TOPK_FEW)
        order_few(&w, n, p->limits.expected > 0 ? &p->limits.guesses[worker] : NULL);
    else {
        w.sorter = &p->sorter[p->cut.shared ? 0 : worker];
        order_many(&w);
    }
}

static bool sorter_init(const struct topk_plan *p, struct topk_sorter *s)
{
    uint64_t parts = p->cut.parts, rows = p->cut.part_rows;
    size_t bytes = topk_entry_bytes(p->task.pairs);

    s->threads = p->cut.shared ? p->base.threads : 1;
    if (!u64_mul(parts, topk_candidates(rows, u64_min(p->task.k, rows)), &s->most))
        return false;
    s->entries = mem_alloc_aligned(s->most, bytes);
    s->room = mem_alloc_aligned(s->most, bytes);
    s->starts = mem_alloc(parts + 1, sizeof s->starts[0]);
    s->most_prefixes = topk_prefixes(s->most);
    s->counts = mem_alloc_aligned(parts, s->most_prefixes * sizeof s->counts[0]);
    s->bucket_of = mem_alloc_aligned(s->most_prefixes, sizeof s->bucket_of[0]);
    return s->entries && s->room && s->starts && s->counts && s->bucket_of;
}

bool topk_sorters_new(struct topk_plan *p)
{
    bool good = true;

    if (p->cut.parts == 1 && topk_candidates(p->task.n, p->task.k) <= TOPK_FEW)
        return true;
    p->sorters = p->cut.shared ? 1 : (unsigned)p->base.threads;
    p->sorter = mem_zalloc(p->sorters, sizeof *p->sorter);
    for (unsigned i = 0; p->sorter && i < p->sorters; i++)
        good = good && sorter_init(p, &p->sorter[i]);
    return p->sorter && good;
}

void topk_sorters_free(struct topk_plan *p)
{
    for (unsigned i = 0; p->sorter && i < p->sorters; i++) {
        free(p->sorter[i].entries);
        free(p->sorter[i].room);
        free(p->sorter[i].starts);
        free(p->sorter[i].counts);
        free(p->sorter[i].bucket_of);
    }
    free(p->sorter);
}
