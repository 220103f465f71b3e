#pragma once

#include "desc/desc.h"
#include "tensor/tensor.h"

/*
 * A slice as a view of its input: element c of the output is element c of the view. d is the slice
 * of `in`, whose data are ignored; sizes are the output's. The view has no data: its element
 * (0, ..., 0) is element *first of the input, counted from in->data. Strides may be negative, and
 * are 0 along axes of size 1. False if an offset or a stride in bytes overflows 64 bits, which
 * cannot happen for an input that is mapped or allocated.
 */
bool slice_view(const struct desc *d, const struct tensor *in, const uint64_t *sizes,
                struct tensor *view, int64_t *first);
