#include "kernel/transpose.h"
#include "op/topk/topk_plan.h"

/* Runs a plan: whole strips, each by one thread, or the parts of one strip by all threads. A limit
 * is tried first; columns in which it leaves fewer than k candidates are selected again without. */

/* Some columns of a strip, to select from. */
struct selection {
    const struct topk_plan *plan;
    struct topk_strip strip;
    uint64_t first, columns;
    uint64_t worker;     /* of part 0 */
    struct topk_job job; /* but n and k, which depend on the part */
    bool again;          /* without a limit */
};

static uint64_t rows_of(const struct topk_plan *p, uint64_t part)
{
    return u64_min(p->cut.part_rows, p->task.n - part * p->cut.part_rows);
}

/* Finds a strip in memory by its number. */
static struct topk_strip locate(const struct topk_plan *p, uint64_t number)
{
    const struct topk_task *t = &p->task;
    uint64_t per_group = u64_ceil_div(t->columns, p->cut.strip_columns);
    uint64_t first = number % per_group * p->cut.strip_columns, group[TENSOR_MAX_RANK];
    struct topk_strip strip = { .columns = u64_min(p->cut.strip_columns, t->columns - first) };
    const struct topk_view *views[] = { &t->in, &t->values, &t->indices };
    char **at[] = { &strip.in, &strip.values, &strip.indices };

    tensor_coordinate(t->in.groups.rank, t->in.groups.sizes, number / per_group, group);
    for (unsigned i = 0; i < ARRAY_LEN(views); i++)
        *at[i] =
            (char *)tensor_at(&views[i]->groups, group) +
            (int64_t)first * views[i]->column_step * (int64_t)dtype_size(views[i]->groups.type);
    return strip;
}

static char *state_of(const struct topk_plan *p, uint64_t worker, uint64_t column)
{
    return p->room.states + worker * p->room.worker_bytes + column * p->room.state_bytes;
}

/* Copies elements step_bytes apart to contiguous ones. */
INLINE void gather(char *dst, const char *src, int64_t step_bytes, uint64_t n, unsigned width_log2)
{
    for (uint64_t i = 0; i < n; i++, src += step_bytes)
        memcpy(dst + (i << width_log2), src, (size_t)1 << width_log2);
}

/* Copies rows x columns elements at src into a tile, column by column, `step` elements apart, in
 * native byte order. */
static void fill_tile(const struct topk_plan *p, char *tile, uint64_t step, const char *src,
                      uint64_t rows, uint64_t columns)
{
    const struct topk_task *t = &p->task;
    size_t column_bytes = step << t->width_log2;

    if (columns > 1 && t->in.column_step == 1)
        transpose(tile, step, src, (size_t)t->in.axis_step, rows, columns, t->width_log2);
    else
        for (uint64_t j = 0; j < columns; j++)
            WITH_WIDTH(gather, t->width_log2, tile + j * column_bytes,
                       src + (((int64_t)j * t->in.column_step) << t->width_log2),
                       t->in.axis_step * (INT64_C(1) << t->width_log2), rows);
    for (uint64_t j = 0; t->in.groups.swapped && j < columns; j++)
        tensor_swap_bytes(tile + j * column_bytes, (size_t)1 << t->width_log2, rows);
}

/* Lowers the thresholds of a selection's columns by runs of the rows to come at src, at most one
 * of TOPK_SMALL_PART, as many of a cache line's columns as have room in a tile for 5 k of them. */
static void look_ahead(const struct selection *s, const char *src, uint64_t rows, uint64_t worker)
{
    enum { RUNS = TOPK_LOOK_ROWS };
    const struct topk_plan *p = s->plan;
    const struct topk_task *t = &p->task;
    char *tile = p->room.tiles + worker * p->room.worker_bytes;
    uint64_t line = (uint64_t)CACHE_LINE >> t->width_log2, some = u64_min(line, s->columns);
    uint64_t room = p->room.tile_room, run, step;

    while (some > 1 && room / some < p->room.look_room)
        some /= 2;
    run = u64_min(room / some - line, rows / TOPK_SMALL_PART) / RUNS;
    step = RUNS * run + line;
    for (uint64_t j = 0; RUNS * run > 4 * t->k && j < s->columns; j += some) {
        uint64_t columns = u64_min(some, s->columns - j);

        for (uint64_t i = 0; i < RUNS; i++) {
            uint64_t row = (rows - run) / (RUNS - 1) * i;
            int64_t at = (int64_t)row * t->in.axis_step + (int64_t)j * t->in.column_step;

            fill_tile(p, tile + ((i * run) << t->width_log2), step,
                      src + at * (INT64_C(1) << t->width_log2), run, columns);
        }
        for (uint64_t i = 0; i < columns; i++)
            t->kernel->look(state_of(p, worker, s->first + j + i),
                            tile + ((i * step) << t->width_log2), RUNS * run);
    }
}

/* Feeds rows at src to a selection's columns: in place, or tile by tile. If candidates come fast,
 * looks ahead, after twice as many tiles each time. */
static void feed(const struct selection *s, const char *src, uint64_t rows, uint64_t worker)
{
    const struct topk_plan *p = s->plan;
    const struct topk_task *t = &p->task;
    char *tile = p->room.tiles + worker * p->room.worker_bytes;
    int64_t row_bytes = t->in.axis_step * (INT64_C(1) << t->width_log2);
    bool fast = false;

    if (p->room.tile_rows == 0)
        t->kernel->feed(state_of(p, worker, 0), src, rows);
    for (uint64_t row = 0, some, next = 0; p->room.tile_rows > 0 && row < rows; row += some) {
        if (fast && row >= next && rows - row > p->room.tile_rows && t->kernel->look) {
            look_ahead(s, src + (int64_t)row * row_bytes, rows - row, worker);
            next = 2 * row;
        }
        fast = false;
        some = u64_min(p->room.tile_rows, rows - row);
        fill_tile(p, tile, p->room.tile_step, src + (int64_t)row * row_bytes, some, s->columns);
        for (uint64_t j = 0; j < s->columns; j++)
            fast |= t->kernel->feed(state_of(p, worker, s->first + j),
                                    tile + ((j * p->room.tile_step) << t->width_log2), some);
    }
}

static void select_part(void *context, size_t part, int thread)
{
    const struct selection *s = context;
    const struct topk_plan *p = s->plan;
    const struct topk_task *t = &p->task;
    const struct topk_kernel *kernel = t->kernel;
    uint64_t worker = s->worker + part, rows = rows_of(p, part);
    struct topk_list *lists = topk_list_of(p, worker) + s->first;
    int64_t at = (int64_t)(part * p->cut.part_rows) * t->in.axis_step +
                 (int64_t)s->first * t->in.column_step;
    const char *src = s->strip.in + at * (INT64_C(1) << t->width_log2);
    struct topk_job job = s->job;

    (void)thread;
    job.n = rows;
    job.k = u64_min(t->k, rows);
    if (p->cut.by_rows && !s->again) {
        kernel->select_rows(&(struct topk_rows){ job, s->columns, src, (size_t)t->in.axis_step,
                                                 p->room.rows + worker * p->room.rows_bytes },
                            lists);
    } else {
        for (uint64_t j = 0; j < s->columns; j++)
            kernel->begin(state_of(p, worker, s->first + j), &job);
        feed(s, src, rows, worker);
        for (uint64_t j = 0; j < s->columns; j++)
            kernel->candidates(state_of(p, worker, s->first + j), &lists[j]);
    }
    for (uint64_t j = 0; j < s->columns; j++)
        topk_survey(&lists[j], t->width_log2);
}

/* True if a column has too few candidates in all parts. Those of rows read in place have a limit
 * for each part. */
static bool too_few(const struct selection *s, uint64_t column)
{
    const struct topk_plan *p = s->plan;
    uint64_t count = 0, want = p->cut.by_rows ? 0 : p->task.k;

    for (uint64_t part = 0; part < p->cut.parts; part++) {
        count += topk_list_of(p, s->worker + part)[column].count;
        want += p->cut.by_rows ? u64_min(p->task.k, rows_of(p, part)) : 0;
    }
    return count < want;
}

/* Selects from a whole strip. Returns false if the limit was wrong for some columns, which are
 * selected again with those between them, a tile's width at once. */
static bool select_strip(struct selection *s, int threads)
{
    const struct topk_plan *p = s->plan;
    uint64_t most = u64_max(p->room.tile_columns, 1);
    bool good = true;

    parallel_for(p->cut.parts, threads, select_part, s);
    s->again = p->cut.by_rows || s->job.limit < UINT64_MAX;
    s->job.limit = UINT64_MAX;
    for (uint64_t j = 0; s->again && j < s->strip.columns; j++) {
        if (!too_few(s, j))
            continue;
        s->first = j;
        for (uint64_t next = j; next < u64_min(s->first + most, s->strip.columns); next++)
            j = too_few(s, next) ? next : j;
        s->columns = j + 1 - s->first;
        parallel_for(p->cut.parts, threads, select_part, s);
        good = false;
    }
    return good;
}

static void order_column(void *context, size_t column, int thread)
{
    const struct selection *s = context;
    const struct topk_plan *p = s->plan;
    uint64_t worker = s->worker + (uint64_t)thread;

    topk_order(p, worker, &s->strip, column, &topk_list_of(p, s->worker)[column]);
}

/* Runs a strip on some threads, or on the worker's. */
static void run_strip(const struct topk_plan *p, uint64_t number, uint64_t worker, int threads)
{
    struct selection s = { .plan = p, .strip = locate(p, number), .worker = worker };
    const struct topk_list *list = topk_list_of(p, worker);
    bool limited, enough;

    s.columns = s.strip.columns;
    s.job = topk_job_of(p, p->task.n);
    s.job.limit = p->cut.by_rows ? UINT64_MAX : topk_limit(p, &s.strip, worker);
    limited = s.job.limit < UINT64_MAX;
    enough = select_strip(&s, threads);
    if (limited)
        topk_limit_judge(&p->limits.guesses[worker],
                         enough && !list->loose && list->work <= 2 * p->task.n);
    parallel_for(s.strip.columns, p->cut.shared ? 1 : threads, order_column, &s);
}

static void run_chunk(void *context, size_t chunk, int thread)
{
    const struct topk_plan *p = context;
    uint64_t first = chunk * p->cut.strips_per_chunk;
    uint64_t last = u64_min(first + p->cut.strips_per_chunk, p->cut.strips);

    for (uint64_t number = first; number < last; number++)
        run_strip(p, number, (uint64_t)thread, 1);
}

void topk_run(struct op_plan *plan)
{
    struct topk_plan *p = (struct topk_plan *)plan;

    if (p->cut.parts > 1 || p->cut.shared)
        for (uint64_t number = 0; number < p->cut.strips; number++)
            run_strip(p, number, 0, p->base.threads);
    else
        parallel_for(u64_ceil_div(p->cut.strips, p->cut.strips_per_chunk), p->base.threads,
                     run_chunk, p);
}
