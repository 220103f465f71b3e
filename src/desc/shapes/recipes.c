#include <inttypes.h>
#include <string.h>

#include "desc/shapes/shapes.h"

const struct shape_row shape_rows[] = {
    { "attention", shape_attention, "", "", "" },
    { "axis", NULL, "InputTensor", "", "" },
    { "convolution", shape_convolution, "InputTensor", "OutputTensor", "FilterTensor" },
    { "elements", shape_elements, "InputTensor", "IndicesTensor", "" },
    { "fold", shape_columns, "OutputTensor", "", "" },
    { "gather", shape_gather, "InputTensor", "OutputTensor", "IndicesTensor" },
    { "gather_nd", shape_gather_nd, "InputTensor", "OutputTensor", "IndicesTensor" },
    { "gemm", shape_gemm, "ATensor", "OutputTensor", "BTensor" },
    { "join", shape_join, "OutputTensor", "", "" },
    { "matrix_multiply", shape_matrix_multiply, "ATensor", "OutputTensor", "BTensor" },
    { "nonzero", shape_nonzero, "InputTensor", "", "" },
    { "normalization", shape_normalization, "InputTensor", "", "" },
    { "one_hot", shape_one_hot, "OutputTensor", "IndicesTensor", "" },
    { "padding", shape_padding, "InputTensor", "OutputTensor", "" },
    { "pooling", shape_pooling, "InputTensor", "OutputTensor", "" },
    { "pooling_grad", shape_pooling_grad, "OutputGradientTensor", "InputGradientTensor", "" },
    { "quantize", shape_quantize, "InputTensor", "", "" },
    { "quantize_linear", shape_quantize_linear, "ATensor", "", "" },
    { "recurrent", shape_recurrent, "", "", "" },
    { "reduce", shape_reduce, "InputTensor", "OutputTensor", "" },
    { "resample", shape_resample, "InputTensor", "", "" },
    { "resample_grad", shape_resample, "InputGradientTensor", "", "" },
    { "reverse", shape_reverse, "InputTensor", "SequenceLengthsTensor", "" },
    { "roi", shape_roi, "", "", "" },
    { "roi_grad", shape_roi_grad, "", "", "" },
    { "scatter_nd", shape_gather_nd, "InputTensor", "UpdatesTensor", "IndicesTensor" },
    { "slice_grad", shape_slice_grad, "OutputGradientTensor", "InputGradientTensor", "" },
    { "split", shape_split, "InputTensor", "", "" },
    { "tile", shape_tile, "InputTensor", "", "" },
    { "unfold", shape_columns, "InputTensor", "", "" },
    { "upsample", shape_upsample, "InputTensor", "OutputTensor", "" },
    { "value_scale", shape_value_scale, "", "", "" },
    { NULL, NULL, "InputTensor", "", "" },
};

/* Reads Axis, or the different entries of Axes. Reports shape.axis unless they are below the rank
 * of s->in. */
static void read_axes(struct check *c, struct shapes *s)
{
    const char *field = given_value(c, "Axis") ? "Axis" : "Axes";
    const struct field_value *v = s->in.rank ? good_value(c, field) : NULL;
    bool array = strcmp(field, "Axes") == 0;

    s->axes_known = v;
    for (uint32_t i = 0; v && i < (array ? v->count : 1) && i < DML_MAX_RANK; i++) {
        struct pointer at = at_field(c, field, array ? (int)i : WHOLE);

        if (!require_axis(c, RULE_SHAPE_AXIS, at, (uint64_t)v->v[i], s->in.slot))
            s->axes_known = false;
        else if (s->axes >> v->v[i] & 1)
            s->axes_known =
                finding_hint(violation(c, RULE_SHAPE_AXIS, at,
                                       "is %" PRId64 ", which is there already", v->v[i]),
                             "give each axis once");
        else
            s->axes |= 1u << (s->axis = (unsigned)v->v[i]);
    }
}

void check_shape(struct check *c)
{
    const struct shape_row *row = shape_rows;
    struct shapes s = { .axes = 0 };

    while (row->name && (!c->schema->shape || strcmp(row->name, c->schema->shape) != 0))
        row++;
    s.in = shape_of(c, row->in, 0);
    s.out = shape_of_rank(c, row->out, s.in.rank);
    s.by = shape_of_rank(c, row->by, s.in.rank);
    read_axes(c, &s);
    read_numbers(c, s.numbers);
    if (row->check)
        row->check(c, &s);
    else
        check_words(c, s.numbers);
}
