#include <string.h>

#include "base/parallel.h"
#include "base/util.h"
#include "kernel/transpose.h"
#include "op/topk/topk_plan.h"

/*
 * Runs a plan: strips whole, each by one thread, or a strip in parts by all threads. What a sample
 * or the sequences before say of the k-th key limits a selection; where that leaves fewer than k
 * candidates, all is selected again without a limit.
 */

enum {
    RUN_BYTES = 16,          /* of the sample that lie side by side */
    TRUST = 16, /* sequences that a wrong guess costs: bench_topk, Zen 5, {1000,10000} ascending, 4
                   take up to 1.09 times as long, 64 no less */
    TRUST_LEAST = -256, /* after so many sequences another guess is tried, whatever came before */
    WRONG_MAX = 4, /* times that the cost doubles */
};

#define GOLDEN_RATIO UINT64_C(0x9e3779b9) /* its fraction, times 2^32 */

/* Where a strip lies in memory, by its number in 0..strips-1. */
static struct topk_strip locate(const struct topk_plan *p, uint64_t number)
{
    uint64_t per_group = u64_ceil_div(p->columns, p->strip_columns);
    uint64_t first = number % per_group * p->strip_columns, group[TENSOR_MAX_RANK];
    struct topk_strip strip = { .columns = u64_min(p->strip_columns, p->columns - first) };
    const struct topk_view *views[] = { &p->in, &p->values, &p->indices };
    char **at[] = { &strip.in, &strip.values, &strip.indices };

    tensor_coordinate(p->in.groups.rank, p->in.groups.sizes, number / per_group, group);
    for (unsigned i = 0; i < ARRAY_LEN(views); i++)
        *at[i] = (char *)tensor_at(&views[i]->groups, group) +
                 (int64_t)first * views[i]->column_step *
                     (int64_t)dtype_size(views[i]->groups.type);
    return strip;
}

/* Copies elements that lie step_bytes apart to contiguous ones. */
INLINE void gather(char *dst, const char *src, int64_t step_bytes, uint64_t n, unsigned width_log2)
{
    for (uint64_t i = 0; i < n; i++, src += step_bytes)
        memcpy(dst + (i << width_log2), src, (size_t)1 << width_log2);
}

/* Copies rows x columns elements at src into a tile, column by column, in native byte order. */
static void fill_tile(const struct topk_plan *p, char *tile, const char *src, uint64_t rows,
                      uint64_t columns)
{
    size_t column_bytes = p->tile_step << p->width_log2;

    if (columns > 1 && p->in.column_step == 1)
        transpose(tile, p->tile_step, src, (size_t)p->in.axis_step, rows, columns, p->width_log2);
    else
        for (uint64_t j = 0; j < columns; j++)
            WITH_WIDTH(gather, p->width_log2, tile + j * column_bytes,
                       src + (((int64_t)j * p->in.column_step) << p->width_log2),
                       p->in.axis_step * (INT64_C(1) << p->width_log2), rows);
    for (uint64_t j = 0; p->in.groups.swapped && j < columns; j++)
        tensor_swap_bytes(tile + j * column_bytes, (size_t)1 << p->width_log2, rows);
}

/* The first selection of a worker, and its lists. */
static char *states_of(const struct topk_plan *p, uint64_t worker)
{
    return p->states + worker * p->selections * p->state_bytes;
}
static struct topk_list *lists_of(const struct topk_plan *p, uint64_t worker)
{
    return p->lists + worker * p->selections;
}

struct topk_job topk_job_of(const struct topk_plan *p, uint64_t n)
{
    return (struct topk_job){ .order = p->order, .width_log2 = p->width_log2, .n = n,
                              .k = u64_min(p->k, n), .prefetch = p->prefetch };
}

/* Begins the selections of some columns. */
static void begin(const struct topk_plan *p, uint64_t columns, const struct topk_job *job,
                  char *states)
{
    for (uint64_t j = 0; j < columns; j++)
        p->kernel->begin(states + j * p->state_bytes, job);
}

/* Feeds rows first..last-1 of a strip to its selections, by means of the worker's tile. */
static void feed(const struct topk_plan *p, const struct topk_strip *strip, uint64_t first,
                 uint64_t last, char *states, uint64_t worker)
{
    char *tile = p->tiles + worker * p->tile_bytes;
    int64_t row_bytes = p->in.axis_step * (int64_t)dtype_size(p->in.groups.type);
    uint64_t step = p->tile_rows ? p->tile_rows : last - first;

    if (p->by_rows) {
        struct topk_rows rows = { states,
                                  p->state_bytes,
                                  strip->columns,
                                  strip->in + (int64_t)first * row_bytes,
                                  (size_t)p->in.axis_step,
                                  last - first,
                                  tile };

        p->kernel->feed_rows(&rows);
        return;
    }
    for (uint64_t row = first; row < last; row += step) {
        uint64_t rows = u64_min(step, last - row);
        const char *src = strip->in + (int64_t)row * row_bytes;

        if (p->tile_rows)
            fill_tile(p, tile, src, rows, strip->columns);
        for (uint64_t j = 0; j < strip->columns; j++)
            p->kernel->feed(states + j * p->state_bytes,
                            p->tile_rows ? tile + ((j * p->tile_step) << p->width_log2) : src,
                            rows);
    }
}

/* Makes lists of what the selections of some columns have. */
static void list_candidates(const struct topk_plan *p, uint64_t columns, char *states,
                            struct topk_list *lists)
{
    for (uint64_t j = 0; j < columns; j++)
        p->kernel->candidates(states + j * p->state_bytes, &lists[j]);
}

static struct topk_sorter *sorter_of(const struct topk_plan *p, int thread)
{
    return p->sorters > 0 ? &p->sorter[p->shared ? 0 : thread] : NULL;
}

/*
 * Takes stock of a selection that a guess limited, or did not: one that left fewer than k, so that
 * all is done again, or far too many costs the trust that sixteen good ones, or as many sequences
 * without one, restore, and twice as much where the one before was wrong, too. Where candidates
 * were in order, those of the next sequence probably are.
 */
static void check_guess(const struct topk_plan *p, const struct topk_strip *strip,
                        struct topk_job job, char *state, struct topk_list *found, int thread)
{
    struct topk_guess *g = &p->guesses[thread];

    if (job.limited && (found->count < p->k || found->work > 2 * p->n)) {
        g->trust -= TRUST << g->wrong;
        g->trust = g->trust < TRUST_LEAST ? TRUST_LEAST : g->trust;
        g->wrong += g->wrong < WRONG_MAX;
        g->known = false;
    } else {
        g->trust += g->trust < TRUST;
        g->wrong = job.limited ? 0 : g->wrong;
    }
    if (job.limited && found->count < p->k) {
        job.limited = false;
        begin(p, 1, &job, state);
        feed(p, strip, 0, p->n, state, (uint64_t)thread);
        list_candidates(p, 1, state, found);
    }
    g->run = found->run && found->least < found->most; /* equal ones say nothing */
    g->reversed = found->reversed;
}

/*
 * Selects from some whole strips, and puts their candidates in order. Sequences often resemble each
 * other: elements are limited to what was enough for those before, so that these are read once.
 * Each step is done for all before the next one: bench_topk, Zen 4, {1000,10000} K = 10: strip by
 * strip takes 1.2 times as long.
 */
static void run_batch(const struct topk_plan *p, uint64_t first, uint64_t n, int thread)
{
    struct topk_strip strips[TOPK_BATCH];
    struct topk_guess *g = &p->guesses[thread];
    struct topk_job job = topk_job_of(p, p->n);
    char *states = states_of(p, (uint64_t)thread);
    struct topk_list *lists = lists_of(p, (uint64_t)thread);
    uint64_t step = p->strip_columns; /* from strip to strip, in selections */

    job.limited = p->expected > 0 && g->known && g->trust >= 0;
    job.limit = g->limit;
    job.run = g->run;
    job.reversed = g->reversed;
    for (uint64_t i = 0; i < n; i++) {
        strips[i] = locate(p, first + i);
        begin(p, strips[i].columns, &job, states + i * step * p->state_bytes);
    }
    for (uint64_t i = 0; i < n; i++)
        feed(p, &strips[i], 0, p->n, states + i * step * p->state_bytes, (uint64_t)thread);
    for (uint64_t i = 0; i < n; i++) {
        char *at = states + i * step * p->state_bytes;

        list_candidates(p, strips[i].columns, at, &lists[i * step]);
        check_guess(p, &strips[i], job, at, &lists[i * step], thread);
    }
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < strips[i].columns; j++)
            topk_order(p, sorter_of(p, thread), &strips[i], j, &lists[i * step + j], g);
}

/* Runs a chunk of strips in batches, of one where there is no guess, or the last one was wrong. */
static void run_chunk(void *context, size_t chunk, int thread)
{
    const struct topk_plan *p = context;
    const struct topk_guess *g = &p->guesses[thread];
    uint64_t number = chunk * p->strips_per_chunk, n,
             last = u64_min(number + p->strips_per_chunk, p->strips);

    for (; number < last; number += n) {
        bool alone = p->expected > 0 && (!g->known || (g->wrong > 0 && g->trust >= 0));

        n = alone ? 1 : u64_min(p->batch, last - number);
        run_batch(p, number, n, thread);
    }
}

/* A strip that is cut into parts. */
struct cut_strip {
    const struct topk_plan *plan;
    struct topk_strip strip;
    bool limited;    /* to elements that do not come after this key */
    uint64_t limit;
};

/* Rows of a part. */
static uint64_t part_first(const struct topk_plan *p, uint64_t part) { return part * p->part_rows; }
static uint64_t part_last(const struct topk_plan *p, uint64_t part)
{
    return u64_min((part + 1) * p->part_rows, p->n);
}

/* Copies the sample: short runs that lie nearly evenly, each moved by an amount that no period of
 * the data has. */
static void take_sample(const struct cut_strip *cut)
{
    const struct topk_plan *p = cut->plan;
    uint64_t run = (uint64_t)RUN_BYTES >> p->width_log2, runs = p->sampled / run,
             step = p->n / runs;

    for (uint64_t i = 0; i < runs; i++) {
        uint64_t at = i * step + ((i * GOLDEN_RATIO & UINT32_MAX) * (step - run) >> 32);

        memcpy(p->sample + i * RUN_BYTES, cut->strip.in + (at << p->width_log2), RUN_BYTES);
    }
}

/* The selection of the key that limits the others: of so many of the sample that random data have
 * somewhat more than k elements which do not come after it, within some four standard deviations.
 */
struct topk_job topk_sample_job(const struct topk_plan *p)
{
    uint64_t share = p->sampled * p->k / p->n;
    struct topk_job job = topk_job_of(p, p->sampled);

    job.k = u64_min(share + share / 8 + 32, p->sampled);
    job.exact = true;
    return job;
}

/* Sets the limit, by the sample. One thread does: it takes less time than others need to wake. */
static void estimate(struct cut_strip *cut)
{
    const struct topk_plan *p = cut->plan;
    struct topk_job job = topk_sample_job(p);
    struct topk_list list;

    take_sample(cut);
    begin(p, 1, &job, states_of(p, 0));
    p->kernel->feed(states_of(p, 0), p->sample, job.n);
    p->kernel->candidates(states_of(p, 0), &list);
    cut->limited = true;
    cut->limit = list.most;
}

static void select_part(void *context, size_t part, int thread)
{
    const struct cut_strip *cut = context;
    const struct topk_plan *p = cut->plan;
    uint64_t first = part_first(p, part), last = part_last(p, part);
    struct topk_job job = topk_job_of(p, last - first);

    (void)thread;
    job.limited = cut->limited;
    job.limit = cut->limit;
    begin(p, cut->strip.columns, &job, states_of(p, part));
    feed(p, &cut->strip, first, last, states_of(p, part), part);
    list_candidates(p, cut->strip.columns, states_of(p, part), lists_of(p, part));
}

/* Candidates of all parts. */
static uint64_t count_all(const struct topk_plan *p)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < p->parts; i++)
        sum += lists_of(p, i)->count;
    return sum;
}

/* Selects from all parts: from what a sample promises, which is enough where it holds k elements,
 * whatever these are. */
static void select_parts(struct cut_strip *cut)
{
    const struct topk_plan *p = cut->plan;

    if (p->sampled > 0)
        estimate(cut);
    parallel_for(p->parts, p->base.threads, select_part, cut);
    if (cut->limited && count_all(p) < p->k) {
        cut->limited = false;
        parallel_for(p->parts, p->base.threads, select_part, cut);
    }
}

static void order_column(void *context, size_t column, int thread)
{
    const struct cut_strip *cut = context;
    const struct topk_plan *p = cut->plan;

    topk_order(p, sorter_of(p, thread), &cut->strip, column, &p->lists[column], NULL);
}

void topk_run(struct op_plan *plan)
{
    struct topk_plan *p = (struct topk_plan *)plan;

    if (p->parts == 1 && !p->shared) {
        parallel_for(u64_ceil_div(p->strips, p->strips_per_chunk), p->base.threads, run_chunk, p);
        return;
    }
    for (uint64_t number = 0; number < p->strips; number++) {
        struct cut_strip cut = { .plan = p, .strip = locate(p, number) };

        select_parts(&cut);
        parallel_for(cut.strip.columns, p->shared ? 1 : p->base.threads, order_column, &cut);
    }
}
