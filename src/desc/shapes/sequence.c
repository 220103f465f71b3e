#include "desc/shapes/shapes.h"

void shape_recurrent(struct check *c, struct shapes *s)
{
    uint64_t gates = find_number(s->numbers, 'g')->value;
    bool both = value_is(c, "Direction", "BIDIRECTIONAL");
    unsigned functions = gates > 1 ? (unsigned)gates - 1 : 1, directions = both ? 2 : 1;

    if (!both && !value_is(c, "Direction", "FORWARD") && !value_is(c, "Direction", "BACKWARD"))
        return;
    expect_length(
        c, "ActivationDescs", functions * directions,
        PHRASE("%u per direction * %u = %u", functions, directions, functions * directions));
    find_number(s->numbers, 'd')->value = directions;
    check_words(c, s->numbers);
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
                          PHRASE("%s and %s both contain %s", first, f->name, name));
        first = f->name;
    }
    if (!given)
        expect_tensor(c, name, "give it, or a stacked tensor",
                      PHRASE("no tensor contains %s", name));
}

void shape_attention(struct check *c, struct shapes *s)
{
    /* Present tensors may have room if PastSequenceLengthsTensor is given. */
    bool room = given_value(c, "PastSequenceLengthsTensor");
    const char *length = room ? "?" : given_value(c, "PastKeyTensor") ? "p+l" : "l";

    check_input(c, "Query");
    check_input(c, "Key");
    check_input(c, "Value");
    check_words(c, s->numbers);
    expect_words(c, "OutputPresentKeyTensor", PHRASE("b k %s h", length), s->numbers, false);
    expect_words(c, "OutputPresentValueTensor", PHRASE("b k %s v", length), s->numbers, false);
}

/* OutputCoordinatesTensor: a row for each element. Coordinates of leading dimensions of size 1 may
 * be left out. */
void shape_nonzero(struct check *c, struct shapes *s)
{
    unsigned leading = 0, rank = s->in.rank;
    struct shape out;
    uint64_t n;

    expect_words(c, "OutputCountTensor", "1", s->numbers, false);
    if (rank == 0)
        return;
    find_number(s->numbers, 'e')->value = shape_product(&s->in, 0, rank);
    expect_words(c, "OutputCoordinatesTensor", "e ?", s->numbers, false);
    out = shape_of(c, "OutputCoordinatesTensor", 0);
    if (out.rank == 0)
        return;
    while (leading < rank && s->in.sizes[leading] == 1)
        leading++;
    n = out.sizes[out.rank - 1];
    if (n < rank - leading || n > rank)
        finding_doubt(expect_size(c, &out, out.rank - 1, rank, "the dimensions of InputTensor"));
}
