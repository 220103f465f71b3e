#include "desc/shapes/shapes.h"

/* The text of a sum has this many terms, then "...". */
enum { SUM_TERMS = 8 };

/* The sizes of `tensors` along Axis add up to that of the whole; the other sizes are the same. */
static void check_sum(struct check *c, const char *tensors, const struct shapes *s, bool join)
{
    const struct field_value *list = given_value(c, tensors);
    const struct shape *whole = &s->in;
    struct shape first = join ? shape_of(c, tensors, 0) : *whole, next;
    struct phrase terms = { "" };
    unsigned n = list ? list->count : 0;
    struct finding *f;
    bool known = true;
    uint64_t sum = 0;

    if (n == 0 && list && list->good && !is_reported(c, at_field(c, tensors, WHOLE)))
        expect_tensor(c, tensors, "give at least one tensor", PHRASE("%s is empty", tensors));
    if (n == 0 || !s->axes_known)
        return;
    if (first.rank != whole->rank)
        first = *whole;
    for (unsigned i = 0; i < n; i++) {
        next = shape_of(c, tensors, i);
        if (next.rank != whole->rank) {
            known = false;
            continue;
        }
        expect_same_sizes(c, &next, &first, ~s->axes);
        sum += next.sizes[s->axis];
        if (i < SUM_TERMS)
            terms = phrase("%s%s%ju", terms.s, i ? " + " : "", next.sizes[s->axis]);
        else if (i == SUM_TERMS)
            terms = phrase("%s + ...", terms.s);
    }
    if (join)
        expect_same_sizes(c, whole, &first, ~s->axes);
    f = known ? expect_size(c, whole, s->axis, sum, terms.s) : NULL;
    for (unsigned i = 0; f && i < n && i < SUM_TERMS; i++) {
        next = shape_of(c, tensors, i);
        if (next.rank > 0)
            relate_value(f, at_size(c, next.slot, s->axis), next.sizes[s->axis]);
    }
}

void shape_join(struct check *c, struct shapes *s) { check_sum(c, "InputTensors", s, true); }

void shape_split(struct check *c, struct shapes *s) { check_sum(c, "OutputTensors", s, false); }

void shape_tile(struct check *c, struct shapes *s)
{
    static const char *const names[] = { "Repeats", NULL };
    struct shape out = shape_of(c, "OutputTensor", 0);
    unsigned rank = s->in.rank;
    const int64_t *repeats = NULL;

    if (!expect_arrays(c, names, &s->in, 0, &repeats) ||
        !expect_rank(c, &out, rank, rank, "it must have as many as InputTensor"))
        return;
    for (unsigned i = 0; i < rank; i++)
        expect_size(c, &out, i, u64_mul_most(s->in.sizes[i], (uint64_t)repeats[i]),
                    PHRASE("%ju * %jd", s->in.sizes[i], repeats[i]));
}

/* No mode limits the padding: reflections are reflected again. */
void shape_padding(struct check *c, struct shapes *s)
{
    static const char *const arrays[] = { "StartPadding", "EndPadding", NULL };
    const uint64_t *sizes = s->in.sizes;
    const int64_t *v[2] = { NULL };

    if (!expect_arrays(c, arrays, &s->in, 0, v))
        return;
    for (unsigned i = 0; i < s->out.rank; i++)
        expect_size(c, &s->out, i, sizes[i] + (uint64_t)v[0][i] + (uint64_t)v[1][i],
                    PHRASE("%ju + %ji + %ji", sizes[i], v[0][i], v[1][i]));
}

/* As in SLICE1, whose output is InputGradientTensor: it has at most the elements that the stride
 * reaches in a window, which is inside of OutputGradientTensor. */
void shape_slice_grad(struct check *c, struct shapes *s)
{
    static const char *const names[] = { "InputWindowOffsets", "InputWindowSizes",
                                         "InputWindowStrides", NULL };
    const int64_t *a[3] = { NULL };

    if (!expect_arrays(c, names, &s->in, 0, a))
        return;
    for (int i = 0; i < (int)s->in.rank; i++) {
        int64_t n = (int64_t)s->in.sizes[i], offset = a[0][i], size = a[1][i], stride = a[2][i];
        uint64_t most, step = i64_magnitude(stride);

        if (!expect_range(c, names[0], i, offset, 0, n - 1,
                          PHRASE("the axis has %jd elements", n)) ||
            !expect_range(c, names[1], i, size, 1, n - offset,
                          PHRASE("%jd - %jd = %jd elements remain", n, offset, n - offset)) ||
            !expect_range(c, names[2], i, stride, stride < 0 ? INT32_MIN : 1, INT32_MAX,
                          "a gradient needs a stride other than 0"))
            continue;
        most = (uint64_t)(size - 1) / step + 1;
        if (s->out.sizes[i] > most)
            expect_size(c, &s->out, (unsigned)i, most,
                        PHRASE("at most (%jd - 1) / %ju + 1", size, step));
    }
}
