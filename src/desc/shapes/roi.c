#include <stdio.h>

#include "desc/shapes/recipes.h"
#include "desc/shapes/shapes.h"

/* Sizes [0, to) are 1. */
static void check_ones(struct check *c, const struct shape *s, unsigned to)
{
    for (unsigned i = 0; i < to; i++)
        expect_size(c, s, i, 1, "the size on an axis before the regions");
}

/* The regions are {1, 1, N, columns}, their batch indices {1, 1, 1, N}, both perhaps with fewer 1s,
 * the samples of the regions {N, C, ...}. `image` is {..., C, H, W}, or NULL if not known. */
static void check_regions(struct check *c, const char *samples, const struct shape *image,
                          unsigned columns)
{
    struct shape roi, batch, s;
    bool with_samples = shape_of(c, samples, &s);

    if (with_samples && image)
        expect_same_size(c, &s, 1, image, 1);
    if (!shape_of(c, "ROITensor", &roi) || roi.rank < 2)
        return;
    expect_size(c, &roi, roi.rank - 1, columns, "the count of %sx1, y1, x2, y2",
                columns == 5 ? "BatchID, " : "");
    check_ones(c, &roi, roi.rank - 2);
    if (with_samples)
        expect_same_size(c, &s, 0, &roi, roi.rank - 2);
    if (shape_of(c, "BatchIndicesTensor", &batch)) {
        check_ones(c, &batch, batch.rank - 1);
        expect_same_size(c, &batch, batch.rank - 1, &roi, roi.rank - 2);
    }
}

void shape_roi(struct check *c)
{
    bool pooling = shape_given(c, "PooledSize") || shape_given(c, "SpatialScale");
    struct shape in, out;
    uint64_t width, height;

    check_regions(c, "OutputTensor", shape_of(c, "InputTensor", &in) ? &in : NULL, pooling ? 5 : 4);
    if (!shape_of(c, "OutputTensor", &out) || !shape_size_2d(c, "PooledSize", &width, &height))
        return;
    expect_size(c, &out, 2, height, "PooledSize.Height");
    expect_size(c, &out, 3, width, "PooledSize.Width");
}

void shape_roi_grad(struct check *c)
{
    bool regions = shape_given(c, "OutputROIGradientTensor"), with_in, with_out;
    struct shape in, out, roi, gradient;
    char why[32];

    if (!regions && !shape_given(c, "OutputGradientTensor"))
        expect_tensor(c, "OutputGradientTensor", "give one of them, or both",
                      "OutputGradientTensor and OutputROIGradientTensor are missing");
    if (!shape_given(c, "InputTensor") && (regions || shape_is(c, "ReductionFunction", "MAX")))
        expect_tensor(c, "InputTensor", "give InputTensor",
                      "InputTensor is missing, but %s needs it",
                      regions ? "OutputROIGradientTensor" : "ReductionFunction MAX");
    with_in = shape_of(c, "InputTensor", &in);
    with_out = shape_of(c, "OutputGradientTensor", &out);
    check_regions(c, "InputGradientTensor", with_in ? &in : with_out ? &out : NULL, 4);
    if (with_in && with_out && out.rank == in.rank)
        expect_same_sizes(c, &out, &in, 0, in.rank);
    if (!shape_of(c, "ROITensor", &roi) || !shape_of(c, "OutputROIGradientTensor", &gradient))
        return;
    snprintf(why, sizeof why, "ROITensor has %u", roi.rank);
    if (expect_rank(c, &gradient, roi.rank, roi.rank, why))
        expect_same_sizes(c, &gradient, &roi, 0, roi.rank);
}
