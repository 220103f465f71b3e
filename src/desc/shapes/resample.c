#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "desc/shapes/parts.h"

/* One entry for each dimension. The scales do not determine the output's sizes: it is cropped or
 * its edges are repeated. */
static void check_scales(struct check *c, const char *input)
{
    static const char *const arrays[] = { "Scales", "InputPixelOffsets", "OutputPixelOffsets",
                                          NULL };
    struct shape in;
    char why[80];

    if (!shape_of(c, input, &in))
        return;
    snprintf(why, sizeof why, "%s has %u dimension%s", input, in.rank, in.rank == 1 ? "" : "s");
    expect_count(c, arrays, in.rank, why);
}

void shape_resample(struct check *c) { check_scales(c, "InputTensor"); }

void shape_resample_grad(struct check *c) { check_scales(c, "InputGradientTensor"); }

/* The last two axes are scaled. */
void shape_upsample(struct check *c)
{
    uint64_t scale[2];
    struct shape in, out;
    unsigned r;

    if (!shape_of(c, "InputTensor", &in) || in.rank < 2 ||
        !shape_of_rank(c, "OutputTensor", in.rank, &out))
        return;
    r = in.rank - 2;
    expect_same_sizes(c, &out, &in, 0, r);
    if (expect_size_2d(c, "ScaleSize", &scale[1], &scale[0]))
        for (unsigned i = 0; i < 2; i++)
            expect_size(c, &out, r + i, shape_mul(in.sizes[r + i], scale[i]),
                        "%" PRIu64 " * %" PRIu64, in.sizes[r + i], scale[i]);
}

void shape_value_scale(struct check *c)
{
    struct number numbers[] = { { .name = "channels" }, { .name = "" } };
    int64_t n, valid;

    if (!shape_integer(c, "ChannelCount", &n))
        return;
    valid = n < 3 ? 1 : 3;
    numbers[0].value = (uint64_t)n;
    if (expect_range(c, "ChannelCount", WHOLE, n, valid, valid, "an image has 1 or 3 channels"))
        expect_sizes(c, "InputTensor", "? c ? ?", numbers);
}

/* The sizes of an image and of its regions; a gradient has those of its tensor. */
void shape_roi(struct check *c)
{
    struct numbers n = read_numbers(c);
    const char *function = shape_name(c, "ReductionFunction");

    if (*function && strcmp(function, "AVERAGE") != 0 && strcmp(function, "MAX") != 0)
        finding_hint(violation(c, RULE_SHAPE_VALUE, at_field(c, "ReductionFunction", WHOLE),
                               "is %s, but regions are reduced by AVERAGE or MAX", function),
                     "use AVERAGE or MAX");
    expect_size_2d(c, "PooledSize", &find_number(n.v, 'w')->value, &find_number(n.v, 'h')->value);
    expect_tensors(c, n.v);
}

void shape_roi_grad(struct check *c)
{
    bool regions = given_value(c, "OutputROIGradientTensor");

    if (!regions && !given_value(c, "OutputGradientTensor"))
        expect_tensor(c, "OutputGradientTensor", "give one of them, or both",
                      "OutputGradientTensor and OutputROIGradientTensor are missing");
    if (!given_value(c, "InputTensor") && (regions || shape_is(c, "ReductionFunction", "MAX")))
        expect_tensor(c, "InputTensor", "give InputTensor",
                      "InputTensor is missing, but %s needs it",
                      regions ? "OutputROIGradientTensor" : "ReductionFunction MAX");
    shape_roi(c);
}
