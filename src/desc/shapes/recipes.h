#ifndef DMLOP_DESC_SHAPES_RECIPES_H
#define DMLOP_DESC_SHAPES_RECIPES_H

#include "desc/check.h"

/* Private to desc/shapes/: each recipe is a function shape_NAME, which checks the sizes of the
 * operators that name it. */
#define SHAPE_RECIPES(X) \
    X(convolution) \
    X(pooling) \
    X(pooling_grad) X(unpooling) X(gemm) X(matrix_multiply) X(reduce) X(axis) X(resample) \
        X(resample_grad) X(upsample) X(value_scale) X(roi) X(roi_grad) X(padding) X(join) X(split) \
            X(tile) X(gather) X(gather_elements) X(gather_nd) X(scatter) X(scatter_nd) \
                X(space_to_depth) X(depth_to_space) X(slice_grad) X(recurrent) X(normalization) \
                    X(normalization_grad) X(attention) X(quantize) X(quantize_linear) \
                        X(dynamic_quantize) X(one_hot) X(reverse) X(nonzero) X(random) X(adam) \
                            X(fold) X(unfold) X(diagonal)

/* True if a recipe has that name. */
bool shape_exists(const char *recipe);

#define X(name) void shape_##name(struct check *c);
SHAPE_RECIPES(X)
#undef X

#endif
