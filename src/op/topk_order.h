#ifndef DMLOP_OP_TOPK_ORDER_H
#define DMLOP_OP_TOPK_ORDER_H

#include "op/topk_plan.h"

/* Private to op/topk_order.c and op/topk_sort.c: one column's candidates that are put in order, as
 * the threads see them. */
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
    return &w->lists[part * w->plan->strip_columns];
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

/* Calls body for each chunk: on the sorter's threads, or, where it is one of several, here. */
void topk_each(struct topk_ordering *w, size_t chunks,
               void (*body)(void *context, size_t chunk, int thread));

/* Puts many candidates in order and writes the result. */
void topk_sort(struct topk_ordering *w);

#endif
