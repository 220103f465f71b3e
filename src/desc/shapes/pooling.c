#include "base/util.h"
#include "desc/shapes/parts.h"

/* An output may have one element more if the stride leaves a rest, as with ONNX's ceil_mode, or the
 * size without dilation, as in the formula of the reference pages. */
static void check_axis(struct check *c, const struct shape *out, unsigned i, const struct window *w,
                       bool max)
{
    uint64_t n = window_count(w), padded = w->in + w->start + w->end, hi = max;
    struct window plain = *w;

    plain.span = w->size;
    if (n)
        hi = n + ((padded - w->span) % w->stride != 0);
    if (out->sizes[i] != window_count(&plain))
        expect_window_count(c, out, i, w, n ? n : hi, hi);
}

/* `in` and `out` are the pooled tensor and the result. A window of max pooling may be larger than
 * the input; only the other functions have IncludePadding or P. */
static void check_pooling(struct check *c, const char *in_name, const char *out_name)
{
    bool max = !given_value(c, "IncludePadding") && !given_value(c, "P");
    struct window w[DML_MAX_RANK];
    struct shape in, out;
    unsigned n;

    if (!shape_of(c, in_name, &in))
        return;
    n = read_windows(c, &in, NULL, w);
    if (!shape_of_rank(c, out_name, in.rank, &out))
        return;
    expect_same_sizes(c, &out, &in, 0, 2);
    for (unsigned i = 0; i < n; i++)
        check_axis(c, &out, i + 2, &w[i], max);
}

void shape_pooling(struct check *c)
{
    struct shape out;

    check_pooling(c, "InputTensor", "OutputTensor");
    if (!shape_of(c, "OutputTensor", &out) || out.rank < 2)
        return;
    expect_parameters(c, "Input", &out, 1, out.sizes[1], "channels");
    expect_parameters(c, "Output", &out, 1, out.sizes[1], "channels");
}

void shape_pooling_grad(struct check *c)
{
    check_pooling(c, "OutputGradientTensor", "InputGradientTensor");
}
