#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "kernel/topk.h"
#include "op/impl.h"

/* Sequences that one chunk takes have about this many elements, so that short ones cost little each. */
enum { CHUNK_ELEMENTS = 32768 };

/* What one thread works in. */
struct scratch {
    void *select;    /* the kernel's own */
    uint64_t *index; /* [k] places found */
    void *elements;  /* [n] a sequence gathered; NULL where the input's own memory serves */
};

struct topk_plan {
    struct op_plan base;
    const struct topk_kernel *kernel;
    struct topk_order order;
    unsigned width_log2;
    struct tensor in, values, indices;          /* the axis taken out: one element a sequence */
    int64_t in_step, values_step, indices_step; /* along the axis, in elements */
    uint64_t n, k;
    uint64_t sequences, per_chunk;
    struct scratch *scratch;                    /* [threads] */
    int threads;
};

/* size is that of an element: 1, 2, 4 or 8 bytes. */
static void copy_element(void *dst, const void *src, size_t size)
{
    switch (size) {
    case 1:
        memcpy(dst, src, 1);
        break;
    case 2:
        memcpy(dst, src, 2);
        break;
    case 4:
        memcpy(dst, src, 4);
        break;
    default:
        memcpy(dst, src, 8);
    }
}

/* The sequence at src as contiguous elements in native order; step is in elements. */
static const void *sequence_elements(const struct topk_plan *p, const struct scratch *s, const char *src)
{
    size_t size = dtype_size(p->in.type);
    char *dst = s->elements;

    if (!dst)
        return src;
    for (uint64_t i = 0; i < p->n; i++)
        copy_element(dst + i * size, src + (int64_t)i * p->in_step * (int64_t)size, size);
    if (p->in.swapped)
        tensor_swap_bytes(dst, size, p->n);
    return dst;
}

/* Writes index[0..k-1] and the elements there to the outputs of the sequence at c. */
static void put_results(const struct topk_plan *p, const uint64_t *c, const char *elements,
                        const uint64_t *index)
{
    size_t size = dtype_size(p->values.type), index_size = dtype_size(p->indices.type);
    char *value_at = tensor_at(&p->values, c), *index_at = tensor_at(&p->indices, c);

    for (uint64_t i = 0; i < p->k; i++) {
        uint32_t narrow = (uint32_t)index[i];

        copy_element(value_at, elements + index[i] * size, size);
        if (index_size == sizeof narrow)
            memcpy(index_at, &narrow, sizeof narrow);
        else
            memcpy(index_at, &index[i], sizeof index[i]);
        value_at += p->values_step * (int64_t)size;
        index_at += p->indices_step * (int64_t)index_size;
    }
}

static void run_chunk(void *context, size_t chunk, int thread)
{
    const struct topk_plan *p = context;
    const struct scratch *s = &p->scratch[thread];
    uint64_t first = chunk * p->per_chunk;
    uint64_t left = u64_min(p->per_chunk, p->sequences - first);
    uint64_t c[TENSOR_MAX_RANK] = { 0 };

    for (unsigned i = p->in.rank; i-- > 0; first /= p->in.sizes[i])
        c[i] = first % p->in.sizes[i];
    for (; left > 0; left--) {
        const void *elements = sequence_elements(p, s, tensor_at(&p->in, c));

        p->kernel->select[p->width_log2](elements, p->n, p->k, p->order, s->select, s->index);
        put_results(p, c, elements, s->index);
        tensor_next(p->in.rank, p->in.sizes, c);
    }
}

static void run(struct op_plan *plan)
{
    struct topk_plan *p = (struct topk_plan *)plan;

    parallel_for((p->sequences - 1) / p->per_chunk + 1, p->threads, run_chunk, p);
}

static void plan_free(struct op_plan *plan)
{
    struct topk_plan *p = (struct topk_plan *)plan;

    for (int i = 0; p->scratch && i < p->threads; i++) {
        free(p->scratch[i].elements);
        free(p->scratch[i].index);
        free(p->scratch[i].select);
    }
    free(p->scratch);
    free(p);
}

/* Takes the axis out of a view; *step is its stride. */
static void take_axis(struct tensor *rest, int64_t *step, const struct tensor *t, unsigned axis)
{
    *rest = *t;
    *step = t->strides[axis];
    rest->rank = t->rank - 1;
    for (unsigned i = axis; i < rest->rank; i++) {
        rest->sizes[i] = t->sizes[i + 1];
        rest->strides[i] = t->strides[i + 1];
    }
}

static bool allocate(struct topk_plan *p)
{
    bool gather = p->in.swapped || (p->in_step != 1 && p->n > 1);
    uint64_t bytes = p->kernel->scratch(p->width_log2, p->n, p->k);

    p->scratch = mem_zalloc((uint64_t)p->threads, sizeof p->scratch[0]);
    if (!p->scratch)
        return false;
    for (int i = 0; i < p->threads; i++) {
        struct scratch *s = &p->scratch[i];

        s->select = mem_alloc_aligned(bytes, 1);
        s->index = mem_alloc_aligned(p->k, sizeof s->index[0]);
        if (gather)
            s->elements = mem_alloc_aligned(p->n, dtype_size(p->in.type));
        if (!s->select || !s->index || (gather && !s->elements))
            return false;
    }
    return true;
}

enum status topk_plan_new(struct op_plan **plan, const struct desc *d, struct tensor *const t[SLOT_COUNT],
                          const struct op_exec *exec, struct diag *dg)
{
    unsigned axis = (unsigned)d->axis, row;
    struct topk_plan *p;
    enum status st = op_select_kernel(topk_kernels, topk_kernel_count, sizeof topk_kernels[0], exec->kernel,
                                      &row, dg);

    if (st)
        return st;
    if (t[SLOT_INDICES]->type == DT_UINT32 && t[SLOT_IN]->sizes[axis] - 1 > UINT32_MAX)
        return diag_error(dg, ST_INPUT, NULL,
                          "axis %u has %llu elements, too many for UINT32 indices; use UINT64 indices", axis,
                          (unsigned long long)t[SLOT_IN]->sizes[axis]);
    p = mem_zalloc(1, sizeof *p);
    if (!p)
        return diag_nomem(dg);
    p->kernel = &topk_kernels[row];
    p->order = (struct topk_order){ dtype_table[t[SLOT_IN]->type].kind, d->direction == AXIS_DECREASING };
    p->width_log2 = dtype_table[t[SLOT_IN]->type].width_log2;
    p->n = t[SLOT_IN]->sizes[axis];
    p->k = d->k;
    take_axis(&p->in, &p->in_step, t[SLOT_IN], axis);
    take_axis(&p->values, &p->values_step, t[SLOT_VALUES], axis);
    take_axis(&p->indices, &p->indices_step, t[SLOT_INDICES], axis);
    p->base = (struct op_plan){ .run = run, .free = plan_free, .kernel = p->kernel->row.name };
    if (!tensor_count(p->in.rank, p->in.sizes, &p->sequences) ||
        !u64_mul(p->sequences, p->n, &p->base.operations)) {
        free(p);
        return diag_error(dg, ST_INPUT, NULL, "the input has more elements than can be counted");
    }
    p->per_chunk = u64_max(1, CHUNK_ELEMENTS / p->n);
    p->threads = (int)u64_min((uint64_t)exec->threads, (p->sequences - 1) / p->per_chunk + 1);
    *plan = &p->base;
    if (!allocate(p)) {
        plan_free(&p->base);
        *plan = NULL;
        return diag_nomem(dg);
    }
    return ST_OK;
}
