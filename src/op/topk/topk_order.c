#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "op/topk/topk_plan.h"

OPTIMIZE_LOOPS

/* Sorts candidates: a few at once; many in order are written as they are; others go to
 * topk_sort.c. */

/* Finds the range of all candidates' keys, and if they are in order. */
static void survey_parts(struct topk_ordering *w)
{
    uint64_t most = 0;

    w->least = UINT64_MAX;
    for (size_t i = 0; i < w->plan->cut.parts; i++) {
        const struct topk_list *list = topk_part(w, i);

        w->falls |= list->falls || list->least < most;
        w->least = u64_min(w->least, list->least);
        most = u64_max(most, list->most);
    }
    w->bits = topk_bits_of(most - w->least);
}

/* Copies candidates `from` to `to` of all parts. */
INLINE void collect(const struct topk_ordering *w, void *entries, uint64_t from, uint64_t to,
                    unsigned width_log2)
{
    uint64_t start = 0, end;
    bool pairs = w->plan->task.pairs;

    for (size_t part = 0; start < to; start = end, part++) {
        const struct topk_list list = *topk_part(w, part);

        end = start + list.count;
        for (uint64_t i = u64_max(start, from); i < u64_min(end, to); i++)
            topk_entry_set(
                entries, i - from,
                topk_candidate(&list, part * w->plan->cut.part_rows, i - start, width_log2), pairs);
    }
}

static void write_run(void *context, size_t run, int thread)
{
    const struct topk_ordering *w = context;
    uint64_t first = run * TOPK_FEW, last = u64_min(first + TOPK_FEW, w->plan->task.k);
    struct topk_entry entries[TOPK_FEW];

    (void)thread;
    WITH_WIDTH(collect, w->plan->task.width_log2, w, entries, first, last);
    topk_write(w->plan, w->strip, w->column, first, entries, last - first);
}

/* Not inlined: sorting many does not need its stack. */
__attribute__((noinline)) static void order_few(const struct topk_ordering *w, size_t n,
                                                struct topk_guess *guess)
{
    const struct topk_plan *p = w->plan;
    struct topk_entry entries[TOPK_FEW], room[TOPK_FEW];
    const void *sorted = entries;

    WITH_WIDTH(collect, p->task.width_log2, w, entries, 0, n);
    if (w->falls)
        sorted = topk_sort_few(entries, room, n, w->least, w->bits, p->task.pairs);
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
    survey_parts(&w);
    if (n <= TOPK_FEW) {
        order_few(&w, n, p->limits.expected > 0 ? &p->limits.guesses[worker] : NULL);
        return;
    }
    w.sorter = &p->sorter[p->cut.shared ? 0 : worker];
    w.sorter->buckets = 0;
    if (w.falls)
        topk_sort(&w, n);
    else
        parallel_for(u64_ceil_div(p->task.k, TOPK_FEW), w.sorter->threads, write_run, &w);
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
    s->most_prefixes = topk_prefixes(s->most);
    s->counts = mem_alloc_aligned(parts, s->most_prefixes * sizeof s->counts[0]);
    s->bucket_of = mem_alloc_aligned(s->most_prefixes, sizeof s->bucket_of[0]);
    return s->entries && s->room && s->counts && s->bucket_of;
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
        free(p->sorter[i].counts);
        free(p->sorter[i].bucket_of);
    }
    free(p->sorter);
}
