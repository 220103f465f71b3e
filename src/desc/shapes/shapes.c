#include "desc/shapes/shapes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

enum { EXPECT_TEXT = 256 /* of an arithmetic or a reason */ };

bool shape_of_entry(const struct check *c, const char *field, unsigned i, struct shape *s)
{
    const struct field_value *v = given_value(c, field);

    *s = (struct shape){ .rank = 0 };
    if (!v || i >= v->tensors || !sizes_known(c, v->slot + i))
        return false;
    s->slot = v->slot + i;
    s->rank = c->tensor[s->slot].rank;
    memcpy(s->sizes, c->tensor[s->slot].sizes, sizeof s->sizes);
    for (i = 0; i < s->rank; i++)
        if (is_reported(c, at_size(c, s->slot, i)))
            return false;
    return !is_reported(c, at_sizes(c, s->slot));
}

bool shape_of(const struct check *c, const char *field, struct shape *s)
{
    return shape_of_entry(c, field, 0, s);
}

bool shape_of_rank(const struct check *c, const char *field, unsigned rank, struct shape *s)
{
    return shape_of(c, field, s) && s->rank == rank;
}

enum dtype shape_type(const struct check *c, const char *field)
{
    const struct field_value *v = given_value(c, field);

    return v && v->tensors && c->tensor_seen[v->slot].type &&
                   !is_reported(c, at_tensor(c, v->slot, "DataType", WHOLE))
               ? c->tensor[v->slot].type
               : DT_NONE;
}

bool shape_integer(const struct check *c, const char *field, int64_t *v)
{
    const struct field_value *f = good_value(c, field);

    *v = f ? f->v[0] : 0;
    return f;
}

const int64_t *shape_integers(const struct check *c, const char *field, unsigned n)
{
    const struct field_value *f = good_value(c, field);

    return f && f->count >= n && f->count <= DML_MAX_RANK ? f->v : NULL;
}

const char *shape_name(const struct check *c, const char *field)
{
    const struct field_value *f = good_value(c, field);
    const struct enum_schema *e = f ? schema_field(c->schema, field)->values : NULL;

    return e ? e->names[f->v[0]] : "";
}

bool shape_is(const struct check *c, const char *field, const char *name)
{
    return strcmp(shape_name(c, field), name) == 0;
}

uint64_t shape_mul(uint64_t a, uint64_t b)
{
    uint64_t product;

    return u64_mul(a, b, &product) ? product : UINT64_MAX;
}

uint64_t shape_product(const struct shape *s, unsigned from, unsigned to)
{
    uint64_t product = 1;

    for (unsigned i = from; i < to; i++)
        product = shape_mul(product, s->sizes[i]);
    return product;
}

struct finding *expect_size(struct check *c, const struct shape *s, unsigned i, uint64_t want,
                            const char *fmt, ...)
{
    struct pointer at;
    struct finding *f;
    char text[EXPECT_TEXT];
    va_list ap;

    if (i >= s->rank || s->sizes[i] == want)
        return NULL;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    at = at_size(c, s->slot, i);
    if (strpbrk(text, "+-*/"))
        f = violation(c, RULE_SHAPE_SIZE, unnamed(at), "%s = %" PRIu64 ", but %s is %" PRIu64, text,
                      want, at.name, s->sizes[i]);
    else
        f = violation(c, RULE_SHAPE_SIZE, at, "is %" PRIu64 ", but must be %" PRIu64 "%s%s",
                      s->sizes[i], want, *text ? ", " : "", text);
    if (want == 0 || want > UINT32_MAX)
        finding_hint(f, "change the fields; no tensor has a size of %" PRIu64, want);
    else if (slot_field(c, s->slot)->output)
        suggest(f, want);
    else
        finding_hint(f, "use %" PRIu64 ", or change the other numbers", want);
    return f;
}

void expect_same_size(struct check *c, const struct shape *s, unsigned i, const struct shape *other,
                      unsigned j)
{
    if (i < s->rank && j < other->rank)
        require_size(c, RULE_SHAPE_SIZE, s->slot, i, other->slot, j);
}

void expect_same_sizes(struct check *c, const struct shape *s, const struct shape *other,
                       unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        expect_same_size(c, s, i, other, i);
}

void expect_same_elsewhere(struct check *c, const struct shape *s, const struct shape *other,
                           unsigned axis)
{
    expect_same_sizes(c, s, other, 0, axis);
    expect_same_sizes(c, s, other, axis + 1, other->rank);
}

bool expect_rank(struct check *c, const struct shape *s, unsigned lo, unsigned hi, const char *why)
{
    struct finding *f;

    if (s->rank >= lo && s->rank <= hi)
        return true;
    f = violation(c, RULE_SHAPE_DIMENSION_COUNT, at_sizes(c, s->slot), "has %u dimension%s, but %s",
                  s->rank, s->rank == 1 ? "" : "s", why);
    return lo == hi ? finding_hint(f, "use %u dimension%s", lo, lo == 1 ? "" : "s")
                    : finding_hint(f, "use %u to %u dimensions", lo, hi);
}

bool expect_axis(struct check *c, const char *field, const struct shape *of, unsigned *axis)
{
    int64_t v;

    if (of->rank == 0 || !shape_integer(c, field, &v) ||
        !require_axis(c, RULE_SHAPE_AXIS, at_field(c, field, WHOLE), (uint64_t)v, of->slot))
        return false;
    *axis = (unsigned)v;
    return true;
}

bool expect_axes(struct check *c, const char *field, const struct shape *of, unsigned *axes)
{
    const struct field_value *v = of->rank ? good_value(c, field) : NULL;
    bool valid = v;

    *axes = 0;
    for (uint32_t i = 0; v && i < v->count && i < DML_MAX_RANK; i++) {
        struct pointer at = at_field(c, field, (int)i);

        if (!require_axis(c, RULE_SHAPE_AXIS, at, (uint64_t)v->v[i], of->slot))
            valid = false;
        else if (*axes >> v->v[i] & 1)
            valid = finding_hint(violation(c, RULE_SHAPE_AXIS, at,
                                           "is %" PRId64 ", which is there already", v->v[i]),
                                 "give each axis once");
        else
            *axes |= 1u << v->v[i];
    }
    return valid;
}

bool expect_range(struct check *c, const char *field, int entry, int64_t v, int64_t lo, int64_t hi,
                  const char *fmt, ...)
{
    struct finding *f;
    char why[EXPECT_TEXT];
    va_list ap;

    if (v >= lo && v <= hi)
        return true;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    f = violation(c, RULE_SHAPE_VALUE, at_field(c, field, entry), "is %" PRId64 ", but %s", v, why);
    if (lo == hi) {
        finding_hint(f, "use %" PRId64, lo);
        finding_fix(f, "%" PRId64, lo);
    } else if (hi >= UINT32_MAX)
        finding_hint(f, "use %" PRId64 " or more", lo);
    else if (lo < hi)
        finding_hint(f, "use %" PRId64 " to %" PRId64, lo, hi);
    return false;
}

bool expect_integer(struct check *c, const char *field, unsigned lo, unsigned hi, const char *why,
                    unsigned *v)
{
    int64_t n;

    if (!shape_integer(c, field, &n) || !expect_range(c, field, WHOLE, n, lo, hi, "%s", why))
        return false;
    *v = (unsigned)n;
    return true;
}

bool expect_size_2d(struct check *c, const char *field, uint64_t *width, uint64_t *height)
{
    const struct field_value *f = good_value(c, field);

    for (int i = 0; f && i < 2; i++) {
        char side[64];

        snprintf(side, sizeof side, "%s/%s", field, i ? "Height" : "Width");
        if (!expect_range(c, side, WHOLE, f->v[i], 1, UINT32_MAX, "it must be at least 1"))
            return false;
    }
    if (!f)
        return false;
    *width = (uint64_t)f->v[0];
    *height = (uint64_t)f->v[1];
    return true;
}

bool expect_length(struct check *c, const char *field, unsigned n, const char *why)
{
    const struct field_value *v = given_value(c, field);

    if (!v || v->count == n)
        return v;
    return finding_hint(violation(c, RULE_SHAPE_VALUE, at_field(c, field, WHOLE),
                                  "has %" PRIu32 " %s, but %s", v->count,
                                  v->count == 1 ? "entry" : "entries", why),
                        "give %u %s", n, n == 1 ? "entry" : "entries");
}

bool expect_arrays(struct check *c, const char *const *arrays, unsigned n, const char *why,
                   const int64_t *v[])
{
    const struct field *first = schema_field(c->schema, *arrays);
    bool good = true;
    int64_t count;

    if (first && first->count && shape_integer(c, first->count, &count))
        good = expect_range(c, first->count, WHOLE, count, n, n, "%s", why);
    else
        for (size_t i = 0; arrays[i]; i++)
            if (given_value(c, arrays[i]))
                good = expect_length(c, arrays[i], n, why) && good;
    for (; good && v && *arrays; arrays++, v++) {
        *v = shape_integers(c, *arrays, n);
        good = *v != NULL;
    }
    return good;
}

void expect_type(struct check *c, const char *field, unsigned types, const char *why)
{
    const struct field_value *v = given_value(c, field);

    for (uint32_t i = 0; v && i < v->tensors; i++)
        require_type(c, RULE_SHAPE_DATA_TYPE, v->slot + i, types, why);
}

void expect_tensor(struct check *c, const char *field, const char *hint, const char *fmt, ...)
{
    bool given = given_value(c, field);
    struct finding *f;
    va_list ap;

    va_start(ap, fmt);
    f = findings_vadd(c->fs, RULE_SHAPE_TENSOR, given ? at_field(c, field, WHOLE).s : c->fields,
                      given ? AT_KEY : AT_OPENING, fmt, ap);
    va_end(ap);
    if (given)
        findings_note(c->fs, finding_hash(c->seed, at_field(c, field, WHOLE).s));
    finding_hint(f, "%s", hint);
}
