#include <string.h>

#include "desc/shapes/shapes.h"

const struct shape_row shape_rows[] = {
    { "attention", shape_attention, "", "" },
    { "axis", shape_axis, "InputTensor", "" },
    { "convolution", shape_convolution, "InputTensor", "OutputTensor" },
    { "elements", shape_elements, "InputTensor", "IndicesTensor" },
    { "fold", shape_fold, "OutputTensor", "" },
    { "gather", shape_gather, "InputTensor", "OutputTensor" },
    { "gather_nd", shape_gather_nd, "InputTensor", "OutputTensor" },
    { "gemm", shape_gemm, "ATensor", "OutputTensor" },
    { "join", shape_join, "OutputTensor", "" },
    { "matrix_multiply", shape_matrix_multiply, "ATensor", "OutputTensor" },
    { "nonzero", shape_nonzero, "InputTensor", "" },
    { "normalization", shape_normalization, "InputTensor", "" },
    { "one_hot", shape_one_hot, "OutputTensor", "IndicesTensor" },
    { "padding", shape_padding, "InputTensor", "OutputTensor" },
    { "pooling", shape_pooling, "InputTensor", "OutputTensor" },
    { "pooling_grad", shape_pooling_grad, "OutputGradientTensor", "InputGradientTensor" },
    { "quantize", shape_quantize, "InputTensor", "" },
    { "quantize_linear", shape_quantize_linear, "ATensor", "" },
    { "recurrent", shape_recurrent, "", "" },
    { "reduce", shape_reduce, "InputTensor", "OutputTensor" },
    { "resample", shape_resample, "InputTensor", "" },
    { "resample_grad", shape_resample, "InputGradientTensor", "" },
    { "reverse", shape_reverse, "InputTensor", "SequenceLengthsTensor" },
    { "roi", shape_roi, "", "" },
    { "roi_grad", shape_roi_grad, "", "" },
    { "scatter_nd", shape_gather_nd, "InputTensor", "UpdatesTensor" },
    { "slice_grad", shape_slice_grad, "OutputGradientTensor", "InputGradientTensor" },
    { "split", shape_split, "InputTensor", "" },
    { "tile", shape_tile, "InputTensor", "" },
    { "unfold", shape_unfold, "InputTensor", "" },
    { "upsample", shape_upsample, "InputTensor", "OutputTensor" },
    { "value_scale", shape_value_scale, "InputTensor", "" },
    { .name = NULL },
};

void check_shape(struct check *c)
{
    struct shapes s = { .in.rank = 0 };
    const struct shape_row *row = shape_rows;

    read_numbers(c, s.numbers);
    while (row->name && (!c->schema->shape || strcmp(row->name, c->schema->shape) != 0))
        row++;
    if (!row->name) {
        expect_tensors(c, s.numbers);
        return;
    }
    if (!shape_of(c, row->in, &s.in))
        s.in.rank = 0;
    if (!shape_of_rank(c, row->out, s.in.rank, &s.out))
        s.out.rank = 0;
    row->check(c, &s);
}
