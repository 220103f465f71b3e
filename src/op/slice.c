#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/util.h"
#include "kernel/slice_table.h"
#include "op/impl.h"

enum {
    SAME_PLACE = 4096,       /* bytes apart: one place in a first-level cache */
    LINE = 64,               /* bytes that memory gives at once */
    BLOCK_BYTES = 256 << 10, /* of the output: about what one call of the kernel moves, and one chunk of work */
    REACH_BYTES = 128 << 10, /* of the source between a row's ends, where other rows take from the same lines */
    SWAP_BYTES = 16 << 10,   /* a block whose bytes are swapped after it is copied, while the caches have it */
    TILE_SIDE = 256,         /* bytes: runs of some lines in source and output of a tile that is transposed */
    CROWDED_SIDE = 1024,     /* of its runs in the source, where they are gathered for want of places */
    RUN_BYTES = 2048,        /* of the source, that a deep tile takes at once */
    DEEP_SIDE = 512,         /* bytes of its runs in the output */
    TILE_PAD = 32,           /* bytes after each of its rows, which would lie in the same few places of a cache */
    TILE_TURN = 4,           /* rows of a tile between requests for the next one */
    STREAM_BYTES = 16 << 20, /* an output that the caches will not hold */
    SHUFFLED_BYTES = 16,     /* steps up to this and SHUFFLED_STEP have fast kernels */
    SHUFFLED_STEP = 4,
};

/* Steps in bytes. */
struct axis {
    uint64_t size;
    int64_t from, to; /* in source and destination */
};

/*
 * Size-1 axes dropped, neighbours joined, what is left is cut into blocks of two axes: the row, contiguous in the
 * output, and the second one, on which the source's lines hold several elements where they do not along the row. A block is
 * copied row by row, or, as a tile, transposed in the caches: then every line of the source is read once, and lines of the
 * output are written whole. Where the second axis is short and the source goes on along a third one, tiles are deep: they
 * take several steps of that as well, for memory gives long runs sooner than short ones.
 */
struct slice_plan {
    struct op_plan base;
    const struct slice_kernel *kernel;
    unsigned width_log2;
    size_t elem;              /* bytes */
    bool swap, stream, tiles;
    const char *src;          /* first element taken */
    char *dst;                /* the output itself, or scratch */
    void *scratch;            /* owned; NULL where rows of the output are contiguous */
    char *tile_memory;        /* owned: for each thread a tile and the columns of one; NULL without tiles */
    size_t tile_step;         /* elements */
    size_t tile_bytes, thread_bytes; /* whole lines */
    struct tensor out;
    struct axis row, second, third;
    uint64_t row_block, second_block, third_block; /* elements of a block; third_block: 1 unless tiles are deep */
    struct axis loops[DML_MAX_RANK + 2]; /* over blocks, outer to inner */
    unsigned loop_count, row_loop, second_loop, third_loop;
    uint64_t units, per_chunk;           /* a unit is a block */
    int threads;
};

/* A block's place. */
struct block {
    char *dst;
    const char *src;
    size_t depth, rows, n;
};

/* Copies the finished tile, of a deep one along the third axis first, which as a rule has the shorter steps in the output.
 * Meanwhile memory is to send the lines of the tile that follows, at `next`: reading, in short runs from everywhere, would
 * wait for each otherwise. */
static void store_tile(const struct slice_plan *p, const struct block *b, const char *tile, const char *next)
{
    bool deep = p->third_block > 1;
    size_t row_bytes = p->tile_step * p->elem, turn = deep ? 1 : TILE_TURN;
    struct slice_block to = { .dst_row = (ptrdiff_t)(deep ? p->third.to : p->second.to),
                              .src_row = (ptrdiff_t)(deep ? b->rows * row_bytes : row_bytes), .step = 1, .n = b->n,
                              .width_log2 = p->width_log2, .stream = p->stream };

    for (size_t r = 0; r < b->rows; r += turn) {
        for (size_t i = r * b->depth; i < (r + turn) * b->depth && i < b->n; i++)
            for (size_t at = 0; at < b->rows * p->elem; at += LINE)
                __builtin_prefetch(next + (int64_t)i * p->row.from + at);
        to.dst = b->dst + (int64_t)r * p->second.to;
        to.src = tile + r * row_bytes;
        to.rows = b->depth * (size_t)u64_min(turn, b->rows - r);
        to.next = tile + (r + turn) * row_bytes;
        p->kernel->copy(&to);
    }
}

/* Whether the caches would keep a tile's columns in the same few places, and lose their lines between one use and the
 * next, of which elements up to `narrow` bytes make too many. */
static bool crowded(const struct slice_plan *p, size_t narrow)
{
    return p->elem <= narrow && p->row.from % SAME_PLACE == 0;
}

/* Whether a tile's columns are to be gathered before they are transposed: where they are crowded, not contiguous in the
 * source or not in its order. */
static bool gathers(const struct slice_plan *p)
{
    return p->second.from != (int64_t)p->elem || p->row.from < 0 || crowded(p, p->third_block > 1 ? 1 : 2);
}

static void run_tile(const struct slice_plan *p, const struct block *b, const char *next, int thread)
{
    char *tile = p->tile_memory + (size_t)thread * p->thread_bytes, *columns = tile + p->tile_bytes;
    size_t step = (size_t)(p->row.from / (int64_t)p->elem), run = b->depth * b->rows, gathered = run + LINE / p->elem;
    const char *src = b->src;

    if (gathers(p)) {
        struct slice_block gather = { columns, src, (ptrdiff_t)(gathered * p->elem), (ptrdiff_t)p->row.from,
                                      (ptrdiff_t)(p->second.from / (int64_t)p->elem), b->n, run, p->width_log2, false,
                                      next };

        p->kernel->copy(&gather);
        src = columns;
        step = gathered;
    }
    p->kernel->transpose(tile, p->tile_step, src, step, b->n, run, p->width_log2);
    for (size_t r = 0; p->swap && r < run; r++)
        tensor_swap_bytes(tile + r * p->tile_step * p->elem, p->elem, b->n);
    store_tile(p, b, tile, next);
}

static void run_rows(const struct slice_plan *p, const struct block *b, const char *next)
{
    struct slice_block rows = { b->dst, b->src, (ptrdiff_t)p->second.to, (ptrdiff_t)p->second.from,
                                (ptrdiff_t)(p->row.from / (int64_t)p->elem), b->rows, b->n, p->width_log2,
                                p->stream && !p->swap, next };

    p->kernel->copy(&rows);
    for (size_t r = 0; p->swap && r < b->rows; r++)
        tensor_swap_bytes(b->dst + (int64_t)r * p->second.to, p->elem, b->n);
}

/* Coordinates in the loops, and where they lead. */
struct walk {
    uint64_t c[DML_MAX_RANK + 2];
    int64_t from, to;
};

static struct walk walk_start(const struct slice_plan *p, uint64_t unit)
{
    struct walk w = { .from = 0 };

    for (unsigned i = p->loop_count; i-- > 0; unit /= p->loops[i].size) {
        w.c[i] = unit % p->loops[i].size;
        w.from += (int64_t)w.c[i] * p->loops[i].from;
        w.to += (int64_t)w.c[i] * p->loops[i].to;
    }
    return w;
}

/* From the last unit to the first. */
static void walk_next(const struct slice_plan *p, struct walk *w)
{
    for (unsigned i = p->loop_count; i-- > 0;) {
        w->from += p->loops[i].from;
        w->to += p->loops[i].to;
        if (++w->c[i] < p->loops[i].size)
            return;
        w->from -= (int64_t)w->c[i] * p->loops[i].from;
        w->to -= (int64_t)w->c[i] * p->loops[i].to;
        w->c[i] = 0;
    }
}

static void run_chunk(void *context, size_t chunk, int thread)
{
    const struct slice_plan *p = context;
    uint64_t unit = (uint64_t)chunk * p->per_chunk, end = u64_min(unit + p->per_chunk, p->units);
    struct walk w = walk_start(p, unit);

    for (; unit < end; unit++) {
        struct block b = { p->dst + w.to, p->src + w.from, 1, 0, 0 };

        if (p->third_block > 1)
            b.depth = (size_t)u64_min(p->third_block, p->third.size - w.c[p->third_loop] * p->third_block);
        b.n = (size_t)u64_min(p->row_block, p->row.size - w.c[p->row_loop] * p->row_block);
        b.rows = (size_t)u64_min(p->second_block, p->second.size - w.c[p->second_loop] * p->second_block);
        walk_next(p, &w);
        if (p->tiles)
            run_tile(p, &b, p->src + w.from, thread);
        else
            run_rows(p, &b, p->src + w.from);
    }
    if (p->kernel->finish)
        p->kernel->finish();
}

static void slice_run(struct op_plan *plan)
{
    struct slice_plan *p = (struct slice_plan *)plan;
    struct tensor packed = p->out;

    parallel_for((size_t)((p->units + p->per_chunk - 1) / p->per_chunk), p->threads, run_chunk, p);
    if (!p->scratch)
        return;
    packed.data = p->scratch;
    tensor_pack_strides(packed.rank, packed.sizes, packed.strides); /* fits: it did for the plan */
    tensor_copy(&p->out, &packed);
}

static void slice_free(struct op_plan *plan)
{
    struct slice_plan *p = (struct slice_plan *)plan;

    free(p->scratch);
    free(p->tile_memory);
    free(p);
}

/* Steps of each axis that has any, and the first element; false on overflow, which no mapped or allocated input can
 * have. */
static bool place_axes(struct slice_plan *p, const struct desc *d, const struct tensor *in, const int64_t *to,
                       struct axis *axes, unsigned *rank)
{
    int64_t elem = (int64_t)p->elem, start = 0;

    *rank = 0;
    for (unsigned i = 0; i < in->rank; i++) {
        int64_t at = (int64_t)d->offsets[i], step;
        struct axis *a = &axes[*rank];

        if (d->op == OP_SLICE1 && d->strides[i] < 0)
            at += (int64_t)d->sizes[i] - 1;
        if (__builtin_mul_overflow(at, in->strides[i], &step) || __builtin_add_overflow(start, step, &start))
            return false;
        if (p->out.sizes[i] == 1)
            continue;
        a->size = p->out.sizes[i];
        if (__builtin_mul_overflow(d->strides[i], in->strides[i], &a->from) ||
            __builtin_mul_overflow(a->from, elem, &a->from) || __builtin_mul_overflow(to[i], elem, &a->to))
            return false;
        ++*rank;
    }
    p->src = (const char *)((uintptr_t)in->data + (uintptr_t)(start * elem)); /* of a part, data may lie nowhere */
    return true;
}

/* Sorts the axes by their steps in the output, the largest first, and joins neighbours that step through both sides
 * like one. */
static unsigned coalesce(struct axis *axes, unsigned rank)
{
    unsigned n = 0;

    for (unsigned i = 1; i < rank; i++)
        for (unsigned j = i; j > 0 && axes[j - 1].to < axes[j].to; j--) {
            struct axis a = axes[j];

            axes[j] = axes[j - 1];
            axes[j - 1] = a;
        }
    for (unsigned i = 1; i < rank; i++) {
        struct axis *outer = &axes[n], *inner = &axes[i];
        int64_t from, to;

        if (!__builtin_mul_overflow(inner->from, (int64_t)inner->size, &from) && outer->from == from &&
            !__builtin_mul_overflow(inner->to, (int64_t)inner->size, &to) && outer->to == to)
            *outer = (struct axis){ outer->size * inner->size, inner->from, inner->to };
        else
            axes[++n] = *inner;
    }
    return n + 1;
}

static int64_t magnitude(int64_t step) { return step < 0 ? -step : step; }

/* The axis that goes with the row: the one with the shortest steps in the source, where they are shorter than the
 * row's, else the row's neighbour. `rank` where there is only the row. */
static unsigned choose_second(const struct axis *axes, unsigned rank)
{
    unsigned best = rank - 1;

    for (unsigned i = rank - 1; i-- > 0;)
        if (axes[i].from != 0 && magnitude(axes[i].from) < magnitude(axes[best].from))
            best = i;
    if (best != rank - 1)
        return best;
    return rank > 1 ? rank - 2 : rank;
}

/* Elements of a row of `bytes` at most, in a tile; its rows begin at whole vectors. */
static uint64_t tile_row(const struct slice_plan *p, uint64_t bytes)
{
    return (u64_min(p->row.size, bytes / p->elem) + 15) & ~UINT64_C(15);
}

/* Sizes of a block. */
static void choose_blocks(struct slice_plan *p, bool transposing)
{
    uint64_t elem = p->elem, most = (p->swap ? SWAP_BYTES : BLOCK_BYTES) / elem;
    uint64_t row_step = (uint64_t)magnitude(p->row.from), second_step = (uint64_t)magnitude(p->second.from);
    bool nearer = second_step != 0 && second_step < row_step && second_step < LINE;

    p->tiles = transposing && nearer && row_step > SHUFFLED_BYTES && row_step > SHUFFLED_STEP * elem;
    if (p->tiles) {
        p->row_block = tile_row(p, TILE_SIDE);
        p->second_block = u64_min(p->second.size, (crowded(p, 2) ? CROWDED_SIDE : TILE_SIDE) / elem);
        return;
    }
    p->row_block = u64_min(p->row.size, most);
    if (nearer)
        p->row_block = u64_min(p->row_block, u64_max(REACH_BYTES / row_step, LINE / elem));
    p->second_block = u64_min(p->second.size, u64_max(1, most / p->row_block));
}

/* The loop over an axis that is taken in blocks. */
static struct axis loop_over(struct axis a, uint64_t block)
{
    return (struct axis){ (a.size + block - 1) / block, a.from * (int64_t)block, a.to * (int64_t)block };
}

/* Makes tiles deep where one of the loops, the first `count`, goes on where the second axis ends, and that soon. */
static void choose_third(struct slice_plan *p, unsigned count)
{
    int64_t end;

    p->third_block = 1;
    if (!p->tiles)
        return;
    end = p->second.from * (int64_t)p->second.size; /* fits: within the source, but for one step */
    for (unsigned i = 0; 2 * magnitude(end) <= RUN_BYTES && i < count; i++)
        if (p->loops[i].from == end) {
            p->third = p->loops[i];
            p->third_loop = i;
            p->third_block = u64_min(p->third.size, RUN_BYTES / (uint64_t)magnitude(end));
            p->second_block = p->second.size;
            p->row_block = tile_row(p, DEEP_SIDE);
            p->loops[i] = loop_over(p->third, p->third_block);
            return;
        }
}

/* Cuts axes, outer to inner, into blocks; loops over them. Tiles follow the source, so that its pages are used up. */
static void choose_loops(struct slice_plan *p, const struct axis *axes, unsigned rank, bool transposing)
{
    unsigned second = choose_second(axes, rank), n = 0;

    p->row = axes[rank - 1];
    p->second = second < rank ? axes[second] : (struct axis){ 1, 0, 0 };
    choose_blocks(p, transposing);
    for (unsigned i = 0; i + 1 < rank; i++)
        if (i != second) {
            unsigned at = n++;

            for (; p->tiles && at > 0 && magnitude(p->loops[at - 1].from) < magnitude(axes[i].from); at--)
                p->loops[at] = p->loops[at - 1];
            p->loops[at] = axes[i];
        }
    choose_third(p, n);
    p->row_loop = p->tiles ? n++ : n + 1;
    p->second_loop = n++;
    n += !p->tiles;
    p->loop_count = n;
    p->loops[p->second_loop] = loop_over(p->second, p->second_block);
    p->loops[p->row_loop] = loop_over(p->row, p->row_block);
    p->units = 1;
    for (unsigned i = 0; i < n; i++)
        p->units *= p->loops[i].size;
    p->per_chunk = u64_max(1, BLOCK_BYTES / (p->row_block * p->second_block * p->third_block * p->elem));
}

/* Tiles for as many threads as there are chunks of work for. */
static enum status make_room(struct slice_plan *p, struct diag *dg)
{
    uint64_t threads = u64_min((uint64_t)p->threads, (p->units + p->per_chunk - 1) / p->per_chunk);

    if (!p->tiles)
        return ST_OK;
    p->tile_step = p->row_block + TILE_PAD / p->elem;
    p->tile_bytes = (p->tile_step * p->second_block * p->third_block * p->elem + LINE - 1) / LINE * LINE;
    p->thread_bytes = 2 * p->tile_bytes + p->row_block * LINE; /* between columns lies a line */
    p->tile_memory = mem_alloc_aligned(threads, p->thread_bytes);
    return p->tile_memory ? ST_OK : diag_nomem(dg);
}

/* Rows of the output that are not contiguous are made in scratch and copied. */
static enum status plan_axes(struct slice_plan *p, const struct desc *d, const struct tensor *in, bool transposing,
                             struct diag *dg)
{
    struct axis axes[DML_MAX_RANK] = { { 1, 0, 0 } };
    int64_t packed[TENSOR_MAX_RANK];
    const int64_t *to = p->out.strides;
    unsigned rank;
    bool fits = tensor_count(p->out.rank, p->out.sizes, &p->base.operations) &&
                tensor_pack_strides(p->out.rank, p->out.sizes, packed);

    p->dst = p->out.data;
    for (int times = 0; fits; times++) {
        fits = place_axes(p, d, in, to, axes, &rank);
        if (!fits)
            break;
        if (rank == 0)
            axes[rank++] = (struct axis){ 1, (int64_t)p->elem, (int64_t)p->elem };
        rank = coalesce(axes, rank);
        if (axes[rank - 1].to == (int64_t)p->elem) {
            choose_loops(p, axes, rank, transposing);
            return make_room(p, dg);
        }
        p->dst = p->scratch = mem_alloc_aligned(p->base.operations, p->elem);
        if (!p->scratch)
            return diag_nomem(dg);
        to = packed;
    }
    return diag_error(dg, ST_SYSTEM, NULL, "the output is too large for this machine");
}

enum status slice_plan_new(struct op_plan **plan, const struct desc *d, struct tensor *const t[SLOT_COUNT],
                           const struct op_exec *exec, struct diag *dg)
{
    const struct tensor *in = t[SLOT_IN];
    struct slice_plan *p;
    unsigned row;
    enum status st;

    st = op_select_kernel(slice_kernels, slice_kernel_count, sizeof slice_kernels[0], exec->kernel, &row, dg);
    if (st)
        return st;
    p = mem_zalloc(1, sizeof *p);
    if (!p)
        return diag_nomem(dg);
    p->base = (struct op_plan){ .run = slice_run, .free = slice_free, .kernel = slice_kernels[row].row.name };
    p->out = *t[SLOT_OUT];
    p->elem = dtype_size(in->type);
    p->width_log2 = dtype_table[in->type].width_log2;
    p->kernel = &slice_kernels[row];
    p->swap = in->swapped;
    p->threads = exec->threads;
    st = plan_axes(p, d, in, row > 0, dg); /* the reference copies element by element */
    if (st) {
        slice_free(&p->base);
        return st;
    }
    p->stream = p->base.operations * p->elem >= STREAM_BYTES;
    t[SLOT_OUT]->is_bool = in->is_bool;
    *plan = &p->base;
    return ST_OK;
}
