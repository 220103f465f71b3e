#include <stdio.h>
#include <string.h>

#include "desc/item.h"
#include "desc/reader.h"
#include "desc/schema.h"

/* True if an operator computes the activation, from *since on. */
static bool fuses(const struct op_schema *op, const struct op_schema *activation,
                  enum feature_level *since)
{
    bool found = false;

    for (size_t i = 0; i < activation->fused_count; i++) {
        const struct op_fused *f = &activation->fused[i];
        char quoted[64];

        snprintf(quoted, sizeof quoted, "\"%s\"", op->name);
        if (f->into && !strstr(f->into, quoted))
            continue;
        *since = found && *since < f->since ? *since : f->since;
        found = true;
    }
    return found;
}

/* Reports an operator that is not an activation or that the outer operator does not compute. */
static void check_fused(struct reader *r, const struct op_schema *op,
                        const struct op_schema *activation)
{
    enum feature_level since;

    if (!fuses(op, activation, &since))
        finding_hint(
            report(r, RULE_DESC_ACTIVATION, "%s cannot be part of %s", activation->name, op->name),
            "use an activation, such as DML_OPERATOR_ACTIVATION_RELU, or leave it out");
    else if (since > r->opt->level || activation->level > r->opt->level)
        finding_hint(report(r, RULE_SUPPORT_VALUE, "%s can be part of %s from feature level %s on",
                            activation->name, op->name, level_names[since]),
                     "use another activation, or --feature-level %s or higher",
                     level_names[since > activation->level ? since : activation->level]);
}

/* Reports tensors that an activation has of its own. */
static void check_tensors(struct reader *r)
{
    const struct op_values *v = r->values;

    for (const struct field *f = v->schema->fields; f->name; f++) {
        if (!field_is_tensor(f) || !values_of(v, f)->given)
            continue;
        path_push(r, f->name);
        finding_hint(findings_add(r->fs, RULE_DESC_ACTIVATION_TENSOR, path_text(r), AT_KEY,
                                  "the activation has a tensor of its own, %s", f->name),
                     "leave %s out", f->name);
        path_pop(r);
    }
}

bool read_activation(struct reader *r, const struct item *item)
{
    struct op_values *outer = r->values, own = { .schema = NULL };
    static const char *const outer_names[] = { "type", "desc" };
    const struct keys k = { .names = outer_names, .n = 2, .outer = true };
    const char *saved[MAX_BESIDE];
    size_t beside = r->beside_count, errors = r->fs->errors, found[2];
    const struct op_schema *schema;
    struct item type, desc;
    const char *name;

    if (!item_is(item, JSON_OBJECT))
        return wrong_type(r, item->node, "an object that describes an activation");
    type = item_either(item, "type", "Type");
    desc = item_either(item, "desc", "Desc");
    if (!type.json)
        return missing_key(r, "the activation", "type", "\"DML_OPERATOR_ACTIVATION_RELU\"");
    path_push(r, item_key(&type));
    name = string_text(r, &type, "the operator's name as a string");
    schema = name ? read_schema(r, name, &desc) : NULL;
    if (schema)
        check_fused(r, outer->schema, schema);
    path_pop(r);
    if (!schema || r->fused)
        return false;
    if (!values_begin(&own, schema)) {
        r->fs->failed = true;
        return false;
    }
    r->values = &own;
    r->fused = true;
    memcpy(saved, r->beside, sizeof saved);
    r->beside_count = 0;
    add_beside(r, item_key(&type));
    if (desc.json) {
        add_beside(r, item_key(&desc));
        match_keys(r, item->node, &k, found); /* reports unknown keys */
        path_push(r, item_key(&desc));
        if (item_is(&desc, JSON_OBJECT))
            read_fields(r, &desc, false);
        else
            wrong_type(r, desc.node, "an object with the operator's fields");
        check_tensors(r);
        path_pop(r);
    } else {
        read_fields(r, item, true);
        check_tensors(r);
    }
    r->values = outer;
    r->fused = false;
    memcpy(r->beside, saved, sizeof saved);
    r->beside_count = beside;
    values_free(&own);
    return r->fs->errors == errors;
}

bool read_activations(struct reader *r, const struct item *item, uint32_t *count)
{
    bool good = true;

    *count = 0;
    if (!item_is(item, JSON_ARRAY))
        return wrong_type(r, item->node, "an array of activations");
    for (struct item e = item_first(item); e.json; e = item_next(&e)) {
        path_push_index(r, (*count)++);
        good = read_activation(r, &e) && good;
        path_pop(r);
    }
    return good;
}
