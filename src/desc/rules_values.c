#include <inttypes.h>
#include <string.h>

#include "desc/check.h"

/* The rules of operators that dmlop does not run, from the tables in their files. */

static void suggest_type(struct finding *f, enum dtype type)
{
    finding_hint(f, "use %s", dtype_name(type));
    finding_fix_string(f, "DML_TENSOR_DATA_TYPE_%s", dtype_name(type));
}

/* `certain`: most of the tensors have that type. */
static void not_same_type(struct check *c, unsigned slot, unsigned first, bool certain)
{
    enum dtype want = c->tensor[first].type;
    struct finding *f = require_type(
        c, RULE_DESC_SAME_DATA_TYPE, slot, 1u << want,
        PHRASE("%s is %s", at_tensor(c, first, "DataType", WHOLE).name, dtype_name(want)));

    if (f && !certain && !slot_field(c, slot)->output) {
        finding_doubt(f);
        finding_hint(f, "use %s, or change the other type", dtype_name(want));
    }
    relate_type(c, f, first);
}

/* What tensors of a statement must agree in: one of these, or a size. */
enum { TYPE = -2, RANK = -1 };

/* A type, rank or size of a tensor of a statement; -1 if it is not known, or was reported. */
static int64_t value_of(const struct check *c, const struct op_same *same, unsigned slot, int what)
{
    const struct tensor_desc *t = &c->tensor[slot];

    if (!t->present || !(same->slots >> slot_field(c, slot)->slot & 1) ||
        is_reported(c, what == TYPE ? at_tensor(c, slot, "DataType", WHOLE)
                                    : at_tensor(c, slot, "Sizes", what)))
        return -1;
    if (what == TYPE)
        return c->tensor_seen[slot].type ? (int64_t)t->type : -1;
    if (!rank_known(c, slot) || is_reported(c, at_sizes(c, slot)) || what >= (int)t->rank)
        return -1;
    return what == RANK ? t->rank : (int64_t)t->sizes[what];
}

/* Compares the tensors of a statement with the first one, or with the second one if the first three
 * are known and only the first differs. If two of three agree, their value is certain. */
static void compare(struct check *c, const struct op_same *same, int what)
{
    unsigned by[3], n = 0, first;
    int64_t v[3] = { 0 }, have;
    struct finding *f;
    bool certain;

    for (unsigned slot = 0; n < 3 && slot < c->values->tensor_count; slot++) {
        v[n] = value_of(c, same, slot, what);
        by[n] = slot;
        n += v[n] >= 0;
    }
    first = n == 3 && v[1] == v[2] && !(what == RANK && v[1] == 1); /* else of vectors */
    certain = n == 3 && (v[0] == v[1] || v[0] == v[2] || first);
    for (unsigned slot = 0; n > 1 && slot < c->values->tensor_count; slot++) {
        have = value_of(c, same, slot, what);
        if (have < 0 || have == v[first])
            continue;
        if (what == TYPE)
            not_same_type(c, slot, by[first], certain);
        else if (what == RANK)
            require_rank(c, RULE_DESC_SAME_DIMENSION_COUNT, slot, by[first]);
        else {
            f = require_size(c, RULE_DESC_SAME_SIZES, slot, (unsigned)what, by[first],
                             (unsigned)what);
            if (certain && v[first] > 0 && (have > 1 || c->tensor[slot].has_strides))
                suggest(f, (uint64_t)v[first]);
        }
    }
}

/* True if every array that `by` counts has n entries. */
static bool all_have(const struct check *c, const struct field *by, uint32_t n)
{
    for (const struct field *f = c->schema->fields; f->name; f++) {
        const struct field_value *v = values_of(c->values, f);

        if (f->count && strcmp(f->count, by->name) == 0 && v->given && v->count != n)
            return false;
    }
    return true;
}

/* True if the shape recipe accepts an array's length as its count, and all of the array. */
static bool fits(const struct check *c, const struct field *array, struct field_value *count)
{
    struct findings found = { .opt = c->fs->opt };
    struct check trial = *c;
    int64_t was = count->v[0], n = values_of(c->values, array)->count;
    bool good;

    trial.fs = &found;
    count->v[0] = n;
    check_shape(&trial);
    count->v[0] = was;
    good = !is_reported(&trial, at_field(c, array->count, WHOLE));
    for (int i = WHOLE; good && i < DML_MAX_RANK; i++)
        good = !is_reported(&trial, at_field(c, array->name, i));
    findings_free(&found);
    return good;
}

/* Compares the length of an array with the field that counts its entries. A count that differs from
 * all its arrays is reported once, and counts as unknown from then on, unless the shape
 * recipe refuses the arrays' length. */
static void check_count(struct check *c, const struct field *f)
{
    const struct field *by = f->count ? schema_field(c->schema, f->count) : NULL;
    const struct field_value *v = values_of(c->values, f);
    struct field_value *count = by ? values_of(c->values, by) : NULL;
    struct phrase entries = counted(v->count, "entry");
    struct pointer array = at_field(c, f->name, WHOLE), at;
    struct finding *found;

    if (!by || !v->given || !count->good || count->v[0] == v->count || (v->count == 0 && !v->good))
        return;
    at = at_field(c, by->name, WHOLE);
    if (all_have(c, by, v->count) && fits(c, f, count)) {
        found = violation(c, RULE_DESC_ARRAY_LENGTH, at, "is %" PRId64 ", but %s has %s",
                          count->v[0], f->name, entries.s);
        suggest(found, v->count);
        finding_relate(found, array.s, "%s has %s here", f->name, entries.s);
        count->good = false;
        return;
    }
    found = violation(c, RULE_DESC_ARRAY_LENGTH, array, "has %s, but %s is %" PRId64, entries.s,
                      by->name, count->v[0]);
    finding_hint(found, "give %s, or change %s", counted((uint64_t)count->v[0], "entry").s,
                 by->name);
    relate_value(found, at, (uint64_t)count->v[0]);
}

/* Holds an enumeration's value against the level; the data type of a scalar against the output. */
static void check_enum(struct check *c, const struct field *f)
{
    const struct field_value *v = values_of(c->values, f);
    struct pointer at = at_field(c, f->name, WHOLE);
    size_t i = (size_t)v->v[0];
    struct finding *found;

    if (!v->good)
        return;
    if (f->values && f->values->since[i] > c->level) {
        found = violation(c, RULE_SUPPORT_VALUE, at, "is %s, which exists from feature level %s on",
                          f->values->names[i], level_names[f->values->since[i]]);
        hint_level(found, "use another value", f->values->since[i]);
    }
    for (unsigned slot = 0; !f->values && slot < c->values->tensor_count; slot++) {
        const struct field *out = slot_field(c, slot);

        if (!out->output || !c->tensor_seen[slot].type ||
            is_reported(c, at_tensor(c, slot, "DataType", WHOLE)) ||
            c->tensor[slot].type == (enum dtype)v->v[0])
            continue;
        found =
            violation(c, RULE_DESC_SCALAR_TYPE, at, "is %s, but %s.DataType is %s",
                      dtype_name((enum dtype)v->v[0]), out->name, dtype_name(c->tensor[slot].type));
        suggest_type(found, c->tensor[slot].type);
        relate_type(c, found, slot);
        break;
    }
}

void check_table(struct check *c)
{
    const struct op_values *v = c->values;
    uint32_t supported = require_operator(c) ? v->tensor_count : 0;

    for (unsigned slot = 0; slot < supported; slot++) {
        require_type_support(c, slot);
        require_rank_support(c, slot);
    }
    for (const struct field *f = v->schema->fields; f->name; f++)
        check_count(c, f);
    for (size_t i = 0; i < v->schema->same.n; i++) {
        const struct op_same *same = &v->schema->same.v[i];
        int last = same->sizes ? DML_MAX_RANK : same->rank ? 0 : RANK;

        c->but = same->but;
        for (unsigned slot = 0; slot < v->tensor_count; slot++)
            if (same->slots >> slot_field(c, slot)->slot & 1 &&
                dtype_size(v->tensor[slot].type) > 1)
                c->but = NULL;
        for (int what = same->type ? TYPE : RANK; what < last; what++)
            compare(c, same, what);
        c->but = NULL;
    }
    for (const struct field *f = v->schema->fields; f->name; f++)
        if (f->kind == FIELD_ENUM)
            check_enum(c, f);
    check_limits(c);
    check_shape(c);
}
