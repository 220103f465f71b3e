#include "desc/shapes/parts.h"
#include "desc/shapes/recipes.h"

/* The sizes of an image and of its regions; a gradient has those of its tensor. Only ROI_POOLING
 * has BatchID in ROITensor, SpatialScale and PooledSize. */
void shape_roi(struct check *c)
{
    bool batch = shape_given(c, "SpatialScale") || shape_given(c, "PooledSize");
    struct number numbers[] = { { .name = "regions" },
                                { .name = "channels" },
                                { .name = "height of PooledSize" },
                                { .name = "width of PooledSize" },
                                { .name = batch ? "length of {BatchID, x1, y1, x2, y2}"
                                                : "length of {x1, y1, x2, y2}",
                                  .value = batch ? 5 : 4 },
                                { .name = "" } };

    expect_size_2d(c, "PooledSize", &numbers[3].value, &numbers[2].value);
    expect_sizes(c, "InputTensor", "? c ? ?", numbers);
    expect_sizes(c, "OutputGradientTensor", "? c ? ?", numbers);
    expect_sizes(c, "ROITensor", "r l", numbers);
    expect_sizes(c, "BatchIndicesTensor", "r", numbers);
    expect_sizes(c, "OutputTensor", "r c h w", numbers);
    expect_sizes(c, "InputGradientTensor", "r c ? ?", numbers);
}

void shape_roi_grad(struct check *c)
{
    bool regions = shape_given(c, "OutputROIGradientTensor");

    if (!regions && !shape_given(c, "OutputGradientTensor"))
        expect_tensor(c, "OutputGradientTensor", "give one of them, or both",
                      "OutputGradientTensor and OutputROIGradientTensor are missing");
    if (!shape_given(c, "InputTensor") && (regions || shape_is(c, "ReductionFunction", "MAX")))
        expect_tensor(c, "InputTensor", "give InputTensor",
                      "InputTensor is missing, but %s needs it",
                      regions ? "OutputROIGradientTensor" : "ReductionFunction MAX");
    shape_roi(c);
}
