#include "base/mem.h"
#include "op/topk/topk_plan.h"

/* Measured by bench_topk, each with the time that the next best value takes: on a Xeon (AMX) with
 * one thread if nothing else is said. */
enum {
    PIECE_ELEMENTS = 1 << 16, /* of a chunk of short columns, about; of a part, at least */
    ROWS_BYTES = 4096, /* of a strip read in place: {10000,1000} axis 0, Xeon 16, 2048: 1.15 */
    TILE_BYTES = TOPK_TILE_ROWS * TOPK_TILE_WIDTH,
    LOOK_BYTES = 1 << 20, /* of what is looked ahead, at most; bounds the memory */
    STATES_BYTES = 1 << 26, /* of a strip's selections, at most; bounds the memory */
};

static void plan_free(struct op_plan *plan)
{
    struct topk_plan *p = (struct topk_plan *)plan;

    topk_sorters_free(p);
    free(p->limits.guesses);
    free(p->room.lists);
    free(p->room.states);
    free(p->room.rows);
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

/* The dimension of t with the smallest stride below axis_step; rank if there is none. */
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

static void plan_views(struct topk_task *t, struct tensor *const tensors[SLOT_COUNT], unsigned axis)
{
    struct topk_view *views[] = { &t->in, &t->values, &t->indices };
    unsigned column;

    for (unsigned i = 0; i < ARRAY_LEN(views); i++) {
        views[i]->groups = *tensors[SLOT_IN + i];
        views[i]->axis_step = remove_dimension(&views[i]->groups, axis);
    }
    if (t->in.axis_step == 0)
        t->n = t->k; /* all elements are equal: the first k are the result */
    column = column_dimension(&t->in.groups, t->in.axis_step);
    t->columns = 1;
    if (column == t->in.groups.rank)
        return;
    t->columns = t->in.groups.sizes[column];
    for (unsigned i = 0; i < ARRAY_LEN(views); i++)
        views[i]->column_step = remove_dimension(&views[i]->groups, column);
}

/* Keeps all threads equally busy, nearly. */
static bool keep_busy(uint64_t strips, uint64_t threads)
{
    return strips % threads == 0 || strips >= TOPK_CHUNKS * threads;
}

/* At least two strips, and one for TOPK_CHUNKS threads: fewer are better cut into parts. Emerald
 * Rapids, {10000,1000} axis 0, 12 threads: parts of 4 strips take 7 times as long. */
static bool keep_some_busy(uint64_t strips, uint64_t threads)
{
    return strips >= u64_max(threads / TOPK_CHUNKS, 2);
}

/* Cuts strips into parts only if there are too few strips, or columns are longer than a kernel
 * supports. */
static void plan_parts(struct topk_plan *p, uint64_t threads)
{
    struct topk_division *c = &p->cut;
    uint64_t n = p->task.n, most = u64_min(n, n * c->strip_columns / PIECE_ELEMENTS);
    bool narrowed = c->by_rows && c->strip_columns < p->task.columns;

    c->parts = u64_ceil_div(n, UINT64_C(1) << TOPK_N_LOG2_MAX);
    if (c->shared ||
        !(narrowed ? keep_some_busy(c->strips, threads) : keep_busy(c->strips, threads)))
        c->parts = u64_max(c->parts, u64_min(threads, most));
    c->part_rows = u64_ceil_div(n, c->parts);
    c->parts = u64_ceil_div(n, c->part_rows);
    c->strips_per_chunk =
        u64_min(u64_max(1, PIECE_ELEMENTS / u64_min(n * c->strip_columns, PIECE_ELEMENTS)),
                u64_ceil_div(c->strips, TOPK_CHUNKS * threads));
    p->base.threads = (int)u64_min(
        threads, c->parts > 1 ? c->parts : u64_ceil_div(c->strips, c->strips_per_chunk));
}

/* The number of strips of each group for rows read in place: as few as keep the threads busy, or
 * one, which is cut into parts. */
static uint64_t strips_of_group(const struct topk_task *t, uint64_t groups, uint64_t threads)
{
    uint64_t bytes = t->columns << t->width_log2, strips = u64_ceil_div(bytes, ROWS_BYTES);
    uint64_t most = u64_ceil_div(bytes, TOPK_TILE_WIDTH);

    if (bytes / 2 <= TOPK_TILE_WIDTH)
        return 1;
    while (strips < most && !keep_busy(groups * strips, threads))
        strips++;
    return keep_some_busy(groups * strips, threads) ? strips : 1;
}

/* Bytes of one selection from n elements: an odd number of cache lines, so that the heads of
 * adjacent ones fall into different sets of a cache. */
static uint64_t state_bytes(const struct topk_plan *p, uint64_t n)
{
    struct topk_job job = topk_job_of(p, n);

    return u64_round_up(p->task.kernel->scratch(&job), CACHE_LINE) | CACHE_LINE;
}

static void plan_strips(struct topk_plan *p, uint64_t groups, uint64_t threads, bool by_rows)
{
    const struct topk_task *t = &p->task;
    struct topk_division *c = &p->cut;
    uint64_t n = u64_min(t->n, UINT64_C(1) << TOPK_N_LOG2_MAX);
    uint64_t columns = (uint64_t)TOPK_TILE_WIDTH >> t->width_log2;
    uint64_t most = STATES_BYTES / state_bytes(p, n);

    c->shared = t->k >= TOPK_LARGE;
    c->by_rows = by_rows && most >= TOPK_COLUMNS_MIN;
    if (c->by_rows) {
        columns = u64_ceil_div(t->columns, strips_of_group(t, groups, threads));
        columns = u64_max(u64_round_up(columns, (uint64_t)CACHE_LINE >> t->width_log2),
                          u64_max(TOPK_TILE_WIDTH >> t->width_log2, TOPK_COLUMNS_MIN));
    }
    c->strip_columns = u64_max(1, u64_min(u64_min(t->columns, columns), most));
    c->strips = groups * u64_ceil_div(t->columns, c->strip_columns);
    plan_parts(p, threads);
    c->shared = c->shared || c->parts * t->k >= TOPK_LARGE;
}

/* Lays out and allocates all scratch. */
static bool allocate(struct topk_plan *p)
{
    const struct topk_task *t = &p->task;
    struct topk_scratch *r = &p->room;
    uint64_t columns = p->cut.strip_columns, sample = p->limits.sampled << t->width_log2;
    uint64_t tile = 0, states, lists;

    r->workers = p->cut.shared ? p->cut.parts : u64_max((uint64_t)p->base.threads, p->cut.parts);
    r->state_bytes = state_bytes(p, p->cut.part_rows);
    if (t->in.groups.swapped || columns > 1 || (t->in.axis_step != 1 && t->n > 1)) {
        r->tile_columns = u64_min(columns, (uint64_t)TOPK_TILE_WIDTH >> t->width_log2);
        r->tile_rows =
            u64_min(p->cut.part_rows, (uint64_t)TILE_BYTES / (r->tile_columns << t->width_log2));
        r->tile_step = r->tile_rows + ((uint64_t)CACHE_LINE >> t->width_log2);
        r->look_room = 5 * t->k + (CACHE_LINE >> t->width_log2) + UINT64_C(2) * TOPK_LOOK_ROWS;
        r->tile_room = u64_max(r->tile_step * r->tile_columns,
                               u64_min(r->look_room, (uint64_t)LOOK_BYTES >> t->width_log2));
        tile = r->tile_room << t->width_log2;
    }
    if (p->cut.by_rows) {
        struct topk_job job = topk_job_of(p, p->cut.part_rows);

        /* apart from states, which few columns need, and which large pages would touch */
        r->rows_bytes = u64_round_up(t->kernel->rows_scratch(&job, columns), CACHE_LINE);
        r->rows = mem_alloc_aligned(r->workers, r->rows_bytes);
    }
    states = u64_round_up(u64_max(columns * r->state_bytes, sample), CACHE_LINE);
    tile = u64_round_up(u64_max(tile, sample), CACHE_LINE);
    r->worker_bytes = states + tile;
    r->states = mem_alloc_aligned(r->workers, r->worker_bytes);
    if (!r->states || (p->cut.by_rows && !r->rows) || !u64_mul(r->workers, columns, &lists))
        return false;
    r->tiles = r->states + states;
    r->lists = mem_alloc_aligned(lists, sizeof r->lists[0]);
    p->limits.guesses = mem_alloc_aligned((uint64_t)p->base.threads, sizeof p->limits.guesses[0]);
    for (int i = 0; p->limits.guesses && i < p->base.threads; i++)
        p->limits.guesses[i] = (struct topk_guess){ .known = false };
    return p->limits.guesses && r->lists && topk_sorters_new(p);
}

/* Fills in a zeroed plan. */
static enum status plan_init(struct topk_plan *p, const struct desc *d,
                             struct tensor *const tensors[SLOT_COUNT], const struct op_exec *exec,
                             struct diag *dg)
{
    const struct tensor *in = tensors[SLOT_IN];
    struct topk_task *t = &p->task;
    uint64_t groups;
    bool by_rows;
    int threads;

    t->order = (struct topk_order){ dtype_table[in->type].kind, d->direction == AXIS_DECREASING,
                                    d->nan_last };
    t->width_log2 = dtype_table[in->type].width_log2;
    t->prefetch = prefetch_resolve(exec->prefetch);
    t->n = in->sizes[d->axis];
    t->k = d->k;
    if (!tensor_count(in->rank, in->sizes, &p->base.operations))
        return diag_error(dg, ST_INPUT, NULL, "the input has more than 2^64 elements");
    plan_views(t, tensors, (unsigned)d->axis);
    t->pairs = t->width_log2 == 3 || t->n - 1 > UINT32_MAX;
    tensor_count(t->in.groups.rank, t->in.groups.sizes, &groups);
    threads = parallel_threads_for(exec->threads, p->base.operations << t->width_log2);
    by_rows = t->kernel->select_rows && t->in.column_step == 1 && !t->in.groups.swapped &&
              t->columns >= TOPK_COLUMNS_MIN;
    plan_strips(p, groups, (uint64_t)threads, by_rows && topk_limit_parts(t) > 0);
    /* parts too short for limits: {24110,2525} UINT8 K = 250, 64 threads, ten times the memory */
    if (p->cut.by_rows && p->cut.parts > topk_limit_parts(t))
        plan_strips(p, groups, (uint64_t)threads, false);
    topk_limits_plan(p);
    return allocate(p) ? ST_OK : diag_nomem(dg);
}

enum status topk_plan_new(struct op_plan **plan, const struct desc *d,
                          struct tensor *const t[SLOT_COUNT], const struct op_exec *exec,
                          struct diag *dg)
{
    struct topk_plan *p;
    unsigned row = 0;
    enum status st = op_select_kernel(KERNELS_TOPK, exec->kernel, &row, dg);

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
    p->task.kernel = &topk_kernels[row];
    p->base = (struct op_plan){ .run = topk_run,
                                .free = plan_free,
                                .kernel = topk_kernels[row].row.name };
    st = plan_init(p, d, t, exec, dg);
    if (st)
        plan_free(&p->base);
    else
        *plan = &p->base;
    return st;
}
