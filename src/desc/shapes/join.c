#include <inttypes.h>
#include <stdio.h>

#include "desc/shapes/shapes.h"

/* The text of a sum has this many terms, then "...". */
enum { SUM_TERMS = 8 };

/* The sizes of `parts` along Axis add up to that of the whole; the other sizes are the same. */
static void check_parts(struct check *c, const char *parts, const struct shape *whole, bool join)
{
    struct shape part, first;
    uint64_t sum = 0;
    const struct field_value *list = given_value(c, parts);
    unsigned n = list ? list->count : 0, axis;
    char text[SUM_TERMS * 24 + 8], *end = text;
    bool known = true;
    struct finding *f;

    if (n == 0 && list && list->good && !is_reported(c, at_field(c, parts, WHOLE)))
        expect_tensor(c, parts, "give at least one tensor", "%s is empty", parts);
    if (n == 0 || !expect_axis(c, "Axis", whole, &axis))
        return;
    if (!join || !shape_of_entry(c, parts, 0, &first) || first.rank != whole->rank)
        first = *whole;
    for (unsigned i = 0; i < n; i++) {
        if (!shape_of_entry(c, parts, i, &part) || part.rank != whole->rank) {
            known = false;
            continue;
        }
        expect_same_elsewhere(c, &part, &first, axis);
        sum += part.sizes[axis];
        if (i < SUM_TERMS)
            end += sprintf(end, "%s%" PRIu64, i == 0 ? "" : " + ", part.sizes[axis]);
        else if (i == SUM_TERMS)
            end += sprintf(end, " + ...");
    }
    if (join)
        expect_same_elsewhere(c, whole, &first, axis);
    f = known ? expect_size(c, whole, axis, sum, "%s", text) : NULL;
    for (unsigned i = 0; f && i < n && i < SUM_TERMS; i++)
        if (shape_of_entry(c, parts, i, &part))
            relate_value(f, at_size(c, part.slot, axis), part.sizes[axis]);
}

void shape_join(struct check *c, struct shapes *s) { check_parts(c, "InputTensors", &s->in, true); }

void shape_split(struct check *c, struct shapes *s)
{
    check_parts(c, "OutputTensors", &s->in, false);
}

void shape_tile(struct check *c, struct shapes *s)
{
    static const char *const names[] = { "Repeats", NULL };
    unsigned rank = s->in.rank;
    const int64_t *repeats;
    struct shape out;

    if (rank == 0 ||
        !expect_arrays(c, names, rank, "each dimension of InputTensor has one", &repeats) ||
        !shape_of(c, "OutputTensor", &out) ||
        !expect_rank(c, &out, rank, rank, "it must have as many as InputTensor"))
        return;
    for (unsigned i = 0; i < rank; i++)
        if (expect_range(c, "Repeats", (int)i, repeats[i], 1, UINT32_MAX,
                         "each element is copied at least once"))
            expect_size(c, &out, i, shape_mul(s->in.sizes[i], (uint64_t)repeats[i]),
                        "%" PRIu64 " * %" PRId64, s->in.sizes[i], repeats[i]);
}

/* No mode limits the padding: reflections are reflected again. */
void shape_padding(struct check *c, struct shapes *s)
{
    static const char *const arrays[] = { "StartPadding", "EndPadding", NULL };
    const uint64_t *sizes = s->in.sizes;
    unsigned rank = s->in.rank;
    const int64_t *v[2];
    char why[80];

    snprintf(why, sizeof why, "InputTensor has %u dimension%s", rank, rank == 1 ? "" : "s");
    if (rank == 0 || !expect_arrays(c, arrays, rank, why, v))
        return;
    for (unsigned i = 0; i < rank; i++)
        expect_size(c, &s->out, i, sizes[i] + (uint64_t)v[0][i] + (uint64_t)v[1][i],
                    "%" PRIu64 " + %" PRIi64 " + %" PRIi64, sizes[i], v[0][i], v[1][i]);
}

/* As in SLICE1, whose output is InputGradientTensor: it has at most the elements that the stride
 * reaches in a window, which is inside of OutputGradientTensor. */
void shape_slice_grad(struct check *c, struct shapes *s)
{
    static const char *const names[] = { "InputWindowOffsets", "InputWindowSizes",
                                         "InputWindowStrides", NULL };
    int rank = (int)s->in.rank;
    const int64_t *a[3];

    if (rank == 0 || !expect_arrays(c, names, s->in.rank, "each dimension has one", a))
        return;
    for (int i = 0; i < rank; i++) {
        int64_t n = (int64_t)s->in.sizes[i], offset = a[0][i], size = a[1][i], stride = a[2][i];
        uint64_t most, step = i64_magnitude(stride);

        if (!expect_range(c, names[0], i, offset, 0, n - 1, "the axis has %" PRId64 " elements",
                          n) ||
            !expect_range(c, names[1], i, size, 1, n - offset,
                          "%" PRId64 " - %" PRId64 " = %" PRId64 " elements remain", n, offset,
                          n - offset) ||
            !expect_range(c, names[2], i, stride, stride < 0 ? INT32_MIN : 1, INT32_MAX,
                          "a gradient needs a stride other than 0"))
            continue;
        most = (uint64_t)(size - 1) / step + 1;
        if (s->out.sizes[i] > most)
            expect_size(c, &s->out, (unsigned)i, most,
                        "at most (%" PRId64 " - 1) / %" PRIu64 " + 1", size, step);
    }
}
