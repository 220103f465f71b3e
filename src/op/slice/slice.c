#include "base/mem.h"
#include "base/parallel.h"
#include "op/slice/slice_plan.h"
#include "op/slice/slice_pieces.h"

/* Sizes in bytes, chosen with bench_slice against memcpy by turns. If no processor is named, it is
 * not recorded. */
enum {
    /* lines at this distance share a set of a first-level cache */
    SET_SPAN = 4096,
    /* output of one call of the kernel, and of one chunk of work */
    BLOCK_BYTES = 256 << 10,
    /* source between a row's ends, if other rows use the same lines */
    REACH_BYTES = 128 << 10,
    /* a block that is copied and then swapped in the caches */
    SWAP_BYTES = 16 << 10,
    /* Contiguous runs of a tile in source and output. Fortran order, {8192,8192}: squares of 256
     * bytes made uint8 1.5 times as fast, float16 1.15. */
    TILE_SIDE = 256,
    /* Runs in the source of a tile whose columns share sets of the cache. Fortran order,
     * {8192,8192}, Granite Rapids: with 256 bytes UINT8 has 0.82 of the rate; FLOAT32, which is not
     * crowded, 0.87 with 512. */
    CROWDED_SIDE = 512,
    /* Runs of a deep tile in source and output. Fortran order, {64,64,128,128}, Granite Rapids:
     * without deep tiles UINT8 has 0.54 of the rate, FLOAT16 0.68. */
    DEEP_RUN = 2048,
    DEEP_SIDE = 512,
    /* Padding of a tile's rows, so that columns spread over the sets. Fortran order, float32
     * {8192,8192}: 46 to 38 ms, together with transposing in vectors of 32 bytes. */
    TILE_PAD = 32,
    STREAM_BYTES = 16 << 20, /* an output too large for the caches */
    /* kernels shuffle rows with steps up to this, or up to SHUFFLED_STEP elements */
    SHUFFLED_BYTES = 16,
    SHUFFLED_STEP = 4,
};

static void slice_free(struct op_plan *plan)
{
    struct slice_plan *p = (struct slice_plan *)plan;

    if (p->dst != p->out.data)
        free(p->dst);
    free(p->tiles.memory);
    free(p);
}

/* The axes of size above 1, or one of size 1, with steps in bytes; to: the output's strides. False
 * on overflow. */
static bool make_axes(const struct slice_plan *p, const struct tensor *view, const int64_t *to,
                      struct slice_axis *axes, unsigned *rank)
{
    int64_t elem = (int64_t)p->elem;
    unsigned n = 0;

    axes[0] = (struct slice_axis){ 1, elem, elem };
    for (unsigned i = 0; i < view->rank; i++) {
        struct slice_axis *a = &axes[n];

        if (view->sizes[i] == 1)
            continue;
        a->size = view->sizes[i];
        if (__builtin_mul_overflow(view->strides[i], elem, &a->from) ||
            __builtin_mul_overflow(to[i], elem, &a->to))
            return false;
        n++;
    }
    *rank = n ? n : 1;
    return true;
}

/* Sorts the axes by their steps in the output, the largest first. */
static void sort_axes(struct slice_axis *axes, unsigned rank)
{
    for (unsigned i = 1; i < rank; i++)
        for (unsigned j = i; j > 0 && axes[j - 1].to < axes[j].to; j--) {
            struct slice_axis a = axes[j];

            axes[j] = axes[j - 1];
            axes[j - 1] = a;
        }
}

/* Joins neighbours that are like one axis in source and output; returns the number of axes. */
static unsigned join_axes(struct slice_axis *axes, unsigned rank)
{
    unsigned n = 0;

    for (unsigned i = 1; i < rank; i++) {
        struct slice_axis *outer = &axes[n], *inner = &axes[i];

        if (tensor_goes_on(outer->from, inner->from, inner->size) &&
            tensor_goes_on(outer->to, inner->to, inner->size))
            *outer = (struct slice_axis){ outer->size * inner->size, inner->from, inner->to };
        else
            axes[++n] = *inner;
    }
    return n + 1;
}

/* The second axis of blocks: the one with the shortest steps in the source, if these are shorter
 * than the row's, else the row's neighbour; `rank` if there is only the row. */
static unsigned choose_second(const struct slice_axis *axes, unsigned rank)
{
    unsigned best = rank - 1;

    for (unsigned i = rank - 1; i-- > 0;)
        if (axes[i].from != 0 && i64_magnitude(axes[i].from) < i64_magnitude(axes[best].from))
            best = i;
    if (best != rank - 1)
        return best;
    return rank > 1 ? rank - 2 : rank;
}

/* Elements in a tile's row of at most `bytes`; rows begin at whole vectors. */
static uint64_t tile_row(const struct slice_plan *p, uint64_t bytes)
{
    return u64_round_up(u64_min(p->row.axis.size, bytes / p->elem), 16);
}

/* True if a tile's columns share so few sets of the cache that lines are evicted between two uses.
 * Elements of more than `narrow` bytes make too few columns for that. */
static bool crowded(const struct slice_plan *p, size_t narrow)
{
    return p->elem <= narrow && p->row.axis.from % SET_SPAN == 0;
}

static void choose_blocks(struct slice_plan *p, bool transposing)
{
    uint64_t elem = p->elem, most = (p->swap ? SWAP_BYTES : BLOCK_BYTES) / elem;
    uint64_t row_step = i64_magnitude(p->row.axis.from),
             second_step = i64_magnitude(p->second.axis.from);
    bool nearer = second_step != 0 && second_step < row_step && second_step < CACHE_LINE;

    p->third.block = 1;
    p->tiles.used =
        transposing && nearer && row_step > SHUFFLED_BYTES && row_step > SHUFFLED_STEP * elem;
    if (p->tiles.used) {
        p->row.block = tile_row(p, TILE_SIDE);
        p->second.block =
            u64_min(p->second.axis.size, (crowded(p, 2) ? CROWDED_SIDE : TILE_SIDE) / elem);
        return;
    }
    p->row.block = u64_min(p->row.axis.size, most);
    if (nearer)
        p->row.block = u64_min(p->row.block, u64_max(REACH_BYTES / row_step, CACHE_LINE / elem));
    p->second.block = u64_min(p->second.axis.size, u64_max(1, most / p->row.block));
}

/* The loop over the blocks of a side. */
static struct slice_axis loop_over(const struct slice_side *s)
{
    return (struct slice_axis){ u64_ceil_div(s->axis.size, s->block),
                                s->axis.from * (int64_t)s->block, s->axis.to * (int64_t)s->block };
}

/* Makes tiles deep if the second axis is short and one of the first `count` loops continues it. */
static void choose_third(struct slice_plan *p, unsigned count)
{
    /* fits: one step beyond the source */
    int64_t end = p->second.axis.from * (int64_t)p->second.axis.size;

    if (2 * i64_magnitude(end) > DEEP_RUN)
        return;
    for (unsigned i = 0; i < count; i++)
        if (p->loops.axes[i].from == end) {
            p->third.axis = p->loops.axes[i];
            p->third.loop = i;
            p->third.block = u64_min(p->third.axis.size, DEEP_RUN / i64_magnitude(end));
            p->second.block = p->second.axis.size;
            p->row.block = tile_row(p, DEEP_SIDE);
            p->loops.axes[i] = loop_over(&p->third);
            return;
        }
}

/* Columns are gathered if they are not contiguous in the source, in reverse order, or crowded. */
static bool must_gather(const struct slice_plan *p)
{
    return p->second.axis.from != (int64_t)p->elem || p->row.axis.from < 0 ||
           crowded(p, p->third.block > 1 ? 1 : 2);
}

/* Loops over the other axes, in the order of the output, or with tiles in that of the source:
 * Fortran order, {64,64,128,128}, Granite Rapids, 0.8 of the rate otherwise. Returns the number of
 * loops. */
static unsigned outer_loops(struct slice_plan *p, const struct slice_axis *axes, unsigned rank,
                            unsigned second)
{
    struct slice_axis *loops = p->loops.axes;
    unsigned n = 0;

    for (unsigned i = 0; i + 1 < rank; i++)
        if (i != second) {
            unsigned at = n++;

            for (; p->tiles.used && at > 0 &&
                   i64_magnitude(loops[at - 1].from) < i64_magnitude(axes[i].from);
                 at--)
                loops[at] = loops[at - 1];
            loops[at] = axes[i];
        }
    return n;
}

/* Cuts axes, outer to inner, into blocks; loops over them. */
static void choose_loops(struct slice_plan *p, const struct slice_axis *axes, unsigned rank,
                         bool transposing)
{
    unsigned second = choose_second(axes, rank), outer;

    p->row.axis = axes[rank - 1];
    p->second.axis = second < rank ? axes[second] : (struct slice_axis){ 1, 0, 0 };
    choose_blocks(p, transposing);
    outer = outer_loops(p, axes, rank, second);
    if (p->tiles.used)
        choose_third(p, outer);
    p->tiles.gather = p->tiles.used && must_gather(p);
    /* tiles in the order of the source: bench_slice, Fortran order, {8192,4096}, Granite Rapids,
     * against the order of the output: FLOAT32 1.6 times as fast, FLOAT16 1.1 */
    p->row.loop = p->tiles.used ? outer : outer + 1;
    p->second.loop = p->tiles.used ? outer + 1 : outer;
    p->loops.axes[p->row.loop] = loop_over(&p->row);
    p->loops.axes[p->second.loop] = loop_over(&p->second);
    p->loops.count = outer + 2;
    p->loops.blocks = 1;
    for (unsigned i = 0; i < p->loops.count; i++)
        p->loops.blocks *= p->loops.axes[i].size;
    p->loops.per_chunk =
        u64_max(1, BLOCK_BYTES / (p->row.block * p->second.block * p->third.block * p->elem));
}

/* Chooses prefetching and threads by the bytes read and written; at most a thread per chunk. */
static void choose_effort(struct slice_plan *p, const struct op_exec *exec)
{
    uint64_t step = u64_min(i64_magnitude(p->row.axis.from), CACHE_LINE), read;
    uint64_t written = p->base.operations * p->elem; /* fits: it is in memory */

    if (!u64_mul(p->base.operations, u64_max(p->elem, step), &read))
        read = UINT64_MAX - written;
    p->prefetch = prefetch_for_copy(exec->prefetch, read);
    p->base.threads = (int)u64_min((uint64_t)parallel_threads_for(exec->threads, read + written),
                                   u64_ceil_div(p->loops.blocks, p->loops.per_chunk));
}

/* Memory for each thread: a tile, or a strip of one and its columns. */
static enum status make_tiles(struct slice_plan *p, struct diag *dg)
{
    struct slice_tiles *t = &p->tiles;
    size_t run = p->second.block * p->third.block;

    if (!t->used)
        return ST_OK;
    t->strip = t->gather ? u64_min(CACHE_LINE / p->elem, run) : run;
    t->step = p->row.block + TILE_PAD / p->elem;
    t->tile_bytes = u64_round_up(t->step * t->strip * p->elem, CACHE_LINE);
    t->thread_bytes = t->tile_bytes;
    if (t->gather) /* between the columns is a line */
        t->thread_bytes += u64_round_up(p->row.block * (run * p->elem + CACHE_LINE), CACHE_LINE);
    t->memory = mem_alloc_aligned((uint64_t)p->base.threads, t->thread_bytes);
    return t->memory ? ST_OK : diag_nomem(dg);
}

static enum status too_large(struct diag *dg)
{
    return diag_error(dg, ST_SYSTEM, NULL, "the output is too large for this machine");
}

/* An output whose rows are not contiguous is made in scratch and then copied. */
static enum status plan_axes(struct slice_plan *p, const struct tensor *view,
                             const struct op_exec *exec, struct diag *dg)
{
    struct slice_axis axes[DML_MAX_RANK];
    int64_t packed[TENSOR_MAX_RANK];
    unsigned rank;

    if (!tensor_count(p->out.rank, p->out.sizes, &p->base.operations) ||
        !tensor_pack_strides(p->out.rank, p->out.sizes, packed) ||
        !make_axes(p, view, p->out.strides, axes, &rank))
        return too_large(dg);
    p->dst = p->out.data;
    sort_axes(axes, rank);
    if (axes[rank - 1].to != (int64_t)p->elem) {
        p->dst = mem_alloc_aligned(p->base.operations, p->elem);
        if (!p->dst)
            return diag_nomem(dg);
        if (!make_axes(p, view, packed, axes, &rank))
            return too_large(dg);
        sort_axes(axes, rank);
    }
    /* the reference copies element by element */
    choose_loops(p, axes, join_axes(axes, rank), p->kernel != slice_kernels);
    choose_effort(p, exec);
    return make_tiles(p, dg);
}

enum status slice_copy_plan_new(struct op_plan **plan, const struct tensor *view,
                                struct tensor *out, const struct op_exec *exec, struct diag *dg)
{
    struct slice_plan *p;
    unsigned row;
    enum status st = op_select_kernel(KERNELS_SLICE, exec->kernel, &row, dg);

    if (st)
        return st;
    p = mem_zalloc(1, sizeof *p);
    if (!p)
        return diag_nomem(dg);
    p->base = (struct op_plan){ .run = slice_run,
                                .free = slice_free,
                                .kernel = slice_kernels[row].row.name };
    p->out = *out;
    p->src = view->data;
    p->elem = dtype_size(view->type);
    p->width_log2 = dtype_table[view->type].width_log2;
    p->kernel = &slice_kernels[row];
    p->swap = view->swapped;
    st = plan_axes(p, view, exec, dg);
    if (st) {
        slice_free(&p->base);
        return st;
    }
    p->stream = p->base.operations * p->elem >= STREAM_BYTES;
    out->is_bool = view->is_bool;
    *plan = &p->base;
    return ST_OK;
}

/* The index on axis i of the input where the slice begins. */
static int64_t start_at(const struct desc *d, unsigned i)
{
    int64_t at = (int64_t)d->offsets[i];

    return d->op == OP_SLICE1 && d->strides[i] < 0 ? at + (int64_t)d->sizes[i] - 1 : at;
}

static bool fits_bytes(int64_t elements, enum dtype type)
{
    return !__builtin_mul_overflow(elements, (int64_t)dtype_size(type), &elements);
}

bool slice_view(const struct desc *d, const struct tensor *in, const uint64_t *sizes,
                struct tensor *view, int64_t *first)
{
    *view = (struct tensor){
        .type = in->type, .is_bool = in->is_bool, .swapped = in->swapped, .rank = in->rank
    };
    memcpy(view->sizes, sizes, in->rank * sizeof sizes[0]);
    *first = 0;
    for (unsigned i = 0; i < in->rank; i++) {
        int64_t at, *stride = &view->strides[i];

        if (__builtin_mul_overflow(start_at(d, i), in->strides[i], &at) ||
            __builtin_add_overflow(*first, at, first))
            return false;
        if (sizes[i] > 1 && (__builtin_mul_overflow(d->strides[i], in->strides[i], stride) ||
                             !fits_bytes(*stride, in->type)))
            return false;
    }
    return fits_bytes(*first, in->type);
}

enum status slice_plan_new(struct op_plan **plan, const struct desc *d,
                           struct tensor *const t[SLOT_COUNT], const struct op_exec *exec,
                           struct diag *dg)
{
    const struct tensor *in = t[SLOT_IN];
    struct tensor view;
    int64_t first;

    if (!slice_view(d, in, t[SLOT_OUT]->sizes, &view, &first))
        return too_large(dg);
    view.data = (char *)in->data + first * (int64_t)dtype_size(in->type);
    return slice_copy_plan_new(plan, &view, t[SLOT_OUT], exec, dg);
}
