#include <stdio.h>
#include <string.h>

#include "desc/read/reader.h"
#include "desc/schema.h"

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

/* Reports null for an optional field, which DxDispatch does not accept. */
static void read_null(struct reader *r, const struct field *f, size_t node)
{
    if (r->fs->opt.portable)
        finding_hint(report(r, node, RULE_PORTABLE_NULL_TENSOR,
                            "%s is null, which DxDispatch does not accept", f->name),
                     "leave %s out", f->name);
}

/* Reports an operator that is not an activation or that the outer operator does not compute. */
static void check_fused(struct reader *r, size_t type, const struct op_schema *op,
                        const struct op_schema *activation)
{
    enum feature_level since = schema_fused_since(op, activation);

    if (since == LEVEL_COUNT)
        finding_hint(report(r, type, RULE_DESC_ACTIVATION, "%s cannot be part of %s",
                            activation->name, op->name),
                     "use an activation, such as DML_OPERATOR_ACTIVATION_RELU, or leave it out");
    else if (since > r->opt->level || activation->level > r->opt->level)
        finding_hint(report(r, type, RULE_SUPPORT_VALUE,
                            "%s can be part of %s from feature level %s on", activation->name,
                            op->name, level_names[since]),
                     "use another activation, or --feature-level %s or higher",
                     level_names[since > activation->level ? since : activation->level]);
}

static bool read_activation(struct reader *r, size_t node, struct field_value *value)
{
    struct op_values *outer = r->values, own = { .schema = NULL };
    const char *saved[MAX_BESIDE];
    size_t beside = r->beside_count, errors = r->fs->errors;
    const struct op_schema *schema;
    size_t type, desc;

    (void)value;
    if (!node_is(r, node, JSON_OBJECT))
        return wrong_type(r, node, "an object that describes an activation");
    type = either_member(r, node, "type", "Type");
    desc = either_member(r, node, "desc", "Desc");
    if (!type)
        return missing_key(r, node, "the activation", "type", "\"DML_OPERATOR_ACTIVATION_RELU\"");
    schema = read_schema(r, type, desc ? desc : type);
    if (schema)
        check_fused(r, type, outer->schema, schema);
    if (!schema || r->fused)
        return false;
    r->values = &own;
    r->fused = true;
    memcpy(saved, r->beside, sizeof saved);
    r->beside_count = 0;
    add_beside(r, json_doc_key_text(r->doc, type));
    read_values(r, node, desc, schema);
    r->values = outer;
    r->fused = false;
    memcpy(r->beside, saved, sizeof saved);
    r->beside_count = beside;
    values_free(&own);
    return r->fs->errors == errors;
}

/* Reads the value of a field other than a tensor. */
static bool read_any(struct reader *r, const struct field *f, size_t node,
                     struct field_value *value)
{
    switch (f->kind) {
    case FIELD_TENSOR_ARRAY:
        return read_entries(r, node, "an array of tensor descriptions", read_entry, value);
    case FIELD_OPERATOR: return read_activation(r, node, value);
    case FIELD_OPERATOR_ARRAY:
        return read_entries(r, node, "an array of activations", read_activation, value);
    default: return read_field_value(r, f, node, value);
    }
}

/* node is 0 if the field is missing. */
static void read_field(struct reader *r, const struct field *f, size_t node)
{
    struct field_value *value = values_of(r->values, f);
    struct tensor_desc d = { .present = false };
    struct tensor_seen seen = { .type = false };
    bool null = node && f->optional && node_is(r, node, JSON_NULL);

    r->field = f;
    value->given = node && !null;
    value->slot = r->values->tensor_count;
    if (null)
        read_null(r, f, node);
    else if (node && f->kind == FIELD_TENSOR)
        read_tensor(r, node, &d, &seen);
    else if (node)
        value->good = read_any(r, f, node, value);
    if (value->given && r->fused && field_is_tensor(f))
        finding_hint(report_key(r, node, RULE_DESC_ACTIVATION_TENSOR,
                                "the activation has a tensor of its own, %s", f->name),
                     "leave %s out", f->name);
    if (f->kind != FIELD_TENSOR)
        return;
    value->good = d.present;
    add_tensor(r, value, &d, &seen);
}

/* Reports an optional field that DxDispatch requires; the hint has its value, if known. */
static void not_portable(struct reader *r, size_t object, const struct field *f)
{
    struct finding *found =
        findings_add(r->fs, RULE_PORTABLE_DIMENSION_COUNT, pointer_of(r, object), AT_OPENING,
                     "%s lacks %s, which DxDispatch requires", r->values->schema->name, f->name);

    if (r->values->tensor_count && r->values->tensor[SLOT_IN].rank > 0)
        finding_hint(found, "add \"%s\": %u", f->name, r->values->tensor[SLOT_IN].rank);
    else
        finding_hint(found, "add \"%s\"", f->name);
}

/* An example of a field's value, for a hint; NULL: none. */
static const char *example_of(const struct field *f)
{
    switch (f->kind) {
    case FIELD_TENSOR: return "{ \"DataType\": ..., \"Sizes\": [...] }";
    case FIELD_BOOL: return "false";
    case FIELD_UINT_ARRAY:
    case FIELD_INT_ARRAY:
    case FIELD_FLOAT_ARRAY:
    case FIELD_TENSOR_ARRAY:
    case FIELD_OPERATOR_ARRAY: return f->use ? NULL : "[...]";
    default: return NULL;
    }
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
        else if (f->use && f->kind == FIELD_UINT && r->fs->opt.portable)
            not_portable(r, object, f);
    }
}

void read_values(struct reader *r, size_t outer, size_t desc, const struct op_schema *schema)
{
    static const char *const outer_names[] = { "type", "desc" };
    const struct keys k = { .names = outer_names, .n = ARRAY_LEN(outer_names), .outer = true };
    bool object = node_is(r, desc ? desc : outer, JSON_OBJECT);
    size_t found[ARRAY_LEN(outer_names)];
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
