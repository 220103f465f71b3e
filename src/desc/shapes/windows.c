#include "desc/shapes/shapes.h"

/* The sliding window of a convolution or pooling along one spatial axis. */
struct window {
    uint64_t in; /* the input's size */
    uint64_t size, stride, dilation, start, end, output_padding;
    uint64_t padded;         /* in + start + end */
    uint64_t span;           /* (size - 1) * dilation + 1 */
    struct phrase span_text; /* that arithmetic; "7" if the dilation is 1 */
};

/* Reads the windows along the spatial axes of `in`, axes 2 and up; their sizes are those of
 * `filter` or, if it is NULL, WindowSize. Returns their number; 0 if something is missing or was
 * reported. */
static unsigned read_windows(struct check *c, const struct shape *in, const struct shape *filter,
                             struct window w[DML_MAX_RANK])
{
    enum { STRIDE, DILATION, SIZE, START, END, OUTPUT };
    const char *size = given_value(c, "WindowSize") ? "WindowSize" : "WindowSizes";
    const char *const names[] = { "Strides",    "Dilations",     size, "StartPadding",
                                  "EndPadding", "OutputPadding", NULL };
    static const int64_t ones[DML_MAX_RANK] = { 1, 1, 1, 1, 1, 1, 1, 1 }, zeros[DML_MAX_RANK];
    const int64_t *v[] = { [DILATION] = ones, [SIZE] = filter ? ones : NULL, [OUTPUT] = zeros };
    bool good;

    for (unsigned k = STRIDE; k <= OUTPUT; k++) /* nothing follows from a field that is missing */
        if (schema_field(c->schema, names[k]))
            v[k] = NULL;
    good = expect_arrays(c, names, in, 2, v);

    for (unsigned i = 0; good && i < in->rank - 2; i++) {
        w[i] = (struct window){ .in = in->sizes[i + 2],
                                .size = filter ? filter->sizes[i + 2] : (uint64_t)v[SIZE][i],
                                .stride = (uint64_t)v[STRIDE][i],
                                .dilation = (uint64_t)v[DILATION][i],
                                .start = (uint64_t)v[START][i],
                                .end = (uint64_t)v[END][i],
                                .output_padding = (uint64_t)v[OUTPUT][i] };
        w[i].padded = w[i].in + w[i].start + w[i].end;
        w[i].span = (w[i].size - 1) * w[i].dilation + 1;
        w[i].span_text =
            phrase(w[i].dilation == 1 ? "%ju" : "((%ju - 1) * %ju + 1)", w[i].size, w[i].dilation);
    }
    return good ? in->rank - 2 : 0;
}

/* 0 if the window is larger than the padded input. */
static uint64_t window_count(const struct window *w)
{
    return w->padded < w->span ? 0 : (w->padded - w->span) / w->stride + 1;
}

/* Names the padding that the size of axis i is computed from. */
static void relate_padding(struct check *c, struct finding *f, unsigned i, const struct window *w)
{
    relate_value(f, at_field(c, "StartPadding", (int)i - 2), w->start);
    relate_value(f, at_field(c, "EndPadding", (int)i - 2), w->end);
}

/* Reports size i of s if it is not the number of windows; `one`: a window may exceed the input. */
static void expect_window_count(struct check *c, const struct shape *s, unsigned i,
                                const struct window *w, bool one)
{
    uint64_t n = window_count(w);
    struct phrase more =
        w->output_padding ? phrase(" + %ju", w->output_padding) : (struct phrase){ "" };

    if (n)
        relate_padding(c,
                       expect_size(c, s, i, n + w->output_padding,
                                   PHRASE("(%ju + %ju + %ju - %s) / %ju + 1%s", w->in, w->start,
                                          w->end, w->span_text.s, w->stride, more.s)),
                       i, w);
    else if (one)
        expect_size(c, s, i, 1,
                    PHRASE("as a window of %ju exceeds the %ju elements", w->span, w->padded));
    else
        finding_hint(violation(c, RULE_SHAPE_SIZE, unnamed(at_size(c, s->slot, i)),
                               "a window of %s does not fit into %ju + %ju + %ju = %ju",
                               w->span_text.s, w->in, w->start, w->end, w->padded),
                     "change the window, its dilation or the padding");
}

/* The output of a backward convolution. */
static void check_backward(struct check *c, const struct shape *out, unsigned i,
                           const struct window *w)
{
    uint64_t padding = w->start + w->end, n, size = u64_add_most(out->sizes[i], padding);
    uint64_t more = u64_max(w->output_padding, u64_max(w->stride, w->dilation) - 1);
    uint64_t full = u64_add_most(u64_mul_most(w->in - 1, w->stride), w->span);
    struct finding *f;

    full = u64_min(full, UINT64_MAX - w->output_padding);
    n = full + w->output_padding;
    n = n > padding ? n - padding : 0;
    if (size >= w->span && size >= full && size - full <= more)
        c->but = "DirectML's page has no formula, and both sizes have the same forward convolution";
    if (n == 0)
        expect_size(c, out, i, 0,
                    PHRASE("(%ju - 1) * %ju + %s without %ju of padding", w->in, w->stride,
                           w->span_text.s, padding));
    else {
        f = expect_size(c, out, i, n,
                        PHRASE("(%ju - 1) * %ju + %s - %ju - %ju + %ju", w->in, w->stride,
                               w->span_text.s, w->start, w->end, w->output_padding));
        if (more != w->output_padding) /* other sizes are possible */
            finding_doubt(f);
        relate_padding(c, f, i, w);
    }
}

/* The filter is {output channels, input channels / GroupCount, ...} and, backward, {input channels,
 * output channels / GroupCount, ...}. */
static void check_channels(struct check *c, const struct shapes *s, bool backward)
{
    const struct shape *in = &s->in, *out = &s->out, *filter = &s->by;
    uint64_t n = filter->sizes[0], per_group = filter->sizes[1];
    struct finding *f;
    const struct field_value *groups = good_value(c, "GroupCount");

    expect_same_size(c, out, 0, in, 0);
    expect_same_size(c, backward ? in : out, 1, filter, 0);
    if (!groups)
        return;
    f = expect_size(
        c, backward ? out : in, 1, u64_mul_most(per_group, (uint64_t)groups->v[0]),
        PHRASE("FilterTensor.Sizes[1] * GroupCount = %ju * %jd", per_group, groups->v[0]));
    relate_value(f, at_size(c, filter->slot, 1), per_group);
    expect_size(c, filter, 0, u64_round_up(n, (uint64_t)groups->v[0]),
                PHRASE("the next multiple of GroupCount is %ju * %jd",
                       u64_ceil_div(n, (uint64_t)groups->v[0]), groups->v[0]));
}

void shape_convolution(struct check *c, struct shapes *s)
{
    bool backward = value_is(c, "Direction", "BACKWARD");
    const struct shape *in = &s->in, *out = &s->out;
    struct shape bias = shape_of_rank(c, "BiasTensor", out->rank);
    struct window w[DML_MAX_RANK];
    unsigned n;

    if (out->rank < 3 || s->by.rank == 0)
        return;
    if (!backward && !value_is(c, "Direction", "FORWARD") && given_value(c, "OutputPadding"))
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
        uint64_t size = out->sizes[i + 2];

        if (!backward && count && size + less >= count && size <= count + w[i].output_padding)
            c->but = size < count
                         ? "DirectML's page has no formula, and gradients of filters have it"
                         : "DirectML's page has no formula, and OutputPadding backward only";
        if (backward)
            check_backward(c, out, i + 2, &w[i]);
        else
            expect_window_count(c, out, i + 2, &w[i], false);
        c->but = NULL;
    }
}

/* An output may have one element more if the stride leaves a rest, or the size without dilation. */
static void check_axis(struct check *c, const struct shape *out, unsigned i, const struct window *w,
                       bool max)
{
    uint64_t n = window_count(w), size = out->sizes[i];
    struct window plain = *w;

    plain.span = w->size;
    if (size == window_count(&plain))
        c->but = "DirectML's page leaves Dilations out of its formula";
    else if (n && size == n + 1 && (w->padded - w->span) % w->stride != 0)
        c->but = "DirectML's page drops the last window, ONNX's ceil_mode keeps it";
    expect_window_count(c, out, i, w, max);
    c->but = NULL;
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
    out = shape_of(c, "OutputTensor", 0);
    if (out.rank < 2)
        return;
    expect_parameters(c, "Input", &out, 1, out.sizes[1], "channels");
    expect_parameters(c, "Output", &out, 1, out.sizes[1], "channels");
}

/* `image` is {N, C, spatial axes}, `columns` {N, C * elements of the window, blocks}. The pages
 * have columns of 3 dimensions, and of as many as the image: leading dimensions of size 1. */
void shape_columns(struct check *c, struct shapes *s)
{
    struct shape tensor, *image = &s->in;
    struct number *n = s->numbers; /* batch size, channels, window, blocks along each axis */
    struct window w[DML_MAX_RANK];
    unsigned axes = read_windows(c, image, NULL, w);
    const char *columns;

    if (axes == 0)
        return;
    columns = slot_field(c, image->slot)->output ? "InputTensor" : "OutputTensor";
    for (unsigned i = 0; i < 2; i++)
        n[i] = (struct number){ n[i].name, image->sizes[i], NULL, true, 1, image->slot, i };
    n[2].value = 1;
    for (unsigned d = 0; d < axes; d++) {
        uint64_t most = (w[d].padded - 1) / w[d].dilation + 1;

        if (!expect_range(c, "WindowSizes", (int)d, (int64_t)w[d].size, 1, (int64_t)most,
                          PHRASE("%ju + %ju + %ju elements have room for %ju", w[d].in, w[d].start,
                                 w[d].end, most)))
            return;
        n[d + 3].value = window_count(&w[d]);
        n[2].value = u64_mul_most(n[2].value, w[d].size);
    }
    expect_words(c, columns, PHRASE("b cw %.*s", (int)axes, "pqrstu"), n, false);
    tensor = shape_of(c, columns, 0);
    expect_rank(c, &tensor, 3, axes + 2, "it has N, C * window and blocks");
}
