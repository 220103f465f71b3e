#include "kernel/topk/topk_state.h"

#include <assert.h>
#include <string.h>

#include "base/util.h"

enum {
    BISECT_MAX = 1 << 14, /* keys that are searched bit by bit */
    DIGIT_BITS = 11,      /* of the search among more */
    DIGIT_COUNT = 1 << DIGIT_BITS,
    DENSE_BYTES =
        256, /* of input a candidate: with smaller, looking ahead is cheaper than compacting */
    STEPS = 1 << 13,     /* between two looks whether keys are in order yet */
    ROWS_MIN = 3,        /* of a window, for looking ahead to be worth it: bench_topk, Zen 4,
                            {10000,1000} K = 100 ascending: with 4 five times as long */
    ROWS = 16,           /* that a window has where there is room */
    FIRST_BYTES = 1 << 14, /* the first window, and with so many elements for each of k: then few
                              candidates are */
    FIRST_PER_K = 128,     /* left to compact; but not more than this, */
    FIRST_BYTES_MAX = 1 << 16, /* unless ROWS needs more */
    WINDOW_BYTES = 1 << 18,    /* stays in a cache for its second pass */
    PEEK_BYTES = 1 << 25,      /* of a window of which only the end is read ahead */
};

/* The k-th key, see find_kth. */
struct kth_key {
    int64_t key;
    size_t smaller;
};

#include "kernel/topk/topk_names.inc"

#define WIDTH 8
#include "kernel/topk/topk_width.inc"
#define WIDTH 16
#include "kernel/topk/topk_width.inc"
#define WIDTH 32
#include "kernel/topk/topk_width.inc"
#define WIDTH 64
#include "kernel/topk/topk_width.inc"

/* The first key of all, signed. */
static int64_t best_key(const struct topk_job *job)
{
    static const int64_t nan[4] = { 0, KEY_NAN_16, KEY_NAN_32, KEY_NAN_64 };

    if (job->order.kind == KIND_FLOAT && job->order.largest && !job->order.nan_last)
        return ~nan[job->width_log2];
    return -(INT64_C(1) << ((8u << job->width_log2) - 2)) * 2;
}

/* Where the parts of scratch begin, in bytes; multiples of a cache line. */
struct state_layout {
    uint64_t capacity, groups;
    uint64_t keys, index, firsts, room, end;
};

/* Whole cache lines. */
static uint64_t lines(uint64_t bytes) { return u64_round_up(bytes, CACHE_LINE); }

/* Whether anything is ever left out; else the candidates are all elements, without indices. */
static bool leaves_out(const struct topk_job *job)
{
    return topk_candidates(job->n, job->k) < job->n || job->limited ||
           (job->k < job->n && (job->exact || (job->k <= TOPK_FEW && job->n > TOPK_FEW)));
}

/* Nothing here overflows: k <= n <= 2^32. */
static struct state_layout lay_out(const struct topk_job *job)
{
    uint64_t size = UINT64_C(1) << job->width_log2, k = job->k;
    struct state_layout l = { .capacity = topk_candidates(job->n, k) };
    uint64_t pad = scan_pad(job->width_log2), search;
    bool indexed = leaves_out(job);

    l.groups = topk_scan_groups(k);
    if (l.groups * ROWS_MIN > job->n)
        l.groups = 0;
    search = u64_max(indexed ? l.capacity : 0, l.groups);
    l.keys = lines(sizeof(struct topk_state));
    l.index = l.keys + lines((l.capacity + pad) * size);
    l.firsts = l.index + (indexed ? lines((l.capacity + pad + 4) * sizeof(uint32_t)) : 0);
    l.room = l.firsts + (l.groups ? lines((l.groups + pad) * size) : 0);
    l.end = l.room + lines((search + pad) * size);
    return l;
}

uint64_t topk_scan_scratch(const struct topk_job *job) { return lay_out(job).end; }

static struct topk_mapping mapping_of(const struct topk_job *job)
{
    uint64_t sign = topk_sign(job->width_log2);
    bool negates = topk_negates(job->order), reverses = job->order.largest && !negates;

    return (struct topk_mapping){
        .negate = negates ? sign : 0,
        .flip = (job->order.kind == KIND_UNSIGNED ? sign : 0) ^
                (reverses ? topk_ones(job->width_log2) : 0),
        .before = negates    ? BEFORE_GREATER
                  : reverses ? BEFORE_GREATER_OR_NAN
                             : BEFORE_LESS,
    };
}

static void begin(struct topk_state *s, const struct topk_job *job, const struct topk_scan *loops)
{
    struct state_layout l = lay_out(job);
    char *at = (char *)s;

    *s = (struct topk_state){
        .job = *job,
        .loops = loops,
        .filter = { .keys = at + l.keys,
                    .index = (uint32_t *)(at + l.index),
                    .capacity = l.capacity,
                    .ahead = topk_scan_ahead(job),
                    .map = mapping_of(job) },
        .groups = l.groups,
        .whole = !leaves_out(job),
        .open = true,
        .best = best_key(job),
        .firsts = at + l.firsts,
        .room = at + l.room,
    };
    if (job->limited && job->limit < topk_ones(job->width_log2)) {
        s->filter.threshold = topk_signed_key(job->limit + 1, job->width_log2);
        s->filter.capacity = job->k; /* so that feeding stops when there are so many */
        s->limited = true;
        s->open = false;
        s->closed = s->filter.threshold == s->best;
    }
}

void topk_scan_begin(void *scratch, const struct topk_job *job, topk_scan_table table)
{
    assert(job->width_log2 <= 3 && 1 <= job->k && job->k <= job->n &&
           job->n <= UINT64_C(1) << TOPK_N_LOG2_MAX);
    assert((uintptr_t)scratch % CACHE_LINE == 0);
    begin(scratch, job, &table[job->width_log2][job->order.kind == KIND_FLOAT]);
}

void topk_scan_restart(struct topk_state *s)
{
    uint64_t work = s->work;
    struct topk_job job = s->job;

    begin(s, &job, s->loops);
    s->work = work;
}

void topk_scan_lower(struct topk_state *s, void *keys, size_t n, size_t rank)
{
    BY_WIDTH(lower, s->job.width_log2, s, keys, n, rank);
}

void topk_scan_compact(struct topk_state *s)
{
    BY_WIDTH(compact, s->job.width_log2, s);
}

/* Makes every element a candidate; returns how many. Where nothing will ever be left out, indices
 * go without saying. */
static size_t fill(struct topk_state *s, const void *src, size_t n)
{
    struct topk_filter *f = &s->filter;
    char *keys = (char *)f->keys + (f->count << s->job.width_log2);
    uint32_t *index = f->index + f->count;

    n = u64_min(n, f->capacity - f->count);
    s->loops->convert(keys, src, n, &f->map);
    for (size_t i = 0; !s->whole && i < n; i++)
        index[i] = (uint32_t)(s->fed + i);
    f->count += n;
    return n;
}

static bool dense(const struct topk_state *s, uint64_t elements, uint64_t candidates)
{
    return elements << s->job.width_log2 < candidates * DENSE_BYTES;
}

/* Looks ahead at n elements, as rows that lie evenly, each group being one element of every row. */
static void look_over(struct topk_state *s, const void *src, size_t n)
{
    size_t rows = n / s->groups, step = (n - s->groups) / (rows - 1);

    s->loops->firsts(s->firsts, src, s->groups, step << s->job.width_log2, rows, &s->filter.map,
                     topk_scan_ahead(&s->job));
    s->work += s->groups * rows;
    topk_scan_lower(s, s->firsts, s->groups, s->job.k);
}

/* Looks ahead at the first or the last elements of n, which hold the first k where the data are in
 * order. */
static void look_at_end(struct topk_state *s, const char *src, size_t n)
{
    size_t some = u64_round_up(s->job.k, SCAN_LANES_MAX);

    if (s->job.reversed)
        src += (n - some) << s->job.width_log2;
    s->loops->convert(s->firsts, src, some, &s->filter.map);
    topk_scan_lower(s, s->firsts, some, s->job.k);
    s->work += some;
    s->ahead = n;
    s->peeked = true;
}

/*
 * Looks ahead where that promises to pass over most of what comes. At the beginning and where a run
 * of candidates does not end, over a whole window; else over the end of one, which tells enough
 * where the data rise.
 */
static void look_ahead(struct topk_state *s, const char *src, size_t n)
{
    size_t window = u64_min(u64_max(FIRST_BYTES, (FIRST_PER_K * s->job.k) << s->job.width_log2),
                            FIRST_BYTES_MAX) >>
                    s->job.width_log2;
    size_t least = ROWS_MIN * s->groups, over;

    if (s->groups == 0 || n < least || !(s->open || (s->dense && (s->ahead == 0 || s->peeked))))
        return;
    if (s->open && s->job.run) {
        look_at_end(s, src, n);
        return;
    }
    s->peeked = !s->open && s->ahead == 0;
    if (!s->open)
        window = (size_t)(s->peeked ? PEEK_BYTES : WINDOW_BYTES) >> s->job.width_log2;
    if (s->ahead > 0)
        window = u64_min(window, s->ahead);
    window = u64_min(u64_max(window, least / ROWS_MIN * ROWS), n);
    over = s->peeked ? least : window;
    look_over(s, src + ((window - over) << s->job.width_log2), over);
    s->ahead = window;
    /* in a cache: prefetch what follows it; a run that goes on there, the processor prefetches */
    if (over == window && window << s->job.width_log2 <= FIRST_BYTES_MAX &&
        (s->job.prefetch >= PREFETCH_AHEAD ||
         (s->job.prefetch == PREFETCH_LINES && window == n)))
        s->filter.ahead = window << s->job.width_log2;
    s->dense = false;
}

/* Selects from some of n elements at src, from `first` on; returns how many. */
static size_t select_some(struct topk_state *s, const char *src, size_t first, size_t n)
{
    struct topk_filter *f = &s->filter;

    if (s->open)
        return fill(s, src + (first << s->job.width_log2), n - first);
    if (f->ahead != topk_scan_ahead(&s->job))
        n = u64_min(n, first + s->ahead); /* what is in a cache */
    return s->loops->filter(f, src, first, n, (uint32_t)(s->fed - first)) - first;
}

/* Of k candidates and more none comes after the limit: what is equal to that comes too late. */
static void end_limit(struct topk_state *s)
{
    s->filter.threshold--;
    s->filter.capacity = topk_candidates(s->job.n, s->job.k);
    s->limited = false;
    s->closed = s->filter.threshold == s->best;
}

void topk_scan_feed(void *scratch, const void *src, size_t count)
{
    struct topk_state *s = scratch;
    struct topk_filter *f = &s->filter;
    size_t at = 0;

    while (at < count && !s->closed) {
        size_t done;

        look_ahead(s, (const char *)src + (at << s->job.width_log2), count - at);
        done = select_some(s, src, at, count);
        s->work += done;
        s->fed += done;
        s->since += done;
        s->ahead -= u64_min(s->ahead, done);
        if (s->ahead == 0)
            f->ahead = topk_scan_ahead(&s->job);
        at += done;
        if (s->limited && f->count >= f->capacity)
            end_limit(s);
        if (f->count >= f->capacity && s->fed < s->job.n) {
            int64_t before = s->open ? INT64_MAX : f->threshold;
            bool many = dense(s, s->since, f->count - s->job.k);

            s->since = 0;
            topk_scan_compact(s);
            s->dense = many && f->threshold < before; /* else they were the limit's equals */
        }
    }
    s->fed += count - at;
}

/* Which steps there are between candidates, as far as there are not both. */
static unsigned find_steps(struct topk_state *s)
{
    const char *keys = s->filter.keys;
    unsigned steps = 0;

    for (size_t i = 1, n; i < s->filter.count && steps != (STEP_DOWN | STEP_OTHER); i += n) {
        n = u64_min(s->filter.count - i, STEPS);
        steps |= s->loops->steps(keys + ((i - 1) << s->job.width_log2), n);
        s->work += n;
    }
    return steps;
}

static void set_range(struct topk_state *s, struct topk_list *list)
{
    BY_WIDTH(set_range, s->job.width_log2, s, list);
}

void topk_scan_candidates(void *scratch, struct topk_list *list)
{
    struct topk_state *s = scratch;
    struct topk_filter *f = &s->filter;
    uint64_t k = s->job.k;
    unsigned steps;
    uint64_t most = s->job.exact ? k : k <= TOPK_FEW ? TOPK_FEW : topk_candidates(s->job.n, k);

    if (f->count > most && !s->whole)
        topk_scan_compact(s);
    *list = (struct topk_list){ .keys = f->keys, .index = s->whole ? NULL : f->index,
                                .count = f->count, .least = UINT64_MAX };
    steps = find_steps(s);
    list->run = steps != (STEP_DOWN | STEP_OTHER);
    list->reversed = list->run && (steps & STEP_DOWN);
    if (f->count > 0)
        set_range(s, list);
    list->work = s->work;
}
