#include <inttypes.h>

#include "base/util.h"
#include "desc/shapes/shapes.h"

/* The output may be larger by less than the stride or dilation: a forward convolution has the same
 * output size for all these input sizes. */
static void check_backward(struct check *c, const struct shape *out, unsigned i,
                           const struct window *w)
{
    uint64_t padding = w->start + w->end, full, n;
    uint64_t more = u64_max(w->output_padding, u64_max(w->stride, w->dilation) - 1);

    if (!u64_add(shape_mul(w->in - 1, w->stride), w->span, &full))
        full = UINT64_MAX; /* no size is that large */
    full = u64_min(full, UINT64_MAX - w->output_padding);
    n = full > padding ? full - padding : 0;
    if (n == 0)
        expect_size(c, out, i, 0,
                    phrase("(%" PRIu64 " - 1) * %" PRIu64 " + %s without %" PRIu64 " of padding",
                           w->in, w->stride, w->span_text.s, padding)
                        .s);
    else if (out->sizes[i] < n || out->sizes[i] - n > more)
        expect_size(c, out, i, n + w->output_padding,
                    phrase("(%" PRIu64 " - 1) * %" PRIu64 " + %s - %" PRIu64 " - %" PRIu64
                           " + %" PRIu64,
                           w->in, w->stride, w->span_text.s, w->start, w->end, w->output_padding)
                        .s);
}

/* The filter is {output channels, input channels / GroupCount, ...} and, backward, {input channels,
 * output channels / GroupCount, ...}. */
static void check_channels(struct check *c, const struct shapes *s, bool backward)
{
    const struct shape *in = &s->in, *out = &s->out, *filter = &s->by;
    uint64_t n = filter->sizes[0], per_group = filter->sizes[1];
    struct finding *f;
    unsigned groups;

    expect_same_size(c, out, 0, in, 0);
    expect_same_size(c, backward ? in : out, 1, filter, 0);
    if (!expect_integer(c, "GroupCount", 1, UINT32_MAX, "it must be at least 1", &groups))
        return;
    f = expect_size(
        c, backward ? out : in, 1, shape_mul(per_group, groups),
        phrase("FilterTensor.Sizes[1] * GroupCount = %" PRIu64 " * %u", per_group, groups).s);
    relate_value(f, at_size(c, filter->slot, 1), per_group);
    expect_size(c, filter, 0, u64_round_up(n, groups),
                phrase("the next multiple of GroupCount is %" PRIu64 " * %u",
                       u64_ceil_div(n, groups), groups)
                    .s);
}

void shape_convolution(struct check *c, struct shapes *s)
{
    bool backward = shape_is(c, "Direction", "BACKWARD");
    const struct shape *in = &s->in, *out = &s->out;
    struct shape bias = shape_of_rank(c, "BiasTensor", out->rank);
    struct window w[DML_MAX_RANK];
    unsigned n;

    if (out->rank < 3 || s->by.rank == 0)
        return;
    if (!backward && !shape_is(c, "Direction", "FORWARD") && given_value(c, "OutputPadding"))
        return; /* CONVOLUTION without a direction; the others have no OutputPadding */
    check_channels(c, s, backward);
    expect_parameters(c, "Input", in, 1, 1, NULL);
    expect_parameters(c, "Output", in, 1, 1, NULL);
    expect_parameters(c, "Filter", in, 1, out->sizes[1], "output channels");
    for (unsigned i = 0; i < bias.rank; i++)
        expect_size(c, &bias, i, i == 1 ? out->sizes[1] : 1, i == 1 ? "the output channels" : "");
    n = read_windows(c, in, &s->by, w);
    for (unsigned i = 0; i < n; i++) {
        uint64_t count = window_count(&w[i]), less = (w[i].dilation - 1) / w[i].stride;

        if (backward)
            check_backward(c, out, i + 2, &w[i]);
        else /* as the gradient of a filter, it may be smaller by less than the dilation */
            expect_window_count(c, out, i + 2, &w[i], count > less ? count - less : count > 0,
                                count ? count + w[i].output_padding : 0);
    }
}
