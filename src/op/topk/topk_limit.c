#include "op/topk/topk_plan.h"

/* Limits: an estimate of a key slightly above the k-th, so that most elements are rejected at once.
 * It comes from a sample of a long row, or from the rows before. If fewer than k elements are
 * within the limit, the column takes a second pass without it. */

/* Measured as those in topk.c. */
enum {
    LEARN = 8, /* rows in a moving average, which then deviates by a quarter of one row's
                  deviation, while topk_beyond allows four: {10000,1000} K = 10, 4: 1.5 */
};

uint64_t topk_limit_parts(const struct topk_task *t)
{
    return t->n / TOPK_SMALL_PART / topk_beyond(t->k);
}

void topk_limits_plan(struct topk_plan *p)
{
    const struct topk_task *t = &p->task;
    const struct topk_division *c = &p->cut;
    struct topk_limits *l = &p->limits;

    if (c->strip_columns > 1 || topk_limit_parts(t) == 0)
        return;
    if (c->shared && t->kernel->kth && t->in.axis_step == 1 && !t->in.groups.swapped)
        l->sampled = u64_min(TOPK_LARGE, t->n / TOPK_SAMPLE_PART) / CACHE_LINE * CACHE_LINE;
    else if (c->parts == 1 && c->strips > 1)
        l->expected = topk_beyond(t->k);
}

/* Samples runs of a long row. */
static void take_sample(const struct topk_plan *p, const char *row, char *sample)
{
    uint64_t run = (uint64_t)CACHE_LINE >> p->task.width_log2, runs = p->limits.sampled / run;
    uint64_t seed = topk_sample_seed(row);

    for (uint64_t i = 0; i < runs; i++) {
        uint64_t at = topk_sample_place(seed, i, p->task.n / runs, run);

        memcpy(sample + i * CACHE_LINE, row + (at << p->task.width_log2), CACHE_LINE);
    }
}

uint64_t topk_limit(const struct topk_plan *p, const struct topk_strip *strip, uint64_t worker)
{
    struct topk_guess *g = &p->limits.guesses[worker];
    char *sample = p->room.tiles + worker * p->room.worker_bytes;
    char *keys = p->room.states + worker * p->room.worker_bytes;
    uint64_t sampled = p->limits.sampled;
    struct topk_job job = topk_job_of(p, sampled);

    if (sampled == 0) {
        g->pause -= g->pause > 0;
        return g->known && g->pause == 0 ? g->limit : UINT64_MAX;
    }
    take_sample(p, strip->in, sample);
    job.k = topk_beyond(sampled * topk_beyond(p->task.k) / p->task.n);
    return p->task.kernel->kth(&job, keys, sample);
}

void topk_limit_judge(struct topk_guess *g, bool good)
{
    g->wrong = good ? 0 : g->wrong + 1;
    g->pause = good ? 0 : (UINT64_C(1) << g->wrong) + 1;
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
