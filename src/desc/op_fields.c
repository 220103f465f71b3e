#include "desc/op_fields.h"

#include <string.h>

#include "base/util.h"
#include "desc/rules.h"

#define SLICES (1u << OP_SLICE | 1u << OP_SLICE1)
#define TOP_KS (1u << OP_TOP_K | 1u << OP_TOP_K1)
#define PARAMETER(role_, matrix_, axis_, option_) \
    { \
        .role = ROLE_##role_, .matrix = (matrix_), .from_right = FROM_RIGHT_##axis_, \
        .option = (option_) \
    }
#define NUMBER(member, option_) \
    { \
        .offset = offsetof(struct desc, member), .option = (option_) \
    }

/* SLICE keeps its arrays in SLICE1's members, see desc.h. */
static const struct {
    unsigned ops; /* bits 1 << enum op */
    const char *name;
    struct field_use use;
} uses[] = {
    { SLICES | TOP_KS, "InputTensor", { .option = "an input file" } },
    { SLICES, "OutputTensor", { .option = "-o", .sizes_option = "--output-sizes" } },
    { SLICES, "DimensionCount", NUMBER(dimension_count, NULL) },
    { 1u << OP_SLICE, "Offsets", NUMBER(offsets, "--offsets") },
    { 1u << OP_SLICE, "Sizes", NUMBER(sizes, "--sizes") },
    { 1u << OP_SLICE, "Strides", NUMBER(strides, "--strides") },
    { 1u << OP_SLICE1, "InputWindowOffsets", NUMBER(offsets, "--offsets") },
    { 1u << OP_SLICE1, "InputWindowSizes", NUMBER(sizes, "--sizes") },
    { 1u << OP_SLICE1, "InputWindowStrides", NUMBER(strides, "--strides") },
    { TOP_KS, "OutputValueTensor", { .option = "-o" } },
    { TOP_KS,
      "OutputIndexTensor",
      { .role = ROLE_INDEX, .option = "--indices", .type_option = "--index-type" } },
    { TOP_KS, "Axis", NUMBER(axis, "--axis") },
    { TOP_KS, "K", NUMBER(k, "-k") },
    { 1u << OP_TOP_K1, "AxisDirection", { .option = "--largest or --smallest" } },
    { 1u << OP_QMATMUL, "ATensor", { .option = "operand A" } },
    { 1u << OP_QMATMUL, "AScaleTensor", PARAMETER(SCALE, SLOT_A, ROWS, "--a-scale") },
    { 1u << OP_QMATMUL, "AZeroPointTensor", PARAMETER(ZERO_POINT, SLOT_A, ROWS, "--a-zero-point") },
    { 1u << OP_QMATMUL, "BTensor", { .option = "operand B" } },
    { 1u << OP_QMATMUL, "BScaleTensor", PARAMETER(SCALE, SLOT_B, COLUMNS, "--b-scale") },
    { 1u << OP_QMATMUL, "BZeroPointTensor",
      PARAMETER(ZERO_POINT, SLOT_B, COLUMNS, "--b-zero-point") },
    { 1u << OP_QMATMUL, "OutputScaleTensor", PARAMETER(SCALE, SLOT_C, ROWS, "--output-scale") },
    { 1u << OP_QMATMUL, "OutputZeroPointTensor",
      PARAMETER(ZERO_POINT, SLOT_C, ROWS, "--output-zero-point") },
    { 1u << OP_QMATMUL, "OutputTensor", { .option = "-o", .type_option = "--output-type" } },
};

const struct field_use *op_field_use(enum op op, const char *name)
{
    for (size_t i = 0; op != OP_NONE && i < ARRAY_LEN(uses); i++)
        if ((uses[i].ops >> op & 1) && strcmp(uses[i].name, name) == 0)
            return &uses[i].use;
    return NULL;
}
