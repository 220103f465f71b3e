#include "base/mem.h"
#include "desc/read/reader.h"
#include "json/number.h"

static bool read_enum(struct reader *r, const struct field *f, size_t node, int64_t *v)
{
    const struct enum_schema *e = f->values;
    bool direction = r->values->schema->op; /* topk's, which has a rule of its own */
    char list[NAMES_TEXT], wanted[NAMES_TEXT + 32], hint[NAMES_TEXT + 32];
    enum rule rule = direction ? RULE_TOPK_AXIS_DIRECTION : RULE_DESC_ENUM_UNKNOWN;
    struct enumeration names = { e->what, e->prefix, e->names, e->n, rule, hint };
    const char *name;
    size_t i;

    list_names(e->names, e->n, list);
    snprintf(wanted, sizeof wanted, "a string, one of %s", list);
    snprintf(hint, sizeof hint, "use one of %s", list);
    if (direction)
        names.hint = "use DML_AXIS_DIRECTION_DECREASING (largest first) or "
                     "DML_AXIS_DIRECTION_INCREASING";
    name = string_text(r, node,
                       direction ? "a string, DML_AXIS_DIRECTION_INCREASING or "
                                   "DML_AXIS_DIRECTION_DECREASING"
                                 : wanted);
    if (!name)
        return false;
    i = enum_index(&names, name);
    if (i == names.n)
        i = unknown_name(r, node, &names, name);
    *v = (int64_t)i;
    if (i < names.n)
        portable_name(r, node, names.what, names.names[i]);
    return i < names.n;
}

/* Reads true or false; a text or number that means one of them gets a fix. */
static bool read_bool(struct reader *r, size_t node, int64_t *v)
{
    const struct json_node *n = &r->doc->nodes[node];
    const char *text = r->doc->clean + n->start;
    struct finding *f;
    char name[NAME_TEXT];
    bool yes, no;

    *v = node_is(r, node, JSON_TRUE);
    if (*v || node_is(r, node, JSON_FALSE))
        return true;
    f = report(r, node, RULE_DESC_FIELD_TYPE, "%s is %s, but must be true or false",
               field_name(r, node, name), value_kind(r->doc, node));
    yes = strncmp(text, "1", n->end - n->start) == 0 || strncmp(text, "\"true\"", 6) == 0;
    no = strncmp(text, "0", n->end - n->start) == 0 || strncmp(text, "\"false\"", 7) == 0;
    finding_hint(f, yes ? "write true" : no ? "write false" : "write true or false");
    if (yes || no)
        finding_fix(f, yes ? "true" : "false");
    return false;
}

/* Reads a number of FLOAT64 or FLOAT32, or one of the strings that DxDispatch takes for NaN and
 * infinities. Another string that means a number gets a fix. */
static bool read_real(struct reader *r, size_t node, enum dtype type, double *x)
{
    const struct json_node *n = &r->doc->nodes[node];
    bool string = n->type == JSON_STRING, number = n->type == JSON_NUMBER, fits;
    const char *text = r->doc->clean + n->start + string;
    size_t len = n->end - n->start - 2 * (size_t)string;
    char name[NAME_TEXT];
    struct finding *f;
    float rounded;

    if (string && number_special(text, len, x))
        return true;
    fits = (number || (string && len <= 40)) &&
           (type == DT_FLOAT64 || number_float(text, len, &rounded) == NUMBER_OK) &&
           number_double(text, len, x) == NUMBER_OK;
    if (number && fits) {
        portable_number(r, node, type);
        return true;
    }
    field_name(r, node, name);
    if (number)
        return finding_hint(
            report(r, node, RULE_DESC_FIELD_RANGE, "%s is %.*s, which is out of the range of %s",
                   name, (int)(len < 40 ? len : 40), text, dtype_name(type)),
            "use a number of at most %s", type == DT_FLOAT64 ? "1.7e308" : "3.4e38");
    f = report(r, node, RULE_DESC_FIELD_TYPE, "%s is %s, but must be a number", name,
               value_kind(r->doc, node));
    if (!fits)
        return finding_hint(f, "write a number, \"nan\", \"inf\" or \"-inf\"");
    finding_fix(f, "%.*s", (int)len, text);
    return finding_hint(f, "write %.*s", (int)len, text);
}

/* Reads a number of a data type, the value of the field before it that is one, or an object with
 * the number as the member of C's union: { "Float32": 1.0 }. */
static bool read_scalar(struct reader *r, size_t node, struct field_value *value)
{
    const struct field_value *of = values_of(r->values, schema_scalar_type(r->values->schema));
    enum dtype type = of->good ? (enum dtype)of->v[0] : DT_NONE;
    enum dtype first = r->values->tensor_count ? r->values->tensor[0].type : DT_NONE;
    size_t outer = node;
    const char *member;

    if (node_is(r, node, JSON_OBJECT)) {
        if (type == DT_NONE || type >= DT_COUNT) /* which was reported */
            return false;
        if (dtype_size(first) && member_node(r, node, scalar_members[first]))
            type = first; /* check_enum reports the other one */
        member = scalar_members[type];
        match_keys(r, outer, &(struct keys){ &member, .n = 1, .required = 1 }, &node);
        if (!node)
            return missing_key(r, outer, "the scalar", member, "0");
        if (type == DT_FLOAT16) {
            bool good = read_integer(r, node, 0, UINT16_MAX, value->v);

            value->x[0] = (double)half_to_float((uint16_t)value->v[0]);
            return good;
        }
    } else if (node_is(r, node, JSON_STRING))
        finding_hint(report(r, node, RULE_PORTABLE_FLOAT,
                            "the value is a string, which DxDispatch does not accept here"),
                     "write a number");
    if (type == DT_FLOAT16)
        portable_number(r, node, type);
    if (type == DT_NONE || type >= DT_COUNT || dtype_table[type].kind == KIND_FLOAT)
        return read_real(r, node, type == DT_FLOAT64 ? type : DT_FLOAT32, &value->x[0]);
    if (type == DT_UINT64 && node_is(r, node, JSON_NUMBER)) { /* beyond int64_t */
        const struct json_node *n = &r->doc->nodes[node];
        uint64_t u;

        if (number_uint_literal(r->doc->clean + n->start, n->end - n->start, &u) == NUMBER_OK) {
            value->v[0] = (int64_t)u;
            return true;
        }
    }
    return read_integer(r, node, dtype_min(type),
                        type == DT_UINT64 ? INT64_MAX : (int64_t)dtype_max(type), value->v);
}

static bool read_pair(struct reader *r, size_t node, const char *const names[2], bool floats,
                      struct field_value *value)
{
    const struct keys k = { .names = names, .n = 2, .required = 3 };
    size_t found[2];
    bool good = true;

    if (!node_is(r, node, JSON_OBJECT))
        return wrong_type(
            r, node, floats ? "an object with Scale and Bias" : "an object with Width and Height");
    match_keys(r, node, &k, found);
    for (int i = 0; i < 2; i++)
        if (!found[i])
            good = missing_key(r, node, floats ? "the scale and bias" : "the size", names[i], "1");
        else
            good = (floats ? read_real(r, found[i], DT_FLOAT32, &value->x[i])
                           : read_integer(r, found[i], 0, UINT32_MAX, &value->v[i])) &&
                   good;
    return good;
}

/* Calls read for each entry of an array; value->count is the number of entries up to it. False if
 * one is ill-formed, or if the value is no array, which is reported. */
static bool read_entries(struct reader *r, size_t node, const char *wanted,
                         bool (*read)(struct reader *, size_t, struct field_value *),
                         struct field_value *value)
{
    bool good = true;

    if (!node_is(r, node, JSON_ARRAY))
        return wrong_type(r, node, wanted);
    for (size_t at = node + 1; at < r->doc->nodes[node].next; at = r->doc->nodes[at].next) {
        value->count++;
        good = read(r, at, value) && good;
    }
    return good;
}

static bool read_float_entry(struct reader *r, size_t node, struct field_value *value)
{
    double beyond;

    return read_real(r, node, DT_FLOAT32,
                     value->count <= DML_MAX_RANK ? &value->x[value->count - 1] : &beyond);
}

static bool add_tensor(struct reader *r, struct field_value *value, const struct tensor_desc *d,
                       const struct tensor_seen *seen)
{
    bool added = values_add_tensor(r->values, d, seen);

    value->tensors += added;
    r->fs->failed = r->fs->failed || !added;
    return added;
}

/* Reads a tensor of an array; it is not added after one that is not well formed. */
static bool read_entry(struct reader *r, size_t node, struct field_value *value)
{
    struct tensor_desc d = { .present = false };
    struct tensor_seen seen = { .type = false };

    read_tensor(r, node, &d, &seen);
    return d.present && seen.type && seen.sizes.all && value->tensors + 1 == value->count &&
           add_tensor(r, value, &d, &seen);
}

/* Reports an operator that is not an activation or that the outer operator does not compute. */
static void check_fused(struct reader *r, size_t type, const struct op_schema *op,
                        const struct op_schema *activation)
{
    const struct op_fused *fused = schema_fused(op, activation);
    enum feature_level since =
        fused && fused->since > activation->level ? fused->since : activation->level;

    if (!fused)
        finding_hint(report(r, type, RULE_DESC_ACTIVATION, "%s cannot be part of %s",
                            activation->name, op->name),
                     "use an activation, such as DML_OPERATOR_ACTIVATION_RELU, or leave it out");
    else if (since > r->opt->level)
        finding_hint(report(r, type, RULE_SUPPORT_VALUE,
                            "%s can be part of %s from feature level %s on", activation->name,
                            op->name, level_names[since]),
                     "use another activation, or --feature-level %s or higher", level_names[since]);
}

static bool read_activation(struct reader *r, size_t node, struct field_value *value)
{
    struct op_values values = { .schema = NULL };
    struct reader inner;
    size_t errors = r->fs->errors, type, desc;
    const struct op_schema *schema;

    (void)value;
    if (!node_is(r, node, JSON_OBJECT))
        return wrong_type(r, node, "an object that describes an activation");
    type = outer_member(r, node, OUTER_TYPE, RULE_DESC_FIELD_MISSING);
    desc = outer_member(r, node, OUTER_DESC, RULE_DESC_FIELD_MISSING);
    if (!type)
        return missing_key(r, node, "the activation", "type", "\"DML_OPERATOR_ACTIVATION_RELU\"");
    schema = read_schema(r, type, desc ? desc : type);
    if (schema)
        check_fused(r, type, r->values->schema, schema);
    if (!schema || r->fused)
        return false;
    inner = *r;
    inner.values = &values;
    inner.fused = true;
    inner.beside_count = 0;
    add_beside(&inner, json_doc_key_text(r->doc, type));
    read_values(&inner, node, desc, schema);
    r->pointer = inner.pointer;
    if (r->fs->errors == errors && mem_reserve(&r->values->fused, r->values->fused_count,
                                               &r->values->fused_room, sizeof values)) {
        r->values->fused[r->values->fused_count++] = values;
        return true;
    }
    r->fs->failed = r->fs->failed || r->fs->errors == errors;
    values_free(&values);
    return false;
}

static bool read_field_value(struct reader *r, const struct field *f, size_t node,
                             struct field_value *value)
{
    static const char *const size[] = { "Width", "Height" }, *const scale[] = { "Scale", "Bias" };
    bool is_signed = f->kind == FIELD_INT || f->kind == FIELD_INT_ARRAY;
    int64_t lo = is_signed ? INT32_MIN : 0, hi = is_signed ? INT32_MAX : UINT32_MAX;
    enum dtype type = DT_NONE;
    bool good;

    switch (f->kind) {
    case FIELD_UINT:
    case FIELD_INT: return read_integer(r, node, lo, hi, value->v);
    case FIELD_FLOAT: return read_real(r, node, DT_FLOAT32, value->x);
    case FIELD_BOOL: return read_bool(r, node, value->v);
    case FIELD_ENUM:
        good = f->values ? read_enum(r, f, node, value->v) : read_type_name(r, node, &type);
        value->v[0] = f->values ? value->v[0] : (int64_t)type;
        return good;
    case FIELD_SIZE_2D: return read_pair(r, node, size, false, value);
    case FIELD_SCALE_BIAS: return read_pair(r, node, scale, true, value);
    case FIELD_SCALAR_UNION: return read_scalar(r, node, value);
    case FIELD_UINT_ARRAY:
    case FIELD_INT_ARRAY:
        read_integers(r, node, lo, hi, value->v, &value->seen);
        value->count = value->seen.count;
        return value->seen.all;
    case FIELD_FLOAT_ARRAY:
        return read_entries(r, node, "an array of numbers", read_float_entry, value);
    case FIELD_TENSOR_ARRAY:
        return read_entries(r, node, "an array of tensor descriptions", read_entry, value);
    case FIELD_OPERATOR: return read_activation(r, node, value);
    case FIELD_OPERATOR_ARRAY:
        return read_entries(r, node, "an array of activations", read_activation, value);
    default: return false;
    }
}

/* node is 0 if the field is missing. */
static void read_field(struct reader *r, const struct field *f, size_t node)
{
    struct field_value *value = values_of(r->values, f);
    struct tensor_desc d = { .present = false };
    struct tensor_seen seen = { .type = false };
    bool unused = r->fused && field_is_tensor(f);
    bool null = node && (f->optional || unused) && node_is(r, node, JSON_NULL);

    r->field = f;
    node = null && unused ? 0 : node; /* as DirectML's pages require */
    value->given = node && !null;
    value->slot = r->values->tensor_count;
    if (node && null)
        finding_hint(report(r, node, RULE_PORTABLE_NULL_TENSOR,
                            "%s is null, which DxDispatch does not accept", f->name),
                     "leave %s out", f->name);
    else if (node && f->kind == FIELD_TENSOR)
        read_tensor(r, node, &d, &seen);
    else if (node)
        value->good = read_field_value(r, f, node, value);
    if (value->given && r->fused && (unused || f->kind == FIELD_SCALE_BIAS))
        finding_hint(report_key(r, node,
                                unused ? RULE_DESC_ACTIVATION_TENSOR : RULE_DESC_ACTIVATION,
                                unused ? "the activation has a tensor of its own, %s"
                                       : "a fused activation has no %s",
                                f->name),
                     "leave %s out", f->name);
    if (f->kind != FIELD_TENSOR)
        return;
    value->good = d.present;
    add_tensor(r, value, &d, &seen);
}

/* Reports an optional field that DxDispatch requires; the hint has its value, if known. */
static void not_portable(struct reader *r, size_t object, const struct field *f)
{
    uint32_t rank = r->values->tensor_count ? r->values->tensor[SLOT_IN].rank : 0;

    finding_hint(findings_add(r->fs, RULE_PORTABLE_DIMENSION_COUNT, pointer_of(r, object),
                              AT_OPENING, "%s lacks %s, which DxDispatch requires",
                              r->values->schema->name, f->name),
                 rank ? "add \"%s\": %u" : "add \"%s\"", f->name, rank);
}

static const char *example_of(const struct field *f)
{
    return f->kind == FIELD_TENSOR                      ? "{ \"DataType\": ..., \"Sizes\": [...] }"
           : f->kind == FIELD_BOOL                      ? "false"
           : strstr(field_kinds[f->kind].name, "array") ? "[...]"
                                                        : NULL;
}

/* Reads the fields of r->values->schema from an object; `outer`: from the outer object, which may
 * also have the keys in r->beside. */
static void read_fields(struct reader *r, size_t object, bool outer)
{
    const struct op_schema *schema = r->values->schema;
    const char *names[SCHEMA_MAX_FIELDS] = { NULL };
    struct keys k = { .names = names, .outer = outer };
    size_t found[SCHEMA_MAX_FIELDS];

    for (const struct field *f = schema->fields; f->name; f++) {
        bool optional = f->optional || (r->fused && field_is_tensor(f));

        k.required |= optional ? 0 : 1u << k.n;
        names[k.n++] = f->name;
    }
    match_keys(r, object, &k, found);
    for (size_t i = 0; i < k.n && !r->fs->failed; i++) {
        const struct field *f = &schema->fields[i];

        read_field(r, f, found[i]);
        if (found[i])
            continue;
        if (k.required >> i & 1)
            missing_key(r, object, schema->name, f->name, example_of(f));
        else if (schema->op && f->kind == FIELD_UINT)
            not_portable(r, object, f);
    }
}

void read_values(struct reader *r, size_t outer, size_t desc, const struct op_schema *schema)
{
    const struct keys k = { .names = outer_names, .n = OUTER_COUNT, .outer = true };
    bool object = node_is(r, desc ? desc : outer, JSON_OBJECT);
    size_t found[OUTER_COUNT];
    const char *key;

    if (schema && object && !values_begin(r->values, schema))
        r->fs->failed = true;
    if (!desc) {
        if (r->values->field)
            read_fields(r, outer, true);
        return;
    }
    key = json_doc_key_text(r->doc, desc);
    r->values->fields = strcmp(key, "Desc") == 0 ? "/Desc" : "/desc";
    add_beside(r, key);
    match_keys(r, outer, &k, found); /* reports unknown keys */
    if (!object)
        wrong_type(r, desc, "an object with the operator's fields");
    else if (r->values->field)
        read_fields(r, desc, false);
}
