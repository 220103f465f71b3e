#include "desc/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "desc/rules.h"

#define IN(slot_, name_, about_, ...) \
    { \
        .name = (name_), .about = (about_), .kind = FIELD_TENSOR, .slot = (slot_), __VA_ARGS__ \
    }
#define OUT(slot_, name_, about_, ...) \
    { \
        .name = (name_), .about = (about_), .kind = FIELD_TENSOR, .slot = (slot_), \
        .output = true, __VA_ARGS__ \
    }
#define SCALE(slot_, name_, matrix_, axis_, option_, about_) \
    IN(slot_, name_, about_, .role = ROLE_SCALE, .matrix = (matrix_), \
       .from_right = FROM_RIGHT_##axis_, .option = (option_))
#define ZERO(slot_, name_, matrix_, axis_, option_, about_) \
    IN(slot_, name_, about_, .role = ROLE_ZERO_POINT, .optional = true, .matrix = (matrix_), \
       .from_right = FROM_RIGHT_##axis_, .option = (option_))
#define NUMBER(kind_, name_, about_, member, option_) \
    { \
        .name = (name_), .about = (about_), .kind = (kind_), \
        .offset = offsetof(struct desc, member), .seen = offsetof(struct desc_seen, member), \
        .option = (option_) \
    }
#define COUNT \
    { \
        .name = "DimensionCount", .kind = FIELD_UINT, \
        .about = "The number of dimensions of both tensors; the default is that of the " \
                 "input. DxDispatch requires it.", \
        .offset = offsetof(struct desc, dimension_count), \
        .seen = offsetof(struct desc_seen, dimension_count), .optional = true \
    }

/* The fields that a predecessor shares with its successor. SLICE's arrays use SLICE1's members (see
 * desc.h), but its Strides are UINT. */
#define SLICE_TENSORS(sizes_) \
    IN(SLOT_IN, "InputTensor", "The tensor that is read.", .option = "an input file"), \
    OUT(SLOT_OUT, "OutputTensor", "The tensor that is written, of the input's data type. " sizes_, \
        .option = "-o", .sizes_option = "--output-sizes")
#define TOP_K_FIELDS \
    IN(SLOT_IN, "InputTensor", "The tensor whose largest or smallest elements are found.", \
       .option = "an input file"), \
        OUT(SLOT_VALUES, "OutputValueTensor", \
            "The elements that were found: the input's data type, and its sizes except for K " \
            "along Axis.", \
            .option = "-o"), \
        OUT(SLOT_INDICES, "OutputIndexTensor", \
            "The index of each value along the axis: the values' sizes, of type UINT32 or, from " \
            "feature level 5_0 on, UINT64.", \
            .role = ROLE_INDEX, .option = "--indices", .type_option = "--index-type"), \
        NUMBER(FIELD_UINT, "Axis", \
               "The dimension along which elements are compared; less than the number of " \
               "dimensions.", \
               axis, "--axis"), \
        NUMBER(FIELD_UINT, "K", \
               "How many elements are found: at least 1, and less than the input's size along " \
               "Axis (equal to it with --relaxed).", \
               k, "-k")

const struct op_schema op_schemas[OP_COUNT] = {
    [OP_SLICE] = { "SLICE", "slice", .copies_part = true, .fields = {
        SLICE_TENSORS("Its sizes are Sizes."), COUNT,
        NUMBER(FIELD_UINT_ARRAY, "Offsets", "Where the slice begins, one number per dimension.",
               offsets, "--offsets"),
        NUMBER(FIELD_UINT_ARRAY, "Sizes",
               "How many elements are taken from each dimension: the sizes of the output.",
               sizes, "--sizes"),
        NUMBER(FIELD_UINT_ARRAY, "Strides",
               "Steps between the elements that are taken, one per dimension, each at least 1. "
               "Offset + (size - 1) * stride must be less than the input's size.",
               strides, "--strides") } },
    [OP_SLICE1] = { "SLICE1", "slice", .copies_part = true, .fields = {
        SLICE_TENSORS("Each size is from 1 to 1 + (window size - 1) / |stride|."), COUNT,
        NUMBER(FIELD_UINT_ARRAY, "InputWindowOffsets",
               "Where the window begins in the input, one number per dimension.",
               offsets, "--offsets"),
        NUMBER(FIELD_UINT_ARRAY, "InputWindowSizes",
               "The sizes of the window, one per dimension, each at least 1. "
               "Offset + size must be at most the input's size.",
               sizes, "--sizes"),
        NUMBER(FIELD_INT_ARRAY, "InputWindowStrides",
               "Steps through the window, one per dimension, not 0. "
               "A negative step starts from the end of the window.",
               strides, "--strides") } },
    [OP_TOP_K] = { "TOP_K", "topk", .scans = true, .fields = { TOP_K_FIELDS } },
    [OP_TOP_K1] = { "TOP_K1", "topk", .scans = true, .fields = {
        TOP_K_FIELDS,
        { .name = "AxisDirection", .kind = FIELD_DIRECTION,
          .about = "DECREASING finds the largest elements, the largest first; INCREASING finds "
                   "the smallest, the smallest first.",
          .option = "--largest or --smallest" } } },
    [OP_QMATMUL] = { "QUANTIZED_LINEAR_MATRIX_MULTIPLY", "qmatmul", .fields = {
        IN(SLOT_A, "ATensor", "The left matrices, {B,C,M,K}, of INT8 or UINT8.",
           .option = "operand A"),
        SCALE(SLOT_A_SCALE, "AScaleTensor", SLOT_A, ROWS, "--a-scale",
              "The scale of A, FLOAT32: one, {1,1,1,1}, or one per row, {1,1,M,1}."),
        ZERO(SLOT_A_ZERO, "AZeroPointTensor", SLOT_A, ROWS, "--a-zero-point",
             "The value of A that means 0, of A's type: one, {1,1,1,1}, or one per row, {1,1,M,1}; "
             "the default is 0."),
        IN(SLOT_B, "BTensor", "The right matrices, {B,C,K,N}, of INT8 or UINT8.",
           .option = "operand B"),
        SCALE(SLOT_B_SCALE, "BScaleTensor", SLOT_B, COLUMNS, "--b-scale",
              "The scale of B, FLOAT32: one, {1,1,1,1}, or one per column, {1,1,1,N}."),
        ZERO(SLOT_B_ZERO, "BZeroPointTensor", SLOT_B, COLUMNS, "--b-zero-point",
             "The value of B that means 0, of B's type: one, {1,1,1,1}, or one per column, "
             "{1,1,1,N}; the default is 0."),
        SCALE(SLOT_C_SCALE, "OutputScaleTensor", SLOT_C, ROWS, "--output-scale",
              "The scale of the output, FLOAT32: one, {1,1,1,1}, or one per row, {1,1,M,1}."),
        ZERO(SLOT_C_ZERO, "OutputZeroPointTensor", SLOT_C, ROWS, "--output-zero-point",
             "The value of the output that means 0, of its type: one, {1,1,1,1}, or one per row, "
             "{1,1,M,1}; the default is 0."),
        OUT(SLOT_C, "OutputTensor", "The products, {B,C,M,N}, of INT8 or UINT8.",
            .option = "-o", .type_option = "--output-type") } },
};

const char *op_short_name(enum op op)
{
    static const char *const names[OP_COUNT] = {
        [OP_NONE] = "",        [OP_SLICE] = "slice",  [OP_SLICE1] = "slice1",
        [OP_TOP_K] = "topk",   [OP_TOP_K1] = "topk1", [OP_QMATMUL] = "qmatmul",
    };

    return names[op];
}

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

const struct field *op_output(enum op op, enum field_role role)
{
    for (const struct field *f = op_schemas[op].fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && f->output && f->role == role)
            return f;
    return NULL;
}

struct field_part op_field_part(enum op op, const char *pointer)
{
    struct field_part p = { .entry = -1 };

    while (*pointer == '/') {
        size_t n = strcspn(++pointer, "/");
        char name[sizeof p.part];

        snprintf(name, sizeof name, "%.*s", (int)n, pointer);
        pointer += n;
        if (!p.field)
            p.field = op_field(op, name);
        else if (*name >= '0' && *name <= '9')
            p.entry = *name - '0'; /* below DML_MAX_RANK */
        else if (strcmp(name, "Desc") != 0)
            memcpy(p.part, name, sizeof name);
    }
    return p;
}

const char *field_part_option(const struct field_part *p)
{
    const struct field *f = p->field;

    if (!f)
        return NULL;
    if (f->sizes_option && strcmp(p->part, "Sizes") == 0)
        return f->sizes_option;
    return f->type_option && strcmp(p->part, "DataType") == 0 ? f->type_option : f->option;
}

struct tensor_desc tensor_desc_packed(enum dtype type, unsigned rank, const uint64_t *sizes)
{
    struct tensor_desc d = { .present = true, .type = type, .rank = rank };

    memcpy(d.sizes, sizes, rank * sizeof *sizes);
    return d;
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

uint64_t tensor_desc_buffer_bytes(const struct tensor_desc *d)
{
    uint64_t bytes;

    return tensor_desc_bytes(d, &bytes) ? u64_max(bytes, d->total_size) : 0;
}
