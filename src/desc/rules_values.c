#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/check.h"

/* The rules of operators that dmlop does not run, from the tables in their files. */

/* Sets the hint and the fix of a data type. */
static void suggest_type(struct finding *f, enum dtype type)
{
    finding_hint(f, "use %s", dtype_name(type));
    finding_fix_string(f, "DML_TENSOR_DATA_TYPE_%s", dtype_name(type));
}

/* `certain`: most of the tensors have that type. */
static void not_same_type(struct check *c, unsigned slot, unsigned first, bool certain)
{
    enum dtype have = c->tensor[slot].type, want = c->tensor[first].type;
    struct finding *f;

    if (!c->tensor_seen[first].type || !c->tensor_seen[slot].type || have == want)
        return;
    f = violation(c, RULE_DESC_SAME_DATA_TYPE, at_tensor(c, slot, "DataType", WHOLE),
                  "is %s, but %s is %s", dtype_name(have),
                  at_tensor(c, first, "DataType", WHOLE).name, dtype_name(want));
    if (certain || slot_field(c, slot)->output)
        suggest_type(f, want);
    else
        finding_hint(f, "use %s, or change the other type", dtype_name(want));
    relate_type(c, f, first);
}

/* What tensors of a statement must agree in: one of these, or a size. */
enum { TYPE = -2, RANK = -1 };

/* A tensor's type, rank or size as a number; -1 if it is not known, or was reported. */
static int64_t value_of(const struct check *c, unsigned slot, int what)
{
    const struct tensor_desc *t = &c->tensor[slot];

    if (what == TYPE)
        return c->tensor_seen[slot].type && !is_reported(c, at_tensor(c, slot, "DataType", WHOLE))
                   ? (int64_t)t->type
                   : -1;
    if (!rank_known(c, slot) || is_reported(c, at_sizes(c, slot)))
        return -1;
    if (what == RANK)
        return t->rank;
    return what < (int)t->rank && !is_reported(c, at_size(c, slot, (unsigned)what))
               ? (int64_t)t->sizes[what]
               : -1;
}

static bool is_of(const struct check *c, const struct op_same *same, unsigned slot)
{
    return c->tensor[slot].present && (same->slots >> slot_field(c, slot)->slot & 1);
}

/* The tensor that the others are compared with: one of most of them if these agree (*certain), else
 * the first that the operator always has. UINT32_MAX if no value is known. */
static unsigned find_first(const struct check *c, const struct op_same *same, int what,
                           bool *certain)
{
    unsigned first = UINT32_MAX, most = UINT32_MAX, lead = 0, votes = 0, agree = 0;

    for (unsigned slot = 0; slot < c->values->tensor_count; slot++) {
        int64_t v = is_of(c, same, slot) ? value_of(c, slot, what) : -1;

        if (v < 0)
            continue;
        if (first == UINT32_MAX ||
            (slot_field(c, first)->optional && !slot_field(c, slot)->optional))
            first = slot;
        if (lead == 0)
            most = slot;
        lead += lead == 0 || v == value_of(c, most, what) ? 1 : -1U;
        votes++;
    }
    for (unsigned slot = 0; votes > 2 && slot < c->values->tensor_count; slot++)
        agree += is_of(c, same, slot) && value_of(c, slot, what) == value_of(c, most, what);
    *certain = 2 * agree > votes;
    return *certain ? most : first;
}

/* Compares the tensors of one statement. */
static void check_same(struct check *c, const struct op_same *same)
{
    for (int what = same->type ? TYPE : RANK; what < DML_MAX_RANK; what++) {
        bool certain;
        unsigned first = find_first(c, same, what, &certain);

        if (first == UINT32_MAX || (what == RANK && !same->rank && !same->sizes))
            continue;
        if (what >= 0 && !same->sizes)
            break;
        for (unsigned slot = 0; slot < c->values->tensor_count; slot++) {
            struct finding *f = NULL;

            if (!is_of(c, same, slot) || slot == first)
                continue;
            if (what == TYPE)
                not_same_type(c, slot, first, certain);
            else if (what == RANK)
                require_rank(c, RULE_DESC_SAME_DIMENSION_COUNT, slot, first);
            else if (value_of(c, slot, what) >= 0)
                f = require_size(c, RULE_DESC_SAME_SIZES, slot, (unsigned)what, first,
                                 (unsigned)what);
            if (f && certain && (c->tensor[slot].sizes[what] != 1 || c->tensor[slot].has_strides))
                suggest(f, c->tensor[first].sizes[what]);
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

/* The number of errors that the shape recipe finds if a count is n. */
static size_t count_errors(const struct check *c, struct field_value *count, int64_t n)
{
    struct findings found = { .opt = c->fs->opt };
    struct check trial = *c;
    int64_t was = count->v[0];
    size_t errors;

    trial.fs = &found;
    count->v[0] = n;
    check_shape(&trial);
    count->v[0] = was;
    errors = found.errors;
    findings_free(&found);
    return errors;
}

/* Compares the length of an array with the field that counts its entries. A count that differs from
 * all its arrays is reported once, and counts as unknown from then on, unless the arrays' length
 * leaves errors elsewhere. */
static void check_count(struct check *c, const struct field *f)
{
    const struct field *by = f->count ? schema_field(c->schema, f->count) : NULL;
    const struct field_value *v = values_of(c->values, f);
    struct field_value *count = by ? values_of(c->values, by) : NULL;
    const char *entries = v->count == 1 ? "entry" : "entries";
    struct pointer array = at_field(c, f->name, WHOLE), at;
    struct finding *found;
    size_t errors;

    if (!by || !v->given || !count->good || count->v[0] == v->count || (v->count == 0 && !v->good))
        return;
    at = at_field(c, by->name, WHOLE);
    errors = count_errors(c, count, v->count);
    if (all_have(c, by, v->count) && (!errors || errors < count_errors(c, count, count->v[0]))) {
        found =
            violation(c, RULE_DESC_ARRAY_LENGTH, at, "is %" PRId64 ", but %s has %" PRIu32 " %s",
                      count->v[0], f->name, v->count, entries);
        suggest(found, v->count);
        finding_relate(found, array.s, "%s has %" PRIu32 " %s here", f->name, v->count, entries);
        count->good = false;
        return;
    }
    found = violation(c, RULE_DESC_ARRAY_LENGTH, array, "has %" PRIu32 " %s, but %s is %" PRId64,
                      v->count, entries, by->name, count->v[0]);
    finding_hint(found, "give %" PRId64 " %s, or change %s", count->v[0],
                 count->v[0] == 1 ? "entry" : "entries", by->name);
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

/* True if the value at a pointer, or one that contains it, is noted. */
static bool is_doubtful(const struct findings *known, const char *pointer)
{
    uint64_t hash = FINDING_HASH;

    for (char part[2] = { 0 }; (part[0] = *pointer); pointer++) {
        hash = finding_hash(hash, part);
        if ((pointer[1] == '/' || !pointer[1]) && findings_noted(known, hash))
            return true;
    }
    return false;
}

/* Notes the place of an error, and the values that it was derived from. */
static void note_places(struct findings *known, const struct finding *f)
{
    findings_note(known, finding_hash(FINDING_HASH, f->pointer));
    for (size_t i = 0; i < f->related_count; i++)
        findings_note(known, finding_hash(FINDING_HASH, f->related[i].pointer));
}

/* An error without a fix makes the values doubtful that it names: no fix is derived from these. */
static void drop_doubtful(struct findings *fs, size_t from)
{
    struct findings known = { .n = 0 };
    bool any = true;

    for (size_t i = from; i < fs->n; i++)
        if (fs->v[i].severity == SEV_ERROR && !fs->v[i].fix.text)
            note_places(&known, &fs->v[i]);
    while (any) {
        any = false;
        for (size_t i = from; i < fs->n; i++) {
            struct finding *f = &fs->v[i];
            bool drop = false;

            for (size_t k = 0; f->fix.text && k < f->related_count; k++)
                drop = drop || is_doubtful(&known, f->related[k].pointer);
            if (!drop)
                continue;
            free(f->fix.text);
            f->fix.text = NULL;
            finding_hint(f, "check the values that this one depends on");
            note_places(&known, f);
            any = true;
        }
    }
    fs->failed = fs->failed || known.failed;
    findings_free(&known);
}

void check_table(struct check *c)
{
    const struct op_values *v = c->values;
    bool exists = require_operator(c);
    size_t from = c->fs->n;

    for (unsigned slot = 0; slot < v->tensor_count; slot++) {
        if (v->tensor[slot].present)
            check_tensor(c, slot, slot_field(c, slot)->output);
        if (exists)
            require_type_support(c, slot);
        if (exists)
            require_rank_support(c, slot);
    }
    for (const struct field *f = v->schema->fields; f->name; f++)
        check_count(c, f);
    for (size_t i = 0; i < v->schema->same.n; i++)
        check_same(c, &v->schema->same.v[i]);
    for (const struct field *f = v->schema->fields; f->name; f++)
        if (f->kind == FIELD_ENUM)
            check_enum(c, f);
    check_shape(c);
    drop_doubtful(c->fs, from);
}
