#include <string.h>

#include "desc/item.h"
#include "desc/reader.h"
#include "desc/schema.h"

static void read_direction(struct reader *r, const struct item *item)
{
    static const char prefix[] = "DML_AXIS_DIRECTION_";
    static const char *const names[] = { "INCREASING", "DECREASING" };
    const char *name = item_string(item);
    size_t meant;

    if (!item_is(item, JSON_STRING)) {
        wrong_type(r, item->node,
                   "a string, DML_AXIS_DIRECTION_INCREASING or DML_AXIS_DIRECTION_DECREASING");
        return;
    }
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    if (strcmp(name, "INCREASING") == 0)
        r->desc->direction = AXIS_INCREASING;
    else if (strcmp(name, "DECREASING") == 0)
        r->desc->direction = AXIS_DECREASING;
    else {
        meant = unknown_name(r, RULE_TOPK_AXIS_DIRECTION, "axis direction", item_string(item),
                             prefix, names, 2,
                             "use DML_AXIS_DIRECTION_DECREASING (largest first) or "
                             "DML_AXIS_DIRECTION_INCREASING");
        r->desc->direction = meant == 1 ? AXIS_DECREASING : AXIS_INCREASING;
    }
}

static void read_field(struct reader *r, const struct field *f, const struct item *item)
{
    char *member = (char *)r->desc + f->offset;
    void *seen = (char *)r->seen + f->seen;
    int64_t v[DML_MAX_RANK] = { 0 };
    bool is_signed = f->kind == FIELD_INT_ARRAY;

    if (f->kind == FIELD_TENSOR) {
        if (!(f->optional && item_is(item, JSON_NULL)))
            read_tensor(r, item, &r->desc->tensor[f->slot], &r->seen->tensor[f->slot]);
        else if (r->fs->opt.portable)
            finding_hint(report(r, RULE_PORTABLE_NULL_TENSOR,
                                "%s is null, which DxDispatch does not accept", f->name),
                         "leave %s out", f->name);
        return;
    }
    if (f->kind == FIELD_DIRECTION) {
        read_direction(r, item);
        return;
    }
    if (f->kind == FIELD_UINT)
        *(bool *)seen = read_integer(r, item->node, 0, UINT32_MAX, v);
    else
        read_integers(r, item->node, is_signed ? INT32_MIN : 0, is_signed ? INT32_MAX : UINT32_MAX,
                      v, seen);
    /* UINT and INT have the same bits here. */
    memcpy(member, v, f->kind == FIELD_UINT ? sizeof v[0] : sizeof v);
}

static void missing(struct reader *r, const struct field *f)
{
    finding_hint(findings_add(r->fs, RULE_DESC_FIELD_MISSING, path_text(r), AT_OPENING,
                              "%s lacks %s", op_schemas[r->desc->op].name, f->name),
                 "add \"%s\"%s", f->name,
                 f->kind == FIELD_TENSOR ? ": { \"DataType\": ..., \"Sizes\": [...] }" : "");
}

/* DxDispatch wants what is optional here; the hint knows the value. */
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
    const struct field *fields = op_schemas[r->desc->op].fields;
    const char *names[SCHEMA_MAX_FIELDS] = { NULL };
    struct keys k = { .names = names, .outer = outer };
    struct item found[SCHEMA_MAX_FIELDS];
    size_t n = 0;

    for (; fields[n].name; n++) {
        names[n] = fields[n].name;
        k.required |= fields[n].optional ? 0 : 1u << n;
    }
    k.n = n;
    read_keys(r, object, &k, found);
    for (size_t i = 0; i < n; i++) {
        if (found[i].json) {
            size_t mark = path_push(r, names[i]);

            read_field(r, &fields[i], &found[i]);
            path_pop(r, mark);
        } else if (!fields[i].optional)
            missing(r, &fields[i]);
        else if (fields[i].kind != FIELD_TENSOR && r->fs->opt.portable)
            not_portable(r, &fields[i]);
    }
}
