#include "base/mem.h"
#include "op/qmatmul/qmatmul_plan.h"
#include "tensor/element.h"

struct qmatmul_shape qmatmul_shape(const struct tensor *a, const struct tensor *b)
{
    unsigned r = a->rank;
    struct qmatmul_shape s = {
        .lead_rank = r - 2, .m = a->sizes[r - 2], .k = a->sizes[r - 1], .n = b->sizes[r - 1]
    };

    memcpy(s.lead_sizes, a->sizes, s.lead_rank * sizeof s.lead_sizes[0]);
    tensor_count(s.lead_rank, s.lead_sizes, &s.products); /* A fits memory */
    return s;
}

static struct operand operand_of(const struct tensor *t)
{
    const int64_t *s = t->strides + t->rank;
    int64_t size = (int64_t)dtype_size(t->type);
    struct operand o = { .data = t->data,
                         .row = s[-2] * size,
                         .column = s[-1] * size,
                         .is_signed = t->type == DT_INT8 };

    for (unsigned i = 0; i + 2 < t->rank; i++)
        o.lead[i] = t->strides[i] * size;
    return o;
}

/* The step is that of the only axis longer than 1. */
static struct qmatmul_vector vector_of(const struct tensor *t)
{
    struct qmatmul_vector v = { 0 };

    if (!t)
        return v;
    v.data = t->data;
    v.swapped = t->swapped;
    for (unsigned i = 0; i < t->rank; i++)
        if (t->sizes[i] > 1)
            v.step = t->strides[i];
    return v;
}

struct quantized qmatmul_quantized(const struct tensor *matrix, const struct tensor *scale,
                                   const struct tensor *zero)
{
    return (struct quantized){ operand_of(matrix), vector_of(scale), vector_of(zero) };
}

static char *matrix_at(const struct qmatmul_shape *s, const struct operand *o, uint64_t index)
{
    int64_t at = 0;

    for (unsigned i = s->lead_rank; i-- > 0; index /= s->lead_sizes[i])
        at += (int64_t)(index % s->lead_sizes[i]) * o->lead[i];
    return o->data + at;
}

struct product qmatmul_product_at(const struct qmatmul_plan *p, uint64_t index,
                                  struct packed_b *packed)
{
    return (struct product){ p,
                             matrix_at(&p->shape, &p->a.matrix, index),
                             matrix_at(&p->shape, &p->b.matrix, index),
                             matrix_at(&p->shape, &p->c.matrix, index),
                             index,
                             packed };
}

float qmatmul_scale_at(const struct qmatmul_vector *v, uint64_t i)
{
    if (!v->data)
        return 1;
    return element_load_float((const char *)v->data + (int64_t)i * v->step * (int64_t)sizeof(float),
                              v->swapped);
}

int32_t qmatmul_zero_at(const struct qmatmul_vector *v, const struct operand *o, uint64_t i)
{
    const char *at;

    if (!v->data)
        return 0;
    at = (const char *)v->data + (int64_t)i * v->step;
    return o->is_signed ? *(const signed char *)at : *(const unsigned char *)at;
}

uint32_t qmatmul_a_zero(const struct qmatmul_plan *p, uint64_t row)
{
    if (p->widened)
        return 0;
    return (uint32_t)(qmatmul_zero_at(&p->a.zero, &p->a.matrix, row) + p->a_shift);
}

/* A block of scratch begins with a cache line that leads to the next block. */
struct scratch {
    struct scratch *next;
};

void *qmatmul_scratch(struct qmatmul_plan *p, uint64_t count, uint64_t size, bool *good)
{
    struct scratch *s = NULL;
    uint64_t bytes;

    if (*good && u64_mul(count, size, &bytes) && u64_add(bytes, CACHE_LINE, &bytes))
        s = mem_alloc_aligned(bytes, 1);
    *good = s != NULL;
    if (!s)
        return NULL;
    s->next = p->scratch;
    p->scratch = s;
    return (char *)s + CACHE_LINE;
}

void *qmatmul_zeroed_scratch(struct qmatmul_plan *p, uint64_t count, uint64_t size, bool *good)
{
    void *at = qmatmul_scratch(p, count, size, good);

    if (at)
        memset(at, 0, count * size);
    return at;
}

void qmatmul_allocate_sums(struct qmatmul_plan *p, struct packed_b *b, uint64_t columns, bool *good)
{
    b->sums = qmatmul_zeroed_scratch(p, columns, sizeof *b->sums, good);
    b->low_sums = qmatmul_zeroed_scratch(p, columns, sizeof *b->low_sums, good);
    b->bias = qmatmul_zeroed_scratch(p, columns, sizeof *b->bias, good);
}

void qmatmul_allocate_epilogue(struct qmatmul_plan *p, struct epilogue *e, uint64_t rows,
                               uint64_t cells, bool *good)
{
    e->a_sums = qmatmul_zeroed_scratch(p, rows, sizeof *e->a_sums, good);
    e->rows = qmatmul_zeroed_scratch(p, rows, sizeof *e->rows, good);
    e->line = qmatmul_scratch(p, rows, p->kernel->tile.b.lanes * sizeof(int32_t), good);
    e->sums = qmatmul_zeroed_scratch(p, cells, sizeof *e->sums, good);
    if (p->shape.k > QMM_INT32_K)
        e->wide = qmatmul_scratch(p, cells, sizeof *e->wide, good);
}

void qmatmul_free_scratch(struct qmatmul_plan *p)
{
    for (struct scratch *s = p->scratch, *next; s; s = next) {
        next = s->next;
        free(s);
    }
}
