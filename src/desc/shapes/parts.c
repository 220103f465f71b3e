#include "desc/shapes/parts.h"

#include <inttypes.h>
#include <stdio.h>

bool expect_count(struct check *c, const char *const *arrays, unsigned n, const char *why)
{
    int64_t v;
    bool good = true;

    if (shape_integer(c, "DimensionCount", &v))
        return expect_range(c, "DimensionCount", WHOLE, v, n, n, "%s", why);
    if (shape_integer(c, "ScaleCount", &v))
        return expect_range(c, "ScaleCount", WHOLE, v, n, n, "%s", why);
    for (; *arrays; arrays++)
        if (shape_given(c, *arrays))
            good = expect_length(c, *arrays, n, why) && good;
    return good;
}

void expect_parameters(struct check *c, const char *const *fields, const struct shape *data,
                       unsigned axis, uint64_t lanes, const char *lane)
{
    struct shape p;

    for (; *fields; fields++) {
        if (!shape_of(c, *fields, &p))
            continue;
        for (unsigned i = 0; i < p.rank; i++)
            if (lanes == 1 || (p.rank == data->rank && i != axis))
                expect_size(c, &p, i, 1, "the only valid size");
            else if (p.sizes[i] != 1)
                expect_size(c, &p, i, lanes, "1, or the number of %s", lane);
    }
}

enum { STRIDE, DILATION, SIZE, START, END, OUTPUT, ARRAYS };

unsigned read_windows(struct check *c, const struct shape *in, const struct shape *filter,
                      struct window w[DML_MAX_RANK])
{
    static const char *const names[] = {
        "Strides", "Dilations", "WindowSize", "StartPadding", "EndPadding", "OutputPadding", NULL
    };
    static const int64_t ones[DML_MAX_RANK] = { 1, 1, 1, 1, 1, 1, 1, 1 }, zeros[DML_MAX_RANK];
    unsigned n = in->rank - 2;
    int64_t filter_sizes[DML_MAX_RANK];
    const int64_t *v[ARRAYS] = { [DILATION] = ones, [OUTPUT] = zeros };
    bool good = true;
    char why[80];

    if (in->rank < 3)
        return 0;
    snprintf(why, sizeof why, "%u dimensions have %u spatial dimension%s", in->rank, n,
             n == 1 ? "" : "s");
    if (!expect_count(c, names, n, why))
        return 0;
    for (unsigned i = 0; filter && i < n; i++)
        filter_sizes[i] = (int64_t)filter->sizes[i + 2];
    v[SIZE] = filter ? filter_sizes : NULL;
    for (unsigned k = 0; k < ARRAYS; k++) {
        if (shape_given(c, names[k]))
            v[k] = shape_integers(c, names[k], n);
        if (!v[k])
            return 0;
        for (unsigned i = 0; k <= SIZE && i < n; i++)
            good = expect_range(c, names[k], (int)i, v[k][i], 1, UINT32_MAX,
                                "it must be at least 1") &&
                   good;
    }
    for (unsigned i = 0; good && i < n; i++) {
        w[i] = (struct window){ .in = in->sizes[i + 2],
                                .size = (uint64_t)v[SIZE][i],
                                .stride = (uint64_t)v[STRIDE][i],
                                .dilation = (uint64_t)v[DILATION][i],
                                .start = (uint64_t)v[START][i],
                                .end = (uint64_t)v[END][i],
                                .output_padding = (uint64_t)v[OUTPUT][i] };
        w[i].span = (w[i].size - 1) * w[i].dilation + 1;
        snprintf(w[i].span_text, sizeof w[i].span_text,
                 w[i].dilation == 1 ? "%" PRIu64 : "((%" PRIu64 " - 1) * %" PRIu64 " + 1)",
                 w[i].size, w[i].dilation);
    }
    return good ? n : 0;
}

uint64_t window_count(const struct window *w)
{
    uint64_t padded = w->in + w->start + w->end;

    return padded < w->span ? 0 : (padded - w->span) / w->stride + 1;
}

void expect_window_count(struct check *c, const struct shape *s, unsigned i, const struct window *w,
                         uint64_t lo, uint64_t hi)
{
    uint64_t n = window_count(w);

    if (s->sizes[i] >= lo && s->sizes[i] <= hi)
        return;
    if (n)
        expect_size(c, s, i, n, "(%" PRIu64 " + %" PRIu64 " + %" PRIu64 " - %s) / %" PRIu64 " + 1",
                    w->in, w->start, w->end, w->span_text, w->stride);
    else
        expect_size(c, s, i, hi,
                    "the number of windows of %s in %" PRIu64 " + %" PRIu64 " + %" PRIu64,
                    w->span_text, w->in, w->start, w->end);
}
