#include "desc/schema.h"

#include <string.h>

#include "base/util.h"

#define IN(slot_, name_)       { .name = (name_), .kind = FIELD_TENSOR, .slot = (slot_) }
#define OPTIONAL(slot_, name_) { .name = (name_), .kind = FIELD_TENSOR, .slot = (slot_), .optional = true }
#define OUT(slot_, name_)      { .name = (name_), .kind = FIELD_TENSOR, .slot = (slot_), .output = true }
#define UINT(name_, member)    { .name = (name_), .kind = FIELD_UINT, .offset = offsetof(struct desc, member) }
#define COUNT                                                                            \
    { .name = "DimensionCount", .kind = FIELD_UINT, .offset = offsetof(struct desc, dimension_count), .optional = true }
#define UINTS(name_, member)   { .name = (name_), .kind = FIELD_UINT_ARRAY, .offset = offsetof(struct desc, member) }
#define INTS(name_, member)    { .name = (name_), .kind = FIELD_INT_ARRAY, .offset = offsetof(struct desc, member) }
#define DIRECTION              { .name = "AxisDirection", .kind = FIELD_DIRECTION, .offset = offsetof(struct desc, direction) }

/* SLICE's Strides are UINT; its other two arrays share SLICE1's members (see desc.h). */
const struct op_schema op_schemas[OP_COUNT] = {
    [OP_SLICE] = { "SLICE", "slice",
                   { IN(SLOT_IN, "InputTensor"), OUT(SLOT_OUT, "OutputTensor"), COUNT, UINTS("Offsets", offsets),
                     UINTS("Sizes", sizes), UINTS("Strides", strides) } },
    [OP_SLICE1] = { "SLICE1", "slice",
                    { IN(SLOT_IN, "InputTensor"), OUT(SLOT_OUT, "OutputTensor"), COUNT,
                      UINTS("InputWindowOffsets", offsets), UINTS("InputWindowSizes", sizes),
                      INTS("InputWindowStrides", strides) } },
    [OP_TOP_K] = { "TOP_K", "topk",
                   { IN(SLOT_IN, "InputTensor"), OUT(SLOT_VALUES, "OutputValueTensor"),
                     OUT(SLOT_INDICES, "OutputIndexTensor"), UINT("Axis", axis), UINT("K", k) } },
    [OP_TOP_K1] = { "TOP_K1", "topk",
                    { IN(SLOT_IN, "InputTensor"), OUT(SLOT_VALUES, "OutputValueTensor"),
                      OUT(SLOT_INDICES, "OutputIndexTensor"), UINT("Axis", axis), UINT("K", k), DIRECTION } },
    [OP_QMATMUL] = { "QUANTIZED_LINEAR_MATRIX_MULTIPLY", "qmatmul",
                     { IN(SLOT_A, "ATensor"), IN(SLOT_A_SCALE, "AScaleTensor"),
                       OPTIONAL(SLOT_A_ZERO, "AZeroPointTensor"), IN(SLOT_B, "BTensor"),
                       IN(SLOT_B_SCALE, "BScaleTensor"), OPTIONAL(SLOT_B_ZERO, "BZeroPointTensor"),
                       IN(SLOT_C_SCALE, "OutputScaleTensor"), OPTIONAL(SLOT_C_ZERO, "OutputZeroPointTensor"),
                       OUT(SLOT_C, "OutputTensor") } },
};

enum op op_from_name(const char *name)
{
    static const char prefix[] = "DML_OPERATOR_";

    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        if (strcmp(name, op_schemas[op].name) == 0)
            return (enum op)op;
    return OP_NONE;
}

const struct field *op_field(enum op op, const char *name)
{
    for (const struct field *f = op_schemas[op].fields; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

const struct field *op_tensor_field(enum op op, unsigned slot)
{
    for (const struct field *f = op_schemas[op].fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && f->slot == slot)
            return f;
    return NULL;
}

bool tensor_desc_view(const struct tensor_desc *d, void *data, struct tensor *t)
{
    *t = (struct tensor){ .type = d->type, .rank = d->rank, .data = data };
    for (unsigned i = 0; i < d->rank; i++) {
        t->sizes[i] = d->sizes[i];
        t->strides[i] = (int64_t)d->strides[i];
        if (d->has_strides && d->strides[i] > INT64_MAX)
            return false;
    }
    return d->has_strides || tensor_pack_strides(t->rank, t->sizes, t->strides);
}

bool tensor_desc_bytes(const struct tensor_desc *d, uint64_t *bytes)
{
    struct tensor t;
    uint64_t extent;

    if (!tensor_desc_view(d, NULL, &t) || !tensor_extent(t.rank, t.sizes, t.strides, &extent) ||
        !u64_mul(extent, dtype_size(d->type), bytes) || !u64_add(*bytes, 3, bytes))
        return false;
    *bytes &= ~(uint64_t)3;
    return true;
}
