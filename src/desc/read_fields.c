#include <string.h>

#include "desc/reader.h"
#include "desc/schema.h"

static void read_direction(struct reader *r, const struct item *item)
{
    static const char prefix[] = "DML_AXIS_DIRECTION_";
    const char *name = item->json->valuestring;
    struct finding *f;

    if (!cJSON_IsString(item->json)) {
        wrong_type(r, item, "a string, DML_AXIS_DIRECTION_INCREASING or DML_AXIS_DIRECTION_DECREASING");
        return;
    }
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    if (strcmp(name, "INCREASING") == 0)
        r->desc->direction = AXIS_INCREASING;
    else if (strcmp(name, "DECREASING") == 0)
        r->desc->direction = AXIS_DECREASING;
    else {
        f = findings_add(r->fs, RULE_TOPK_AXIS_DIRECTION, path_text(r), AT_VALUE, "AxisDirection is '%s'",
                         item->json->valuestring);
        finding_hint(r->fs, f, "use DML_AXIS_DIRECTION_DECREASING (largest first) or DML_AXIS_DIRECTION_INCREASING");
    }
}

/* Where the reader notes that a field of struct desc was read, by the field's offset. */
static bool *seen_flag(struct desc_seen *s, size_t offset, uint32_t **count)
{
    switch (offset) {
    case offsetof(struct desc, dimension_count):
        return &s->dimension_count;
    case offsetof(struct desc, axis):
        return &s->axis;
    case offsetof(struct desc, k):
        return &s->k;
    case offsetof(struct desc, offsets):
        *count = &s->offsets_count;
        return &s->offsets;
    case offsetof(struct desc, sizes):
        *count = &s->sizes_count;
        return &s->sizes;
    default:
        *count = &s->strides_count;
        return &s->strides;
    }
}

static void read_field(struct reader *r, const struct field *f, const struct item *item)
{
    char *member = (char *)r->desc + f->offset;
    int64_t v[DML_MAX_RANK] = { 0 };
    uint32_t *count = NULL;
    bool *seen;

    if (f->kind == FIELD_TENSOR) {
        if (!(f->optional && cJSON_IsNull(item->json)))
            read_tensor(r, item, &r->desc->tensor[f->slot], &r->seen->tensor[f->slot]);
        return;
    }
    if (f->kind == FIELD_DIRECTION) {
        read_direction(r, item);
        return;
    }
    seen = seen_flag(r->seen, f->offset, &count);
    if (f->kind == FIELD_UINT)
        *seen = read_integer(r, item, 0, UINT32_MAX, v);
    else
        *seen = read_integers(r, item, f->kind == FIELD_INT_ARRAY ? INT32_MIN : 0,
                              f->kind == FIELD_INT_ARRAY ? INT32_MAX : UINT32_MAX, v, count);
    memcpy(member, v, f->kind == FIELD_UINT ? sizeof v[0] : sizeof v); /* both signednesses hold these values alike */
}

static void missing(struct reader *r, const struct field *f)
{
    struct finding *found = findings_add(r->fs, RULE_DESC_FIELD_MISSING, path_text(r), AT_OPENING, "%s lacks %s",
                                         op_schemas[r->desc->op].name, f->name);

    finding_hint(r->fs, found, "add \"%s\"%s", f->name,
                 f->kind == FIELD_TENSOR ? ": { \"DataType\": ..., \"Sizes\": [...] }" : "");
}

void read_fields(struct reader *r, const struct item *object, const char *const pass[2])
{
    const struct field *fields = op_schemas[r->desc->op].fields;
    const char *names[SCHEMA_MAX_FIELDS];
    bool there[SCHEMA_MAX_FIELDS] = { false };
    size_t n = 0;

    for (; fields[n].name; n++)
        names[n] = fields[n].name;
    for (struct item m = item_first(object); m.json; m = item_next(&m)) {
        const char *key = m.json->string;
        size_t i = 0, mark;

        while (i < n && strcmp(key, names[i]) != 0)
            i++;
        if (i < n && !there[i]) {
            there[i] = true;
            mark = path_push(r, key);
            read_field(r, &fields[i], &m);
            path_pop(r, mark);
        } else if (i == n && !(pass[0] && strcmp(key, pass[0]) == 0) && !(pass[1] && strcmp(key, pass[1]) == 0))
            unknown_key(r, key, names, n);
    }
    for (size_t i = 0; i < n; i++)
        if (!there[i] && !fields[i].optional)
            missing(r, &fields[i]);
}
