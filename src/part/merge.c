#include "part/merge.h"

#include <string.h>

#include "io/tensor_file.h"
#include "part/merge_topk.h"

static enum status write_header(const struct part_set *s, unsigned file, struct outputs *outs,
                                size_t target, struct diag *dg)
{
    const struct part_job *job = &s->job;
    struct tensor t = { .type = job->type[file],
                        .is_bool = file == 0 && s->is_bool,
                        .rank = job->shape.rank };

    memcpy(t.sizes, job->shape.sizes, sizeof job->shape.sizes);
    return tensor_file_write_header(outs, target, &t, dg);
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
                              struct outputs *outs, size_t target, struct diag *dg)
{
    const struct share_shape *shape = &s->job.shape;
    uint64_t row = dtype_size(s->job.type[file]), n; /* bytes of one index of the axis */
    enum status st = ST_OK;

    for (unsigned i = axis + 1; i < shape->rank; i++)
        row *= shape->sizes[i];
    for (c[axis] = 0; c[axis] < shape->sizes[axis] && st == ST_OK; c[axis] += n) {
        uint64_t part = share_part_of(shape, &s->job.grid, c, shape->rank);
        struct share share;
        const char *data;

        share_at(shape, &s->job.grid, part, &share);
        n = share.to[axis] - c[axis];
        st = part_set_data(s, part, file, &data, dg);
        if (st == ST_OK)
            st = outputs_write(outs, target,
                               data + share_offset(shape, &share, c, shape->rank) *
                                          dtype_size(s->job.type[file]),
                               (size_t)(n * row), dg);
    }
    c[axis] = 0;
    return st;
}

static enum status copy_rows(struct part_set *s, unsigned file, struct outputs *outs, size_t target,
                             struct diag *dg)
{
    unsigned axis = innermost(&s->job.grid);
    uint64_t c[DML_MAX_RANK] = { 0 };
    enum status st = write_header(s, file, outs, target, dg);

    if (st)
        return st;
    do
        st = write_runs(s, file, axis, c, outs, target, dg);
    while (st == ST_OK && tensor_next(axis, s->job.shape.sizes, c));
    return st;
}

/* Writes the wanted files of one merged block. */
static enum status write_block(const struct part_merger *m, struct outputs *outs, const bool *want,
                               const size_t *target, struct diag *dg)
{
    enum status st = ST_OK;

    for (unsigned file = 0; file < RECORD_FILES && st == ST_OK; file++) {
        uint64_t bytes;
        const char *data = part_merger_data(m, file, &bytes);

        if (want[file])
            st = outputs_write(outs, target[file], data, (size_t)bytes, dg);
    }
    return st;
}

static enum status merge_blocks(struct part_set *s, struct outputs *outs, const bool *want,
                                const size_t *target, struct diag *dg)
{
    const struct share_shape *shape = &s->job.shape;
    uint64_t c[DML_MAX_RANK] = { 0 };
    struct part_merger *m;
    enum status st = part_merger_new(&m, s, want, dg);

    for (unsigned file = 0; file < RECORD_FILES && st == ST_OK; file++)
        if (want[file])
            st = write_header(s, file, outs, target[file], dg);
    while (st == ST_OK) {
        st = part_merger_block(m, c);
        if (st == ST_OK)
            st = write_block(m, outs, want, target, dg);
        if (!tensor_next(shape->along, shape->sizes, c))
            break;
    }
    part_merger_free(m);
    return st;
}

enum status part_merge(struct part_set *s, struct outputs *outs, const bool want[RECORD_FILES],
                       const size_t target[RECORD_FILES], struct diag *dg)
{
    enum status st = ST_OK;

    if (part_is_merged(&s->job))
        return merge_blocks(s, outs, want, target, dg);
    for (unsigned file = 0; file < s->job.files && st == ST_OK; file++)
        if (want[file])
            st = copy_rows(s, file, outs, target[file], dg);
    return st;
}
