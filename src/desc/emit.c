#include "desc/schema.h"

static void write_tensor(struct json_writer *w, const char *key, const struct tensor_desc *t)
{
    json_open(w, key, "{ }");
    json_stringf(w, "DataType", "DML_TENSOR_DATA_TYPE_%s", dtype_name(t->type));
    json_uints(w, "Sizes", t->sizes, t->rank);
    if (t->has_strides)
        json_uints(w, "Strides", t->strides, t->rank);
    if (t->flags & TENSOR_FLAG_OWNED_BY_DML)
        json_string(w, "Flags", "DML_TENSOR_FLAG_OWNED_BY_DML");
    if (t->total_size)
        json_uint(w, "TotalTensorSizeInBytes", t->total_size);
    if (t->base_alignment)
        json_uint(w, "GuaranteedBaseOffsetAlignment", t->base_alignment);
    json_close(w);
}

static void write_field(struct json_writer *w, const struct desc *d, const struct field *f)
{
    const void *member = (const char *)d + f->use.offset;

    switch (f->kind) {
    case FIELD_TENSOR: write_tensor(w, f->name, &d->tensor[f->slot]); break;
    case FIELD_UINT: json_uint(w, f->name, *(const uint64_t *)member); break;
    case FIELD_UINT_ARRAY: json_uints(w, f->name, member, d->dimension_count); break;
    case FIELD_INT_ARRAY:
        json_open(w, f->name, "[]");
        for (uint64_t i = 0; i < d->dimension_count; i++)
            json_int(w, NULL, ((const int64_t *)member)[i]);
        json_close(w);
        break;
    default: /* AxisDirection */
        json_stringf(w, f->name, "%s%s", f->values->prefix, f->values->names[d->direction]);
        break;
    }
}

void desc_emit_members(const struct desc *d, struct json_writer *w, unsigned indent)
{
    const struct op_schema *schema = op_schema(d->op);

    json_line(w, indent);
    json_stringf(w, "type", "DML_OPERATOR_%s", schema->name);
    json_line(w, indent);
    json_open(w, "desc", "{ }");
    for (const struct field *f = schema->fields; f->name; f++)
        if (f->kind != FIELD_TENSOR || d->tensor[f->slot].present) {
            json_line(w, indent + 2);
            write_field(w, d, f);
        }
    json_line(w, indent);
    json_close(w);
}

void desc_emit(const struct desc *d, struct str *b)
{
    struct json_writer w = { .out = b };

    json_open(&w, NULL, "{ }");
    desc_emit_members(d, &w, 2);
    json_line(&w, 0);
    json_close(&w);
    str_puts(b, "\n");
}
