#ifndef DMLOP_DESC_SHAPES_RECIPES_H
#define DMLOP_DESC_SHAPES_RECIPES_H

#include "desc/check.h"

/* Private to desc/shapes/: each recipe is a function shape_NAME, which checks the sizes of the
 * operators that name it. A recipe without one is the list "sizes" in the operator's file. */
#define SHAPE_RECIPES(X) \
    X(attention) \
    X(axis) \
    X(convolution) X(elements) X(fold) X(gather) X(gather_nd) X(gemm) X(join) X(matrix_multiply) \
        X(nonzero) X(normalization) X(one_hot) X(padding) X(pooling) X(pooling_grad) X(quantize) \
            X(quantize_linear) X(recurrent) X(reduce) X(resample) X(resample_grad) X(reverse) \
                X(roi) X(roi_grad) X(scatter_nd) X(slice_grad) X(split) X(tile) X(unfold) \
                    X(upsample) X(value_scale)

#define X(name) void shape_##name(struct check *c);
SHAPE_RECIPES(X)
#undef X

#endif
