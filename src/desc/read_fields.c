#include <string.h>

#include "desc/item.h"
#include "desc/reader.h"
#include "desc/schema.h"

static void read_direction(struct reader *r, const struct item *item)
{
    static const char *const names[] = {
        [AXIS_INCREASING] = "INCREASING", [AXIS_DECREASING] = "DECREASING"
    };
    static const struct enumeration directions = {
        "axis direction", "DML_AXIS_DIRECTION_", names, ARRAY_LEN(names), RULE_TOPK_AXIS_DIRECTION,
        "use DML_AXIS_DIRECTION_DECREASING (largest first) or DML_AXIS_DIRECTION_INCREASING"
    };
    const char *name = string_text(
        r, item, "a string, DML_AXIS_DIRECTION_INCREASING or DML_AXIS_DIRECTION_DECREASING");
    size_t i;

    if (!name)
        return;
    i = enum_index(&directions, name);
    if (i == directions.n)
        i = unknown_name(r, &directions, name);
    r->desc->direction = i == AXIS_DECREASING ? AXIS_DECREASING : AXIS_INCREASING;
}

static void read_tensor_field(struct reader *r, const struct field *f, const struct item *item)
{
    if (!f->optional || !item_is(item, JSON_NULL))
        read_tensor(r, item, &r->desc->tensor[f->slot], &r->seen->tensor[f->slot]);
    else if (r->fs->opt.portable)
        finding_hint(report(r, RULE_PORTABLE_NULL_TENSOR,
                            "%s is null, which DxDispatch does not accept", f->name),
                     "leave %s out", f->name);
}

static void read_field(struct reader *r, const struct field *f, const struct item *item)
{
    uint64_t *member = (void *)((char *)r->desc + f->offset);
    void *seen = (char *)r->seen + f->seen;
    int64_t v[DML_MAX_RANK] = { 0 };

    switch (f->kind) {
    case FIELD_TENSOR:
        read_tensor_field(r, f, item);
        break;
    case FIELD_UINT:
        *(bool *)seen = read_integer(r, item->node, 0, UINT32_MAX, v);
        *member = (uint64_t)v[0];
        break;
    case FIELD_UINT_ARRAY:
        read_integers(r, item->node, 0, UINT32_MAX, v, seen);
        memcpy(member, v, sizeof v);
        break;
    case FIELD_INT_ARRAY:
        read_integers(r, item->node, INT32_MIN, INT32_MAX, v, seen);
        memcpy(member, v, sizeof v);
        break;
    case FIELD_DIRECTION:
        read_direction(r, item);
        break;
    }
}

/* Reports an optional field that DxDispatch requires; the hint has its value, if known. */
static void not_portable(struct reader *r, const struct field *f)
{
    struct finding *found = findings_add(r->fs, RULE_PORTABLE_DIMENSION_COUNT, path_text(r),
                                         AT_OPENING, "%s lacks %s, which DxDispatch requires",
                                         op_schemas[r->desc->op].name, f->name);

    if (r->desc->tensor[SLOT_IN].rank > 0)
        finding_hint(found, "add \"%s\": %u", f->name, r->desc->tensor[SLOT_IN].rank);
    else
        finding_hint(found, "add \"%s\"", f->name);
}

void read_fields(struct reader *r, const struct item *object, bool outer)
{
    const struct op_schema *schema = &op_schemas[r->desc->op];
    const char *names[SCHEMA_MAX_FIELDS] = { NULL };
    struct keys k = { .names = names, .outer = outer };
    struct item found[SCHEMA_MAX_FIELDS];

    for (const struct field *f = schema->fields; f->name; f++) {
        k.required |= f->optional ? 0 : 1u << k.n;
        names[k.n++] = f->name;
    }
    read_keys(r, object, &k, found);
    for (size_t i = 0; i < k.n; i++) {
        const struct field *f = &schema->fields[i];

        if (found[i].json) {
            path_push(r, f->name);
            read_field(r, f, &found[i]);
            path_pop(r);
        } else if (!f->optional)
            missing_key(r, schema->name, f->name,
                        f->kind == FIELD_TENSOR ? "{ \"DataType\": ..., \"Sizes\": [...] }" : NULL);
        else if (f->kind != FIELD_TENSOR && r->fs->opt.portable)
            not_portable(r, f);
    }
}
