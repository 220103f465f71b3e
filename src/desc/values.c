#include "desc/values.h"

#include "base/mem.h"

const char scalar_members[DT_COUNT][8] = {
#include "desc/scalar_members_rows.h"
};

bool values_begin(struct op_values *v, const struct op_schema *schema)
{
    v->schema = schema;
    v->field = mem_zalloc(schema->field_count, sizeof *v->field);
    return v->field != NULL;
}

bool values_add_tensor(struct op_values *v, const struct tensor_desc *d,
                       const struct tensor_seen *seen)
{
    if (!mem_reserve(&v->tensor, v->tensor_count, &v->tensor_room, sizeof *v->tensor) ||
        !mem_reserve(&v->seen, v->tensor_count, &v->seen_room, sizeof *v->seen))
        return false;
    v->tensor[v->tensor_count] = *d;
    v->seen[v->tensor_count++] = *seen;
    return true;
}

const struct field *values_tensor_field(const struct op_values *v, uint32_t slot)
{
    const struct field *f = v->schema->fields;

    while (!field_is_tensor(f) || slot - values_of(v, f)->slot >= values_of(v, f)->tensors)
        f++;
    return f;
}

struct tensor_name values_tensor_name(const struct op_values *v, uint32_t slot)
{
    struct tensor_name t;
    const struct field *f = values_tensor_field(v, slot);
    bool array = f->kind == FIELD_TENSOR_ARRAY;
    uint32_t entry = slot - values_of(v, f)->slot;

    snprintf(t.name, sizeof t.name, array ? "%s[%u]" : "%s", f->name, entry);
    snprintf(t.pointer, sizeof t.pointer, array ? "%s/%u" : "%s", f->name, entry);
    return t;
}

void desc_of_values(const struct op_values *v, struct desc *d)
{
    *d = (struct desc){ .op = v->schema->op };
    memcpy(d->tensor, v->tensor, v->tensor_count * sizeof *v->tensor);
    d->dimension_count = d->tensor[SLOT_IN].rank;
    for (const struct field *f = v->schema->fields; f->name; f++) {
        const struct field_value *value = values_of(v, f);
        void *member = (char *)d + f->use.offset;

        if (f->kind == FIELD_ENUM)
            d->direction = value->v[0] == AXIS_DECREASING ? AXIS_DECREASING : AXIS_INCREASING;
        else if (f->kind == FIELD_UINT && (value->good || !f->optional))
            memcpy(member, value->v, sizeof value->v[0]);
        else if (f->kind == FIELD_UINT_ARRAY || f->kind == FIELD_INT_ARRAY)
            memcpy(member, value->v, sizeof value->v);
    }
    if (d->op == OP_TOP_K)
        d->direction = AXIS_DECREASING;
}

static bool copy_field(const struct desc *d, const struct field *f, struct op_values *v)
{
    const struct tensor_desc *t = &d->tensor[f->slot];
    const struct tensor_seen seen = { .type = true,
                                      .sizes = { .all = true, .count = t->rank },
                                      .strides = { .all = true,
                                                   .count = t->has_strides ? t->rank : 0 } };
    struct field_value *value = values_of(v, f);
    uint32_t n = (uint32_t)d->dimension_count;

    value->given = value->good = true;
    if (f->kind == FIELD_TENSOR) {
        value->given = value->good = t->present;
        value->slot = f->slot;
        value->tensors = 1;
        return values_add_tensor(v, t, &seen);
    }
    if (f->kind == FIELD_ENUM)
        value->v[0] = d->direction;
    else
        memcpy(value->v, (const char *)d + f->use.offset,
               f->kind == FIELD_UINT ? sizeof value->v[0] : sizeof value->v);
    if (f->optional) /* DimensionCount */
        value->good = n > 0;
    value->seen = (struct array_seen){
        .all = true,
        .good = (uint8_t)(n < DML_MAX_RANK ? (1u << n) - 1 : UINT8_MAX),
        .count = n,
    };
    return true;
}

bool values_of_desc(const struct desc *d, struct op_values *v)
{
    bool good;

    *v = (struct op_values){ .type_pointer = "/type", .fields = "/desc" };
    good = values_begin(v, op_schema(d->op));
    for (const struct field *f = op_schema(d->op)->fields; good && f->name; f++)
        good = copy_field(d, f, v);
    return good;
}

void values_free(struct op_values *v)
{
    while (v->fused_count > 0)
        values_free(&v->fused[--v->fused_count]);
    free(v->fused);
    free(v->field);
    free(v->tensor);
    free(v->seen);
    *v = (struct op_values){ .schema = NULL };
}
