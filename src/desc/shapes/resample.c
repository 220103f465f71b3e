#include "desc/shapes/shapes.h"

/* One entry for each dimension. The scales do not determine the output's sizes: it is cropped or
 * its edges are repeated. */
void shape_resample(struct check *c, struct shapes *s)
{
    static const char *const arrays[] = { "Scales", "InputPixelOffsets", "OutputPixelOffsets",
                                          NULL };

    expect_arrays(c, arrays, &s->in, 0, NULL);
}

/* The last two axes are scaled. */
void shape_upsample(struct check *c, struct shapes *s)
{
    const struct field_value *scale = good_value(c, "ScaleSize");
    unsigned r = s->out.rank;

    if (r < 2)
        return;
    expect_same_sizes(c, &s->out, &s->in, axes_below(r - 2));
    for (unsigned i = 1; scale && i <= 2; i++) /* the width is the last size */
        expect_size(c, &s->out, r - i, u64_mul_most(s->in.sizes[r - i], (uint64_t)scale->v[i - 1]),
                    PHRASE("%ju * %jd", s->in.sizes[r - i], scale->v[i - 1]));
}

void shape_value_scale(struct check *c, struct shapes *s)
{
    const struct field_value *v = good_value(c, "ChannelCount");
    unsigned valid = v && v->v[0] < 3 ? 1 : 3;

    find_number(s->numbers, 'c')->value = valid;
    if (v && expect_range(c, "ChannelCount", WHOLE, v->v[0], valid, valid,
                          "an image has 1 or 3 channels"))
        check_words(c, s->numbers);
}

/* The sizes of an image and of its regions; a gradient has those of its tensor. */
void shape_roi(struct check *c, struct shapes *s)
{
    const char *function = value_name(c, "ReductionFunction");
    const struct field_value *size = good_value(c, "PooledSize");

    if (*function && strcmp(function, "AVERAGE") != 0 && strcmp(function, "MAX") != 0)
        finding_hint(violation(c, RULE_SHAPE_VALUE, at_field(c, "ReductionFunction", WHOLE),
                               "is %s, but regions are reduced by AVERAGE or MAX", function),
                     "use AVERAGE or MAX");
    if (size) {
        find_number(s->numbers, 'w')->value = (uint64_t)size->v[0];
        find_number(s->numbers, 'h')->value = (uint64_t)size->v[1];
    }
    check_words(c, s->numbers);
}

void shape_roi_grad(struct check *c, struct shapes *s)
{
    bool regions = given_value(c, "OutputROIGradientTensor");

    if (!regions && !given_value(c, "OutputGradientTensor"))
        expect_tensor(c, "OutputGradientTensor", "give one of them, or both",
                      "OutputGradientTensor and OutputROIGradientTensor are missing");
    if (!given_value(c, "InputTensor") && (regions || value_is(c, "ReductionFunction", "MAX")))
        expect_tensor(c, "InputTensor", "give InputTensor",
                      PHRASE("InputTensor is missing, but %s needs it",
                             regions ? "OutputROIGradientTensor" : "ReductionFunction MAX"));
    shape_roi(c, s);
}
