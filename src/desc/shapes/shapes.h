#pragma once

#include "desc/sizes.h"

/* Shape recipes: rules that compute the sizes of an operator's tensors from its fields. An
 * operator's file names its recipe ("shape": "gemm"); several operators may share one. A recipe
 * reads fields by name and reports the sizes and values that do not fit. */

/* What a recipe checks: the tensors that its row names, Axis or Axes, and numbers. */
struct shapes {
    struct shape in, out, by; /* rank 0 if it is not known; of out and by, also if in's differs */
    bool axes_known;
    unsigned axes; /* the entries of Axes, or Axis: bit i is axis i */
    unsigned axis; /* one of them */
    struct number numbers[SCHEMA_MAX_NUMBERS + 1];
};

typedef void shape_recipe(struct check *c, struct shapes *s);

shape_recipe shape_attention, shape_columns, shape_convolution, shape_elements, shape_gather,
    shape_gather_nd, shape_gemm, shape_join, shape_matrix_multiply, shape_nonzero,
    shape_normalization, shape_one_hot, shape_padding, shape_pooling, shape_pooling_grad,
    shape_quantize, shape_quantize_linear, shape_recurrent, shape_reduce, shape_resample,
    shape_reverse, shape_roi, shape_roi_grad, shape_slice_grad, shape_split, shape_tile,
    shape_upsample, shape_value_scale;

/* All recipes; the last one has no name, and is for all other names. A recipe without a function
 * has only the lists of desc/words.c. */
extern const struct shape_row {
    char name[16];
    shape_recipe *check;
    char in[24], out[24], by[16]; /* tensors, or "" */
} shape_rows[];
