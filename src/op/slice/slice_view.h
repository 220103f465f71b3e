#ifndef DMLOP_OP_SLICE_SLICE_VIEW_H
#define DMLOP_OP_SLICE_SLICE_VIEW_H

#include "desc/desc.h"
#include "tensor/tensor.h"

/*
 * What a slice selects, as a view of its input: element c of the output is element c of the view. d
 * describes the slice of `in`, whose data do not matter; sizes are the output's. The view has no
 * data: its element (0, ..., 0) is element *first of the input, counted from in->data. Its strides
 * may be negative, and are 0 along axes of size 1. False where an offset or a stride does not fit
 * 64 bits, also in bytes, which no input that is mapped or allocated can cause.
 */
bool slice_view(const struct desc *d, const struct tensor *in, const uint64_t *sizes,
                struct tensor *view, int64_t *first);

#endif
