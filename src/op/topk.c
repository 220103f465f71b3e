#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/util.h"
#include "kernel/cpu.h"
#include "kernel/topk_table.h"
#include "kernel/transpose.h"
#include "op/topk_plan.h"

enum {
    CHUNK_ELEMENTS = 1 << 17, /* a chunk of short sequences has about so many */
    PART_ELEMENTS = 1 << 16,  /* a part of a long one at least so many */
    LARGE_K = 1 << 14,        /* sequences of such k are cut into parts for all threads */
    SHARED_MIN = 1 << 14,     /* candidates that all threads order together, at least */
    MANY = 128,               /* a larger part of a sequence keeps the lists busy */
    STRIP_BYTES = 256,        /* width of a strip that goes through tiles */
    ROWS_BYTES =
        4096, /* and of one that goes by rows; at least ROWS_BYTES_MIN, to serve all threads */
    ROWS_BYTES_MIN = 1024,
    TILE_BYTES = 1 << 18,
    TRUST = 16,               /* sequences that a wrong guess costs */
    GUESS_PART = 16,          /* of a sequence is k, at most, for guesses to pay */
    SAMPLE = 1 << 14,        /* most elements of a sample */
    SAMPLE_OF = 64,          /* elements, one is in the sample */
    SAMPLED_BYTES = 1 << 28, /* longer sequences have no sample, as they may not fit memory */
    RUN_BYTES = 16,          /* of the sample that lie side by side */
    STATES_BYTES = 1 << 26,  /* most for the selections of a strip, where it has several columns */
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
INLINE void gather_width(char *dst, const char *src, int64_t step_bytes, uint64_t n,
                         unsigned width_log2)
{
    for (uint64_t i = 0; i < n; i++, src += step_bytes)
        memcpy(dst + (i << width_log2), src, (size_t)1 << width_log2);
}

static void gather(char *dst, const char *src, int64_t step_bytes, uint64_t n, unsigned width_log2)
{
    WITH_WIDTH(gather_width, width_log2, dst, src, step_bytes, n);
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
            gather(tile + j * column_bytes,
                   src + (((int64_t)j * p->in.column_step) << p->width_log2),
                   p->in.axis_step * (INT64_C(1) << p->width_log2), rows, p->width_log2);
    for (uint64_t j = 0; p->in.groups.swapped && j < columns; j++)
        tensor_swap_bytes(tile + j * column_bytes, (size_t)1 << p->width_log2, rows);
}

static char *states_of(const struct topk_plan *p, uint64_t worker)
{
    return p->states + worker * p->strip_columns * p->state_bytes;
}

static struct topk_job job_of(const struct topk_plan *p, uint64_t n)
{
    return (struct topk_job){ .order = p->order, .width_log2 = p->width_log2, .n = n,
                              .k = u64_min(p->k, n), .range = p->parts > 1,
                              .prefetch = p->prefetch };
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
 * sequences without one, restore.
 */
static void select_strip(const struct topk_plan *p, const struct topk_strip *strip, int thread)
{
    const struct topk_list *list = p->lists + (uint64_t)thread * p->strip_columns;
    struct topk_guess *g = &p->guesses[thread];
    struct topk_job job = job_of(p, p->n);

    job.limited = p->expected > 0 && g->known && g->trust >= 0;
    job.limit = g->limit;
    begin(p, strip->columns, &job, (uint64_t)thread);
    select_rows(p, strip, 0, p->n, (uint64_t)thread);
    g->trust += g->trust < TRUST;
    if (!job.limited)
        return;
    if (list->count < p->k || list->work > p->n + p->n / 2) {
        g->trust -= TRUST;
        g->known = false;
    }
    if (list->count < p->k) {
        job.limited = false;
        begin(p, strip->columns, &job, (uint64_t)thread);
        select_rows(p, strip, 0, p->n, (uint64_t)thread);
    }
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
            topk_order(p, sorter_of(p, thread), states_of(p, (uint64_t)thread), &strip, j,
                       &lists[j], &p->guesses[thread]);
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

/* Copies a part's share of the sample: short runs that lie nearly evenly, each moved by an amount
 * that no period of the data has. */
static void sample_part(void *context, size_t part, int thread)
{
    const struct cut_strip *cut = context;
    const struct topk_plan *p = cut->plan;
    uint64_t first = part_first(p, part), n = part_last(p, part) - first,
             run = (uint64_t)RUN_BYTES >> p->width_log2;
    uint64_t runs = p->sampled / run, step = n / runs;
    char *to = p->sample + ((part * p->sampled) << p->width_log2);

    (void)thread;
    for (uint64_t i = 0; i < runs; i++) {
        uint64_t at = first + i * step + ((i * GOLDEN_RATIO & UINT32_MAX) * (step - run) >> 32);

        memcpy(to + i * RUN_BYTES, cut->strip.in + (at << p->width_log2), RUN_BYTES);
    }
}

/* The selection of the key that limits the others: of so many of the sample that random data have
 * somewhat more than k elements which do not come after it, within some four standard deviations.
 */
static struct topk_job sample_job(const struct topk_plan *p)
{
    uint64_t n = p->parts * p->sampled, share = n * p->k / p->n;
    struct topk_job job = job_of(p, n);

    job.k = u64_min(share + share / 8 + 32, n);
    job.exact = job.range = true;
    return job;
}

/* Sets the limit, by the sample. */
static void estimate(struct cut_strip *cut)
{
    const struct topk_plan *p = cut->plan;
    struct topk_job job = sample_job(p);
    struct topk_list list;

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
    struct topk_job job = job_of(p, last - first);

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

    if (p->sampled > 0) {
        parallel_for(p->parts, p->base.threads, sample_part, cut);
        estimate(cut);
    }
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

    topk_order(p, sorter_of(p, thread), p->states, &cut->strip, column, &p->lists[column],
               NULL);
}

static void run(struct op_plan *plan)
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

/* Settles how strips are cut, given the number of threads there are: into parts only where there
 * are too few strips to keep them busy, or where a sequence is longer than a kernel takes. */
static void plan_parts(struct topk_plan *p, uint64_t threads)
{
    uint64_t most = u64_min(p->n, p->n * p->strip_columns / PART_ELEMENTS);

    p->parts = u64_ceil_div(p->n, UINT64_C(1) << TOPK_N_LOG2_MAX);
    if (p->shared || (p->strips < 4 * threads && p->strips % threads != 0))
        p->parts = u64_max(p->parts, u64_min(threads, most));
    p->part_rows = u64_ceil_div(p->n, p->parts);
    p->parts = u64_ceil_div(p->n, p->part_rows);
    p->strips_per_chunk =
        u64_max(1, CHUNK_ELEMENTS / u64_min(p->n * p->strip_columns, CHUNK_ELEMENTS));
    p->base.threads = (int)u64_min(threads, p->parts > 1 ? p->parts
                                                    : u64_ceil_div(p->strips, p->strips_per_chunk));
    p->workers = u64_max((uint64_t)p->base.threads, p->parts);
}

/* Whether most of a sequence can be passed over once it is known where the first k end, about. */
static bool may_limit(const struct topk_plan *p) { return p->k >= LARGE_K && p->k <= p->n / 8; }

/* Settles how many elements of each part are looked at first, to learn where the first k end,
 * about. */
static void plan_sample(struct topk_plan *p)
{
    uint64_t least = (uint64_t)TOPK_PAD_BYTES >> p->width_log2;

    if (may_limit(p) && p->strip_columns == 1 && p->tile_rows == 0 && !p->by_rows &&
        p->n << p->width_log2 <= SAMPLED_BYTES)
        p->sampled = u64_min(SAMPLE / p->parts, p->n / p->parts / SAMPLE_OF) / least * least;
}

/* Settles how many candidates a guess is to leave: k and some four standard deviations, where
 * sequences are long for that, and several. */
static void plan_guess(struct topk_plan *p)
{
    uint64_t root = 1;

    while (root * root < p->k && root < TOPK_FEW)
        root++;
    if (p->parts == 1 && p->strip_columns == 1 && p->strips > 1 && p->k + 2 * root <= TOPK_FEW &&
        p->k <= p->n / GUESS_PART)
        p->expected = u64_min(p->k + 4 * root, TOPK_FEW);
}

/* Bytes of one selection of k from n. */
static uint64_t state_bytes(const struct topk_plan *p, uint64_t n)
{
    struct topk_job job = job_of(p, n), sample = sample_job(p);
    uint64_t bytes;

    job.limited = may_limit(p) || p->expected > 0;
    bytes = u64_max(p->kernel->scratch(&job), p->sampled > 0 ? p->kernel->scratch(&sample) : 0);

    /* An odd number of cache lines: neighbours' heads fall into different sets. */
    return u64_round_up(bytes, CACHE_LINE) | CACHE_LINE;
}

/* Most columns of a strip. */
static uint64_t plan_columns(const struct topk_plan *p, uint64_t groups, uint64_t threads)
{
    uint64_t columns = (uint64_t)STRIP_BYTES >> p->width_log2;

    if (p->by_rows) {
        uint64_t line = (uint64_t)CACHE_LINE >> p->width_log2,
                 least = (uint64_t)ROWS_BYTES_MIN >> p->width_log2;

        columns = u64_round_up(u64_ceil_div(p->columns, u64_ceil_div(threads, groups)), line);
        columns = u64_min(u64_max(columns, least), (uint64_t)ROWS_BYTES >> p->width_log2);
    }
    return u64_min(p->columns, columns);
}

/* Settles the strips and all scratch sizes. */
static void plan_strips(struct topk_plan *p, uint64_t groups, uint64_t threads)
{
    uint64_t size = UINT64_C(1) << p->width_log2;
    uint64_t longest = u64_min(p->n, UINT64_C(1) << TOPK_N_LOG2_MAX);

    p->shared = p->k >= LARGE_K;
    p->by_rows =
        p->kernel->feed_rows && p->columns > 1 && p->in.column_step == 1 && !p->in.groups.swapped;
    p->strip_columns = u64_max(1, u64_min(plan_columns(p, groups, threads),
                                          STATES_BYTES / state_bytes(p, longest)));
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
}

static bool allocate(struct topk_plan *p)
{
    uint64_t columns, bytes;

    if (!u64_mul(p->workers, p->strip_columns, &columns) ||
        !u64_mul(columns, p->state_bytes, &bytes))
        return false;
    p->states = mem_alloc_aligned(bytes, 1);
    p->tiles = mem_alloc_aligned(p->workers, p->tile_bytes);
    p->lists = mem_alloc(columns, sizeof p->lists[0]);
    p->sample = mem_alloc_aligned(((p->parts * p->sampled) << p->width_log2) + TOPK_PAD_BYTES, 1);
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
    p->base = (struct op_plan){ .run = run, .free = plan_free };
    st = plan_init(p, d, t, exec, dg);
    if (st)
        plan_free(&p->base);
    else
        *plan = &p->base;
    return st;
}
