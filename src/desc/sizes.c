#include "desc/sizes.h"

struct shape shape_given(const struct check *c, const char *field, unsigned i)
{
    const struct field_value *v = given_value(c, field);
    struct shape s = { .rank = 0 };

    if (!v || i >= v->tensors || !sizes_known(c, v->slot + i))
        return s;
    s.slot = v->slot + i;
    s.rank = c->tensor[s.slot].rank;
    memcpy(s.sizes, c->tensor[s.slot].sizes, sizeof s.sizes);
    return s;
}

struct shape shape_of(const struct check *c, const char *field, unsigned i)
{
    struct shape s = shape_given(c, field, i);
    bool reported = s.rank > 0 && is_reported(c, at_sizes(c, s.slot));

    for (i = 0; i < s.rank; i++)
        reported = reported || is_reported(c, at_size(c, s.slot, i));
    s.rank = reported ? 0 : s.rank;
    return s;
}

struct shape shape_of_rank(const struct check *c, const char *field, unsigned rank)
{
    struct shape s = shape_of(c, field, 0);

    s.rank = s.rank == rank ? rank : 0;
    return s;
}

uint64_t shape_product(const struct shape *s, unsigned from, unsigned to)
{
    uint64_t product = 1;

    for (unsigned i = from; i < to; i++)
        product = u64_mul_most(product, s->sizes[i]);
    return product;
}

struct finding *expect_size(struct check *c, const struct shape *s, unsigned i, uint64_t want,
                            const char *why)
{
    struct pointer at;
    struct finding *f;

    if (i >= s->rank || s->sizes[i] == want)
        return NULL;
    at = at_size(c, s->slot, i);
    if (strpbrk(why, "+-*/"))
        f = violation(c, RULE_SHAPE_SIZE, unnamed(at), "%s = %ju, but %s is %ju", why, want,
                      at.name, s->sizes[i]);
    else
        f = violation(c, RULE_SHAPE_SIZE, at, "is %ju, but must be %ju%s%s", s->sizes[i], want,
                      *why ? ", " : "", why);
    if (want == 0 || want > UINT32_MAX)
        finding_hint(f, "change the fields; no tensor has a size of %ju", want);
    else if (slot_field(c, s->slot)->output)
        suggest_size(c, f, s->slot, i, want);
    else
        finding_hint(f, "use %ju, or change the other numbers", want);
    return f;
}

void expect_same_size(struct check *c, const struct shape *s, unsigned i, const struct shape *other,
                      unsigned j)
{
    if (i < s->rank && j < other->rank)
        require_size(c, RULE_SHAPE_SIZE, s->slot, i, other->slot, j);
}

void expect_same_sizes(struct check *c, const struct shape *s, const struct shape *other,
                       unsigned axes)
{
    for (unsigned i = 0; i < s->rank; i++)
        if (axes >> i & 1)
            expect_same_size(c, s, i, other, i);
}

void expect_ones(struct check *c, const struct shape *s, unsigned axes, const char *why)
{
    for (unsigned i = 0; i < s->rank; i++)
        if (axes >> i & 1)
            expect_size(c, s, i, 1, why);
}

bool expect_rank(struct check *c, const struct shape *s, unsigned lo, unsigned hi, const char *why)
{
    if (s->rank == 0 || (s->rank >= lo && s->rank <= hi))
        return s->rank;
    return finding_hint(violation(c, RULE_SHAPE_DIMENSION_COUNT, at_sizes(c, s->slot),
                                  "has %s, but %s", counted(s->rank, "dimension").s, why),
                        "use %s dimension%s", range(lo, hi).s, hi == 1 ? "" : "s");
}

bool expect_range(struct check *c, const char *field, int entry, int64_t v, int64_t lo, int64_t hi,
                  const char *why)
{
    struct finding *f;

    if (v >= lo && v <= hi)
        return true;
    f = violation(c, RULE_SHAPE_VALUE, at_field(c, field, entry), "is %jd, but %s", v, why);
    if (lo == hi && counts_arrays(c, field, lo))
        suggest(f, (uint64_t)lo);
    else if (lo == hi)
        finding_hint(f, "use %jd", lo);
    else if (hi >= UINT32_MAX)
        finding_hint(f, "use %jd or more", lo);
    else if (lo < hi)
        finding_hint(f, "use %s", range((uint64_t)lo, (uint64_t)hi).s);
    return false;
}

bool expect_integer(struct check *c, const char *field, unsigned lo, unsigned hi, const char *why,
                    unsigned *v)
{
    const struct field_value *f = good_value(c, field);

    if (!f || !expect_range(c, field, WHOLE, f->v[0], lo, hi, why))
        return false;
    *v = (unsigned)f->v[0];
    return true;
}

bool expect_length(struct check *c, const char *field, unsigned n, const char *why)
{
    const struct field_value *v = given_value(c, field);

    if (!v || v->count == n)
        return true;
    return finding_hint(violation(c, RULE_SHAPE_VALUE, at_field(c, field, WHOLE), "has %s, but %s",
                                  counted(v->count, "entry").s, why),
                        "give %s", counted(n, "entry").s);
}

bool expect_arrays(struct check *c, const char *const *arrays, const struct shape *of,
                   unsigned from, const int64_t *v[])
{
    const char *counter = schema_field(c->schema, *arrays)->count;
    const struct field_value *count = counter ? good_value(c, counter) : NULL;
    unsigned n = of->rank - from;
    bool good = true, complete = true;
    struct phrase why;

    if (of->rank <= from)
        return false;
    why = phrase("%s has %s", at_sizes(c, of->slot).name,
                 counted(n, from ? "spatial dimension" : "dimension").s);
    if (count)
        good = expect_range(c, counter, WHOLE, count->v[0], n, n, why.s);
    else
        for (size_t i = 0; arrays[i]; i++)
            good = expect_length(c, arrays[i], n, why.s) && good;
    for (size_t i = 0; v && arrays[i]; i++) {
        const struct field_value *f = good_value(c, arrays[i]);

        if (given_value(c, arrays[i]))
            v[i] = good && f && f->count >= n && f->count <= DML_MAX_RANK ? f->v : NULL;
        complete = complete && v[i];
    }
    return good && complete;
}

void expect_parameters(struct check *c, const char *name, const struct shape *data, unsigned axis,
                       uint64_t lanes, const char *lane)
{
    static const char *const kinds[] = { "Scale", "ZeroPoint" };

    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        struct shape p = shape_given(c, PHRASE("%s%sTensor", name, kinds[k]), 0);

        for (unsigned i = 0; i < p.rank; i++)
            if (lanes == 1 || (p.rank == data->rank && i != axis))
                expect_size(c, &p, i, 1, "");
            else if (p.sizes[i] != 1)
                expect_size(c, &p, i, lanes, PHRASE("the %s, or 1", lane));
    }
}

void expect_type(struct check *c, const char *field, unsigned types, const char *why)
{
    const struct field_value *v = given_value(c, field);

    struct finding *f = v ? require_type(c, RULE_SHAPE_DATA_TYPE, v->slot, types, why) : NULL;

    if (f && !slot_field(c, v->slot)->output)
        finding_doubt(f);
}

void expect_tensor(struct check *c, const char *field, const char *hint, const char *why)
{
    bool given = given_value(c, field);
    struct pointer at = at_field(c, field, WHOLE);
    enum rule rule = c->but ? RULE_DESC_DISPUTED : RULE_SHAPE_TENSOR;
    struct finding *f =
        findings_add(c->fs, rule, given ? at.s : c->fields, given ? AT_KEY : AT_OPENING, "%s", why);

    if (given)
        hash_set_add(&c->fs->context.noted, hash_text(c->seed, at.s));
    finding_hint(f, "%s", hint);
}
