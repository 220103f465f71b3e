#include "desc/op_fields.h"

#include <string.h>

#include "base/util.h"
#include "desc/rules.h"

#define SLICES (1u << OP_SLICE | 1u << OP_SLICE1)
#define TOP_KS (1u << OP_TOP_K | 1u << OP_TOP_K1)
#define TENSOR(ops_, name_, ...) \
    { \
        .ops = (ops_), .name = (name_), .use = { __VA_ARGS__ } \
    }
#define PARAMETER(name_, role_, matrix_, axis_, option_) \
    TENSOR(1u << OP_QMATMUL, name_, .role = ROLE_##role_, .matrix = (matrix_), \
           .from_right = FROM_RIGHT_##axis_, .option = (option_))
#define NUMBER(ops_, name_, member, option_) \
    { \
        .ops = (ops_), .name = (name_), .use = { \
            .offset = offsetof(struct desc, member), \
            .option = (option_) \
        } \
    }

/* SLICE keeps its arrays in SLICE1's members, see desc.h. */
static const struct {
    unsigned ops; /* bits 1 << enum op */
    const char *name;
    struct field_use use;
} uses[] = {
    TENSOR(SLICES | TOP_KS, "InputTensor", .option = "an input file"),
    TENSOR(SLICES, "OutputTensor", .option = "-o", .sizes_option = "--output-sizes"),
    NUMBER(SLICES, "DimensionCount", dimension_count, NULL),
    NUMBER(1u << OP_SLICE, "Offsets", offsets, "--offsets"),
    NUMBER(1u << OP_SLICE, "Sizes", sizes, "--sizes"),
    NUMBER(1u << OP_SLICE, "Strides", strides, "--strides"),
    NUMBER(1u << OP_SLICE1, "InputWindowOffsets", offsets, "--offsets"),
    NUMBER(1u << OP_SLICE1, "InputWindowSizes", sizes, "--sizes"),
    NUMBER(1u << OP_SLICE1, "InputWindowStrides", strides, "--strides"),
    TENSOR(TOP_KS, "OutputValueTensor", .option = "-o"),
    TENSOR(TOP_KS, "OutputIndexTensor", .role = ROLE_INDEX, .option = "--indices",
           .type_option = "--index-type"),
    NUMBER(TOP_KS, "Axis", axis, "--axis"),
    NUMBER(TOP_KS, "K", k, "-k"),
    TENSOR(1u << OP_TOP_K1, "AxisDirection", .option = "--largest or --smallest"),
    TENSOR(1u << OP_QMATMUL, "ATensor", .option = "operand A"),
    PARAMETER("AScaleTensor", SCALE, SLOT_A, ROWS, "--a-scale"),
    PARAMETER("AZeroPointTensor", ZERO_POINT, SLOT_A, ROWS, "--a-zero-point"),
    TENSOR(1u << OP_QMATMUL, "BTensor", .option = "operand B"),
    PARAMETER("BScaleTensor", SCALE, SLOT_B, COLUMNS, "--b-scale"),
    PARAMETER("BZeroPointTensor", ZERO_POINT, SLOT_B, COLUMNS, "--b-zero-point"),
    PARAMETER("OutputScaleTensor", SCALE, SLOT_C, ROWS, "--output-scale"),
    PARAMETER("OutputZeroPointTensor", ZERO_POINT, SLOT_C, ROWS, "--output-zero-point"),
    TENSOR(1u << OP_QMATMUL, "OutputTensor", .option = "-o", .type_option = "--output-type"),
};

const struct field_use *op_field_use(enum op op, const char *name)
{
    for (size_t i = 0; op != OP_NONE && i < ARRAY_LEN(uses); i++)
        if ((uses[i].ops >> op & 1) && strcmp(uses[i].name, name) == 0)
            return &uses[i].use;
    return NULL;
}
