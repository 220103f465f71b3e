#include <math.h>
#include <string.h>

#include "base/util.h"
#include "op/topk/topk_plan.h"

/*
 * Limits: an estimate of a key slightly above the k-th, so that most elements are rejected at once.
 * It comes from a sample of a long row, from a sample of a strip's rows, or from the rows before.
 * If fewer than k elements are within the limit, the column takes a second pass without it.
 */

/* Measured as those in topk.c. */
enum {
    LIMIT_PART = 4,     /* of a column k is at most: {10000,1000} K = 100, 8: 1.39 */
    SAMPLE = 1 << 14,   /* elements of a long row, at most: K = 10^5, 2^15: 1.00 */
    ROWS_SAMPLED = 128, /* of a strip, at most: {100000,100} axis 0, 256: 1.01, 64: 1.05 */
    SAMPLE_PART = 32,   /* at most one of 32: {1000,40000} axis 0 K = 10, 16: 1.03 */
    DEVIATIONS = 4,     /* from an expected rank to the limit: {10000,1000} axis 0, 3: 1.5 */
    LEARN = 8,          /* rows in a moving average: {1000,10000} K = 100, 16: 1.01 */
};

#define GOLDEN_RATIO UINT64_C(0x9e3779b9) /* its fraction, times 2^32 */

/* A rank that an element of an expected rank hardly exceeds; 2 more, as small ranks deviate more.
 * beyond(k): elements within a limit. */
static uint64_t beyond(uint64_t rank)
{
    return rank + (uint64_t)((double)DEVIATIONS * sqrt((double)rank)) + 2;
}

bool topk_limit_pays(const struct topk_task *t, uint64_t n)
{
    return beyond(t->k) <= n / LIMIT_PART;
}

void topk_limits_plan(struct topk_plan *p)
{
    const struct topk_task *t = &p->task;
    const struct topk_division *c = &p->cut;
    struct topk_limits *l = &p->limits;

    if (!topk_limit_pays(t, t->n))
        return;
    if (c->by_rows) {
        l->sampled = c->strip_columns * u64_min(ROWS_SAMPLED, t->n / SAMPLE_PART);
    } else if (c->strip_columns > 1) {
        return;
    } else if (c->shared && t->in.axis_step == 1 && !t->in.groups.swapped) {
        l->sampled = u64_min(SAMPLE, t->n / SAMPLE_PART) / CACHE_LINE * CACHE_LINE;
    } else if (c->parts == 1 && c->strips > 1) {
        l->expected = beyond(t->k);
    }
}

/* Selects the limit's key from a sample of n elements or, in place, n rows. */
static struct topk_job sample_job(const struct topk_plan *p, uint64_t sampled, uint64_t n)
{
    struct topk_job job = topk_job_of(p, sampled);

    job.k = u64_min(beyond(sampled * beyond(p->task.k) / n), sampled);
    job.exact = true;
    return job;
}

uint64_t topk_sample_scratch(const struct topk_plan *p)
{
    struct topk_job job = sample_job(p, p->limits.sampled, LIMIT_PART * beyond(p->task.k));

    return p->task.kernel->scratch(&job);
}

/* Samples runs among n elements of a long row or among n rows of a strip, from `first` on, at
 * nearly even distances, each moved by an amount that has no period in common with the data.
 * Returns their distance. */
static uint64_t take_sample(const struct topk_plan *p, const struct topk_strip *strip, char *sample,
                            uint64_t run, uint64_t runs, uint64_t first, uint64_t n)
{
    const struct topk_task *t = &p->task;
    uint64_t length = p->cut.by_rows ? 1 : run; /* along the axis */
    uint64_t step = n / runs;

    for (uint64_t i = 0; i < runs; i++) {
        uint64_t moved = ((i + 1) * GOLDEN_RATIO & UINT32_MAX) * (step - length + 1) >> 32;
        int64_t at = (int64_t)(first + i * step + moved);

        memcpy(sample + (i * run << t->width_log2),
               strip->in + at * t->in.axis_step * (INT64_C(1) << t->width_log2),
               run << t->width_log2);
    }
    return step;
}

bool topk_limit_sample(const struct topk_plan *p, const struct topk_strip *strip, uint64_t worker,
                       uint64_t *limit)
{
    const struct topk_kernel *kernel = p->task.kernel;
    char *sample = p->room.tiles + worker * p->room.tile_bytes;
    char *state = p->room.states + worker * p->room.worker_bytes;
    bool by_rows = p->cut.by_rows;
    uint64_t run = by_rows ? strip->columns : (uint64_t)CACHE_LINE >> p->task.width_log2;
    uint64_t runs = p->limits.sampled / (by_rows ? p->cut.strip_columns : run);
    uint64_t first = 0, n = p->task.n, row;
    struct topk_list list;
    bool found = false;

    if (p->limits.sampled == 0)
        return false;
    do { /* if the rows are in order, again near the only one that has candidates */
        struct topk_job job = sample_job(p, runs * run, n);

        if (job.k >= job.n) /* few columns: the sample is too small to predict anything */
            break;
        n = take_sample(p, strip, sample, run, runs, first, n);
        kernel->begin(state, &job);
        kernel->feed(state, sample, job.n);
        kernel->candidates(state, &list);
        *limit = list.most;
        found = true;
        row = list.index[0] / run;
        first += row * n;
    } while (by_rows && row == list.index[list.count - 1] / run && 1 < runs && runs <= n &&
             topk_limit_pays(&p->task, n));
    return found;
}

bool topk_limit_guess(struct topk_guess *g, uint64_t *limit)
{
    *limit = g->limit;
    if (g->pause == 0)
        return g->known;
    g->pause--;
    return false;
}

void topk_limit_judge(struct topk_guess *g, bool good)
{
    g->wrong = good ? 0 : g->wrong + 1;
    g->pause = good ? 0 : UINT64_C(1) << g->wrong;
}

void topk_limit_learn(const struct topk_plan *p, struct topk_guess *g, const void *entries,
                      uint64_t n)
{
    uint64_t last = u64_min(n, p->limits.expected) - 1, most = topk_ones(p->task.width_log2);
    uint64_t target = topk_entry_get(entries, last, p->task.pairs).key;

    if (n < p->limits.expected) { /* extrapolate from the second half */
        uint64_t gap = target - topk_entry_get(entries, n / 2, p->task.pairs).key;

        target += u64_min(gap / (n - n / 2) * (p->limits.expected - n), most - target);
    }
    /* a moving average: the rank of a single row's key varies */
    if (g->known && target > g->limit)
        target = g->limit + (target - g->limit) / LEARN;
    else if (g->known)
        target = g->limit - (g->limit - target) / LEARN;
    g->limit = target;
    g->known = true;
}
