#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "desc/shapes/shapes.h"

void shape_recurrent(struct check *c, struct shapes *s)
{
    uint64_t gates = find_number(s->numbers, 'g')->value;
    bool both = shape_is(c, "Direction", "BIDIRECTIONAL");
    unsigned functions = gates > 1 ? (unsigned)gates - 1 : 1, directions = both ? 2 : 1;
    char why[80];

    if (!both && !shape_is(c, "Direction", "FORWARD") && !shape_is(c, "Direction", "BACKWARD"))
        return;
    snprintf(why, sizeof why, "%u per direction * %u = %u", functions, directions,
             functions * directions);
    expect_length(c, "ActivationDescs", functions * directions, why);
    find_number(s->numbers, 'd')->value = directions;
    expect_tensors(c, s->numbers);
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
            expect_tensor(c, f->name, "leave one of them out", "%s and %s both contain %s", first,
                          f->name, name);
        first = f->name;
    }
    if (!given)
        expect_tensor(c, name, "give it, or a stacked tensor", "no tensor contains %s", name);
}

void shape_attention(struct check *c, struct shapes *s)
{
    /* Present tensors may have room if PastSequenceLengthsTensor is given. */
    bool room = given_value(c, "PastSequenceLengthsTensor");
    const char *length = room ? "?" : given_value(c, "PastKeyTensor") ? "p+l" : "l";
    char words[16];

    check_input(c, "Query");
    check_input(c, "Key");
    check_input(c, "Value");
    expect_tensors(c, s->numbers);
    snprintf(words, sizeof words, "b k %s h", length);
    expect_sizes(c, "OutputPresentKeyTensor", words, s->numbers, false);
    snprintf(words, sizeof words, "b k %s v", length);
    expect_sizes(c, "OutputPresentValueTensor", words, s->numbers, false);
}

/* `image` is {N, C, spatial axes}, `columns` {N, C * elements of the window, blocks}. The pages
 * have columns of 3 dimensions, and of as many as the image: leading dimensions of size 1. */
static void check_columns(struct check *c, const struct shape *image, const char *columns)
{
    /* From p on: the blocks along each spatial axis. */
    struct number numbers[] = { { .name = "batch size" }, { .name = "channels" },
                                { .name = "window" },     { .name = "places of the window" },
                                { .name = "q" },          { .name = "r" },
                                { .name = "s" },          { .name = "t" },
                                { .name = "u" },          { .name = "" } };
    char words[] = "b cw pqrstu";
    struct window w[DML_MAX_RANK];
    unsigned axes = read_windows(c, image, NULL, w);
    struct shape s;

    if (axes == 0)
        return;
    for (unsigned i = 0; i < 2; i++)
        numbers[i] =
            (struct number){ numbers[i].name, image->sizes[i], NULL, true, 1, image->slot, i };
    numbers[2].value = 1;
    for (unsigned d = 0; d < axes; d++) {
        uint64_t most = (w[d].in + w[d].start + w[d].end - 1) / w[d].dilation + 1;

        if (!expect_range(c, "WindowSizes", (int)d, (int64_t)w[d].size, 1, (int64_t)most,
                          "%" PRIu64 " + %" PRIu64 " + %" PRIu64 " elements have room for %" PRIu64,
                          w[d].in, w[d].start, w[d].end, most))
            return;
        numbers[d + 3].value = window_count(&w[d]);
        numbers[2].value = shape_mul(numbers[2].value, w[d].size);
    }
    words[strlen("b cw ") + axes] = '\0';
    expect_sizes(c, columns, words, numbers, false);
    if (shape_of(c, columns, &s))
        expect_rank(c, &s, 3, axes + 2, "it has N, C * window and blocks");
}

void shape_fold(struct check *c, struct shapes *s) { check_columns(c, &s->in, "InputTensor"); }

void shape_unfold(struct check *c, struct shapes *s) { check_columns(c, &s->in, "OutputTensor"); }

/* OutputCoordinatesTensor: a row for each element. Coordinates of leading dimensions of size 1 may
 * be left out. */
void shape_nonzero(struct check *c, struct shapes *s)
{
    struct number numbers[] = { { .name = "elements" }, { .name = "" } };
    unsigned leading = 0, rank = s->in.rank;
    struct shape out;

    expect_sizes(c, "OutputCountTensor", "1", numbers, false);
    if (rank == 0)
        return;
    numbers[0].value = shape_product(&s->in, 0, rank);
    expect_sizes(c, "OutputCoordinatesTensor", "e ?", numbers, false);
    while (leading < rank && s->in.sizes[leading] == 1)
        leading++;
    if (shape_of(c, "OutputCoordinatesTensor", &out) &&
        (out.sizes[out.rank - 1] < rank - leading || out.sizes[out.rank - 1] > rank))
        expect_size(c, &out, out.rank - 1, rank, "the dimensions of InputTensor");
}
