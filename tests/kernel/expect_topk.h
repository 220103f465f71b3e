#pragma once

#include "desc/desc.h"
#include "kernel/topk_oracle.h"
#include "tensor/element.h"

/* Writes what d's operator gives, all sequences of it, by a stable sort of each: where values and
 * indices say that their elements lie. */
static inline void expect_topk(const struct desc *d, const struct tensor *in,
                               const struct tensor *values, const struct tensor *indices)
{
    uint64_t c[DML_MAX_RANK] = { 0 }, firsts[DML_MAX_RANK], n = in->sizes[d->axis];
    size_t size = dtype_size(in->type);
    char *elements = malloc(n * size);
    uint64_t *index = malloc(n * sizeof *index);

    memcpy(firsts, in->sizes, sizeof firsts);
    firsts[d->axis] = 1;
    do {
        uint64_t at[DML_MAX_RANK];

        memcpy(at, c, sizeof at);
        for (size_t i = 0; i < n; i++) {
            at[d->axis] = i;
            memcpy(elements + i * size, tensor_at(in, at), size);
        }
        if (in->swapped)
            tensor_swap_bytes(elements, size, n);
        oracle_sort(in->type, (struct oracle_order){ d->direction == AXIS_DECREASING, d->nan_last },
                    elements, n, index);
        for (size_t i = 0; i < d->k; i++) {
            at[d->axis] = i;
            memcpy(tensor_at(values, at), elements + index[i] * size, size);
            element_store(tensor_at(indices, at), dtype_table[indices->type].width_log2, index[i]);
        }
    } while (tensor_next(in->rank, firsts, c));
    free(index);
    free(elements);
}
