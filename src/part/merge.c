#include "part/set.h"

#include "base/mem.h"
#include "io/tensor_file.h"
#include "kernel/topk/topk.h"

/* The next element of a part along topk's axis. */
struct merge_head {
    uint64_t key;    /* kernel/topk/topk.h */
    uint64_t offset; /* in elements of the part's data */
    uint64_t step;   /* to the next element */
    uint64_t left;   /* elements, including this one */
    uint32_t piece;  /* of the axis; pieces are in the order of indices */
};

/* Merges the parts of a topk that is split along its own axis, block by block. */
struct merger {
    struct part_set *s;
    struct topk_order order;
    unsigned width_log2[RECORD_FILES]; /* of elements */
    uint64_t k, inner;                 /* output sizes: along the axis, and of all axes after it */
    uint64_t pieces, step;             /* of the axis; see share_step */
    uint64_t base;                     /* part number of piece 0 of the current column */
    struct merge_head *heads;          /* [pieces]: a heap, the first in order at its root */
    size_t n;                          /* heads with elements left */
    char *block[RECORD_FILES];         /* [k * inner] elements; NULL if not wanted */
    struct diag *dg;
};

static bool before(const struct merge_head *a, const struct merge_head *b)
{
    return a->key != b->key ? a->key < b->key : a->piece < b->piece;
}

/* Restores the heap if only head `at` is out of order with its children. */
static void sift(struct merger *m, size_t at)
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

/* Loads the bits of a head's element in one of its part's files. */
static enum status load(struct merger *m, const struct merge_head *h, unsigned file, uint64_t *bits)
{
    unsigned width_log2 = m->width_log2[file];
    const char *data;
    enum status st = part_set_data(m->s, m->base + h->piece * m->step, file, &data, m->dg);

    if (st == ST_OK)
        *bits = element_load_swapped(data + (h->offset << width_log2), width_log2, BIG_MACHINE);
    return st;
}

static enum status load_key(struct merger *m, struct merge_head *h)
{
    uint64_t bits = 0;
    enum status st = load(m, h, 0, &bits);

    h->key = topk_key(bits, m->width_log2[0], m->order);
    return st;
}

/* Builds the heap of the column at index c of the other axes. */
static enum status begin_column(struct merger *m, const uint64_t *c)
{
    const struct share_shape *shape = &m->s->job.shape;
    const struct share_grid *grid = &m->s->job.grid;
    enum status st = ST_OK;

    m->base = share_part_of(shape, grid, c, shape->along);
    m->n = m->pieces;
    for (uint64_t i = 0; i < m->pieces && st == ST_OK; i++) {
        struct merge_head *h = &m->heads[i];
        struct share share;

        share_at(shape, grid, m->base + i * m->step, &share);
        *h = (struct merge_head){ .offset = share_offset(shape, &share, c, shape->along),
                                  .step = 1,
                                  .piece = (uint32_t)i,
                                  .left = share.sizes[shape->along] };
        for (unsigned axis = shape->along + 1; axis < shape->rank; axis++)
            h->step *= share.sizes[axis];
        st = load_key(m, h);
    }
    for (size_t at = m->n / 2; at-- > 0 && st == ST_OK;)
        sift(m, at);
    return st;
}

/* Moves the first head's element to element `to` of the block. */
static enum status merge_one(struct merger *m, uint64_t to)
{
    struct merge_head *root = &m->heads[0];
    enum status st = ST_OK;

    for (unsigned file = 0; file < RECORD_FILES && st == ST_OK; file++) {
        unsigned width_log2 = m->width_log2[file];
        uint64_t bits = 0;

        if (!m->block[file])
            continue;
        st = load(m, root, file, &bits);
        element_set(m->block[file], to, width_log2,
                    BIG_MACHINE ? element_swap(bits, width_log2) : bits);
    }
    root->offset += root->step;
    if (--root->left > 0 && st == ST_OK)
        st = load_key(m, root);
    else if (root->left == 0)
        *root = m->heads[--m->n];
    sift(m, 0);
    return st;
}

/* Merges the block at index c of the axes before topk's, 0 on others. */
static enum status merge_block(struct merger *m, uint64_t *c)
{
    const struct share_shape *shape = &m->s->job.shape;
    unsigned next = shape->along + 1;
    uint64_t column = 0;
    enum status st;

    do {
        st = begin_column(m, c);
        for (uint64_t i = 0; i < m->k && st == ST_OK; i++)
            st = merge_one(m, i * m->inner + column);
        column++;
    } while (st == ST_OK && tensor_next(shape->rank - next, shape->sizes + next, c + next));
    return st;
}

/* Allocates the memory of a merger, which the caller frees. */
static enum status begin_merger(struct merger *m, struct part_set *s,
                                struct output *const target[RECORD_FILES], struct diag *dg)
{
    const struct part_job *job = &s->job;
    unsigned along = job->shape.along;
    bool allocated;

    *m = (struct merger){
        .s = s,
        .order = { dtype_table[job->type[0]].kind, job->largest, job->nan_last },
        .k = job->shape.sizes[along],
        .inner = 1,
        .pieces = share_pieces(&job->grid, along),
        .step = share_step(&job->grid, along),
        .dg = dg,
    };
    for (unsigned axis = along + 1; axis < job->shape.rank; axis++)
        m->inner *= job->shape.sizes[axis];
    m->heads = mem_alloc(m->pieces, sizeof *m->heads);
    allocated = m->heads != NULL;
    for (unsigned file = 0; file < RECORD_FILES; file++) {
        m->width_log2[file] = dtype_table[job->type[file]].width_log2;
        if (target[file])
            m->block[file] = mem_alloc(m->k * m->inner, UINT64_C(1) << m->width_log2[file]);
        allocated = allocated && (m->block[file] || !target[file]);
    }
    return allocated ? ST_OK : diag_nomem(dg);
}

/* The innermost axis that is split. At each index of the axes before it, every part on the way
 * contributes one contiguous run. */
static unsigned innermost(const struct share_grid *g)
{
    unsigned axis = 0;

    for (unsigned i = 0; i < g->n; i++)
        if (g->count[i] > 1 && g->axis[i] > axis)
            axis = g->axis[i];
    return axis;
}

/* Writes the runs at index c of the axes before `axis`. */
static enum status write_runs(struct part_set *s, unsigned file, unsigned axis, uint64_t *c,
                              struct output *target, struct diag *dg)
{
    const struct share_shape *shape = &s->job.shape;
    uint64_t size = dtype_size(s->job.type[file]), row = size, n; /* row: of an index of the axis */
    enum status st = ST_OK;

    for (unsigned i = axis + 1; i < shape->rank; i++)
        row *= shape->sizes[i];
    for (c[axis] = 0; c[axis] < shape->sizes[axis] && st == ST_OK; c[axis] += n) {
        uint64_t part = share_part_of(shape, &s->job.grid, c, shape->rank);
        struct share share;

        share_at(shape, &s->job.grid, part, &share);
        n = share.to[axis] - c[axis];
        st = part_set_copy(s, part, file, share_offset(shape, &share, c, shape->rank) * size,
                           n * row, target, dg);
    }
    c[axis] = 0;
    return st;
}

static enum status copy_rows(struct part_set *s, unsigned file, struct output *target,
                             struct diag *dg)
{
    unsigned axis = innermost(&s->job.grid);
    uint64_t c[DML_MAX_RANK] = { 0 };
    enum status st;

    do
        st = write_runs(s, file, axis, c, target, dg);
    while (st == ST_OK && tensor_next(axis, s->job.shape.sizes, c));
    return st;
}

static enum status merge_blocks(struct part_set *s, struct output *const *target, struct diag *dg)
{
    const struct share_shape *shape = &s->job.shape;
    uint64_t c[DML_MAX_RANK] = { 0 };
    struct merger m;
    enum status st = begin_merger(&m, s, target, dg);

    while (st == ST_OK) {
        st = merge_block(&m, c);
        for (unsigned file = 0; file < RECORD_FILES && st == ST_OK; file++)
            if (target[file])
                st = output_write(target[file], m.block[file],
                                  (size_t)(m.k * m.inner << m.width_log2[file]), dg);
        if (!tensor_next(shape->along, shape->sizes, c))
            break;
    }
    free(m.heads);
    for (unsigned file = 0; file < RECORD_FILES; file++)
        free(m.block[file]);
    return st;
}

enum status part_merge(struct part_set *s, struct output *const target[RECORD_FILES],
                       struct diag *dg)
{
    const struct part_job *job = &s->job;
    struct tensor t = { .is_bool = s->is_bool, .rank = job->shape.rank };
    enum status st = ST_OK;

    memcpy(t.sizes, job->shape.sizes, sizeof job->shape.sizes);
    for (unsigned file = 0; file < RECORD_FILES && st == ST_OK; file++) {
        t.type = job->type[file];
        if (target[file])
            st = tensor_file_write_header(target[file], &t, dg);
        t.is_bool = false; /* indices */
    }
    if (st == ST_OK && share_step(&job->grid, job->shape.along) > 0)
        return merge_blocks(s, target, dg);
    for (unsigned file = 0; file < RECORD_FILES && st == ST_OK; file++)
        if (target[file])
            st = copy_rows(s, file, target[file], dg);
    return st;
}
