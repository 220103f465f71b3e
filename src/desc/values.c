#include "desc/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct field_value *values_of(const struct op_values *v, const struct field *f)
{
    return &v->field[f - v->schema->fields];
}

bool values_begin(struct op_values *v, const struct op_schema *schema)
{
    v->schema = schema;
    v->field = mem_zalloc(schema->field_count, sizeof *v->field);
    return v->field != NULL;
}

bool values_add_tensor(struct op_values *v, const struct tensor_desc *d,
                       const struct tensor_seen *seen)
{
    if (v->tensor_count == v->tensor_room) {
        uint32_t room = v->tensor_room ? 2 * v->tensor_room : 2;
        struct tensor_desc *tensor = mem_realloc(v->tensor, room, sizeof *tensor);
        struct tensor_seen *more = tensor ? mem_realloc(v->seen, room, sizeof *more) : NULL;

        v->tensor = tensor ? tensor : v->tensor;
        v->seen = more ? more : v->seen;
        if (!more)
            return false;
        v->tensor_room = room;
    }
    v->tensor[v->tensor_count] = *d;
    v->seen[v->tensor_count++] = *seen;
    return true;
}

const struct field *values_tensor_field(const struct op_values *v, uint32_t slot, int *entry)
{
    const struct field *f = v->schema->fields;

    while (!field_is_tensor(f) || slot - values_of(v, f)->slot >= values_of(v, f)->tensors)
        f++;
    *entry = f->kind == FIELD_TENSOR_ARRAY ? (int)(slot - values_of(v, f)->slot) : -1;
    return f;
}

struct tensor_name values_tensor_name(const struct op_values *v, uint32_t slot)
{
    struct tensor_name t;
    int entry;
    const struct field *f = values_tensor_field(v, slot, &entry);

    snprintf(t.name, sizeof t.name, entry < 0 ? "%s" : "%s[%d]", f->name, entry);
    snprintf(t.pointer, sizeof t.pointer, entry < 0 ? "%s" : "%s/%d", f->name, entry);
    return t;
}

void values_to_desc(const struct op_values *v, struct desc *d, struct desc_seen *seen)
{
    d->op = v->schema->op;
    seen->type_pointer = v->type_pointer;
    seen->fields = v->fields;
    memcpy(d->tensor, v->tensor, v->tensor_count * sizeof *v->tensor);
    memcpy(seen->tensor, v->seen, v->tensor_count * sizeof *v->seen);
    for (const struct field *f = v->schema->fields; f->name; f++) {
        const struct field_value *value = values_of(v, f);
        void *member = (char *)d + f->use->offset, *given = (char *)seen + f->use->seen;

        if (f->kind == FIELD_ENUM)
            d->direction = value->v[0] == AXIS_DECREASING ? AXIS_DECREASING : AXIS_INCREASING;
        else if (f->kind == FIELD_UINT) {
            memcpy(member, value->v, sizeof value->v[0]);
            *(bool *)given = value->good;
        } else if (f->kind != FIELD_TENSOR) {
            memcpy(member, value->v, sizeof value->v);
            *(struct array_seen *)given = value->seen;
        }
    }
}

void desc_complete(struct desc *d, const struct desc_seen *seen)
{
    if (!seen->dimension_count)
        d->dimension_count = d->tensor[SLOT_IN].rank;
    if (d->op == OP_TOP_K)
        d->direction = AXIS_DECREASING;
}

void desc_of_values(const struct op_values *v, struct desc *d)
{
    struct desc_seen seen = { .dimension_count = false };

    *d = (struct desc){ .op = OP_NONE };
    values_to_desc(v, d, &seen);
    desc_complete(d, &seen);
}

void values_free(struct op_values *v)
{
    free(v->field);
    free(v->tensor);
    free(v->seen);
    *v = (struct op_values){ .schema = NULL };
}
