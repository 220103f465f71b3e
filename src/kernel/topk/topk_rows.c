#include "kernel/topk/topk_scan.h"
#include "kernel/transpose.h"

/*
 * Selects from many adjacent columns, block by block, in the order of memory. Rows are compared
 * with a row of bounds, one for each column. If k is small, the best k of each column are kept in
 * order, a group of columns at once; else candidates are appended to a selection for each column.
 *
 * A sample of the rows limits what is kept, in case that the data rise towards the result's order.
 * For the best k it is the k-th of the sample, which is safe, and is taken only if the data need
 * it. For selections it is a key that the k-th hardly exceeds. If that rejects too few elements,
 * rows that follow are transposed, twice as many each time, and each column selects from its own.
 */

/* Measured with data of bench_topk and bench_worst, FLOAT32, axis 0, on a Xeon (AMX) with one
 * thread: each with the time of the next best value. */
enum {
    BEST = 12,      /* the largest k whose best are kept in order: K = 13, 16: 1.25 */
    LONG = 3 << 10, /* rows, of which fewer are: {40000,100} UINT8 K = 12, drift, BEST: 4.7 */
    SAMPLE = 64,    /* rows of a block that rises: {1000,20000} K = 1 ascending, 128: 1.28 */
    CHUNK = TOPK_BLOCK / 2, /* rows until it is known if the data rise */
    ROWS_SAMPLED = 128,     /* and one a chunk: {4000,1000} K = 100, rows ever better, 64: 1.7 */
    DENSE = 8, /* one of 8 elements is within its limit: transpose rows; same, 4: 1.2 */
};

struct rows_walk {
    const struct topk_rows *r;
    const struct topk_scan *loops;
    struct topk_mapping map;
    unsigned width_log2;
    struct topk_best best, sample; /* of a block of columns */
    char *results;                 /* of column j: results + j * result_bytes */
    size_t result_bytes;
    char *tile;    /* TOPK_TILE_ROWS rows, and a cache line between columns */
    uint64_t used; /* bytes of scratch */
    bool open;     /* a selection of the block has no threshold yet */
};

/* True if the best are kept in order: of long columns of 8 bits only one, of 16 bits four. */
static bool keeps_best(const struct topk_job *job)
{
    return job->k <= (job->width_log2 < 2 && job->n >= LONG ? 1U << 2 * job->width_log2 : BEST);
}

/* Rows of a sample for selections. */
static uint64_t sampled(uint64_t n)
{
    return u64_min(ROWS_SAMPLED + n / CHUNK, n / TOPK_SAMPLE_PART);
}

/* The rank in a sample whose key limits its column. */
static uint64_t sample_rank(const struct topk_job *job)
{
    return keeps_best(job)
               ? job->k
               : topk_beyond(u64_ceil_div(sampled(job->n) * topk_beyond(job->k), job->n));
}

/* Columns of a block: whole rows, if they are short, as memory is read faster in its order; half as
 * many of long ones: {10000,2000} K = 10, as many: 1.25. */
static uint64_t block_columns(const struct topk_rows *r)
{
    return u64_min(r->row_step > TOPK_BLOCK ? TOPK_BLOCK / 2 : TOPK_BLOCK, r->columns);
}

static int64_t key_get(const void *keys, size_t i, unsigned width_log2)
{
    return topk_signed_key(element_get(keys, i, width_log2) ^ topk_sign(width_log2), width_log2);
}

static const char *row_at(const struct rows_walk *w, size_t row, size_t column)
{
    return (const char *)w->r->src + row * w->best.row_bytes + (column << w->width_log2);
}

/* Empties a block, and sets its bounds to the most. */
static void clear(const struct rows_walk *w, struct topk_best *b)
{
    uint64_t most = topk_ones(w->width_log2) ^ topk_sign(w->width_log2);

    for (size_t i = 0; i < b->columns; i++)
        element_set(b->bounds, i, w->width_log2, most);
    memset(b->logs, 0, b->count * sizeof b->logs[0]);
}

/* Finds the best k of n rows among those from `first` on, `step` of them for each. Rows one after
 * the other are not moved, as less than 64 bytes may be left in the last one. */
static void take_sample(struct rows_walk *w, size_t column, size_t first, size_t n, size_t step)
{
    struct topk_best *s = &w->sample;
    uint64_t seed = step > 1 ? topk_sample_seed(row_at(w, first, column)) : 0;

    clear(w, s);
    for (size_t i = 0; i < n; i++)
        w->loops->insert(s, row_at(w, topk_sample_place(seed, i, step, 1) + first, column), 0,
                         u64_min(i, s->k));
}

/* One of a column's keys. */
static int64_t key_of(const struct rows_walk *w, const struct topk_best *b, size_t rank,
                      size_t column)
{
    size_t lanes = w->loops->lanes, group = column / lanes;
    size_t lane = (size_t)((ptrdiff_t)column - topk_group_column(b, group, lanes));

    return key_get(b->keys, (group * b->k + rank) * lanes + lane, w->width_log2);
}

/* Lowers the bounds of a block to the last keys of a sample of rows to come, which are safe. */
static void limit_block(struct rows_walk *w, size_t column, size_t first, size_t n, size_t step)
{
    struct topk_best *b = &w->best;

    take_sample(w, column, first, n, step);
    for (size_t j = 0; j < b->columns; j++) {
        int64_t key = key_of(w, &w->sample, b->k - 1, j);

        if (key < key_get(b->bounds, j, w->width_log2))
            element_set(b->bounds, j, w->width_log2, (uint64_t)key + 1);
    }
}

/* Lists the best of a block's columns, in the order of rows. */
static void list_best(struct rows_walk *w, size_t column, struct topk_list *lists)
{
    const struct topk_best *b = &w->best;
    size_t k = b->k, bytes = u64_round_up(k << w->width_log2, 4);

    for (size_t j = 0; j < b->columns; j++) {
        char *keys = w->results + (column + j) * w->result_bytes;

        lists[j] = (struct topk_list){ .keys = keys, .index = (uint32_t *)(keys + bytes) };
    }
    for (size_t g = 0; g < b->count; g++)
        w->loops->sift(&w->best, g, lists);
}

/* The rank-th of a sample's keys. */
static int64_t sample_key(const struct rows_walk *w, uint64_t rank)
{
    const struct topk_best *s = &w->sample;
    uint64_t work = 0, most = s->columns * s->k;

    return w->loops->kth(s->keys, s->count * s->k * w->loops->lanes, u64_min(rank, most), &work)
        .key;
}

/* How many of a column's sampled keys are at most `key`. */
static uint64_t count_keys(const struct rows_walk *w, size_t column, int64_t key)
{
    uint64_t count = 0;

    while (count < w->sample.k && key_of(w, &w->sample, count, column) <= key)
        count++;
    return count;
}

/* True if columns have numbers of elements within `key` that differ as by chance, when their
 * variance is their mean: neither more nor, as those of columns that are all in order, less. */
static bool are_similar(const struct rows_walk *w, int64_t key)
{
    uint64_t n = w->sample.columns, sum = 0, squares = 0;

    for (size_t j = 0; j < n; j++) {
        uint64_t count = count_keys(w, j, key);

        sum += count;
        squares += count * count;
    }
    return 2 * squares * n <= sum * (2 * sum + 3 * n) && 2 * squares * n >= sum * (2 * sum + n);
}

/* Begins the selections of a block's columns, with limits that a sample predicts: the same for
 * columns that are similar. */
static void begin_states(struct rows_walk *w, size_t column)
{
    const struct topk_best *s = &w->sample;
    struct topk_job job = w->r->job;
    uint64_t n = sampled(job.n), ones = topk_ones(w->width_log2), sign = topk_sign(w->width_log2);
    int64_t common = 0, wide = 0, last = w->map.most;
    bool similar = false, enough = n >= s->k;

    if (enough) {
        take_sample(w, column, 0, n, job.n / n);
        wide = sample_key(w, s->columns * s->k / 2);
        common = sample_key(w, topk_beyond(n * topk_beyond(job.k) * s->columns / job.n));
        similar = are_similar(w, wide) && are_similar(w, common);
    }
    w->open = false;
    for (size_t j = 0; j < s->columns; j++) {
        struct topk_state *state = topk_state_of(&w->best, j);

        if (enough)
            last = key_of(w, s, s->k - 1, j);
        if (similar && count_keys(w, j, wide) > 0 && common < last)
            last = common;
        job.limit = ((uint64_t)last & ones) ^ sign;
        topk_scan_begin(state, &job);
        state->whole = false; /* even if no key is above the limit */
        w->open |= state->open;
        element_set(w->best.bounds, j, w->width_log2, (uint64_t)topk_bound(state));
    }
}

/* Inserts the first rows, or begins selections. Returns the next row. */
static size_t begin_block(struct rows_walk *w, size_t column)
{
    struct topk_best *b = &w->best;

    b->columns = w->sample.columns = u64_min(b->columns, w->r->columns - column);
    b->count = w->sample.count = u64_ceil_div(b->columns, w->loops->lanes);
    w->map = topk_mapping_of(&w->r->job);
    clear(w, b);
    if (b->states) {
        b->states = w->results + column * w->result_bytes;
        begin_states(w, column);
    }
    for (size_t i = 0; i < b->k; i++)
        w->loops->insert(b, row_at(w, i, column), (uint32_t)i, i);
    return b->k;
}

/* Feeds rows to the selections of a block's columns, some adjacent ones at once. */
static void feed_rows(struct rows_walk *w, size_t column, size_t row, size_t rows)
{
    size_t step = TOPK_TILE_ROWS + ((size_t)CACHE_LINE >> w->width_log2), n;

    for (size_t j = 0; j < w->best.columns; j += n) {
        n = u64_min(TOPK_TILE_WIDTH >> w->width_log2, w->best.columns - j);
        transpose(w->tile, step, row_at(w, row, column + j), w->r->row_step, rows, n,
                  w->width_log2);
        for (size_t i = 0; i < n; i++) {
            struct topk_state *state = topk_state_of(&w->best, j + i);

            state->fed = row;
            topk_scan_feed(state, w->tile + ((i * step) << w->width_log2), rows);
            element_set(w->best.bounds, j + i, w->width_log2, (uint64_t)topk_bound(state));
        }
    }
}

static void select_block(struct rows_walk *w, size_t column, struct topk_list *lists)
{
    struct topk_best *b = &w->best;
    size_t n = w->r->job.n, first = begin_block(w, column);
    size_t tiles = topk_candidates(n, w->r->job.k) / TOPK_TILE_ROWS + 1; /* then none is open */
    bool rises = false;

    for (size_t row = first, rows; row < n; row += rows) {
        rows = w->open ? 0 : u64_min(row == first || b->states ? SAMPLE : CHUNK, n - row);
        b->hits = b->taken = 0;
        w->loops->keep(b, row_at(w, row, column), (uint32_t)row, rows);
        if (w->open || (b->states && b->hits * DENSE > b->columns * rows)) {
            for (size_t i = 0; i < tiles && row + rows < n; i++) {
                size_t more = u64_min(TOPK_TILE_ROWS, n - row - rows);

                feed_rows(w, column, row + rows, more);
                rows += more;
            }
            tiles *= 2;
            w->open = false;
        }
        /* more than random rows have: in a column k * ln(1 + rows / row), of the first SAMPLE k *
         * ln(1 + SAMPLE / k); or as many insertions as a sample takes */
        if (!b->states && n - row - rows >= CHUNK / 2 &&
            (b->hits > b->columns * (3 * b->k + rows / TOPK_SAMPLE_PART) ||
             b->taken > 2 * b->columns * b->k * rows / row + SAMPLE * b->count)) {
            limit_block(w, column, row + rows, SAMPLE, (n - row - rows) / SAMPLE);
            rises = true;
        }
        if (rises && n - row - rows > SAMPLE) /* columns that rise now: the last k of a chunk */
            limit_block(w, column, row + rows + u64_min(CHUNK, n - row - rows) - b->k, b->k, 1);
    }
    for (size_t j = 0; b->states && j < b->columns; j++) {
        struct topk_state *state = topk_state_of(b, j);

        state->fed = n;
        if (state->filter.count > state->job.k) /* sorting more takes longer */
            w->loops->compact(state);
        topk_scan_candidates(state, &lists[j]);
    }
    if (!b->states)
        list_best(w, column, lists);
}

/* Takes bytes of the scratch; NULL if they are only counted. */
static void *take(struct rows_walk *w, uint64_t bytes)
{
    char *at = w->r->scratch ? (char *)w->r->scratch + w->used : NULL;

    w->used += u64_round_up(bytes, CACHE_LINE);
    return at;
}

static void lay_out(struct rows_walk *w, struct topk_best *b)
{
    uint64_t lanes = w->loops->lanes, count = u64_ceil_div(b->columns, lanes);
    uint64_t before = (uint64_t)TOPK_COLUMNS_MIN << w->width_log2; /* read, too */
    char *bounds = take(w, before + (b->columns << w->width_log2));

    b->bounds = bounds ? bounds + before : NULL;
    b->keys = take(w, (count * b->k * lanes) << w->width_log2);
    b->logged = take(w, (count * b->capacity * lanes) << w->width_log2);
    b->index = take(w, count * b->capacity * sizeof b->index[0]);
    b->logs = take(w, count * sizeof b->logs[0]);
}

static void walk_begin(struct rows_walk *w, const struct topk_rows *r)
{
    const struct topk_job *job = &r->job;
    uint64_t k = job->k;
    bool best = keeps_best(job);
    struct topk_best b = { .columns = block_columns(r),
                           .map = &w->map,
                           .row_bytes = r->row_step << job->width_log2,
                           .ahead = job->prefetch >= PREFETCH_AHEAD ? SCAN_AHEAD : 0 };

    if (r->row_step > b.columns && job->prefetch != PREFETCH_NONE)
        b.ahead = u64_max(2, SCAN_AHEAD / b.row_bytes) * b.row_bytes;
    *w = (struct rows_walk){
        .r = r, .loops = topk_loops_of(job), .width_log2 = job->width_log2, .best = b, .sample = b
    };
    w->best.k = best ? k : 0;
    w->sample.k = sample_rank(job);
    /* of which at most k for each lane are kept */
    w->best.capacity = best ? (4 * k * w->loops->lanes / 64 + 1) * 64 : 0;
    w->result_bytes = best ? u64_round_up((k << job->width_log2) + 8 * k, 8)
                           : u64_round_up(topk_scan_scratch(job), CACHE_LINE) | CACHE_LINE;
    w->best.state_bytes = w->result_bytes;
    lay_out(w, &w->best);
    lay_out(w, &w->sample);
    w->results = take(w, r->columns * w->result_bytes);
    w->best.states = best ? NULL : w->results;
    w->tile = take(w, best ? 0 : TOPK_TILE_WIDTH * (TOPK_TILE_ROWS + CACHE_LINE));
}

uint64_t topk_scan_rows_scratch(const struct topk_job *job, uint64_t columns)
{
    struct topk_rows r = { .job = *job, .columns = columns, .row_step = columns };
    struct rows_walk w;

    walk_begin(&w, &r);
    return w.used;
}

void topk_scan_select_rows(const struct topk_rows *r, struct topk_list *lists)
{
    struct rows_walk w;
    size_t columns;

    assert(r->row_step >= r->columns);
    walk_begin(&w, r);
    columns = w.best.columns;
    for (size_t column = 0; column < r->columns; column += columns)
        select_block(&w, column, lists + column);
}
