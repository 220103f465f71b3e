#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/util.h"
#include "kernel/slice.h"
#include "op/impl.h"

/* Elements that one call of the kernel moves at most, and that one chunk of work has about. */
enum { PIECE_ELEMENTS = 1 << 16, CHUNK_ELEMENTS = 1 << 17 };

struct axis {
    uint64_t size;
    int64_t from, to; /* steps in source and packed result, in elements */
};

struct slice_plan {
    struct op_plan base;
    slice_row_fn *copy;
    size_t elem;            /* bytes */
    bool swap;
    const char *src;        /* first element taken */
    char *dst;              /* packed: the output itself, or scratch */
    void *scratch;          /* owned; NULL where the output is packed */
    struct tensor out;
    struct axis axes[DML_MAX_RANK]; /* outer to inner; the last is the row */
    unsigned rank;
    uint64_t pieces;        /* of a row */
    uint64_t units;         /* rows * pieces */
    uint64_t per_chunk;     /* units */
    int threads;
};

/* One unit is a piece of a row; a chunk takes neighbouring ones. */
static void run_chunk(void *context, size_t chunk, int thread)
{
    const struct slice_plan *p = context;
    const struct axis *row = &p->axes[p->rank - 1];
    uint64_t unit = (uint64_t)chunk * p->per_chunk, end = u64_min(unit + p->per_chunk, p->units);

    (void)thread;
    for (; unit < end; unit++) {
        uint64_t first = unit % p->pieces * PIECE_ELEMENTS, at = unit / p->pieces;
        int64_t from = (int64_t)first * row->from, to = (int64_t)first;
        char *dst;

        for (unsigned i = p->rank - 1; i-- > 0;) {
            uint64_t c = at % p->axes[i].size;

            at /= p->axes[i].size;
            from += (int64_t)c * p->axes[i].from;
            to += (int64_t)c * p->axes[i].to;
        }
        dst = p->dst + to * (int64_t)p->elem;
        first = u64_min(row->size - first, PIECE_ELEMENTS);
        p->copy(dst, p->src + from * (int64_t)p->elem, (ptrdiff_t)row->from, (size_t)first);
        if (p->swap)
            tensor_swap_bytes(dst, p->elem, first);
    }
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
    free(p);
}

/* Source steps and the first element of each axis; false on overflow, which no mapped or allocated input can have. */
static bool place_axes(struct slice_plan *p, const struct desc *d, const struct tensor *in, const int64_t *to)
{
    int64_t start = 0;

    p->rank = 0;
    for (unsigned i = 0; i < in->rank; i++) {
        int64_t at = (int64_t)d->offsets[i], step, from;

        if (d->op == OP_SLICE1 && d->strides[i] < 0)
            at += (int64_t)d->sizes[i] - 1;
        if (__builtin_mul_overflow(at, in->strides[i], &step) || __builtin_add_overflow(start, step, &start))
            return false;
        if (p->out.sizes[i] == 1)
            continue;
        if (__builtin_mul_overflow(d->strides[i], in->strides[i], &from))
            return false;
        p->axes[p->rank++] = (struct axis){ p->out.sizes[i], from, to[i] };
    }
    if (p->rank == 0)
        p->axes[p->rank++] = (struct axis){ 1, 1, 1 };
    p->src = (const char *)in->data + start * (int64_t)p->elem;
    return true;
}

/* Joins neighbours that step through both sides like one axis. */
static void coalesce(struct slice_plan *p)
{
    unsigned n = 0;

    for (unsigned i = 1; i < p->rank; i++) {
        struct axis *outer = &p->axes[n], *inner = &p->axes[i];
        int64_t from;

        if (!__builtin_mul_overflow(inner->from, (int64_t)inner->size, &from) && outer->from == from)
            *outer = (struct axis){ outer->size * inner->size, inner->from, inner->to };
        else
            p->axes[++n] = *inner;
    }
    p->rank = n + 1;
}

static void share_out(struct slice_plan *p)
{
    const struct axis *row = &p->axes[p->rank - 1];

    p->pieces = (row->size + PIECE_ELEMENTS - 1) / PIECE_ELEMENTS;
    p->units = p->pieces;
    for (unsigned i = 0; i + 1 < p->rank; i++)
        p->units *= p->axes[i].size;
    p->per_chunk = u64_max(1, CHUNK_ELEMENTS / u64_min(row->size, PIECE_ELEMENTS));
}

enum status slice_plan_new(struct op_plan **plan, const struct desc *d, struct tensor *const t[SLOT_COUNT],
                           const struct op_exec *exec, struct diag *dg)
{
    const struct tensor *in = t[SLOT_IN];
    int64_t to[TENSOR_MAX_RANK];
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
    p->copy = slice_kernels[row].copy[dtype_table[in->type].width_log2];
    p->swap = in->swapped;
    p->threads = exec->threads;
    p->dst = p->out.data;
    if (!tensor_count(p->out.rank, p->out.sizes, &p->base.operations) ||
        !tensor_pack_strides(p->out.rank, p->out.sizes, to) || !place_axes(p, d, in, to)) {
        st = diag_error(dg, ST_SYSTEM, NULL, "the output is too large for this machine");
        goto fail;
    }
    if (!tensor_is_packed(&p->out)) {
        p->dst = p->scratch = mem_alloc_aligned(p->base.operations, p->elem);
        if (!p->scratch) {
            st = diag_nomem(dg);
            goto fail;
        }
    }
    t[SLOT_OUT]->is_bool = in->is_bool;
    coalesce(p);
    share_out(p);
    *plan = &p->base;
    return ST_OK;
fail:
    slice_free(&p->base);
    return st;
}
