#include "desc/check.h"

/* The rules of operators that dmlop does not run, from the tables in their files. */

static void not_same_type(struct check *c, unsigned slot, unsigned by, bool certain)
{
    enum dtype want = c->tensor[by].type;
    struct finding *f = require_type(
        c, RULE_DESC_SAME_DATA_TYPE, slot, 1u << want,
        PHRASE("%s is %s", at_tensor(c, by, "DataType", WHOLE).name, dtype_name(want)));

    if (f && !certain) {
        finding_doubt(f);
        finding_hint(f, "use %s, or change the other type", dtype_name(want));
    }
    relate_type(c, f, by);
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

/* The value of the tensors of a role of a statement if they agree: else -1, also if there is none;
 * *slot is the first. */
static int64_t value_of_role(const struct check *c, const struct op_same *same, int what,
                             enum tensor_role role, unsigned *slot)
{
    int64_t all = -1, v;

    for (unsigned i = 0; i < c->values->tensor_count; i++) {
        v = slot_field(c, i)->tensor == role ? value_of(c, same, i, what) : -1;
        if (v < 0)
            continue;
        if (all >= 0 && v != all)
            return -1;
        *slot = all < 0 ? i : *slot;
        all = v;
    }
    return all;
}

/* Reports a parameter whose sizes are those of the data or, from axis i on, 1, with the strides of
 * 0 that repeat its elements. False if it has other sizes. */
static bool is_repeated(struct check *c, const struct op_same *same, unsigned slot, unsigned by,
                        unsigned i)
{
    const struct tensor_desc *t = &c->tensor[slot], *like = &c->tensor[by];
    struct phrase sizes = { "" }, strides = { "" };
    struct finding *f;
    uint64_t stride = 1;

    if (t->rank != like->rank)
        return false;
    for (uint32_t d = t->rank; d-- > 0;) {
        uint64_t have = t->sizes[d], size = like->sizes[d];

        if ((have != size && (have != 1 || d < i)) ||
            value_of_role(c, same, (int)d, TENSOR_RESULT, &by) != (int64_t)size)
            return false;
        sizes = phrase("%ju%s%s", size, *sizes.s ? ", " : "", sizes.s);
        strides = phrase("%ju%s%s", have == 1 ? 0 : stride, *strides.s ? ", " : "", strides.s);
        stride *= have;
    }
    f = violation(c, RULE_DESC_SAME_SIZES, at_tensor(c, slot, "Sizes", WHOLE),
                  "are %s, but must be [%s]", tensor_sizes_text(t->rank, t->sizes).text, sizes.s);
    finding_hint(f, "use [%s] with Strides [%s] to repeat elements", sizes.s, strides.s);
    finding_fix(f, "[%s], \"Strides\": [%s]", sizes.s, strides.s);
    relate_sizes(c, f, by);
    return true;
}

static void not_same_size(struct check *c, const struct op_same *same, unsigned slot, unsigned by,
                          unsigned i, bool certain)
{
    const struct tensor_desc *t = &c->tensor[slot];
    bool one = t->sizes[i] == 1 && !t->has_strides && t->total_size <= 4;
    bool overlaps = t->has_strides && t->strides[i] && t->sizes[i] < c->tensor[by].sizes[i];
    struct finding *f;

    if (certain && one && is_repeated(c, same, slot, by, i))
        return;
    f = require_size(c, RULE_DESC_SAME_SIZES, slot, i, by, i);
    if (!certain)
        finding_doubt(f);
    else if (f && !one && !overlaps)
        suggest_size(c, f, slot, i, c->tensor[by].sizes[i]);
}

static bool scalar_has(const struct check *c, int64_t type)
{
    const struct field *f = schema_scalar_type(c->schema);

    return f && values_of(c->values, f)->good && values_of(c->values, f)->v[0] == type;
}

/* Compares the tensors of a statement with its data or, if they differ, with the tensor of data
 * that results agree with. Only what is certain gets a fix: a result follows data that agree, a
 * parameter data and results that agree. */
static void compare(struct check *c, const struct op_same *same, int what)
{
    unsigned by = 0, result, slot;
    int64_t data = value_of_role(c, same, what, TENSOR_DATA, &by), have;
    int64_t results = value_of_role(c, same, what, TENSOR_RESULT, &result), want = data;

    for (slot = 0; want < 0 && slot < c->values->tensor_count; slot++) {
        have = value_of(c, same, slot, what);
        if (results >= 0 && have != results)
            continue;
        want = have;
        by = slot;
    }
    for (slot = 0; want >= 0 && slot < c->values->tensor_count; slot++) {
        enum tensor_role role = slot_field(c, slot)->tensor;
        bool certain =
            data >= 0 && role != TENSOR_DATA && (role == TENSOR_RESULT || results == data);

        have = value_of(c, same, slot, what);
        if (have < 0 || have == want)
            continue;
        if (what == RANK)
            require_rank(c, RULE_DESC_SAME_DIMENSION_COUNT, slot, by);
        else if (what == TYPE)
            not_same_type(c, slot, by, certain && !scalar_has(c, have));
        else
            not_same_size(c, same, slot, by, (unsigned)what, certain);
    }
}

/* Gives the finding that an object lacks a field, which the reader reported, a value as the fix;
 * unless there are unknown keys: another operator may be meant. */
static void offer(struct check *c, const char *pointer, const char *field, const char *value)
{
    struct phrase lacks = phrase(" lacks %s", field);

    if (c->fs->broken[RULE_DESC_FIELD_UNKNOWN])
        return;
    for (size_t i = c->values->findings; i < c->fs->n; i++) {
        struct finding *f = &c->fs->v[i];
        const char *text = strstr(f->message, lacks.s);
        size_t n = strlen(f->pointer), m = strlen(pointer);

        if (f->rule != RULE_DESC_FIELD_MISSING || !text || strcmp(text, lacks.s) != 0 || n < m ||
            strcmp(f->pointer + n - m, pointer) != 0)
            continue;
        finding_hint(f, "add \"%s\": %s", field, value);
        finding_fix(f, "{ \"%s\": %s,", field, value);
    }
}

/* A result without Sizes has those of the data. */
static void offer_sizes(struct check *c, const struct op_same *same, unsigned slot)
{
    const struct pointer at = at_tensor(c, slot, NULL, WHOLE);
    int64_t rank = value_of_role(c, same, RANK, TENSOR_DATA, &slot), size = 1;
    struct phrase sizes = { "[" };

    for (int i = 0; i < rank && size > 0; i++) {
        size = value_of_role(c, same, i, TENSOR_DATA, &slot);
        sizes = phrase("%s%jd%s", sizes.s, size, i + 1 < rank ? ", " : "]");
    }
    if (rank > 0 && size > 0)
        offer(c, at.s, "Sizes", sizes.s);
}

/* True if the shape recipe accepts an array's length as its count, and all of the array. */
static bool fits(const struct check *c, const struct field *array, struct field_value *count)
{
    struct findings found = { .opt = c->fs->opt };
    struct check trial = *c;
    int64_t was = count->v[0], n = values_of(c->values, array)->count;
    bool good;

    trial.fs = &found;
    found.opt.max_findings = 0; /* it has no text to find places in */
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

    if (by && v->good && v->count > 0 && !count->given && counts_arrays(c, f->count, v->count))
        offer(c, c->fields, by->name, PHRASE("%u", v->count));
    if (!by || !v->given || !count->good || count->v[0] == v->count || (v->count == 0 && !v->good))
        return;
    at = at_field(c, by->name, WHOLE);
    if (counts_arrays(c, f->count, v->count) && fits(c, f, count)) {
        found = violation(c, RULE_DESC_ARRAY_LENGTH, at, "is %jd, but %s has %s", count->v[0],
                          f->name, entries.s);
        suggest(found, v->count);
        if (counts_arrays(c, f->count, v->count) < 2) /* or the array is */
            finding_doubt(found);
        finding_relate(found, array.s, "%s has %s here", f->name, entries.s);
        count->good = false;
        return;
    }
    found = violation(c, RULE_DESC_ARRAY_LENGTH, array, "has %s, but %s is %jd", entries.s,
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
        finding_hint(found, "use %s", dtype_name(c->tensor[slot].type));
        finding_fix_name(found, "DML_TENSOR_DATA_TYPE_", dtype_name(c->tensor[slot].type));
        if (given_type(c, c->schema->fields->name) != c->tensor[slot].type || slot == 0)
            finding_doubt(found);
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
    check_limits(c); /* first: check_count tries the recipe, which divides by strides */
    for (const struct field *f = v->schema->fields; f->name; f++)
        check_count(c, f);
    for (size_t i = 0; i < v->schema->same.n; i++) {
        const struct op_same *same = &v->schema->same.v[i];
        int last = same->sizes ? DML_MAX_RANK : same->rank ? 0 : RANK;

        for (unsigned slot = 0; same->sizes && slot < v->tensor_count; slot++)
            if (same->slots >> slot_field(c, slot)->slot & 1 && slot_field(c, slot)->output &&
                v->tensor[slot].present && v->tensor[slot].rank == 0)
                offer_sizes(c, same, slot);
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
    check_shape(c);
}
