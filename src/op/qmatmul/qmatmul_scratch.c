#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/qmatmul/qmatmul_plan.h"

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
