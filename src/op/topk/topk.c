#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/util.h"
#include "kernel/cpu.h"
#include "kernel/topk/topk_table.h"
#include "op/topk/topk_plan.h"

enum {
    CHUNK_ELEMENTS = 1 << 19, /* a chunk of short sequences has about so many */
    CHUNKS = 4,               /* for each thread, at least, where there are so many sequences */
    PART_ELEMENTS = 1 << 16,  /* a part of a long one at least so many */
    LARGE_K = 1 << 14,        /* sequences of such k are cut into parts for all threads */
    SHARED_MIN = 1 << 14,     /* candidates that all threads order together, at least */
    MANY = 128,               /* a larger part of a sequence keeps the lists busy */
    STRIP_BYTES = 256,        /* width of a strip that goes through tiles */
    ROWS_BYTES = 4096,        /* and of one that goes by rows; */
    ROWS_BYTES_MIN = 256,     /* at least this, to serve all threads; */
    ROWS_BYTES_FEW = 1280,    /* rows that are not cut at all, if there are so many for each of k */
    ROWS_PER_K = 256,         /* and thread: bench_topk, axis 0, two threads, Zen 5: cut, K = 10 of
                                 {100000,100} takes 1.3 times as long, {40000,300} 1.2, {25000,400}
                                 0.95, K = 100 of {50000,200} 0.7 */
    TILE_BYTES = 1 << 18,
    GUESS_PART = 8,           /* of a sequence is k, at most, for guesses to pay: bench_topk, Zen 4,
                                 {10000,1000} K = 100: with 16 twice as long */
    GUESS_LEAST = 64,         /* elements of a sequence, for the same */
    SAMPLE = 1 << 14,        /* most elements of a sample */
    SAMPLE_OF = 64,          /* elements, one is in the sample */
    SAMPLED_BYTES = 1 << 28, /* longer sequences have no sample, as they may not fit memory */
    BATCH_LEAST = 1 << 13,    /* bytes of a sequence, for batches to pay: of shorter ones a cache
                                 still holds what the one before needed */
    RUN_ROWS = 1 << 10, /* rows that follow each other are not cut where they are so many, and */
    RUN_STATES_BYTES = 1 << 23, /* these hold a row's selections: bench_topk, Zen 4, {10000,2000}
                            axis 0: cut, 1.1 to 1.4 times as long; or twice as many bytes, where */
    RUN_ENTRIES = 1 << 16, /* the first k of all are so few and runs are prefetched: {10000,4000},
                              Zen 5: cut, 1.05 to 1.4 times as long; K = 32 ascending, and K = 10 on
                              an Emerald Rapids, 0.7 to 0.85 times */
    STATES_BYTES = 1 << 26,  /* most for the selections of a strip, where it has several columns */
};

static void plan_free(struct op_plan *plan)
{
    struct topk_plan *p = (struct topk_plan *)plan;

    topk_sorters_free(p);
    free(p->sample);
    free(p->guesses);
    free(p->lists);
    free(p->tiles);
    free(p->states);
    free(p);
}

/* Removes one dimension from a view; returns its stride. */
static int64_t remove_dimension(struct tensor *t, unsigned dimension)
{
    int64_t step = t->strides[dimension];

    t->rank--;
    for (unsigned i = dimension; i < t->rank; i++) {
        t->sizes[i] = t->sizes[i + 1];
        t->strides[i] = t->strides[i + 1];
    }
    return step;
}

/* The dimension of t whose elements lie nearer together than axis_step: the nearest of these; rank
 * where there is none. */
static unsigned column_dimension(const struct tensor *t, int64_t axis_step)
{
    unsigned found = t->rank;

    for (unsigned i = 0; i < t->rank; i++)
        if (t->sizes[i] > 1 && t->strides[i] > 0 && t->strides[i] < axis_step) {
            axis_step = t->strides[i];
            found = i;
        }
    return found;
}

static void plan_views(struct topk_plan *p, struct tensor *const t[SLOT_COUNT], unsigned axis)
{
    struct topk_view *views[] = { &p->in, &p->values, &p->indices };
    unsigned column;

    for (unsigned i = 0; i < ARRAY_LEN(views); i++) {
        views[i]->groups = *t[SLOT_IN + i];
        views[i]->axis_step = remove_dimension(&views[i]->groups, axis);
    }
    if (p->in.axis_step == 0)
        p->n = p->k; /* all are equal: the first k come first */
    column = column_dimension(&p->in.groups, p->in.axis_step);
    p->columns = 1;
    if (column == p->in.groups.rank)
        return;
    p->columns = p->in.groups.sizes[column];
    for (unsigned i = 0; i < ARRAY_LEN(views); i++)
        views[i]->column_step = remove_dimension(&views[i]->groups, column);
}

/* Whether so many strips keep all threads equally busy, nearly. */
static bool keep_busy(uint64_t strips, uint64_t threads)
{
    return strips % threads == 0 || strips >= CHUNKS * threads;
}

/* Whether strips, several, keep a quarter of the threads busy: parts of each strip, one strip after
 * the other, take longer. Emerald Rapids, {10000,1000} axis 0, 12 threads: 7 times as long. */
static bool keep_some_busy(uint64_t strips, uint64_t threads)
{
    return strips >= u64_max(threads / 4, 2);
}

/* Settles how strips are cut, given the number of threads there are: into parts only where there
 * are too few strips to keep them busy, or where a sequence is longer than a kernel takes. */
static void plan_parts(struct topk_plan *p, uint64_t threads)
{
    uint64_t most = u64_min(p->n, p->n * p->strip_columns / PART_ELEMENTS);
    bool cut = p->by_rows && p->strip_columns < p->columns;

    p->parts = u64_ceil_div(p->n, UINT64_C(1) << TOPK_N_LOG2_MAX);
    if (p->shared || !(cut ? keep_some_busy(p->strips, threads) : keep_busy(p->strips, threads)))
        p->parts = u64_max(p->parts, u64_min(threads, most));
    p->part_rows = u64_ceil_div(p->n, p->parts);
    p->parts = u64_ceil_div(p->n, p->part_rows);
    p->strips_per_chunk =
        u64_min(u64_max(1, CHUNK_ELEMENTS / u64_min(p->n * p->strip_columns, CHUNK_ELEMENTS)),
                u64_ceil_div(p->strips, CHUNKS * threads));
    p->base.threads = (int)u64_min(threads, p->parts > 1 ? p->parts
                                                    : u64_ceil_div(p->strips, p->strips_per_chunk));
    p->workers = u64_max((uint64_t)p->base.threads, p->parts);
}

/* Whether most of a sequence can be passed over once it is known where the first k end, about. */
static bool may_limit(const struct topk_plan *p) { return p->k >= LARGE_K && p->k <= p->n / 8; }

/* Settles how many elements are looked at first, to learn where the first k end, about. */
static void plan_sample(struct topk_plan *p)
{
    uint64_t least = (uint64_t)TOPK_PAD_BYTES >> p->width_log2;

    if (may_limit(p) && p->strip_columns == 1 && p->tile_rows == 0 && !p->by_rows &&
        p->n << p->width_log2 <= SAMPLED_BYTES)
        p->sampled = u64_min(SAMPLE, p->n / SAMPLE_OF) / least * least;
}

/* Settles how many candidates a guess is to leave, where sequences are long for that, and several:
 * k, some two standard deviations, and 4. bench_topk, Zen 4, {1000,10000}: with four deviations
 * K = 10 takes 1.05 times as long, with two and a half alone K = 1 takes 1.2 times as long. */
static void plan_guess(struct topk_plan *p)
{
    uint64_t root = 1;

    while (root * root < p->k && root < TOPK_FEW)
        root++;
    if (p->parts == 1 && p->strip_columns == 1 && p->strips > 1 && p->n >= GUESS_LEAST &&
        p->k + 2 * root <= TOPK_FEW && p->k <= p->n / GUESS_PART)
        p->expected = u64_min(p->k + 2 * root + 4, TOPK_FEW);
}

/* Bytes of one selection of k from n. */
static uint64_t state_bytes(const struct topk_plan *p, uint64_t n)
{
    struct topk_job job = topk_job_of(p, n), sample = topk_sample_job(p);
    uint64_t bytes;

    job.limited = may_limit(p) || p->expected > 0;
    bytes = u64_max(p->kernel->scratch(&job), p->sampled > 0 ? p->kernel->scratch(&sample) : 0);

    /* An odd number of cache lines: neighbours' heads fall into different sets. */
    return u64_round_up(bytes, CACHE_LINE) | CACHE_LINE;
}

/* Strips that the columns of each group are cut into, where rows go as they lie: as few as keep all
 * threads busy, or some of them; where these would be too narrow one, whose rows are shared out. */
static uint64_t strips_of_group(const struct topk_plan *p, uint64_t groups, uint64_t threads)
{
    uint64_t bytes = p->columns << p->width_log2, strips = u64_ceil_div(bytes, ROWS_BYTES),
             most = u64_ceil_div(bytes, ROWS_BYTES_MIN);

    if (bytes <= ROWS_BYTES_FEW && p->k <= p->n / (ROWS_PER_K * threads))
        return 1;
    while (strips < most && !keep_busy(groups * strips, threads))
        strips++;
    return keep_some_busy(groups * strips, threads) ? strips : 1;
}

/* Columns of a strip. */
static uint64_t plan_columns(const struct topk_plan *p, uint64_t groups, uint64_t threads)
{
    uint64_t bytes = state_bytes(p, u64_min(p->n, UINT64_C(1) << TOPK_N_LOG2_MAX));
    uint64_t columns = (uint64_t)STRIP_BYTES >> p->width_log2;

    if (p->by_rows) {
        uint64_t line = (uint64_t)CACHE_LINE >> p->width_log2,
                 least = (uint64_t)ROWS_BYTES_MIN >> p->width_log2,
                 most = RUN_STATES_BYTES / bytes;
        bool few = p->prefetch == PREFETCH_AHEAD && p->k <= RUN_ENTRIES / p->columns;
        bool one_run = keep_busy(groups, threads) && p->in.axis_step == (int64_t)p->columns &&
                       p->columns <= (few ? 2 * most : most) && p->n >= RUN_ROWS;

        columns = u64_ceil_div(p->columns, one_run ? 1 : strips_of_group(p, groups, threads));
        columns = u64_max(u64_round_up(columns, line), least);
    }
    return u64_max(1, u64_min(u64_min(p->columns, columns), STATES_BYTES / bytes));
}

/* Settles the strips and all scratch sizes. */
static void plan_strips(struct topk_plan *p, uint64_t groups, uint64_t threads)
{
    uint64_t size = UINT64_C(1) << p->width_log2;

    p->shared = p->k >= LARGE_K;
    p->by_rows =
        p->kernel->feed_rows && p->columns > 1 && p->in.column_step == 1 && !p->in.groups.swapped;
    p->strip_columns = plan_columns(p, groups, threads);
    p->strips = groups * u64_ceil_div(p->columns, p->strip_columns);
    plan_parts(p, threads);
    p->shared = p->shared || p->parts * p->k >= SHARED_MIN;
    if (p->by_rows) {
        p->tile_bytes = p->kernel->rows_scratch(p->width_log2, p->strip_columns);
    } else if (p->in.groups.swapped || p->strip_columns > 1 || (p->in.axis_step != 1 && p->n > 1)) {
        p->tile_rows = u64_min(p->part_rows, TILE_BYTES / (p->strip_columns * size));
        p->tile_step = p->tile_rows + CACHE_LINE / size;
        p->tile_bytes = p->tile_step * p->strip_columns * size;
    }
    p->tile_bytes = u64_round_up(p->tile_bytes, CACHE_LINE);
    plan_sample(p);
    plan_guess(p);
    p->state_bytes = state_bytes(p, p->part_rows);
    p->batch = 1;
    if (p->expected > 0 && p->n << p->width_log2 >= BATCH_LEAST)
        p->batch = u64_min(p->strips_per_chunk, TOPK_BATCH);
    p->selections = u64_max(p->strip_columns, p->batch);
}

static bool allocate(struct topk_plan *p)
{
    uint64_t selections, bytes;

    if (!u64_mul(p->workers, p->selections, &selections) ||
        !u64_mul(selections, p->state_bytes, &bytes))
        return false;
    p->states = mem_alloc_aligned(bytes, 1);
    p->tiles = mem_alloc_aligned(p->workers, p->tile_bytes);
    p->lists = mem_alloc(selections, sizeof p->lists[0]);
    p->sample = mem_alloc_aligned((p->sampled << p->width_log2) + TOPK_PAD_BYTES, 1);
    p->guesses = mem_zalloc((uint64_t)p->base.threads, sizeof p->guesses[0]);
    return p->guesses && p->sample && p->states && p->tiles && p->lists && topk_sorters_new(p);
}

/* The kernel that "auto" takes, where the best for long runs of work is p->kernel. */
static const struct topk_kernel *kernel_that_gains(const struct topk_plan *p)
{
    const struct topk_kernel *kernel = p->kernel;
    bool wide = p->columns > 1 || p->k >= LARGE_K || p->k >= p->n / MANY;

    while (!cpu_has(kernel->row.needs) || (kernel->gains_by_width && !wide))
        kernel--;
    return kernel;
}

/* Fills in a zeroed plan. */
static enum status plan_init(struct topk_plan *p, const struct desc *d,
                             struct tensor *const t[SLOT_COUNT], const struct op_exec *exec,
                             struct diag *dg)
{
    const struct tensor *in = t[SLOT_IN];
    uint64_t groups;
    int threads;

    p->order = (struct topk_order){ dtype_table[in->type].kind, d->direction == AXIS_DECREASING,
                                    d->nan_last };
    p->width_log2 = dtype_table[in->type].width_log2;
    p->prefetch = prefetch_resolve(exec->prefetch);
    p->n = in->sizes[d->axis];
    p->k = d->k;
    if (!tensor_count(in->rank, in->sizes, &p->base.operations))
        return diag_error(dg, ST_INPUT, NULL, "the input has more than 2^64 elements");
    plan_views(p, t, (unsigned)d->axis);
    if (kernel_is_auto(exec->kernel))
        p->kernel = kernel_that_gains(p);
    p->base.kernel = p->kernel->row.name;
    tensor_count(p->in.groups.rank, p->in.groups.sizes, &groups);
    threads = parallel_threads_for(exec->threads, p->base.operations << p->width_log2);
    plan_strips(p, groups, (uint64_t)threads);
    return allocate(p) ? ST_OK : diag_nomem(dg);
}

enum status topk_plan_new(struct op_plan **plan, const struct desc *d,
                          struct tensor *const t[SLOT_COUNT], const struct op_exec *exec,
                          struct diag *dg)
{
    struct topk_plan *p;
    unsigned row = 0;
    enum status st = op_select_kernel(topk_kernels, topk_kernel_count, sizeof topk_kernels[0],
                                      exec->kernel, &row, dg);

    if (st)
        return st;
    if (t[SLOT_INDICES]->type == DT_UINT32 && t[SLOT_IN]->sizes[d->axis] - 1 > UINT32_MAX)
        return diag_error(
            dg, ST_INPUT, NULL,
            "axis %u has %llu elements, more than UINT32 indices can count; use UINT64 indices",
            (unsigned)d->axis, (unsigned long long)t[SLOT_IN]->sizes[d->axis]);
    p = mem_zalloc(1, sizeof *p);
    if (!p)
        return diag_nomem(dg);
    p->kernel = &topk_kernels[row];
    p->base = (struct op_plan){ .run = topk_run, .free = plan_free };
    st = plan_init(p, d, t, exec, dg);
    if (st)
        plan_free(&p->base);
    else
        *plan = &p->base;
    return st;
}
