#include "desc/emit.h"

#include <inttypes.h>

#include "desc/schema.h"

static void add_array(struct str *b, const uint64_t *v, uint64_t n)
{
    str_puts(b, "[");
    for (uint64_t i = 0; i < n; i++)
        str_printf(b, "%s%" PRIu64, i ? ", " : "", v[i]);
    str_puts(b, "]");
}

static void add_tensor(struct str *b, const struct tensor_desc *t)
{
    str_printf(b, "{ \"DataType\": \"DML_TENSOR_DATA_TYPE_%s\", \"Sizes\": ", dtype_name(t->type));
    add_array(b, t->sizes, t->rank);
    if (t->has_strides) {
        str_puts(b, ", \"Strides\": ");
        add_array(b, t->strides, t->rank);
    }
    if (t->flags & TENSOR_FLAG_OWNED_BY_DML)
        str_puts(b, ", \"Flags\": \"DML_TENSOR_FLAG_OWNED_BY_DML\"");
    if (t->total_size)
        str_printf(b, ", \"TotalTensorSizeInBytes\": %" PRIu64, t->total_size);
    if (t->base_alignment)
        str_printf(b, ", \"GuaranteedBaseOffsetAlignment\": %" PRIu64, t->base_alignment);
    str_puts(b, " }");
}

static void add_value(struct str *b, const struct desc *d, const struct field *f)
{
    const char *member = (const char *)d + f->offset;
    const int64_t *ints = (const void *)member;

    switch (f->kind) {
    case FIELD_TENSOR:
        add_tensor(b, &d->tensor[f->slot]);
        break;
    case FIELD_UINT:
        str_printf(b, "%" PRIu64, *(const uint64_t *)(const void *)member);
        break;
    case FIELD_UINT_ARRAY:
        add_array(b, (const void *)member, d->dimension_count);
        break;
    case FIELD_INT_ARRAY:
        str_puts(b, "[");
        for (uint64_t i = 0; i < d->dimension_count; i++)
            str_printf(b, "%s%" PRId64, i ? ", " : "", ints[i]);
        str_puts(b, "]");
        break;
    case FIELD_DIRECTION:
        str_printf(b, "\"DML_AXIS_DIRECTION_%s\"", d->direction == AXIS_INCREASING ? "INCREASING" : "DECREASING");
        break;
    }
}

void desc_emit(const struct desc *d, struct str *b)
{
    const struct op_schema *schema = &op_schemas[d->op];
    const char *comma = "";

    str_printf(b, "{\n  \"type\": \"DML_OPERATOR_%s\",\n  \"desc\": {\n", schema->name);
    for (const struct field *f = schema->fields; f->name; f++) {
        if (f->kind == FIELD_TENSOR && !d->tensor[f->slot].present)
            continue;
        str_printf(b, "%s    \"%s\": ", comma, f->name);
        add_value(b, d, f);
        comma = ",\n";
    }
    str_puts(b, "\n  }\n}\n");
}
