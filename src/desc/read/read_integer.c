#include "desc/read/reader.h"
#include "json/number.h"

/* The range of an integer, as far as the fields before it leave it. Returns the count
 * of an index, which counts from the end in NumPy if it is negative; 0: it is no index. */
static int64_t allowed(struct reader *r, size_t node, int64_t *lo, int64_t *hi)
{
    const char *path = pointer_of(r, node), *name = r->field ? r->field->name : "";
    bool axis = strcmp(name, "Axis") == 0 || strcmp(name, "Axes") == 0, tensor;
    size_t i = path && *path ? strtoul(strrchr(path, '/') + 1, NULL, 10) : 0;
    uint32_t slot = r->field && strcmp(r->values->schema->name, "SLICE_GRAD") == 0;
    const struct tensor_desc *t; /* that the operator reads or cuts */
    const struct field_value *before;

    tensor = r->field && field_is_tensor(r->field);
    if (tensor)
        *lo = strstr(path, "/Sizes/") != NULL;
    if (!r->field || tensor || *lo < 0 || r->field->kind == FIELD_SCALAR_UNION)
        return 0;
    *lo = !axis && !strstr(name, "Offset") && !strstr(name, "Padding") && !strstr(name, "Batch");
    if (slot >= r->values->tensor_count || !r->values->seen[slot].sizes.all)
        return 0;
    t = &r->values->tensor[slot];
    before = values_of(r->values, r->field - 1); /* a tensor has come before */
    if (i >= t->rank)
        return 0;
    if (axis || strstr(name, "Offsets")) {
        *hi = axis ? t->rank - 1 : (int64_t)t->sizes[i] - 1;
        return *hi + 1;
    }
    if (strstr(name, "Dimension") || strcmp(name, "AxisCount") == 0)
        *hi = t->rank;
    else if (strstr(r->field[-1].name, "Offsets"))
        *hi = (int64_t)t->sizes[i] - (before->good ? before->v[i] : 0);
    else if (strcmp(name, "K") == 0 && before->good && before->v[0] < t->rank)
        *hi = (int64_t)t->sizes[before->v[0]] - !r->fs->opt.relaxed;
    *hi = *hi < *lo ? *lo : *hi;
    return 0;
}

/* Reads a string or a number, also with a fraction or exponent, as an integer. */
static bool any_integer(const struct json_doc *doc, const struct json_node *node, int64_t *v)
{
    size_t quote = node->type == JSON_STRING;

    return (quote || node->type == JSON_NUMBER) && node->end - node->start > 2 * quote &&
           number_i64(doc->clean + node->start + quote, node->end - node->start - 2 * quote, v) ==
               NUMBER_OK;
}

/* Sets the hint of an integer that is not in lo..hi: v, if it is known, and the fix if it is
 * probably an axis counted from the end. Returns false. */
static bool hint_integer(struct reader *r, size_t node, struct finding *f, bool known, int64_t lo,
                         int64_t hi, int64_t v)
{
    int64_t count = allowed(r, node, &lo, &hi), end = v < 0 ? v + count : 0;
    char range[64];
    int n = snprintf(range, sizeof range, "%jd", lo);

    if (hi > lo)
        snprintf(range + n, sizeof range - (size_t)n, " to %jd", hi);
    if (!known || count == 0 || v >= 0 || end < 0)
        return finding_hint(f, "use %s%s", known ? "" : "a whole number, ", range);
    finding_hint(f, "use %s; %jd counts from the end in NumPy, DirectML wants %jd", range, v, end);
    if (r->field->name[0] != 'A') /* Axis, Axes */
        return false;
    finding_fix(f, "%jd", end);
    return false;
}

bool read_integer(struct reader *r, size_t node, int64_t lo, int64_t hi, int64_t *v)
{
    const struct json_node *n = &r->doc->nodes[node];
    const char *text = r->doc->clean + n->start;
    int len = (int)(n->end - n->start < 40 ? n->end - n->start : 40);
    enum number_result result = NUMBER_SYNTAX;
    char name[NAME_TEXT];
    struct finding *f;
    bool known;

    if (n->type == JSON_NUMBER)
        result = number_int_literal(text, n->end - n->start, v);
    if (result == NUMBER_OK && *v >= lo && *v <= hi)
        return true;
    field_name(r, node, name);
    if (n->type != JSON_NUMBER)
        f = report(r, node, RULE_DESC_FIELD_TYPE, "%s is %s, but must be an integer", name,
                   value_kind(r->doc, node));
    else
        f = report(r, node, RULE_DESC_FIELD_RANGE,
                   result == NUMBER_FRACTION ? "%s is %.*s, which is not written as a whole number"
                                             : "%s is %.*s, which is out of range",
                   name, len, text);
    known = any_integer(r->doc, n, v);
    *v = known ? *v : 0;
    if (!known || *v < lo || *v > hi)
        return hint_integer(r, node, f, known || result == NUMBER_RANGE, lo, hi, *v);
    finding_hint(f, "write %jd", *v);
    finding_fix(f, "%jd", *v);
    return true;
}

void read_integers(struct reader *r, size_t node, int64_t lo, int64_t hi, int64_t v[DML_MAX_RANK],
                   struct array_seen *seen)
{
    const struct json_node *nodes = r->doc->nodes;
    size_t at = node + 1;

    *seen = (struct array_seen){ .all = nodes[node].type == JSON_ARRAY };
    seen->count = seen->all ? nodes[node].count : 0;
    if (!seen->all)
        wrong_type(r, node, "an array of integers");
    for (uint32_t i = 0; i < seen->count; i++, at = nodes[at].next) {
        int64_t value;

        if (!read_integer(r, at, lo, hi, &value))
            seen->all = false;
        else if (i < DML_MAX_RANK) {
            v[i] = value;
            seen->good |= (uint8_t)(1u << i);
        }
    }
}
