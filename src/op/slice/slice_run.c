#include "base/parallel.h"
#include "base/util.h"
#include "op/slice/slice_plan.h"

enum {
    /* Rows of a tile that are stored between prefetches of the next tile. Chosen with bench_slice,
     * Fortran order; the processor is not recorded. */
    ROWS_PER_PREFETCH = 4,
    /* Of the next tile's columns, where they are gathered, a part that is prefetched while this one
     * is stored, and the bytes that are stored between prefetches. bench_slice, Fortran order,
     * {8192,8192}, Zen 4, by turns: a quarter makes UINT8 1.06 times as fast as none, FLOAT16 1.09;
     * all of them make both slower, for the caches do not keep them. */
    AHEAD_SHARE = 4,
    STORED_PER_PREFETCH = 2048,
};

/* Where a block lies, and its elements along the three axes. */
struct slice_unit {
    char *dst;
    const char *src;
    size_t depth, rows, n;
};

/* The position in the loops. */
struct slice_cursor {
    uint64_t c[DML_MAX_RANK + 2];
    int64_t from, to; /* the block's offsets in source and destination */
};

static struct slice_cursor cursor_at(const struct slice_loops *loops, uint64_t block)
{
    struct slice_cursor at = { .from = 0 };

    for (unsigned i = loops->count; i-- > 0; block /= loops->axes[i].size) {
        at.c[i] = block % loops->axes[i].size;
        at.from += (int64_t)at.c[i] * loops->axes[i].from;
        at.to += (int64_t)at.c[i] * loops->axes[i].to;
    }
    return at;
}

/* To the next block; from the last one to the first. */
static void cursor_next(const struct slice_loops *loops, struct slice_cursor *at)
{
    for (unsigned i = loops->count; i-- > 0;) {
        const struct slice_axis *a = &loops->axes[i];

        at->from += a->from;
        at->to += a->to;
        if (++at->c[i] < a->size)
            return;
        at->from -= (int64_t)at->c[i] * a->from;
        at->to -= (int64_t)at->c[i] * a->to;
        at->c[i] = 0;
    }
}

/* Elements of the block at hand along one of its sides: the last block may have fewer. */
static size_t side_length(const struct slice_side *s, const struct slice_cursor *at)
{
    return (size_t)u64_min(s->block, s->axis.size - at->c[s->loop] * s->block);
}

static struct slice_unit unit_at(const struct slice_plan *p, const struct slice_cursor *at)
{
    return (struct slice_unit){
        .dst = p->dst + at->to,
        .src = p->src + at->from,
        .depth = p->third.block > 1 ? side_length(&p->third, at) : 1,
        .rows = side_length(&p->second, at),
        .n = side_length(&p->row, at),
    };
}

/* Prefetches the columns from `first` on, `count` of them, of a tile at src as large as this
 * one. */
static void prefetch_columns(const struct slice_plan *p, const struct slice_unit *u,
                             const char *src, size_t first, size_t count)
{
    size_t bytes = (p->tiles.gather ? u->depth : 1) * u->rows * p->elem;

    for (size_t i = first; i < first + count && i < u->n; i++)
        for (size_t at = 0; at < bytes; at += CACHE_LINE)
            __builtin_prefetch(src + (int64_t)i * p->row.axis.from + at);
}

/* Copies the finished tile to the output, a deep one along the third axis first, where steps are
 * usually shorter. Meanwhile the next tile, at `next`, is prefetched: its short runs come from
 * everywhere, and reading would wait for each of them. bench_slice, Fortran order, Zen 4, by turns:
 * {8192,8192} of 4 and 8 bytes has 0.85 of its rate without; {64,64,128,128}, in deep tiles, 1.0 to
 * 1.15 of it. */
static void store_tile(const struct slice_plan *p, const struct slice_unit *u, const char *tile,
                       const char *next)
{
    bool deep = p->third.block > 1;
    size_t row_bytes = p->tiles.step * p->elem, turn = deep ? 1 : ROWS_PER_PREFETCH;
    /* runs of a deep tile are long enough for many processors to prefetch themselves */
    bool ahead = p->prefetch == PREFETCH_PAGES || (p->prefetch == PREFETCH_LINES && !deep);
    struct slice_block to = { .dst_row = (ptrdiff_t)(deep ? p->third.axis.to : p->second.axis.to),
                              .src_row = (ptrdiff_t)(deep ? u->rows * row_bytes : row_bytes),
                              .step = 1,
                              .n = u->n,
                              .width_log2 = p->width_log2,
                              .stream = p->stream,
                              .prefetch = p->prefetch };

    for (size_t r = 0; r < u->rows; r += turn) {
        if (ahead)
            prefetch_columns(p, u, next, r * u->depth, turn * u->depth);
        to.dst = u->dst + (int64_t)r * p->second.axis.to;
        to.src = tile + r * row_bytes;
        to.rows = u->depth * (size_t)u64_min(turn, u->rows - r);
        to.next = tile + (r + turn) * row_bytes;
        p->kernel->copy(&to);
    }
}

/* Copies the columns of a tile, `step` elements apart, to where the caches keep them. */
static void gather_columns(const struct slice_plan *p, const struct slice_unit *u, char *columns,
                           size_t step, const char *next)
{
    struct slice_block gather = { .dst = columns,
                                  .src = u->src,
                                  .dst_row = (ptrdiff_t)(step * p->elem),
                                  .src_row = (ptrdiff_t)p->row.axis.from,
                                  .step = (ptrdiff_t)(p->second.axis.from / (int64_t)p->elem),
                                  .rows = u->n,
                                  .n = u->depth * u->rows,
                                  .width_log2 = p->width_log2,
                                  .prefetch = p->prefetch,
                                  .scattered = true,
                                  .next = next };

    p->kernel->copy(&gather);
}

/* Copies to the output the rows first <= r < end of a tile, which are at `part`. */
static void store_part(const struct slice_plan *p, const struct slice_unit *u, size_t first,
                       size_t end, const char *part)
{
    size_t row_bytes = p->tiles.step * p->elem;
    struct slice_block to = { .dst_row = (ptrdiff_t)p->second.axis.to,
                              .src_row = (ptrdiff_t)row_bytes,
                              .step = 1,
                              .n = u->n,
                              .width_log2 = p->width_log2,
                              .stream = p->stream,
                              .prefetch = PREFETCH_NONE };

    for (; first < end; first += to.rows, part += to.rows * row_bytes) {
        size_t second = first % u->rows, third = first / u->rows;

        to.dst = u->dst + (int64_t)third * p->third.axis.to + (int64_t)second * p->second.axis.to;
        to.src = part;
        to.rows = (size_t)u64_min(u->rows - second, end - first);
        p->kernel->copy(&to);
    }
}

/* Transposes columns first <= r < end of those at src, `step` elements apart. */
static void transpose_part(const struct slice_plan *p, const struct slice_unit *u, char *part,
                           const char *src, size_t step, size_t first, size_t end)
{
    p->kernel->transpose(part, p->tiles.step, src + first * p->elem, step, u->n, end - first,
                         p->width_log2);
    for (size_t r = 0; p->swap && r < end - first; r++)
        tensor_swap_bytes(part + r * p->tiles.step * p->elem, p->elem, u->n);
}

/* Columns of the next tile that have been prefetched when r rows of this one are stored. */
static size_t columns_ahead(const struct slice_unit *u, size_t r)
{
    return r * u->n / AHEAD_SHARE / (u->depth * u->rows);
}

/* Gathers columns, and transposes a part at a time, which is stored while the nearest cache has
 * it. */
static void run_gathered(const struct slice_plan *p, const struct slice_unit *u, char *part,
                         char *columns, const char *next)
{
    size_t run = u->depth * u->rows, row_bytes = p->tiles.step * p->elem;
    size_t step = run + CACHE_LINE / p->elem; /* a line apart, for the caches' sake */
    size_t turn = 1 + STORED_PER_PREFETCH / (u->n * p->elem + 1), end, turn_end;

    gather_columns(p, u, columns, step, next);
    for (size_t first = 0; first < run; first = end) {
        end = (size_t)u64_min(first + p->tiles.part, run);
        transpose_part(p, u, part, columns, step, first, end);
        for (size_t r = first; r < end; r = turn_end) {
            size_t ahead = columns_ahead(u, r);

            turn_end = (size_t)u64_min(r + turn, end);
            if (p->prefetch != PREFETCH_NONE)
                prefetch_columns(p, u, next, ahead, columns_ahead(u, turn_end) - ahead);
            store_part(p, u, r, turn_end, part + (r - first) * row_bytes);
        }
    }
}

static void run_tile(const struct slice_plan *p, const struct slice_unit *u, const char *next,
                     int thread)
{
    char *tile = p->tiles.memory + (size_t)thread * p->tiles.thread_bytes;
    size_t step = (size_t)(p->row.axis.from / (int64_t)p->elem); /* where it is not gathered */

    if (p->tiles.gather) {
        run_gathered(p, u, tile, tile + p->tiles.tile_bytes, next);
        return;
    }
    transpose_part(p, u, tile, u->src, step, 0, u->depth * u->rows);
    store_tile(p, u, tile, next);
}

static void run_rows(const struct slice_plan *p, const struct slice_unit *u, const char *next)
{
    struct slice_block rows = { .dst = u->dst,
                                .src = u->src,
                                .dst_row = (ptrdiff_t)p->second.axis.to,
                                .src_row = (ptrdiff_t)p->second.axis.from,
                                .step = (ptrdiff_t)(p->row.axis.from / (int64_t)p->elem),
                                .rows = u->rows,
                                .n = u->n,
                                .width_log2 = p->width_log2,
                                .stream = p->stream && !p->swap,
                                .prefetch = p->prefetch,
                                .next = next };

    p->kernel->copy(&rows);
    for (size_t r = 0; p->swap && r < u->rows; r++)
        tensor_swap_bytes(u->dst + (int64_t)r * p->second.axis.to, p->elem, u->n);
}

static void run_chunk(void *context, size_t chunk, int thread)
{
    const struct slice_plan *p = context;
    uint64_t block = (uint64_t)chunk * p->loops.per_chunk;
    uint64_t end = u64_min(block + p->loops.per_chunk, p->loops.blocks);
    struct slice_cursor at = cursor_at(&p->loops, block);

    for (; block < end; block++) {
        struct slice_unit u = unit_at(p, &at);

        cursor_next(&p->loops, &at);
        if (p->tiles.used)
            run_tile(p, &u, p->src + at.from, thread);
        else
            run_rows(p, &u, p->src + at.from);
    }
    if (p->kernel->finish)
        p->kernel->finish();
}

void slice_run(struct op_plan *plan)
{
    struct slice_plan *p = (struct slice_plan *)plan;
    struct tensor packed = p->out;

    parallel_for((size_t)u64_ceil_div(p->loops.blocks, p->loops.per_chunk), p->base.threads,
                 run_chunk, p);
    if (!p->scratch)
        return;
    packed.data = p->scratch;
    tensor_pack_strides(packed.rank, packed.sizes, packed.strides); /* fits: it did for the plan */
    tensor_copy(&p->out, &packed);
}
