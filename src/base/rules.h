#ifndef DMLOP_BASE_RULES_H
#define DMLOP_BASE_RULES_H

#include <stdbool.h>

enum severity { SEV_ERROR, SEV_WARNING };

/*
 * Every rule of the descriptor checker: X(NAME, "id", severity, limit, "sentence", "remedy").
 * `limit` is 1 for a rule that documents a limit of DirectML and not safety:
 * --relaxed makes it a warning. The enum, `validate --rules`, the manual's list
 * (dmlop-rules(7)) and the tests read this list; ids never change meaning.
 */
#define DMLOP_RULES(X) \
    X(JSON_SYNTAX, "json.syntax", SEV_ERROR, 0, \
      "The text is JSON; comments and trailing commas are allowed.", \
      "mend the text at the place shown") \
    X(JSON_DUPLICATE_KEY, "json.duplicate-key", SEV_ERROR, 0, \
      "A key stands once in an object.", \
      "delete one of the two members") \
    X(DESC_NOT_OBJECT, "desc.not-object", SEV_ERROR, 0, \
      "The top value of a descriptor is an object.", \
      "write { \"type\": ..., \"desc\": { ... } }") \
    X(DESC_OPERATOR_UNKNOWN, "desc.operator-unknown", SEV_ERROR, 0, \
      "The type names an operator that dmlop has.", \
      "use SLICE, SLICE1, TOP_K, TOP_K1 or QUANTIZED_LINEAR_MATRIX_MULTIPLY, with or without DML_OPERATOR_") \
    X(DESC_OPERATOR_MISSING, "desc.operator-missing", SEV_ERROR, 0, \
      "The operator is named by a type, or implied by the command.", \
      "add \"type\": \"DML_OPERATOR_...\"") \
    X(DESC_FIELD_MISSING, "desc.field-missing", SEV_ERROR, 0, \
      "Every required field is present.", \
      "add the field") \
    X(DESC_FIELD_UNKNOWN, "desc.field-unknown", SEV_WARNING, 0, \
      "Every key is a field of its object.", \
      "rename or delete the key") \
    X(DESC_FIELD_TYPE, "desc.field-type", SEV_ERROR, 0, \
      "A field has the JSON type that it is documented with.", \
      "write a value of the type named") \
    X(DESC_FIELD_RANGE, "desc.field-range", SEV_ERROR, 0, \
      "A number is an integer literal within its C type: UINT 0 to 4294967295, INT -2147483648 to 2147483647.", \
      "write a whole number in the range, without fraction or exponent") \
    X(DESC_ENUM_UNKNOWN, "desc.enum-unknown", SEV_ERROR, 0, \
      "An enumeration value is one that exists.", \
      "use one of the names listed") \
    X(TENSOR_TYPE, "tensor.type", SEV_ERROR, 0, \
      "A tensor's Type, if given, is BUFFER.", \
      "write \"DML_TENSOR_TYPE_BUFFER\", or leave Type out") \
    X(TENSOR_DATA_TYPE, "tensor.data-type", SEV_ERROR, 0, \
      "DataType is a known type, not UNKNOWN.", \
      "use one of FLOAT32 FLOAT16 FLOAT64 INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64") \
    X(TENSOR_DIMENSION_COUNT, "tensor.dimension-count", SEV_ERROR, 0, \
      "A tensor's DimensionCount, if given, equals the length of Sizes, and is 1 to 8.", \
      "make DimensionCount the length of Sizes, 1 to 8") \
    X(TENSOR_SIZES_ZERO, "tensor.sizes-zero", SEV_ERROR, 0, \
      "No size of a tensor is 0.", \
      "use sizes of 1 or more") \
    X(TENSOR_ELEMENT_COUNT, "tensor.element-count", SEV_ERROR, 0, \
      "The product of a tensor's sizes is at most 4294967295.", \
      "use fewer elements") \
    X(TENSOR_STRIDES_COUNT, "tensor.strides-count", SEV_ERROR, 0, \
      "Strides, if given, has as many entries as Sizes.", \
      "give one stride per size, or leave Strides out") \
    X(TENSOR_TOTAL_SIZE, "tensor.total-size", SEV_ERROR, 0, \
      "TotalTensorSizeInBytes, if given, is at least what sizes, strides and data type imply.", \
      "give at least the implied size, or leave the field out") \
    X(TENSOR_TOTAL_SIZE_ALIGNMENT, "tensor.total-size-alignment", SEV_ERROR, 1, \
      "TotalTensorSizeInBytes, if given, is a multiple of 4.", \
      "round the size up to a multiple of 4") \
    X(TENSOR_BASE_ALIGNMENT, "tensor.base-alignment", SEV_ERROR, 1, \
      "GuaranteedBaseOffsetAlignment is 0, or a power of two not below the element size.", \
      "use 0 or such a power of two") \
    X(TENSOR_FLAGS_OUTPUT, "tensor.flags-output", SEV_ERROR, 0, \
      "OWNED_BY_DML stands on input tensors only.", \
      "use NONE on an output") \
    X(TENSOR_OUTPUT_OVERLAP, "tensor.output-overlap", SEV_ERROR, 0, \
      "The strides of an output never send two coordinates to one element.", \
      "use strides under which every element has a place of its own") \
    X(SLICE_DIMENSION_COUNT, "slice.dimension-count", SEV_ERROR, 0, \
      "DimensionCount equals the dimension counts of both tensors.", \
      "use one dimension count throughout") \
    X(SLICE_ARRAY_LENGTH, "slice.array-length", SEV_ERROR, 0, \
      "Each window array has DimensionCount entries.", \
      "give one entry per dimension") \
    X(SLICE_DATA_TYPE_MISMATCH, "slice.data-type-mismatch", SEV_ERROR, 0, \
      "Input and output have one data type.", \
      "give both tensors the same DataType") \
    X(SLICE_WINDOW_EMPTY, "slice.window-empty", SEV_ERROR, 0, \
      "Every window size is at least 1.", \
      "use a window of 1 or more") \
    X(SLICE_WINDOW_BOUNDS, "slice.window-bounds", SEV_ERROR, 0, \
      "The window lies within the input: offset plus size is at most the input's size.", \
      "move or shrink the window") \
    X(SLICE_STRIDE_ZERO, "slice.stride-zero", SEV_ERROR, 0, \
      "No window stride is 0.", \
      "use 1 to take every element") \
    X(SLICE_OUTPUT_SIZE, "slice.output-size", SEV_ERROR, 0, \
      "Every output size is 1 to 1 + (window size - 1) / |stride|; for SLICE it equals Sizes.", \
      "use an output size in that range") \
    X(TOPK_AXIS, "topk.axis", SEV_ERROR, 0, \
      "Axis is below the input's dimension count.", \
      "use an axis of the input") \
    X(TOPK_K_ZERO, "topk.k-zero", SEV_ERROR, 0, \
      "K is at least 1.", \
      "use a K of 1 or more") \
    X(TOPK_K_EXCEEDS_AXIS, "topk.k-exceeds-axis", SEV_ERROR, 0, \
      "K is at most the size of the axis.", \
      "use a smaller K") \
    X(TOPK_K_EQUALS_AXIS, "topk.k-equals-axis", SEV_ERROR, 1, \
      "K is below the size of the axis, as the reference page asks.", \
      "use a smaller K, or --relaxed to sort the whole axis") \
    X(TOPK_VALUE_SIZES, "topk.value-sizes", SEV_ERROR, 0, \
      "OutputValueTensor has the input's sizes, with K at Axis.", \
      "use those sizes") \
    X(TOPK_INDEX_SIZES, "topk.index-sizes", SEV_ERROR, 0, \
      "OutputIndexTensor has the input's sizes, with K at Axis.", \
      "use those sizes") \
    X(TOPK_DIMENSION_COUNT, "topk.dimension-count", SEV_ERROR, 0, \
      "The three tensors have one dimension count.", \
      "use one dimension count throughout") \
    X(TOPK_DATA_TYPE_MISMATCH, "topk.data-type-mismatch", SEV_ERROR, 0, \
      "Input and values have one data type.", \
      "give both tensors the same DataType") \
    X(TOPK_INDEX_DATA_TYPE, "topk.index-data-type", SEV_ERROR, 0, \
      "Indices are UINT32; from feature level 5_0 also UINT64.", \
      "use UINT32") \
    X(TOPK_AXIS_DIRECTION, "topk.axis-direction", SEV_ERROR, 0, \
      "AxisDirection is DML_AXIS_DIRECTION_INCREASING or DML_AXIS_DIRECTION_DECREASING.", \
      "use one of the two names") \
    X(QMATMUL_BATCH, "qmatmul.batch", SEV_ERROR, 0, \
      "A, B and output have the same batch and channel sizes.", \
      "make the leading sizes equal; broadcast with a stride of 0") \
    X(QMATMUL_INNER, "qmatmul.inner", SEV_ERROR, 0, \
      "A's K (last size) equals B's K (last size but one).", \
      "make the two sizes equal") \
    X(QMATMUL_OUTPUT_SIZES, "qmatmul.output-sizes", SEV_ERROR, 0, \
      "The output is {B,C,M,N}: A's rows by B's columns.", \
      "use A's M and B's N") \
    X(QMATMUL_DIMENSION_COUNT, "qmatmul.dimension-count", SEV_ERROR, 0, \
      "A, B and output have one dimension count.", \
      "use one dimension count throughout") \
    X(QMATMUL_A_SCALE_SIZES, "qmatmul.a-scale-sizes", SEV_ERROR, 0, \
      "AScaleTensor is {1,1,1,1} or {1,1,M,1}.", \
      "use one scale, or one per row of A") \
    X(QMATMUL_A_ZERO_POINT_SIZES, "qmatmul.a-zero-point-sizes", SEV_ERROR, 0, \
      "AZeroPointTensor is {1,1,1,1} or {1,1,M,1}.", \
      "use one zero point, or one per row of A") \
    X(QMATMUL_B_SCALE_SIZES, "qmatmul.b-scale-sizes", SEV_ERROR, 0, \
      "BScaleTensor is {1,1,1,1} or {1,1,1,N}.", \
      "use one scale, or one per column of B") \
    X(QMATMUL_B_ZERO_POINT_SIZES, "qmatmul.b-zero-point-sizes", SEV_ERROR, 0, \
      "BZeroPointTensor is {1,1,1,1} or {1,1,1,N}.", \
      "use one zero point, or one per column of B") \
    X(QMATMUL_OUTPUT_SCALE_SIZES, "qmatmul.output-scale-sizes", SEV_ERROR, 0, \
      "OutputScaleTensor is {1,1,1,1} or {1,1,M,1}.", \
      "use one scale, or one per row of the output") \
    X(QMATMUL_OUTPUT_ZERO_POINT_SIZES, "qmatmul.output-zero-point-sizes", SEV_ERROR, 0, \
      "OutputZeroPointTensor is {1,1,1,1} or {1,1,M,1}.", \
      "use one zero point, or one per row of the output") \
    X(QMATMUL_SCALE_DATA_TYPE, "qmatmul.scale-data-type", SEV_ERROR, 0, \
      "Scales are FLOAT32.", \
      "use FLOAT32") \
    X(QMATMUL_A_ZERO_POINT_DATA_TYPE, "qmatmul.a-zero-point-data-type", SEV_ERROR, 0, \
      "AZeroPointTensor has the data type of ATensor.", \
      "use A's DataType") \
    X(QMATMUL_B_ZERO_POINT_DATA_TYPE, "qmatmul.b-zero-point-data-type", SEV_ERROR, 0, \
      "BZeroPointTensor has the data type of BTensor.", \
      "use B's DataType") \
    X(QMATMUL_OUTPUT_ZERO_POINT_DATA_TYPE, "qmatmul.output-zero-point-data-type", SEV_ERROR, 0, \
      "OutputZeroPointTensor has the data type of OutputTensor.", \
      "use the output's DataType") \
    X(QMATMUL_DATA_TYPE, "qmatmul.data-type", SEV_ERROR, 0, \
      "A, B and output are INT8 or UINT8, in any mix.", \
      "use INT8 or UINT8") \
    X(QMATMUL_SCALE_VALUE, "qmatmul.scale-value", SEV_ERROR, 0, \
      "Scales are finite, and an output scale is not 0 (checked when data is bound).", \
      "mend the scale at the index named") \
    X(SUPPORT_OPERATOR, "support.operator", SEV_ERROR, 1, \
      "The operator exists at the feature level.", \
      "choose a higher --feature-level") \
    X(SUPPORT_DIMENSION_COUNT, "support.dimension-count", SEV_ERROR, 1, \
      "The dimension count is one that the operator takes at the feature level.", \
      "use a dimension count in the range named") \
    X(SUPPORT_DATA_TYPE, "support.data-type", SEV_ERROR, 1, \
      "The data type is one that the operator takes at the feature level.", \
      "use one of the types named")

enum rule {
#define X(name, id, severity, limit, sentence, remedy) RULE_##name,
    DMLOP_RULES(X)
#undef X
    RULE_COUNT
};

struct rule_info {
    const char *id, *sentence, *remedy;
    enum severity severity;
    bool limit;
};

extern const struct rule_info rule_table[RULE_COUNT];

#endif
