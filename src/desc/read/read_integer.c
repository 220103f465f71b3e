#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "desc/read/reader.h"
#include "json/number.h"

/* The range of the integer at the path: lo to hi as far as the fields before it leave them. */
struct allowed {
    int64_t lo, hi;
    int64_t count; /* of an index, which counts from the end in NumPy if it is negative; or 0 */
    int64_t meant; /* K: what the outputs have room for; or 0 */
    bool axis;     /* the index is one of an axis */
};

/* Sets the limits of K on an axis of size n; what both outputs have room for is meant. */
static void allow_k(const struct reader *r, int64_t axis, int64_t n, struct allowed *a)
{
    const struct tensor_desc *values = &r->values->tensor[SLOT_VALUES],
                             *indices = &r->values->tensor[SLOT_INDICES];
    int64_t k = axis < values->rank ? (int64_t)values->sizes[axis] : 0;

    a->hi = n > 1 && !r->fs->opt.relaxed ? n - 1 : n;
    if (axis < indices->rank && k == (int64_t)indices->sizes[axis] && k <= a->hi)
        a->meant = k;
}

/* Sets the limits of entry i of a field by the tensor that the operator reads or cuts. */
static void allow_by_tensor(const struct reader *r, size_t i, struct allowed *a)
{
    uint32_t slot = strcmp(r->values->schema->name, "SLICE_GRAD") == 0;
    const struct tensor_desc *t = &r->values->tensor[slot];
    const struct field_value *before = values_of(r->values, r->field - 1);
    const char *name = r->field->name;

    if (slot >= r->values->tensor_count || !r->values->seen[slot].sizes.all || i >= t->rank)
        return;
    if (a->axis)
        a->count = t->rank;
    else if (strstr(name, "Offsets"))
        a->count = (int64_t)t->sizes[i];
    else if (strstr(name, "Dimension") || strcmp(name, "AxisCount") == 0)
        a->hi = t->rank;
    else if (strstr(r->field[-1].name, "Offsets"))
        a->hi = (int64_t)t->sizes[i] - (before->good ? before->v[i] : 0);
    else if (strcmp(name, "K") == 0 && before->good && before->v[0] < t->rank)
        allow_k(r, before->v[0], (int64_t)t->sizes[before->v[0]], a);
    if (a->count > 0)
        a->hi = a->count - 1;
    if (a->hi < a->lo)
        a->hi = a->lo;
}

static struct allowed allowed_integers(const struct reader *r, int64_t lo, int64_t hi)
{
    static const char *const from_zero[] = { "Padding", "Offset", "Batch" };
    struct allowed a = { .lo = lo, .hi = hi };
    const char *path = path_text(r), *name = r->field ? r->field->name : "";

    if (r->field && field_is_tensor(r->field))
        a.lo = strstr(path, "/Sizes/") != NULL;
    if (!r->field || field_is_tensor(r->field) || lo < 0)
        return a;
    a.axis = strcmp(name, "Axis") == 0 || strcmp(name, "Axes") == 0;
    a.lo = !a.axis;
    for (size_t i = 0; i < ARRAY_LEN(from_zero); i++)
        a.lo = a.lo && !strstr(name, from_zero[i]);
    allow_by_tensor(r, strtoul(strrchr(path, '/') + 1, NULL, 10), &a);
    return a;
}

/* Reads a string or a number, also with a fraction or exponent, as an integer. */
static bool any_integer(const struct json_doc *doc, const struct json_node *node, int64_t *v)
{
    size_t quote = node->type == JSON_STRING;

    return (quote || node->type == JSON_NUMBER) && node->end - node->start > 2 * quote &&
           number_i64(doc->clean + node->start + quote, node->end - node->start - 2 * quote, v) ==
               NUMBER_OK;
}

/* Sets the hint of an integer that is not in lo..hi: v, if it is known. Returns true, with v
 * corrected, if the right value is certain, and then also sets the fix. */
static bool hint_integer(const struct reader *r, struct finding *f, bool known, struct allowed a,
                         int64_t *v)
{
    int64_t end = known && *v < 0 && *v >= -a.count ? *v + a.count : -1;
    bool certain = end >= 0 ? a.axis : known && a.meant > 0;
    struct str hint = { 0 };

    str_printf(&hint, known ? "use %" PRId64 : "use a whole number, %" PRId64, a.lo);
    if (a.hi > a.lo)
        str_printf(&hint, " to %" PRId64, a.hi);
    if (end >= 0)
        str_printf(&hint, "; %" PRId64 " counts from the end in NumPy, DirectML wants %" PRId64, *v,
                   end);
    else if (certain)
        str_printf(&hint, "; the outputs have room for %" PRId64, a.meant);
    finding_hint(f, "%s", hint.s ? hint.s : "");
    r->fs->failed = r->fs->failed || hint.failed;
    str_free(&hint);
    if (!certain)
        return false;
    *v = end >= 0 ? end : a.meant;
    finding_fix(f, "%" PRId64, *v);
    return true;
}

bool read_integer(struct reader *r, size_t node, int64_t lo, int64_t hi, int64_t *v)
{
    const struct json_node *n = &r->doc->nodes[node];
    const char *text = r->doc->clean + n->start;
    int len = (int)(n->end - n->start < 40 ? n->end - n->start : 40);
    enum number_result result = NUMBER_SYNTAX;
    struct str name;
    struct finding *f;
    bool known;

    if (n->type == JSON_NUMBER)
        result = number_int_literal(text, n->end - n->start, v);
    if (result == NUMBER_OK && *v >= lo && *v <= hi)
        return true;
    name = field_name(r);
    if (n->type != JSON_NUMBER)
        f = report(r, RULE_DESC_FIELD_TYPE, "%s is %s, but must be an integer",
                   name.s ? name.s : "the field", value_kind(r->doc, node));
    else
        f = report(r, RULE_DESC_FIELD_RANGE,
                   result == NUMBER_FRACTION ? "%s is %.*s, which is not written as a whole number"
                                             : "%s is %.*s, which is out of range",
                   name.s ? name.s : "the field", len, text);
    str_free(&name);
    known = any_integer(r->doc, n, v);
    *v = known ? *v : 0;
    if (!known || *v < lo || *v > hi)
        return hint_integer(r, f, known || result == NUMBER_RANGE, allowed_integers(r, lo, hi), v);
    finding_hint(f, "write %" PRId64, *v);
    finding_fix(f, "%" PRId64, *v);
    return true;
}

void read_integers(struct reader *r, size_t node, int64_t lo, int64_t hi, int64_t v[DML_MAX_RANK],
                   struct array_seen *seen)
{
    const struct json_node *nodes = r->doc->nodes;
    size_t at = node + 1;

    *seen = (struct array_seen){ 0 };
    if (nodes[node].type != JSON_ARRAY) {
        wrong_type(r, node, "an array of integers");
        return;
    }
    *seen = (struct array_seen){ .there = true, .all = true, .count = nodes[node].count };
    for (uint32_t i = 0; i < seen->count; i++, at = nodes[at].next) {
        int64_t value;

        path_push_index(r, i);
        if (!read_integer(r, at, lo, hi, &value))
            seen->all = false;
        else if (i < DML_MAX_RANK) {
            v[i] = value;
            seen->good |= (uint8_t)(1u << i);
        }
        path_pop(r);
    }
}
