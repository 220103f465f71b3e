#pragma once

#include "random.h"
#include "tensor/tensor.h"

/* Layouts of tensors, drawn at random. */

enum layout {
    LAYOUT_RANDOM, /* axes in any order, some with a gap behind them */
    LAYOUT_ROW_MAJOR,
    LAYOUT_COLUMN_MAJOR
};

/* Gives the strides of a tensor whose rank and sizes are set; one axis in `broadcast` has a stride
 * of 0, or none if that is 0. Returns how many elements the tensor reaches. */
static inline uint64_t layout_draw(struct tensor *t, enum layout layout, uint64_t broadcast,
                                   uint64_t *state)
{
    uint64_t step = 1, reach = 1;
    bool placed[DML_MAX_RANK] = { false };

    for (unsigned left = t->rank; left > 0; left--) {
        unsigned i = layout == LAYOUT_ROW_MAJOR      ? left - 1
                     : layout == LAYOUT_COLUMN_MAJOR ? t->rank - left
                                                     : (unsigned)random_below(state, t->rank);

        while (placed[i])
            i = (i + 1) % t->rank;
        placed[i] = true;
        t->strides[i] = 0;
        if (broadcast > 0 && random_below(state, broadcast) == 0)
            continue;
        t->strides[i] = (int64_t)step;
        step *= t->sizes[i];
        if (layout == LAYOUT_RANDOM && random_below(state, 4) == 0)
            step += random_below(state, 4);
    }
    for (unsigned i = 0; i < t->rank; i++)
        reach += (t->sizes[i] - 1) * (uint64_t)t->strides[i];
    return reach;
}
