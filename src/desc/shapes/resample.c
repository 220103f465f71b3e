#include <inttypes.h>
#include <stdio.h>

#include "desc/shapes/parts.h"
#include "desc/shapes/recipes.h"

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

void shape_upsample(struct check *c)
{
    struct shape in, out;
    uint64_t scale[2]; /* of the last two axes */
    unsigned r;

    if (!shape_of(c, "InputTensor", &in) || !shape_of(c, "OutputTensor", &out) || in.rank < 2 ||
        out.rank != in.rank)
        return;
    r = in.rank - 2;
    expect_same_sizes(c, &out, &in, 0, r);
    if (!shape_size_2d(c, "ScaleSize", &scale[1], &scale[0]))
        return;
    for (unsigned i = 0; i < 2; i++)
        if (scale[i])
            expect_size(c, &out, r + i, shape_mul(in.sizes[r + i], scale[i]),
                        "%" PRIu64 " * %" PRIu64, in.sizes[r + i], scale[i]);
        else
            expect_range(c, "ScaleSize", WHOLE, 0, 1, UINT32_MAX, "%s must be at least 1",
                         i ? "Width" : "Height");
}

void shape_value_scale(struct check *c)
{
    struct shape in;
    int64_t n;

    if (!shape_integer(c, "ChannelCount", &n))
        return;
    if (n != 1 && n != 3)
        expect_range(c, "ChannelCount", WHOLE, n, n < 3 ? 1 : 3, n < 3 ? 1 : 3,
                     "an image has 1 or 3 channels");
    else if (shape_of(c, "InputTensor", &in) && in.rank == 4)
        expect_size(c, &in, 1, (uint64_t)n, "ChannelCount");
}
