#ifndef DMLOP_OP_TOPK_TOPK_ORDER_H
#define DMLOP_OP_TOPK_TOPK_ORDER_H

#include "op/topk/topk_plan.h"

/* Private to op/topk/topk_order.c and op/topk/topk_sort.c: one column's candidates that are put in
 * order, as the threads see them. */
struct topk_ordering {
    const struct topk_plan *plan;
    struct topk_sorter *sorter;
    const struct topk_strip *strip;
    uint64_t column;
    const struct topk_list *lists;
    bool reversed, whole; /* of a run; of all elements */
};

static inline const struct topk_list *topk_list_of(const struct topk_ordering *w, size_t part)
{
    return &w->lists[part * w->plan->selections];
}

/* Key i of a list. */
INLINE uint64_t topk_list_key(const struct topk_list *list, size_t i, unsigned width_log2)
{
    return topk_load(list->keys, i, width_log2) ^ topk_sign(width_log2);
}

/* Bytes of an entry of a sorter. */
static inline size_t topk_entry_bytes(bool pairs)
{
    return pairs ? sizeof(struct topk_entry) : sizeof(uint64_t);
}

/* Makes e entry i of an array; packed, its key and index are below 2^32. */
INLINE void topk_entry_set(void *entries, size_t i, struct topk_entry e, bool pairs)
{
    if (pairs)
        ((struct topk_entry *)entries)[i] = e;
    else
        ((uint64_t *)entries)[i] = e.key << 32 | e.index;
}

/* Its key, as topk_entry_get has it. */
INLINE uint64_t topk_entry_key(const void *entries, size_t i, bool pairs)
{
    return topk_entry_get(entries, i, pairs).key;
}

/* Sorts n entries that are few, or nearly sorted, by insertion; equal ones stay in their order.
 * Returns how many it visited. */
INLINE uint64_t topk_insert(void *entries, size_t n, bool pairs)
{
    uint64_t work = n;

    for (size_t i = 1; i < n; i++) {
        struct topk_entry e = topk_entry_get(entries, i, pairs);
        size_t at = i;

        for (; at > 0 && topk_entry_key(entries, at - 1, pairs) > e.key; at--)
            topk_entry_set(entries, at, topk_entry_get(entries, at - 1, pairs), pairs);
        topk_entry_set(entries, at, e, pairs);
        work += i - at;
    }
    return work;
}

/* Calls body for each chunk: on the sorter's threads, or, where it is one of several, here. */
void topk_each(struct topk_ordering *w, size_t chunks,
               void (*body)(void *context, size_t chunk, int thread));

/* Puts many candidates in order and writes the result. */
void topk_sort(struct topk_ordering *w);

#endif
