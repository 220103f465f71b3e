#include "desc/shapes/shapes.h"

/* Axes [from, to) of a shape. */
struct axis_range {
    const struct shape *of;
    unsigned from, to;
};

/* The last sizes of s are those of the ranges, one after the other. Sizes before them are 1; sizes
 * of ranges without a dimension in s are 1. */
static void expect_ranges(struct check *c, const struct shape *s, const struct axis_range *ranges,
                          unsigned n)
{
    unsigned i = s->rank;

    while (s->rank > 0 && n-- > 0)
        for (unsigned j = ranges[n].to; j-- > ranges[n].from;)
            if (i > 0)
                expect_same_size(c, s, --i, ranges[n].of, j);
            else
                expect_size(c, ranges[n].of, j, 1, "as the result lacks this dimension");
    expect_ones(c, s, axes_below(i), "the size of a leading dimension");
}

void shape_gather(struct check *c, struct shapes *s)
{
    unsigned axis = s->axis, rank = s->by.rank, k;

    if (!s->axes_known || rank == 0 ||
        !expect_integer(c, "IndexDimensions", 0, rank,
                        "it must be at most IndicesTensor's dimensions", &k))
        return;
    expect_ones(c, &s->by, axes_below(rank - k),
                "the size of a dimension outside of IndexDimensions");
    /* The page's example 3 has a leading index dimension too many, of size 1. */
    while (k > 1 && s->by.sizes[rank - k] == 1 &&
           shape_product(&s->in, 0, k - 1 < axis ? k - 1 : axis) != 1)
        k--;
    expect_ranges(c, &s->out,
                  (const struct axis_range[]){
                      { &s->in, 0, axis }, { &s->by, rank - k, rank }, { &s->in, axis + 1, rank } },
                  3);
}

/* The tensor has the sizes of `in`, except along Axis. */
void shape_elements(struct check *c, struct shapes *s)
{
    if (s->axes_known)
        expect_same_sizes(c, &s->out, &s->in, ~s->axes);
}

/* Along Axis, it has one. */
void shape_reverse(struct check *c, struct shapes *s)
{
    shape_elements(c, s);
    if (s->axes_known)
        expect_ones(c, &s->out, s->axes, "the number of values for each sequence");
}

void shape_one_hot(struct check *c, struct shapes *s)
{
    struct shape values = shape_of(c, "ValuesTensor", 0);

    if (s->axes_known) {
        expect_same_sizes(c, &s->in, &s->out, ~s->axes);
        expect_ones(c, &s->out, s->axes, "the number of indices along Axis");
    }
    if (shape_product(&values, 0, values.rank) == 1)
        expect_size(c, &values, values.rank - 1, 2, "the off value and the on value");
}

/* `out` has the elements at the tuples of IndicesTensor: {batches and other axes of IndicesTensor
 * but its last, axes of InputTensor after those that a tuple selects}. */
void shape_gather_nd(struct check *c, struct shapes *s)
{
    unsigned rank = s->by.rank, in_count, count, batches = 0, rest;
    uint64_t tuple;

    if (rank == 0 ||
        !expect_integer(c, "InputDimensionCount", 1, rank,
                        "it must be 1 to InputTensor's dimensions", &in_count) ||
        !expect_integer(c, "IndicesDimensionCount", 1, rank,
                        "it must be 1 to IndicesTensor's dimensions", &count))
        return;
    if (given_value(c, "BatchDimensionCount") &&
        !expect_integer(c, "BatchDimensionCount", 0, (in_count < count ? in_count : count) - 1,
                        "it must be below the other counts", &batches))
        return;
    expect_ones(c, &s->in, axes_below(rank - in_count),
                "the size of a dimension outside of InputDimensionCount");
    expect_ones(c, &s->by, axes_below(rank - count),
                "the size of a dimension outside of IndicesDimensionCount");
    for (unsigned i = 0; i < batches; i++)
        expect_same_size(c, &s->by, rank - count + i, &s->in, rank - in_count + i);
    rest = in_count - batches;
    tuple = s->by.sizes[rank - 1];
    if (tuple > rest)
        expect_size(c, &s->by, rank - 1, rest,
                    PHRASE("a tuple's coordinates are at most %u - %u", in_count, batches));
    else
        expect_ranges(
            c, &s->out,
            (const struct axis_range[]){ { &s->by, rank - count, rank - 1 },
                                         { &s->in, rank - rest + (unsigned)tuple, rank } },
            2);
}
