#include "base/util.h"
#include "desc/shapes/shapes.h"

/* Axes [from, to) of a shape. */
struct part {
    const struct shape *of;
    unsigned from, to;
};

static void expect_ones(struct check *c, const struct shape *s, unsigned to, const char *what)
{
    for (unsigned i = 0; i < to; i++)
        expect_size(c, s, i, 1, "%s", what);
}

/* The last sizes of s are those of the parts, one after the other. Sizes before them are 1; sizes
 * of parts without a dimension in s are 1. */
static void expect_parts(struct check *c, const struct shape *s, const struct part *parts,
                         unsigned n)
{
    unsigned i = s->rank;

    while (n-- > 0)
        for (unsigned j = parts[n].to; j-- > parts[n].from;)
            if (i > 0)
                expect_same_size(c, s, --i, parts[n].of, j);
            else
                expect_size(c, parts[n].of, j, 1, "as the result lacks this dimension");
    expect_ones(c, s, i, "the size of a leading dimension");
}

void shape_gather(struct check *c)
{
    struct shape in, indices, out;
    unsigned axis, rank, k;

    if (!shape_of(c, "InputTensor", &in) || !expect_axis(c, "Axis", &in, &axis) ||
        !shape_of_rank(c, "IndicesTensor", in.rank, &indices) ||
        !expect_integer(c, "IndexDimensions", 0, in.rank,
                        "it must be at most IndicesTensor's dimensions", &k))
        return;
    rank = in.rank;
    expect_ones(c, &indices, rank - k, "the size of a dimension outside of IndexDimensions");
    /* The page's example 3 has a leading index dimension too many, of size 1. */
    while (k > 1 && indices.sizes[rank - k] == 1 &&
           shape_product(&in, 0, k - 1 < axis ? k - 1 : axis) != 1)
        k--;
    if (shape_of_rank(c, "OutputTensor", rank, &out)) {
        const struct part parts[] = { { &in, 0, axis },
                                      { &indices, rank - k, rank },
                                      { &in, axis + 1, rank } };

        expect_parts(c, &out, parts, ARRAY_LEN(parts));
    }
}

/* A tensor with the sizes of `of`, except along Axis: there it has `along`, or any size if that is
 * 0. */
static void expect_but_axis(struct check *c, const char *field, const char *of, uint64_t along)
{
    struct shape s, whole;
    unsigned axis;

    if (!shape_of(c, of, &whole) || !expect_axis(c, "Axis", &whole, &axis) ||
        !shape_of_rank(c, field, whole.rank, &s))
        return;
    expect_same_elsewhere(c, &s, &whole, axis);
    if (along)
        expect_size(c, &s, axis, along, "the number of values for each sequence");
}

void shape_elements(struct check *c) { expect_but_axis(c, "IndicesTensor", "InputTensor", 0); }

void shape_one_hot(struct check *c)
{
    struct shape indices, out, values;
    unsigned axis;

    if (shape_of(c, "OutputTensor", &out) && expect_axis(c, "Axis", &out, &axis) &&
        shape_of_rank(c, "IndicesTensor", out.rank, &indices)) {
        expect_same_elsewhere(c, &out, &indices, axis);
        expect_size(c, &indices, axis, 1, "the number of indices along Axis");
    }
    if (shape_of(c, "ValuesTensor", &values) && shape_product(&values, 0, values.rank) == 1)
        expect_size(c, &values, values.rank - 1, 2, "the off value and the on value");
}

void shape_reverse(struct check *c)
{
    expect_but_axis(c, "SequenceLengthsTensor", "InputTensor", 1);
}

/* The sizes of `result`, the elements at the tuples of IndicesTensor: {batches and other axes of
 * IndicesTensor but its last, axes of InputTensor after those that a tuple selects}. */
static void check_tuples(struct check *c, const char *result)
{
    struct shape in, indices, out;
    unsigned rank, in_count, count, batches = 0, rest;
    uint64_t tuple;

    if (!shape_of(c, "InputTensor", &in) || !shape_of_rank(c, "IndicesTensor", in.rank, &indices) ||
        !expect_integer(c, "InputDimensionCount", 1, in.rank,
                        "it must be 1 to InputTensor's dimensions", &in_count) ||
        !expect_integer(c, "IndicesDimensionCount", 1, in.rank,
                        "it must be 1 to IndicesTensor's dimensions", &count))
        return;
    rank = in.rank;
    if (given_value(c, "BatchDimensionCount") &&
        !expect_integer(c, "BatchDimensionCount", 0, (in_count < count ? in_count : count) - 1,
                        "it must be below the other counts", &batches))
        return;
    expect_ones(c, &in, rank - in_count, "the size of a dimension outside of InputDimensionCount");
    expect_ones(c, &indices, rank - count,
                "the size of a dimension outside of IndicesDimensionCount");
    for (unsigned i = 0; i < batches; i++)
        expect_same_size(c, &indices, rank - count + i, &in, rank - in_count + i);
    rest = in_count - batches;
    tuple = indices.sizes[rank - 1];
    if (tuple > rest) {
        expect_size(c, &indices, rank - 1, rest, "a tuple's coordinates are at most %u - %u",
                    in_count, batches);
    } else if (shape_of_rank(c, result, rank, &out)) {
        const struct part parts[] = { { &indices, rank - count, rank - 1 },
                                      { &in, rank - rest + (unsigned)tuple, rank } };

        expect_parts(c, &out, parts, ARRAY_LEN(parts));
    }
}

void shape_gather_nd(struct check *c) { check_tuples(c, "OutputTensor"); }

void shape_scatter_nd(struct check *c) { check_tuples(c, "UpdatesTensor"); }
