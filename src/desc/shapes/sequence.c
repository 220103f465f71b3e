#include <inttypes.h>
#include <string.h>

#include "desc/shapes/shapes.h"

void shape_recurrent(struct check *c, struct shapes *s)
{
    uint64_t gates = find_number(s->numbers, 'g')->value;
    bool both = shape_is(c, "Direction", "BIDIRECTIONAL");
    unsigned functions = gates > 1 ? (unsigned)gates - 1 : 1, directions = both ? 2 : 1;

    if (!both && !shape_is(c, "Direction", "FORWARD") && !shape_is(c, "Direction", "BACKWARD"))
        return;
    expect_length(
        c, "ActivationDescs", functions * directions,
        phrase("%u per direction * %u = %u", functions, directions, functions * directions).s);
    find_number(s->numbers, 'd')->value = directions;
    shape_words(c, s);
}

/* One tensor contains query, key or value; a past key or value may replace it. */
static void check_input(struct check *c, const char *name)
{
    const char *first = NULL;
    bool given = false;

    for (const struct field *f = c->schema->fields; f->name && !f->output; f++) {
        if (!strstr(f->name, name) || !given_value(c, f->name))
            continue;
        given = true;
        if (strstr(f->name, "Past"))
            continue;
        if (first)
            expect_tensor(c, f->name, "leave one of them out",
                          phrase("%s and %s both contain %s", first, f->name, name).s);
        first = f->name;
    }
    if (!given)
        expect_tensor(c, name, "give it, or a stacked tensor",
                      phrase("no tensor contains %s", name).s);
}

void shape_attention(struct check *c, struct shapes *s)
{
    /* Present tensors may have room if PastSequenceLengthsTensor is given. */
    bool room = given_value(c, "PastSequenceLengthsTensor");
    const char *length = room ? "?" : given_value(c, "PastKeyTensor") ? "p+l" : "l";

    check_input(c, "Query");
    check_input(c, "Key");
    check_input(c, "Value");
    shape_words(c, s);
    expect_sizes(c, "OutputPresentKeyTensor", phrase("b k %s h", length).s, s->numbers, false);
    expect_sizes(c, "OutputPresentValueTensor", phrase("b k %s v", length).s, s->numbers, false);
}

/* `image` is {N, C, spatial axes}, `columns` {N, C * elements of the window, blocks}. The pages
 * have columns of 3 dimensions, and of as many as the image: leading dimensions of size 1. */
static void check_columns(struct check *c, struct shapes *s, const char *columns)
{
    struct shape tensor, *image = &s->in;
    struct number *n = s->numbers; /* batch size, channels, window, blocks along each axis */
    struct window w[DML_MAX_RANK];
    unsigned axes = read_windows(c, image, NULL, w);

    if (axes == 0)
        return;
    for (unsigned i = 0; i < 2; i++)
        n[i] = (struct number){ n[i].name, image->sizes[i], NULL, true, 1, image->slot, i };
    n[2].value = 1;
    for (unsigned d = 0; d < axes; d++) {
        uint64_t most = (w[d].in + w[d].start + w[d].end - 1) / w[d].dilation + 1;

        if (!expect_range(c, "WindowSizes", (int)d, (int64_t)w[d].size, 1, (int64_t)most,
                          phrase("%" PRIu64 " + %" PRIu64 " + %" PRIu64
                                 " elements have room for %" PRIu64,
                                 w[d].in, w[d].start, w[d].end, most)
                              .s))
            return;
        n[d + 3].value = window_count(&w[d]);
        n[2].value = shape_mul(n[2].value, w[d].size);
    }
    expect_sizes(c, columns, phrase("b cw %.*s", (int)axes, "pqrstu").s, n, false);
    tensor = shape_of(c, columns);
    expect_rank(c, &tensor, 3, axes + 2, "it has N, C * window and blocks");
}

void shape_fold(struct check *c, struct shapes *s) { check_columns(c, s, "InputTensor"); }

void shape_unfold(struct check *c, struct shapes *s) { check_columns(c, s, "OutputTensor"); }

/* OutputCoordinatesTensor: a row for each element. Coordinates of leading dimensions of size 1 may
 * be left out. */
void shape_nonzero(struct check *c, struct shapes *s)
{
    unsigned leading = 0, rank = s->in.rank;
    struct shape out;
    uint64_t n;

    expect_sizes(c, "OutputCountTensor", "1", s->numbers, false);
    if (rank == 0)
        return;
    find_number(s->numbers, 'e')->value = shape_product(&s->in, 0, rank);
    expect_sizes(c, "OutputCoordinatesTensor", "e ?", s->numbers, false);
    out = shape_of(c, "OutputCoordinatesTensor");
    if (out.rank == 0)
        return;
    while (leading < rank && s->in.sizes[leading] == 1)
        leading++;
    n = out.sizes[out.rank - 1];
    if (n < rank - leading || n > rank)
        expect_size(c, &out, out.rank - 1, rank, "the dimensions of InputTensor");
}
