#include "desc/shapes/shapes.h"

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

/* A window of max pooling may be larger than the input; only the other functions have
 * IncludePadding or P. */
void shape_pooling_grad(struct check *c, struct shapes *s)
{
    bool max = !given_value(c, "IncludePadding") && !given_value(c, "P");
    struct window w[DML_MAX_RANK];
    unsigned n = read_windows(c, &s->in, NULL, w);

    expect_same_sizes(c, &s->out, &s->in, axes_below(2));
    for (unsigned i = 0; i < n && s->out.rank; i++)
        check_axis(c, &s->out, i + 2, &w[i], max);
}

void shape_pooling(struct check *c, struct shapes *s)
{
    struct shape out;

    shape_pooling_grad(c, s);
    out = shape_of(c, "OutputTensor");
    if (out.rank < 2)
        return;
    expect_parameters(c, "Input", &out, 1, out.sizes[1], "channels");
    expect_parameters(c, "Output", &out, 1, out.sizes[1], "channels");
}
