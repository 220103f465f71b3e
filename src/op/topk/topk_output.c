#include "op/topk/topk_plan.h"

OPTIMIZE_LOOPS

/* The target of entries. */
struct target {
    char *values, *indices;
    int64_t value_step, index_step; /* in bytes */
    unsigned index_log2;            /* of an index's size in bytes */
};

/* Writes n entries; returns nonzero if several elements have the same key. */
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

/* Writes n entries, contiguous ones by a loop that compilers vectorize. Only zeros and NaNs have to
 * be copied from the input, in a second pass. */
INLINE void write_width(const struct topk_task *t, const char *in, struct target to,
                        const void *entries, bool pairs, size_t n, bool floats, unsigned width_log2)
{
    struct topk_order order = { floats ? KIND_FLOAT : t->order.kind, t->order.largest,
                                t->order.nan_last };
    int64_t size = INT64_C(1) << width_log2;
    struct target plain = { to.values, to.indices, size, sizeof(uint32_t), 2 };
    bool contiguous =
        to.value_step == size && to.index_step == sizeof(uint32_t) && to.index_log2 == 2;
    uint64_t several = contiguous ? write_entries(plain, entries, pairs, n, order, width_log2)
                                  : write_entries(to, entries, pairs, n, order, width_log2);

    for (size_t i = 0; several && i < n; i++, to.values += to.value_step) {
        struct topk_entry e = topk_entry_get(entries, i, pairs);
        const char *at = in + (int64_t)e.index * t->in.axis_step * size;
        uint64_t bits;

        if (topk_unkey(e.key, width_log2, order, &bits))
            element_store(to.values, width_log2,
                          element_load_swapped(at, width_log2, t->in.groups.swapped));
    }
}

void topk_write(const struct topk_plan *p, const struct topk_strip *strip, uint64_t column,
                uint64_t rank, const void *entries, size_t n)
{
    const struct topk_task *t = &p->task;
    const struct topk_view *values = &t->values, *indices = &t->indices;
    unsigned index_log2 = dtype_table[indices->groups.type].width_log2;
    int64_t size = INT64_C(1) << t->width_log2, index_size = INT64_C(1) << index_log2;
    int64_t j = (int64_t)column, i = (int64_t)rank;
    const char *in = strip->in + j * t->in.column_step * size;
    struct target to = {
        .values = strip->values + (j * values->column_step + i * values->axis_step) * size,
        .indices =
            strip->indices + (j * indices->column_step + i * indices->axis_step) * index_size,
        .value_step = values->axis_step * size,
        .index_step = indices->axis_step * index_size,
        .index_log2 = index_log2,
    };

    if (t->order.kind == KIND_FLOAT)
        WITH_WIDTH(write_width, t->width_log2, t, in, to, entries, t->pairs, n, true);
    else
        WITH_WIDTH(write_width, t->width_log2, t, in, to, entries, t->pairs, n, false);
}
