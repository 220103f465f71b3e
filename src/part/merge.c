#include "part/merge.h"

#include <string.h>

#include "io/tensor_file.h"
#include "part/merge_topk.h"

/* How a part number follows from pieces of the axes, and where its data lie. */

uint64_t part_step(const struct share_grid *g, unsigned axis)
{
    uint64_t step = 1;

    for (unsigned i = g->n; i-- > 0; step *= g->count[i])
        if (g->axis[i] == axis)
            return step;
    return 0;
}

uint64_t part_of(const struct record *first, const uint64_t *c, unsigned but)
{
    const struct share_grid *g = &first->grid;
    uint64_t part = 0;

    for (unsigned i = 0; i < g->n; i++) {
        unsigned axis = g->axis[i];
        uint64_t size = share_axis_size(&first->shape, axis);

        part *= g->count[i];
        if (axis != but)
            part += share_piece(size, g->count[i], c[axis]);
    }
    return part;
}

uint64_t part_offset(const struct record *first, const struct share *share, const uint64_t *c,
                     unsigned but)
{
    uint64_t place[DML_MAX_RANK], sizes[DML_MAX_RANK], offset = 0;

    share_place(&first->shape, share, place, sizes);
    for (unsigned i = 0; i < first->shape.rank; i++)
        offset = offset * sizes[i] + (i == but ? 0 : c[i] - place[i]);
    return offset;
}

enum status part_merge_header(const struct part_set *s, unsigned file, struct outputs *outs,
                              size_t target, struct diag *dg)
{
    const struct record *first = &s->first;
    struct tensor t = { .type = file == 0 ? first->type : first->index_type,
                        .is_bool = file == 0 && s->is_bool, .rank = first->shape.rank };

    memcpy(t.sizes, first->shape.sizes, sizeof first->shape.sizes);
    return tensor_file_write_header(outs, target, &t, dg);
}

/* The innermost axis that is cut: at one index of the axes before it there are runs, one a part. */
static unsigned innermost(const struct share_grid *g)
{
    unsigned axis = 0;

    for (unsigned i = 0; i < g->n; i++)
        if (g->count[i] > 1 && g->axis[i] > axis)
            axis = g->axis[i];
    return axis;
}

/* Writes the runs of one index c of the axes before `axis`. */
static enum status write_runs(struct part_set *s, unsigned file, unsigned axis, uint64_t *c,
                              struct outputs *outs, size_t target, struct diag *dg)
{
    const struct record *first = &s->first;
    uint64_t size = dtype_size(file == 0 ? first->type : first->index_type), inner = 1;
    enum status st = ST_OK;

    for (unsigned i = axis + 1; i < first->shape.rank; i++)
        inner *= first->shape.sizes[i];
    for (c[axis] = 0; c[axis] < first->shape.sizes[axis] && st == ST_OK;) {
        uint64_t part = part_of(first, c, first->shape.rank), n;
        struct share share;
        const char *data;

        share_at(&first->shape, &first->grid, part, &share);
        n = share.to[axis] - c[axis];
        st = part_set_data(s, part, file, &data, dg);
        if (st == ST_OK)
            st = outputs_write(
                outs, target,
                data + part_offset(first, &share, c, first->shape.rank) * size,
                (size_t)(n * inner * size), dg);
        c[axis] += n;
    }
    c[axis] = 0;
    return st;
}

static enum status copy_rows(struct part_set *s, unsigned file, struct outputs *outs,
                             size_t target, struct diag *dg)
{
    const struct share_shape *shape = &s->first.shape;
    unsigned axis = innermost(&s->first.grid);
    uint64_t c[DML_MAX_RANK] = { 0 };
    enum status st = part_merge_header(s, file, outs, target, dg);

    if (st)
        return st;
    do
        st = write_runs(s, file, axis, c, outs, target, dg);
    while (st == ST_OK && tensor_next(axis, shape->sizes, c));
    return st;
}

bool part_is_merged(const struct record *first)
{
    return first->shape.along < first->shape.rank &&
           part_step(&first->grid, first->shape.along) > 0;
}

enum status part_merge(struct part_set *s, struct outputs *outs, const bool want[RECORD_FILES],
                       const size_t target[RECORD_FILES], struct diag *dg)
{
    enum status st = ST_OK;

    if (part_is_merged(&s->first))
        return part_merge_topk(s, outs, want, target, dg);
    for (unsigned file = 0; file < s->first.files && st == ST_OK; file++)
        if (want[file])
            st = copy_rows(s, file, outs, target[file], dg);
    return st;
}
