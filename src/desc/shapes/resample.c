#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "desc/shapes/shapes.h"

/* One entry for each dimension. The scales do not determine the output's sizes: it is cropped or
 * its edges are repeated. */
void shape_resample(struct check *c, struct shapes *s)
{
    static const char *const arrays[] = { "Scales", "InputPixelOffsets", "OutputPixelOffsets",
                                          NULL };
    unsigned n = s->in.rank;
    char why[160];

    if (n == 0)
        return;
    snprintf(why, sizeof why, "%s has %u dimension%s", at_sizes(c, s->in.slot).name, n,
             n == 1 ? "" : "s");
    expect_arrays(c, arrays, n, why, NULL);
}

/* The last two axes are scaled. */
void shape_upsample(struct check *c, struct shapes *s)
{
    const uint64_t *sizes = s->in.sizes;
    unsigned r = s->out.rank - 2;
    uint64_t scale[2];

    if (s->out.rank < 2)
        return;
    expect_same_sizes(c, &s->out, &s->in, 0, r);
    if (expect_size_2d(c, "ScaleSize", &scale[1], &scale[0]))
        for (unsigned i = 0; i < 2; i++)
            expect_size(c, &s->out, r + i, shape_mul(sizes[r + i], scale[i]),
                        "%" PRIu64 " * %" PRIu64, sizes[r + i], scale[i]);
}

void shape_value_scale(struct check *c, struct shapes *s)
{
    struct number numbers[] = { { .name = "channels" }, { .name = "" } };
    int64_t n, valid;

    (void)s;
    if (!shape_integer(c, "ChannelCount", &n))
        return;
    valid = n < 3 ? 1 : 3;
    numbers[0].value = (uint64_t)n;
    if (expect_range(c, "ChannelCount", WHOLE, n, valid, valid, "an image has 1 or 3 channels"))
        expect_sizes(c, "InputTensor", "? c ? ?", numbers, false);
}

/* The sizes of an image and of its regions; a gradient has those of its tensor. */
void shape_roi(struct check *c, struct shapes *s)
{
    const char *function = shape_name(c, "ReductionFunction");

    if (*function && strcmp(function, "AVERAGE") != 0 && strcmp(function, "MAX") != 0)
        finding_hint(violation(c, RULE_SHAPE_VALUE, at_field(c, "ReductionFunction", WHOLE),
                               "is %s, but regions are reduced by AVERAGE or MAX", function),
                     "use AVERAGE or MAX");
    expect_size_2d(c, "PooledSize", &find_number(s->numbers, 'w')->value,
                   &find_number(s->numbers, 'h')->value);
    expect_tensors(c, s->numbers);
}

void shape_roi_grad(struct check *c, struct shapes *s)
{
    bool regions = given_value(c, "OutputROIGradientTensor");

    if (!regions && !given_value(c, "OutputGradientTensor"))
        expect_tensor(c, "OutputGradientTensor", "give one of them, or both",
                      "OutputGradientTensor and OutputROIGradientTensor are missing");
    if (!given_value(c, "InputTensor") && (regions || shape_is(c, "ReductionFunction", "MAX")))
        expect_tensor(c, "InputTensor", "give InputTensor",
                      "InputTensor is missing, but %s needs it",
                      regions ? "OutputROIGradientTensor" : "ReductionFunction MAX");
    shape_roi(c, s);
}
