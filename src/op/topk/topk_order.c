#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/util.h"
#include "op/topk/topk_order.h"

OPTIMIZE_LOOPS

/*
 * The one ordering of candidates. A few are counted: how many are below each is its rank. Of many
 * that are in order already, or in strictly reverse order, nothing is moved; others are sorted.
 */

enum {
    RUN = 1 << 13, /* entries of a run that one thread writes at once */
    AT_ONCE = 256, /* entries of it between making and writing them */
    SHORT = 4,     /* bits at the end of keys that may be left out of 16 */
    LEARN = 8,     /* sequences that a guess follows, about: bench_topk, Zen 4, {1000,10000}, 2
                      and 4 are no faster */
};

/* Candidate i of a part. */
INLINE struct topk_entry candidate(const struct topk_ordering *w, size_t part, size_t i,
                                   unsigned width_log2)
{
    const struct topk_list *list = topk_list_of(w, part);

    return (struct topk_entry){ topk_list_key(list, i, width_log2),
                                part * w->plan->part_rows + (list->index ? list->index[i] : i) };
}

void topk_each(struct topk_ordering *w, size_t chunks,
                 void (*body)(void *context, size_t chunk, int thread))
{
    if (w->sorter->threads > 1)
        parallel_for(chunks, w->sorter->threads, body, w);
    for (size_t i = 0; w->sorter->threads == 1 && i < chunks; i++)
        body(w, i, 0);
}

/* Whether all lists are runs that go on from one to the next; sets where each starts. */
static bool find_run(struct topk_ordering *w)
{
    const struct topk_plan *p = w->plan;
    uint64_t *starts = w->sorter->starts;
    const struct topk_list *before = NULL;
    bool up = true, down = true;

    starts[0] = 0;
    w->whole = true;
    for (size_t i = 0; i < p->parts; i++) {
        const struct topk_list *list = topk_list_of(w, i);
        bool one = list->count == 1;

        starts[i + 1] = starts[i] + list->count;
        w->whole = w->whole && !list->index;
        if (list->count == 0)
            continue;
        up =
            up && list->run && (one || !list->reversed) && (!before || before->most <= list->least);
        down =
            down && list->run && (one || list->reversed) && (!before || before->least > list->most);
        before = list;
    }
    w->reversed = !up;
    return up || down;
}

/* Writes n entries of a run of candidates, from `rank` on. */
INLINE void write_candidates(const struct topk_ordering *w, uint64_t rank, uint64_t n,
                             unsigned width_log2)
{
    const struct topk_plan *p = w->plan;
    const uint64_t *starts = w->sorter->starts;
    uint64_t total = starts[p->parts];
    struct topk_entry entries[AT_ONCE];
    size_t part = 0;

    for (uint64_t i = 0; i < n; i += AT_ONCE) {
        size_t some = u64_min(n - i, AT_ONCE);

        for (size_t j = 0; j < some; j++) {
            uint64_t number = w->reversed ? total - 1 - (rank + i + j) : rank + i + j;

            while (number < starts[part])
                part--;
            while (number >= starts[part + 1])
                part++;
            entries[j] = candidate(w, part, number - starts[part], width_log2);
        }
        topk_write(p, w->strip, w->column, rank + i, entries, true, some);
    }
}

static void write_run(void *context, size_t chunk, int thread)
{
    const struct topk_ordering *w = context;
    uint64_t first = chunk * RUN, n = u64_min(RUN, w->plan->k - first);

    (void)thread;
    if (w->whole)
        topk_write_run(w->plan, w->strip, w->column, w->reversed, first, n);
    else
        WITH_WIDTH(write_candidates, w->plan->width_log2, w, first, n);
}

static void order_many(struct topk_ordering *w)
{
    w->sorter->buckets = 0;
    if (find_run(w))
        topk_each(w, u64_ceil_div(w->plan->k, RUN), write_run);
    else
        topk_sort(w);
}

/* A few candidates' keys, and where they go in order by what 16 bits hold of these. */
struct ranked {
    uint64_t keys[TOPK_FEW];
    uint16_t ranks[TOPK_FEW];
};

/* Bits of keys up to `range` that are left out, so that the others stay below UINT16_MAX. */
static unsigned left_out(uint64_t range)
{
    unsigned shift = range >> 16 ? 48 - (unsigned)__builtin_clzll(range) : 0;

    return shift + (range >> shift == UINT16_MAX);
}

/* Ranks n keys, which are from `least` to `most`. A few that come long before the others would
 * leave few bits to tell these apart: they count as equal, if of each of four pairs one comes far
 * later. */
static void rank(struct ranked *r, const struct topk_kernel *kernel, size_t n, uint64_t least,
                 uint64_t most)
{
    uint64_t usual = UINT64_MAX;
    unsigned shift = left_out(most - least);
    int16_t keys[TOPK_FEW];

    for (size_t i = 0; shift > SHORT && i < 4; i++)
        usual = u64_min(usual, u64_max(r->keys[i * n / 4], r->keys[i * n / 4 + n / 8]));
    if (usual < most && most - usual < (most - least) / 8) {
        least = most - 4 * (most - usual);
        shift = left_out(most - least);
    }
    for (size_t i = 0; i < n; i++)
        keys[i] = (int16_t)(((u64_max(r->keys[i], least) - least) >> shift) - 0x8000);
    kernel->ranks(keys, n, r->ranks);
}

/* Puts candidates in order: by 16 bits, and those that are equal by these by insertion. Zen 5,
 * {1000,10000} K = 200, half of them equal so: 0.93 of the time of ranking these once more. */
INLINE void order_ranked(const struct topk_ordering *w, struct ranked *r,
                         struct topk_entry *entries, size_t n, unsigned width_log2)
{
    uint64_t least = UINT64_MAX, most = 0;
    size_t number = 0;

    for (size_t part = 0; part < w->plan->parts; part++) {
        const struct topk_list *list = topk_list_of(w, part);

        least = u64_min(least, list->least);
        most = u64_max(most, list->most);
        for (size_t i = 0; i < list->count; i++)
            r->keys[number++] = topk_list_key(list, i, width_log2);
    }
    rank(r, w->plan->kernel, n, least, most);
    number = 0;
    for (size_t part = 0; part < w->plan->parts; part++)
        for (size_t i = 0; i < topk_list_of(w, part)->count; i++)
            entries[r->ranks[number++]] = candidate(w, part, i, width_log2);
    topk_insert(entries, n, true);
}

/* The candidates of a run as they come, or backwards. */
INLINE void collect_run(const struct topk_ordering *w, struct topk_entry *entries, size_t n,
                        unsigned width_log2)
{
    bool reversed = topk_list_of(w, 0)->reversed;

    for (size_t i = 0; i < n; i++)
        entries[reversed ? n - 1 - i : i] = candidate(w, 0, i, width_log2);
}

/* Moves a guess some way to the key of the candidate that is expected to be the last one, for a
 * single sequence says little. Where there are fewer, it lies beyond the last of them, in steps of
 * their second half. */
static void learn(const struct topk_plan *p, const struct topk_entry *entries, size_t n,
                  struct topk_guess *guess)
{
    uint64_t target = entries[u64_min(n, p->expected) - 1].key, far = topk_ones(p->width_log2);

    if (n == p->k && entries[0].key != target)
        return; /* partitioned, most likely: nothing beyond the k-th is known */
    if (n < p->expected) {
        uint64_t gap = (target - entries[n / 2].key) / (n - n / 2);

        target += u64_min(gap * (p->expected - n), far - target);
    }
    if (guess->known && target < guess->limit)
        target = guess->limit - (guess->limit - target) / LEARN;
    else if (guess->known)
        target = guess->limit + (target - guess->limit) / LEARN;
    guess->known = true;
    guess->limit = target;
}

/* Apart, so that sorting many has not its stack as well. */
__attribute__((noinline)) static void order_few(const struct topk_ordering *w, size_t n,
                                                struct topk_guess *guess)
{
    const struct topk_plan *p = w->plan;
    struct topk_entry entries[TOPK_FEW];
    struct ranked ranked;
    bool run = p->parts == 1 && topk_list_of(w, 0)->run;

    entries[0] = (struct topk_entry){ 0 }; /* gcc's analyzer does not see that it is set */
    if (run)
        WITH_WIDTH(collect_run, p->width_log2, w, entries, n);
    else
        WITH_WIDTH(order_ranked, p->width_log2, w, &ranked, entries, n);
    topk_write(p, w->strip, w->column, 0, entries, true, p->k);
    if (guess && p->expected > 0)
        learn(p, entries, n, guess);
}

void topk_order(const struct topk_plan *p, struct topk_sorter *sorter,
                const struct topk_strip *strip, uint64_t column, const struct topk_list *lists,
                struct topk_guess *guess)
{
    struct topk_ordering w = { .plan = p, .sorter = sorter, .strip = strip, .column = column,
                           .lists = lists };
    uint64_t n = 0;

    for (size_t part = 0; part < p->parts; part++)
        n += topk_list_of(&w, part)->count;
    if (n <= TOPK_FEW)
        order_few(&w, n, guess);
    else
        order_many(&w);
}

static bool sorter_init(const struct topk_plan *p, struct topk_sorter *s)
{
    uint64_t count;

    s->threads = p->shared ? p->base.threads : 1;
    s->slices = (size_t)s->threads;
    s->pairs = p->width_log2 == 3 || p->n - 1 > UINT32_MAX;
    if (!u64_mul(p->parts, topk_candidates(p->part_rows, u64_min(p->k, p->part_rows)), &s->most) ||
        !u64_add(s->most, s->slices * SORT_DUMMY, &count))
        return false;
    s->entries = mem_alloc_aligned(count, topk_entry_bytes(s->pairs));
    s->room = mem_alloc_aligned(count, topk_entry_bytes(s->pairs));
    s->starts = mem_alloc(p->parts + 1, sizeof s->starts[0]);
    s->counts = mem_alloc_aligned(s->slices + 1, SORT_PREFIXES * sizeof s->counts[0]);
    s->bucket_of = mem_alloc_aligned(SORT_PREFIXES, sizeof s->bucket_of[0]);
    return s->entries && s->room && s->starts && s->counts && s->bucket_of;
}

bool topk_sorters_new(struct topk_plan *p)
{
    bool good = true;

    if (p->parts == 1 && p->k <= TOPK_FEW)
        return true;
    p->sorters = p->shared ? 1 : (unsigned)p->base.threads;
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
