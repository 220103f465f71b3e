#include "desc/shapes/parts.h"

/* The sizes of an image and of its regions; a gradient has those of its tensor. */
void shape_roi(struct check *c)
{
    struct numbers n = read_numbers(c);

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
