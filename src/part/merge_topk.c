#include "part/merge_topk.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/topk/topk.h"
#include "tensor/element.h"

/* The next element of a part, along topk's axis. */
struct merge_head {
    uint64_t key;    /* kernel/topk/topk.h */
    uint64_t offset; /* in elements of the part's data */
    uint64_t step;   /* to the one after it */
    uint64_t left;   /* elements, this one included */
    uint32_t piece;  /* of the axis: pieces are in the order of indices */
};

struct part_merger {
    struct part_set *s;
    struct topk_order order;
    unsigned value_log2, index_log2; /* of elements' sizes */
    uint64_t k, inner; /* the output's sizes along the axis, and of what follows it together */
    uint64_t pieces, step; /* of the axis; from one to the next in part numbers */
    uint64_t base;         /* the first part that has something of the column at hand */
    struct merge_head *heads; /* [pieces] a heap, the first of all at its root */
    size_t n;                 /* heads that have elements left */
    char *block[RECORD_FILES]; /* [k * inner] elements */
    uint64_t c[DML_MAX_RANK];  /* the index that they are of, where there is one */
    bool merged;
    struct diag *dg;
};

static bool before(const struct merge_head *a, const struct merge_head *b)
{
    return a->key != b->key ? a->key < b->key : a->piece < b->piece;
}

/* Restores the heap, where only the head `at` may come after one of its children. */
static void sift(struct part_merger *m, size_t at)
{
    struct merge_head e = m->heads[at];

    while (at < m->n / 2) {
        size_t child = 2 * at + 1;

        if (child + 1 < m->n && before(&m->heads[child + 1], &m->heads[child]))
            child++;
        if (!before(&m->heads[child], &e))
            break;
        m->heads[at] = m->heads[child];
        at = child;
    }
    m->heads[at] = e;
}

/* The bits of the element at a head in one of its part's files. */
static enum status load(struct part_merger *m, const struct merge_head *h, unsigned file,
                        uint64_t *bits)
{
    unsigned width_log2 = file == 0 ? m->value_log2 : m->index_log2;
    const char *data;
    enum status st = part_set_data(m->s, m->base + h->piece * m->step, file, &data, m->dg);

    if (st == ST_OK)
        *bits = element_load_swapped(data + (h->offset << width_log2), width_log2,
                                     BIG_MACHINE);
    return st;
}

static enum status load_key(struct part_merger *m, struct merge_head *h)
{
    uint64_t bits = 0;
    enum status st = load(m, h, 0, &bits);

    h->key = topk_key(bits, m->value_log2, m->order);
    return st;
}

/* Makes the heap of the heads of column c. */
static enum status begin_column(struct part_merger *m, const uint64_t *c)
{
    const struct record *first = &m->s->first;
    unsigned along = first->shape.along;
    enum status st = ST_OK;

    m->base = part_of(first, c, along);
    m->n = m->pieces;
    for (uint64_t i = 0; i < m->pieces && st == ST_OK; i++) {
        uint64_t place[DML_MAX_RANK], sizes[DML_MAX_RANK];
        struct merge_head *h = &m->heads[i];
        struct share share;

        share_at(&first->shape, &first->grid, m->base + i * m->step, &share);
        share_place(&first->shape, &share, place, sizes);
        *h = (struct merge_head){ .offset = part_offset(first, &share, c, along), .step = 1,
                                  .piece = (uint32_t)i, .left = sizes[along] };
        for (unsigned axis = along + 1; axis < first->shape.rank; axis++)
            h->step *= sizes[axis];
        st = load_key(m, h);
    }
    for (size_t at = m->n / 2; at-- > 0 && st == ST_OK;)
        sift(m, at);
    return st;
}

/* Takes the first of all heads and writes it to element `to` of the block. */
static enum status take(struct part_merger *m, uint64_t to)
{
    struct merge_head *root = &m->heads[0];
    enum status st = ST_OK;

    for (unsigned file = 0; file < RECORD_FILES && st == ST_OK; file++) {
        unsigned width_log2 = file == 0 ? m->value_log2 : m->index_log2;
        uint64_t bits = 0;

        if (!m->block[file])
            continue;
        st = load(m, root, file, &bits);
        element_store(m->block[file] + (to << width_log2), width_log2,
                      BIG_MACHINE ? element_swap(bits, width_log2)
                                                             : bits);
    }
    root->offset += root->step;
    if (--root->left > 0 && st == ST_OK)
        st = load_key(m, root);
    else if (root->left == 0)
        *root = m->heads[--m->n];
    sift(m, 0);
    return st;
}

enum status part_merger_block(struct part_merger *m, const uint64_t *c)
{
    const struct share_shape *shape = &m->s->first.shape;
    uint64_t column = 0;
    enum status st;

    if (m->merged && memcmp(m->c, c, shape->along * sizeof *c) == 0)
        return ST_OK;
    m->merged = false;
    memcpy(m->c, c, shape->rank * sizeof *c);
    do {
        st = begin_column(m, m->c);
        for (uint64_t i = 0; i < m->k && st == ST_OK; i++)
            st = take(m, i * m->inner + column);
        column++;
    } while (st == ST_OK && tensor_next(shape->rank - shape->along - 1,
                                        shape->sizes + shape->along + 1, m->c + shape->along + 1));
    m->merged = st == ST_OK;
    return st;
}

const char *part_merger_data(const struct part_merger *m, unsigned file)
{
    return m->block[file];
}

static bool allocate(struct part_merger *m, const bool *want)
{
    uint64_t n = m->k * m->inner;

    m->heads = mem_alloc(m->pieces, sizeof *m->heads);
    if (want[0])
        m->block[0] = mem_alloc(n, UINT64_C(1) << m->value_log2);
    if (want[1])
        m->block[1] = mem_alloc(n, UINT64_C(1) << m->index_log2);
    return m->heads && (m->block[0] || !want[0]) && (m->block[1] || !want[1]);
}

enum status part_merger_new(struct part_merger **merger, struct part_set *s,
                            const bool want[RECORD_FILES], struct diag *dg)
{
    const struct record *first = &s->first;
    const struct dtype_info *type = &dtype_table[first->type];
    struct part_merger *m = mem_zalloc(1, sizeof *m);

    *merger = m;
    if (!m)
        return diag_nomem(dg);
    *m = (struct part_merger){ .s = s, .order = { type->kind, first->largest,
                                                   first->nan_last },
                               .value_log2 = type->width_log2,
                               .index_log2 = dtype_table[first->index_type].width_log2,
                               .k = first->shape.sizes[first->shape.along], .inner = 1, .dg = dg };
    m->step = part_step(&first->grid, first->shape.along);
    for (unsigned i = 0; i < first->grid.n; i++)
        if (first->grid.axis[i] == first->shape.along)
            m->pieces = first->grid.count[i];
    for (unsigned axis = first->shape.along + 1; axis < first->shape.rank; axis++)
        m->inner *= first->shape.sizes[axis];
    return allocate(m, want) ? ST_OK : diag_nomem(dg);
}

void part_merger_free(struct part_merger *m)
{
    if (!m)
        return;
    free(m->heads);
    free(m->block[0]);
    free(m->block[1]);
    free(m);
}

static enum status write_block(struct part_merger *m, struct outputs *outs, const size_t *target)
{
    uint64_t n = m->k * m->inner;
    enum status st = ST_OK;

    if (m->block[0])
        st = outputs_write(outs, target[0], m->block[0], (size_t)(n << m->value_log2), m->dg);
    if (m->block[1] && st == ST_OK)
        st = outputs_write(outs, target[1], m->block[1], (size_t)(n << m->index_log2), m->dg);
    return st;
}

enum status part_merge_topk(struct part_set *s, struct outputs *outs,
                            const bool want[RECORD_FILES], const size_t target[RECORD_FILES],
                            struct diag *dg)
{
    const struct share_shape *shape = &s->first.shape;
    uint64_t c[DML_MAX_RANK] = { 0 };
    struct part_merger *m;
    enum status st = part_merger_new(&m, s, want, dg);

    for (unsigned file = 0; file < RECORD_FILES && st == ST_OK; file++)
        if (want[file])
            st = part_merge_header(s, file, outs, target[file], dg);
    while (st == ST_OK) {
        st = part_merger_block(m, c);
        if (st == ST_OK)
            st = write_block(m, outs, target);
        if (!tensor_next(shape->along, shape->sizes, c))
            break;
    }
    part_merger_free(m);
    return st;
}
