#include "desc/shapes/shapes.h"

/* The axes at which a tensor is not broadcast before 4_0. */
static unsigned whole_axes(const struct check *c, const char *tensor)
{
    const struct field_value *spatial = good_value(c, "Spatial");

    if (c->level >= LEVEL_4_0)
        return 0;
    if (spatial && !spatial->v[0] && strstr("MeanTensor VarianceTensor", tensor))
        return ~axes_below(2);
    return given_value(c, "Axes") ? 1 << 1 : 0; /* MEAN_VARIANCE_NORMALIZATION1: the channels */
}

/* Each size of an input is that of the first one, or 1. */
static void expect_broadcast(struct check *c, const struct shape *first)
{
    for (const struct field *f = c->schema->fields; f->name; f++) {
        struct shape s = shape_given(c, f->name, 0);

        for (unsigned i = 0; !f->output && s.rank == first->rank && i < s.rank; i++)
            if (s.sizes[i] != 1 || whole_axes(c, f->name) >> i & 1)
                expect_same_size(c, &s, i, first, i);
    }
}

void shape_normalization(struct check *c, struct shapes *s) { expect_broadcast(c, &s->in); }

/* QuantizationTensors, a scale and a zero point of the same sizes, have one element for each block:
 * their sizes divide those of InputTensor. */
void shape_quantize(struct check *c, struct shapes *shapes)
{
    bool scale = value_is(c, "QuantizationType", "SCALE");
    bool both = value_is(c, "QuantizationType", "SCALE_ZERO_POINT");
    const struct shape *in = &shapes->in;
    struct shape first = shape_of(c, "QuantizationTensors", 0), s = first;
    struct finding *f;

    if (scale || both)
        expect_length(c, "QuantizationTensors", both ? 2 : 1,
                      both ? "QuantizationType SCALE_ZERO_POINT takes 2"
                           : "QuantizationType SCALE takes 1");
    for (unsigned n = 0; s.rank > 0 && s.rank == in->rank;
         s = shape_of(c, "QuantizationTensors", ++n))
        for (unsigned i = 0; i < in->rank; i++) {
            struct pointer of = at_size(c, in->slot, i);

            if (in->sizes[i] % s.sizes[i] == 0) {
                expect_same_size(c, &s, i, &first, i);
                continue;
            }
            f = violation(c, RULE_SHAPE_SIZE, at_size(c, s.slot, i),
                          "is %ju, which does not divide %s, %ju", s.sizes[i], of.name,
                          in->sizes[i]);
            finding_hint(f, "use 1, %ju or another divisor", in->sizes[i]);
            relate_value(f, of, in->sizes[i]);
        }
}

/* ELEMENT_WISE_QUANTIZED_LINEAR_ADD: each size of a scale or zero point is that of its tensor,
 * or 1. */
void shape_quantize_linear(struct check *c, struct shapes *s)
{
    enum dtype in = given_type(c, "InputTensor"), out = given_type(c, "OutputTensor");

    expect_broadcast(c, &s->in);
    /* QUANTIZE_LINEAR, which alone writes 8-bit integers. */
    if (out == DT_UINT8 || out == DT_INT8) {
        if (in == DT_INT32)
            expect_type(c, "ScaleTensor", 1 << DT_FLOAT32, "InputTensor is INT32");
        else if (in == DT_FLOAT32 || in == DT_FLOAT16)
            expect_type(c, "ScaleTensor", 1U << in, "it must have InputTensor's data type");
    }
}
