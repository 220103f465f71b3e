#include <string.h>

#include "base/parallel.h"
#include "base/util.h"
#include "kernel/transpose.h"
#include "op/topk_plan.h"

/*
 * Runs a plan: strips whole, each by one thread, or a strip in parts by all threads. What a sample
 * or the sequence before says of the k-th key limits a selection; where that leaves fewer than k
 * candidates, all is selected again without a limit.
 */

enum {
    RUN_BYTES = 16,          /* of the sample that lie side by side */
    TRUST = 16, /* sequences that a wrong guess costs: bench_topk, Zen 5, {1000,10000} ascending, 4
                   take up to 1.09 times as long, 64 no less */
};

#define GOLDEN_RATIO UINT64_C(0x9e3779b9) /* its fraction, times 2^32 */

/* Where a strip lies in memory, by its number in 0..strips-1. */
static struct topk_strip locate(const struct topk_plan *p, uint64_t number)
{
    uint64_t per_group = u64_ceil_div(p->columns, p->strip_columns);
    uint64_t group = number / per_group, first = number % per_group * p->strip_columns;
    uint64_t c[TENSOR_MAX_RANK] = { 0 };
    const struct tensor *g = &p->in.groups;
    int64_t column = (int64_t)first;

    for (unsigned i = g->rank; i-- > 0; group /= g->sizes[i])
        c[i] = group % g->sizes[i];
    return (struct topk_strip){
        .in = (char *)tensor_at(g, c) + column * p->in.column_step * (int64_t)dtype_size(g->type),
        .values = (char *)tensor_at(&p->values.groups, c) +
                  column * p->values.column_step * (int64_t)dtype_size(p->values.groups.type),
        .indices = (char *)tensor_at(&p->indices.groups, c) +
                   column * p->indices.column_step * (int64_t)dtype_size(p->indices.groups.type),
        .columns = u64_min(p->strip_columns, p->columns - first),
    };
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

static char *states_of(const struct topk_plan *p, uint64_t worker)
{
    return p->states + worker * p->strip_columns * p->state_bytes;
}

struct topk_job topk_job_of(const struct topk_plan *p, uint64_t n)
{
    return (struct topk_job){ .order = p->order, .width_log2 = p->width_log2, .n = n,
                              .k = u64_min(p->k, n), .prefetch = p->prefetch };
}

static void begin(const struct topk_plan *p, uint64_t columns, const struct topk_job *job,
                  uint64_t worker)
{
    for (uint64_t j = 0; j < columns; j++)
        p->kernel->begin(states_of(p, worker) + j * p->state_bytes, job);
}

/* Selects from rows first..last-1 of a strip; worker's lists hold the result. */
static void select_rows(const struct topk_plan *p, const struct topk_strip *strip, uint64_t first,
                        uint64_t last, uint64_t worker)
{
    char *states = states_of(p, worker), *tile = p->tiles + worker * p->tile_bytes;
    struct topk_list *lists = p->lists + worker * p->strip_columns;
    int64_t row_bytes = p->in.axis_step * (int64_t)dtype_size(p->in.groups.type);
    uint64_t step = p->tile_rows ? p->tile_rows : last - first;

    if (p->by_rows) {
        struct topk_rows rows = { states,
                                  p->state_bytes,
                                  strip->columns,
                                  strip->in + (int64_t)first * row_bytes,
                                  (size_t)p->in.axis_step,
                                  last - first,
                                  p->tiles + worker * p->tile_bytes };

        p->kernel->feed_rows(&rows);
        first = last;
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
    for (uint64_t j = 0; j < strip->columns; j++)
        p->kernel->candidates(states + j * p->state_bytes, &lists[j]);
}

static struct topk_sorter *sorter_of(const struct topk_plan *p, int thread)
{
    return p->sorters > 0 ? &p->sorter[p->shared ? 0 : thread] : NULL;
}

/*
 * Selects from a whole strip. Sequences often resemble each other: elements are limited to what was
 * enough for the one before, so that this one is read once. Guesses that leave fewer than k, so
 * that all is done again, or far too many cost the trust that sixteen good ones, or as many
 * sequences without one, restore. Where its candidates were in order, the next one probably is.
 */
static void select_strip(const struct topk_plan *p, const struct topk_strip *strip, int thread)
{
    const struct topk_list *list = p->lists + (uint64_t)thread * p->strip_columns;
    struct topk_guess *g = &p->guesses[thread];
    struct topk_job job = topk_job_of(p, p->n);

    job.limited = p->expected > 0 && g->known && g->trust >= 0;
    job.limit = g->limit;
    job.in_order = g->run;
    begin(p, strip->columns, &job, (uint64_t)thread);
    select_rows(p, strip, 0, p->n, (uint64_t)thread);
    g->trust += g->trust < TRUST;
    if (job.limited && (list->count < p->k || list->work > p->n + p->n / 2)) {
        g->trust -= TRUST;
        g->known = false;
    }
    if (job.limited && list->count < p->k) {
        job.limited = false;
        begin(p, strip->columns, &job, (uint64_t)thread);
        select_rows(p, strip, 0, p->n, (uint64_t)thread);
    }
    g->run = list->run && list->least < list->most; /* equal ones say nothing */
}

static void run_chunk(void *context, size_t chunk, int thread)
{
    const struct topk_plan *p = context;
    uint64_t first = chunk * p->strips_per_chunk,
             last = u64_min(first + p->strips_per_chunk, p->strips);
    const struct topk_list *lists = p->lists + (uint64_t)thread * p->strip_columns;

    for (uint64_t number = first; number < last; number++) {
        struct topk_strip strip = locate(p, number);

        select_strip(p, &strip, thread);
        for (uint64_t j = 0; j < strip.columns; j++)
            topk_order(p, sorter_of(p, thread), &strip, j, &lists[j], &p->guesses[thread]);
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
    begin(p, 1, &job, 0);
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
    begin(p, cut->strip.columns, &job, part);
    select_rows(p, &cut->strip, first, last, part);
}

/* Candidates of all parts. */
static uint64_t count_all(const struct topk_plan *p)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < p->parts; i++)
        sum += p->lists[i].count;
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
