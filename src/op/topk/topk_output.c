#include "base/util.h"
#include "op/topk/topk_plan.h"

OPTIMIZE_LOOPS

/* Where the results of one column go and come from. */
struct topk_column {
    const struct topk_plan *plan;
    const char *in;
    char *values, *indices;
};

/* Where entries go, and how far apart. */
struct target {
    char *values, *indices;
    int64_t value_step, index_step; /* in bytes */
    unsigned index_log2;            /* of an index's size in bytes */
};

/* Writes n entries; not 0 where some have keys that do not say what the element is. */
INLINE uint64_t write_entries(struct target to, const void *entries, bool pairs, size_t n,
                              struct topk_order order, unsigned width_log2)
{
    uint64_t several = 0;

    for (size_t i = 0; i < n; i++, to.values += to.value_step, to.indices += to.index_step) {
        struct topk_entry e = topk_entry_get(entries, i, pairs);
        uint64_t bits;

        several |= topk_unkey(e.key, width_log2, order, &bits);
        element_store(to.values, width_log2, bits);
        element_store(to.indices, to.index_log2, e.index);
    }
    return several;
}

/* Writes n entries of a column's result, from `rank` on: contiguous ones by a loop that compilers
 * vectorize. Only zeros and NaNs have to be looked up, and are written twice. */
INLINE void write_width(const struct topk_column *c, uint64_t rank, const void *entries, bool pairs,
                        size_t n, bool floats, unsigned width_log2)
{
    const struct topk_plan *p = c->plan;
    struct topk_order order = { floats ? KIND_FLOAT : p->order.kind, p->order.largest,
                                p->order.nan_last };
    unsigned index_log2 = dtype_table[p->indices.groups.type].width_log2;
    int64_t step = p->values.axis_step * (INT64_C(1) << width_log2),
            index_step = p->indices.axis_step * (INT64_C(1) << index_log2);
    char *values = c->values + (int64_t)rank * step;
    char *indices = c->indices + (int64_t)rank * index_step;
    struct target plain = { values, indices, INT64_C(1) << width_log2, sizeof(uint32_t), 2 };
    struct target any = { values, indices, step, index_step, index_log2 };
    bool contiguous = p->values.axis_step == 1 && p->indices.axis_step == 1 && index_log2 == 2;

    if ((contiguous ? write_entries(plain, entries, pairs, n, order, width_log2)
                    : write_entries(any, entries, pairs, n, order, width_log2)) == 0)
        return;
    for (size_t i = 0; i < n; i++, values += step) {
        struct topk_entry e = topk_entry_get(entries, i, pairs);
        uint64_t bits;

        if (topk_unkey(e.key, width_log2, order, &bits))
            element_store(values, width_log2,
                          element_load_swapped(
                              c->in + (((int64_t)e.index * p->in.axis_step) << width_log2),
                              width_log2, p->in.groups.swapped));
    }
}

/* Writes n entries of a column's result where that is a run: of the elements from `from` on, or
 * backwards. */
INLINE void copy_run(const struct topk_column *c, uint64_t rank, uint64_t from, size_t n,
                     bool reversed, unsigned width_log2)
{
    const struct topk_plan *p = c->plan;
    int64_t in_step = p->in.axis_step * (INT64_C(1) << width_log2);
    int64_t step = p->values.axis_step * (INT64_C(1) << width_log2);
    const char *at = c->in + (int64_t)from * in_step;
    char *to = c->values + (int64_t)rank * step;
    bool swapped = p->in.groups.swapped;

    if (reversed)
        in_step = -in_step;
    for (size_t i = 0; i < n; i++, at += in_step, to += step)
        element_store(to, width_log2, element_load_swapped(at, width_log2, swapped));
}

/* Writes n indices, from `from` on or backwards. */
INLINE void count_run(char *at, int64_t step, uint64_t from, size_t n, bool reversed,
                      unsigned width_log2)
{
    for (size_t i = 0; i < n; i++, at += step)
        element_store(at, width_log2, reversed ? from - i : from + i);
}

static struct topk_column column_of(const struct topk_plan *p, const struct topk_strip *strip,
                                    uint64_t column)
{
    return (struct topk_column){
        .plan = p,
        .in = strip->in + (((int64_t)column * p->in.column_step) << p->width_log2),
        .values = strip->values + (((int64_t)column * p->values.column_step) << p->width_log2),
        .indices = strip->indices + (int64_t)column * p->indices.column_step *
                                        (int64_t)dtype_size(p->indices.groups.type),
    };
}

void topk_write(const struct topk_plan *p, const struct topk_strip *strip, uint64_t column,
                uint64_t rank, const void *entries, bool pairs, size_t n)
{
    struct topk_column c = column_of(p, strip, column);

    if (p->order.kind == KIND_FLOAT && pairs)
        WITH_WIDTH(write_width, p->width_log2, &c, rank, entries, true, n, true);
    else if (p->order.kind == KIND_FLOAT)
        WITH_WIDTH(write_width, p->width_log2, &c, rank, entries, false, n, true);
    else
        WITH_WIDTH(write_width, p->width_log2, &c, rank, entries, pairs, n, false);
}

void topk_write_run(const struct topk_plan *p, const struct topk_strip *strip, uint64_t column,
                    bool reversed, uint64_t rank, uint64_t n)
{
    struct topk_column c = column_of(p, strip, column);
    unsigned width_log2 = dtype_table[p->indices.groups.type].width_log2;
    int64_t step = p->indices.axis_step * (INT64_C(1) << width_log2);
    uint64_t from = reversed ? p->n - 1 - rank : rank;

    WITH_WIDTH(copy_run, p->width_log2, &c, rank, from, n, reversed);
    WITH_WIDTH(count_run, width_log2, c.indices + (int64_t)rank * step, step, from, n, reversed);
}
