#include "desc/check.h"

/* The fields after the tensors, of SLICE as of SLICE1. */
enum { OFFSETS = 3, SIZES, STRIDES };

static void check_dimension_count(struct check *c)
{
    static const unsigned slots[] = { SLOT_IN, SLOT_OUT };
    struct finding *f;

    if (!good_value(c, "DimensionCount")) {
        require_rank(c, RULE_SLICE_DIMENSION_COUNT, SLOT_OUT, SLOT_IN);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(slots); i++) {
        uint32_t rank = c->tensor[slots[i]].rank;

        if (!rank_known(c, slots[i]) || rank == c->d->dimension_count)
            continue;
        f = violation(c, RULE_SLICE_DIMENSION_COUNT, at_field(c, "DimensionCount", WHOLE),
                      "is %ju, but %s has %s", c->d->dimension_count, slot_field(c, slots[i])->name,
                      counted(rank, "dimension").s);
        if (c->tensor[SLOT_IN].rank == c->tensor[SLOT_OUT].rank)
            suggest(f, rank);
        else
            finding_hint(f, "use the same number of dimensions everywhere, %u as in InputTensor",
                         c->tensor[SLOT_IN].rank);
        relate_rank(c, f, slots[i]);
    }
}

/* True if an array has as many entries as both tensors have dimensions: then only DimensionCount is
 * wrong. */
static bool fits_tensors(const struct check *c, uint64_t count)
{
    uint32_t rank = c->tensor[SLOT_IN].rank;

    return rank_known(c, SLOT_IN) && rank_known(c, SLOT_OUT) && count == rank &&
           c->tensor[SLOT_OUT].rank == rank;
}

static void check_lengths(struct check *c)
{
    bool given = good_value(c, "DimensionCount");
    uint64_t want = given ? c->d->dimension_count : c->tensor[SLOT_IN].rank;

    if (!given && !rank_known(c, SLOT_IN))
        return;
    for (const struct field *x = c->schema->fields; x->name; x++) {
        const struct array_seen *seen = &values_of(c->values, x)->seen;
        struct finding *f;

        if ((x->kind != FIELD_UINT_ARRAY && x->kind != FIELD_INT_ARRAY) ||
            (!seen->all && seen->count == 0) || seen->count == want || fits_tensors(c, seen->count))
            continue;
        f = violation(c, RULE_SLICE_ARRAY_LENGTH, at_field(c, x->name, WHOLE),
                      "has %s, but there %s %s", counted(seen->count, "entry").s,
                      want == 1 ? "is" : "are", counted(want, "dimension").s);
        finding_hint(f, "give %s, one per dimension", counted(want, "entry").s);
        if (given)
            relate_value(f, at_field(c, "DimensionCount", WHOLE), want);
        else
            relate_sizes(c, f, SLOT_IN);
    }
}

/* Checks that size i of the window is not 0; `known`: the input's size and the offset are known. */
static void check_window_empty(struct check *c, uint32_t i, bool known)
{
    const struct desc *d = c->d;
    uint64_t in = d->tensor[SLOT_IN].sizes[i];
    struct finding *f;

    if (d->sizes[i] > 0)
        return;
    f = violation(c, RULE_SLICE_WINDOW_EMPTY, at_field(c, "InputWindowSizes", (int)i), "is 0");
    if (!known)
        finding_hint(f, "use 1 or more");
    else if (d->offsets[i] < in)
        finding_hint(f, "use %s", range(1, in - d->offsets[i]).s);
    else
        finding_hint(f, "use 1 or more, and an offset of 0 to %ju", in - 1);
}

/* Checks that the window, or the last element that SLICE copies, is in the input on axis i. */
static void check_window(struct check *c, uint32_t i)
{
    const struct desc *d = c->d;
    uint64_t in = d->tensor[SLOT_IN].sizes[i], offset = d->offsets[i], size = d->sizes[i], end,
             step = (uint64_t)d->strides[i];
    bool window = d->op == OP_SLICE1, offset_good = offset < in, fits;
    struct pointer by = at_size(c, SLOT_IN, i), at;
    struct finding *f;

    if (size == 0 || (!window && step == 0))
        return;
    fits = u64_mul(size - 1, window ? 1 : step, &end) && u64_add(end, offset, &end) &&
           (!window || u64_add(end, 1, &end));
    if (fits && (window ? end <= in : end < in))
        return;
    if (!fits)
        end = UINT64_MAX;
    if (window) {
        at = at_field(c, offset_good ? "InputWindowSizes" : "InputWindowOffsets", (int)i);
        f = violation(c, RULE_SLICE_WINDOW_BOUNDS, unnamed(at),
                      "axis %u: the window ends at %ju + %ju = %ju, but %s is %ju", i, offset, size,
                      end, by.name, in);
    } else {
        at = at_field(c, offset_good ? "Sizes" : "Offsets", (int)i);
        f = violation(c, RULE_SLICE_WINDOW_BOUNDS, unnamed(at),
                      "axis %u: Offsets + (Sizes - 1) * Strides is %ju, but %s is %ju", i, end,
                      by.name, in);
    }
    if (!offset_good)
        finding_hint(f, "use an offset of 0 to %ju", in - 1);
    else if (window)
        finding_hint(f, "use a window size of at most %ju", in - offset);
    else
        finding_hint(f, "use a size of at most %ju", 1 + (in - 1 - offset) / step);
    relate_value(f, by, in);
}

/* Checks the output's size against the window's, or against SLICE's Sizes. */
static void check_output_axis(struct check *c, uint32_t i)
{
    const struct desc *d = c->d;
    uint64_t out = d->tensor[SLOT_OUT].sizes[i], limit;
    bool one = d->op == OP_SLICE1;
    struct pointer by = at_field(c, one ? "InputWindowSizes" : "Sizes", (int)i);
    struct finding *f;

    if (out == 0 || (one && (d->strides[i] == 0 || d->sizes[i] == 0)))
        return;
    limit = one ? 1 + (d->sizes[i] - 1) / i64_magnitude(d->strides[i]) : d->sizes[i];
    if (one ? out <= limit : out == limit)
        return;
    f = violation(c, RULE_SLICE_OUTPUT_SIZE, at_size(c, SLOT_OUT, i), "is %ju, but %s %s %ju", out,
                  one ? "the window and stride of the axis" : by.name, one ? "give at most" : "is",
                  limit);
    if (one && limit > 1)
        finding_hint(f, "use 1 to %ju; %ju takes the whole window", limit, limit);
    else if (limit > 0)
        finding_hint(f, "use %ju", limit);
    else
        finding_hint(f, "give Sizes[%u] the output's size, %ju", i, out);
    if (limit > 0 && !fits_total(&d->tensor[SLOT_OUT]))
        finding_fix(f, "%ju", limit);
    finding_relate(f, by.s, "%s is %ju here", one ? "the window's size" : by.name, d->sizes[i]);
}

void check_slice(struct check *c)
{
    const struct desc *d = c->d;
    const struct field_value *v = c->values->field;
    const char *strides_name = d->op == OP_SLICE1 ? "InputWindowStrides" : "Strides";
    bool in, out, offsets, sizes, strides;
    uint64_t rank;

    check_dimension_count(c);
    check_lengths(c);
    require_same_type(c, RULE_SLICE_DATA_TYPE_MISMATCH, SLOT_OUT);
    /* Entry i of every array is axis i only if all arrays have one length. */
    rank = good_value(c, "DimensionCount") ? d->dimension_count : d->tensor[SLOT_IN].rank;
    for (uint32_t i = 0; i < DML_MAX_RANK; i++) {
        in = rank_known(c, SLOT_IN) && d->tensor[SLOT_IN].rank == rank && i < rank &&
             d->tensor[SLOT_IN].sizes[i] > 0;
        out = rank_known(c, SLOT_OUT) && d->tensor[SLOT_OUT].rank == rank && i < rank;
        offsets = v[OFFSETS].seen.count == rank && v[OFFSETS].seen.good >> i & 1;
        sizes = v[SIZES].seen.count == rank && v[SIZES].seen.good >> i & 1;
        strides = v[STRIDES].seen.count == rank && v[STRIDES].seen.good >> i & 1;
        if (v[STRIDES].seen.good >> i & 1 && d->strides[i] == 0)
            finding_hint(
                violation(c, RULE_SLICE_STRIDE_ZERO, at_field(c, strides_name, (int)i), "is 0"),
                "use 1 to take every element%s",
                d->op == OP_SLICE1 ? ", or -1 to take them backwards" : "");
        if (v[SIZES].seen.good >> i & 1 && d->op == OP_SLICE1)
            check_window_empty(c, i, in && offsets && sizes);
        if (in && offsets && sizes && (strides || d->op == OP_SLICE1))
            check_window(c, i);
        if (out && sizes && strides)
            check_output_axis(c, i);
    }
}
