#ifndef DMLOP_DESC_RULE_LIST_H
#define DMLOP_DESC_RULE_LIST_H

enum severity { SEV_ERROR, SEV_WARNING };

/* "error" or "warning". */
const char *severity_name(enum severity severity);

enum rule_class {
    CLASS_PLAIN,
    CLASS_LIMIT,    /* a limit that DirectML documents, not a matter of safety: --relaxed makes it a
                       warning */
    CLASS_DATA,     /* a file's contents break it: exit status 3 */
    CLASS_PORTABLE, /* checked with --portable only */
    CLASS_RANGE,    /* what DirectML's C types cannot hold, but files and options can */
    CLASS_RUN,      /* a warning where a file is checked, an error where it is run */
};

/*
 * Every rule of the descriptor checker: X(NAME, "id", severity, class, "sentence", "remedy"). The
 * enum, `validate --rules`, the manual's list (dmlop-rules(7)) and the tests read this list; ids
 * never change meaning.
 */
#define DMLOP_RULES(X) \
    X(JSON_SYNTAX, "json.syntax", SEV_ERROR, CLASS_PLAIN, \
      "The text is JSON; comments and trailing commas are allowed.", \
      "mend the text at the place shown") \
    X(JSON_DUPLICATE_KEY, "json.duplicate-key", SEV_ERROR, CLASS_PLAIN, \
      "A key stands once in an object.", "delete one of the two members") \
    X(DESC_NOT_OBJECT, "desc.not-object", SEV_ERROR, CLASS_PLAIN, \
      "The top value of a descriptor is an object.", "write { \"type\": ..., \"desc\": { ... } }") \
    X(DESC_OPERATOR_UNKNOWN, "desc.operator-unknown", SEV_ERROR, CLASS_PLAIN, \
      "The type names an operator that dmlop has.", \
      "use SLICE, SLICE1, TOP_K, TOP_K1 or QUANTIZED_LINEAR_MATRIX_MULTIPLY, with or without " \
      "DML_OPERATOR_") \
    X(DESC_OPERATOR_UNSUPPORTED, "desc.operator-unsupported", SEV_WARNING, CLASS_RUN, \
      "The operator must be one that dmlop has; DirectML's others are not checked.", \
      "check it with DxDispatch, or leave the operator out to run the rest") \
    X(DESC_OPERATOR_MISSING, "desc.operator-missing", SEV_ERROR, CLASS_PLAIN, \
      "The operator is named by a type, or implied by the command.", \
      "add \"type\": \"DML_OPERATOR_...\"") \
    X(DESC_FIELD_MISSING, "desc.field-missing", SEV_ERROR, CLASS_PLAIN, \
      "Every required field is present.", "add the field") \
    X(DESC_FIELD_UNKNOWN, "desc.field-unknown", SEV_WARNING, CLASS_PLAIN, \
      "Every key is a field of its object.", "rename or delete the key") \
    X(DESC_FIELD_TYPE, "desc.field-type", SEV_ERROR, CLASS_PLAIN, \
      "A field has the JSON type that it is documented with.", "write a value of the type named") \
    X(DESC_FIELD_RANGE, "desc.field-range", SEV_ERROR, CLASS_RANGE, \
      "A number is an integer literal within its C type: UINT 0 to 4294967295, INT -2147483648 " \
      "to 2147483647.", \
      "write a whole number in the range, without fraction or exponent") \
    X(DESC_ENUM_UNKNOWN, "desc.enum-unknown", SEV_ERROR, CLASS_PLAIN, \
      "An enumeration value is one that exists.", "use one of the names listed") \
    X(TENSOR_TYPE, "tensor.type", SEV_ERROR, CLASS_PLAIN, "A tensor's Type, if given, is BUFFER.", \
      "write \"DML_TENSOR_TYPE_BUFFER\", or leave Type out") \
    X(TENSOR_DATA_TYPE, "tensor.data-type", SEV_ERROR, CLASS_PLAIN, \
      "DataType is a known type, not UNKNOWN.", \
      "use one of FLOAT32 FLOAT16 FLOAT64 INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64") \
    X(TENSOR_DIMENSION_COUNT, "tensor.dimension-count", SEV_ERROR, CLASS_PLAIN, \
      "A tensor's DimensionCount, if given, equals the length of Sizes, and is 1 to 8.", \
      "make DimensionCount the length of Sizes, 1 to 8") \
    X(TENSOR_SIZES_ZERO, "tensor.sizes-zero", SEV_ERROR, CLASS_PLAIN, "No size of a tensor is 0.", \
      "use sizes of 1 or more") \
    X(TENSOR_ELEMENT_COUNT, "tensor.element-count", SEV_ERROR, CLASS_RANGE, \
      "The product of a tensor's sizes is at most 4294967295.", "use fewer elements") \
    X(TENSOR_STRIDES_COUNT, "tensor.strides-count", SEV_ERROR, CLASS_PLAIN, \
      "Strides, if given, has as many entries as Sizes.", \
      "give one stride per size, or leave Strides out") \
    X(TENSOR_TOTAL_SIZE, "tensor.total-size", SEV_ERROR, CLASS_PLAIN, \
      "TotalTensorSizeInBytes, if given, is at least what sizes, strides and data type imply.", \
      "give at least the implied size, or leave the field out") \
    X(TENSOR_TOTAL_SIZE_ALIGNMENT, "tensor.total-size-alignment", SEV_ERROR, CLASS_LIMIT, \
      "TotalTensorSizeInBytes, if given, is a multiple of 4.", \
      "round the size up to a multiple of 4") \
    X(TENSOR_BASE_ALIGNMENT, "tensor.base-alignment", SEV_ERROR, CLASS_LIMIT, \
      "GuaranteedBaseOffsetAlignment is 0, or a power of two not below the element size.", \
      "use 0 or such a power of two") \
    X(TENSOR_FLAGS_OUTPUT, "tensor.flags-output", SEV_ERROR, CLASS_PLAIN, \
      "OWNED_BY_DML stands on input tensors only.", "use NONE on an output") \
    X(TENSOR_OUTPUT_OVERLAP, "tensor.output-overlap", SEV_ERROR, CLASS_PLAIN, \
      "The strides of an output never send two coordinates to one element.", \
      "use strides under which every element has a place of its own") \
    X(SLICE_DIMENSION_COUNT, "slice.dimension-count", SEV_ERROR, CLASS_PLAIN, \
      "DimensionCount equals the dimension counts of both tensors.", \
      "use one dimension count throughout") \
    X(SLICE_ARRAY_LENGTH, "slice.array-length", SEV_ERROR, CLASS_PLAIN, \
      "Each window array has DimensionCount entries.", "give one entry per dimension") \
    X(SLICE_DATA_TYPE_MISMATCH, "slice.data-type-mismatch", SEV_ERROR, CLASS_PLAIN, \
      "Input and output have one data type.", "give both tensors the same DataType") \
    X(SLICE_WINDOW_EMPTY, "slice.window-empty", SEV_ERROR, CLASS_PLAIN, \
      "Every window size is at least 1.", "use a window of 1 or more") \
    X(SLICE_WINDOW_BOUNDS, "slice.window-bounds", SEV_ERROR, CLASS_PLAIN, \
      "The window lies within the input: offset plus size is at most the input's size.", \
      "move or shrink the window") \
    X(SLICE_STRIDE_ZERO, "slice.stride-zero", SEV_ERROR, CLASS_PLAIN, "No window stride is 0.", \
      "use 1 to take every element") \
    X(SLICE_OUTPUT_SIZE, "slice.output-size", SEV_ERROR, CLASS_PLAIN, \
      "Every output size is 1 to 1 + (window size - 1) / |stride|; for SLICE it equals Sizes.", \
      "use an output size in that range") \
    X(TOPK_AXIS, "topk.axis", SEV_ERROR, CLASS_PLAIN, \
      "Axis is below the input's dimension count.", "use an axis of the input") \
    X(TOPK_K_ZERO, "topk.k-zero", SEV_ERROR, CLASS_PLAIN, "K is at least 1.", \
      "use a K of 1 or more") \
    X(TOPK_K_EXCEEDS_AXIS, "topk.k-exceeds-axis", SEV_ERROR, CLASS_PLAIN, \
      "K is at most the size of the axis.", "use a smaller K") \
    X(TOPK_K_EQUALS_AXIS, "topk.k-equals-axis", SEV_ERROR, CLASS_LIMIT, \
      "K is below the size of the axis, as the reference page asks.", \
      "use a smaller K, or --relaxed to sort the whole axis") \
    X(TOPK_VALUE_SIZES, "topk.value-sizes", SEV_ERROR, CLASS_PLAIN, \
      "OutputValueTensor has the input's sizes, with K at Axis.", "use those sizes") \
    X(TOPK_INDEX_SIZES, "topk.index-sizes", SEV_ERROR, CLASS_PLAIN, \
      "OutputIndexTensor has the input's sizes, with K at Axis.", "use those sizes") \
    X(TOPK_DIMENSION_COUNT, "topk.dimension-count", SEV_ERROR, CLASS_PLAIN, \
      "The three tensors have one dimension count.", "use one dimension count throughout") \
    X(TOPK_DATA_TYPE_MISMATCH, "topk.data-type-mismatch", SEV_ERROR, CLASS_PLAIN, \
      "Input and values have one data type.", "give both tensors the same DataType") \
    X(TOPK_INDEX_DATA_TYPE, "topk.index-data-type", SEV_ERROR, CLASS_PLAIN, \
      "Indices are UINT32; from feature level 5_0 also UINT64.", "use UINT32") \
    X(TOPK_AXIS_DIRECTION, "topk.axis-direction", SEV_ERROR, CLASS_PLAIN, \
      "AxisDirection is DML_AXIS_DIRECTION_INCREASING or DML_AXIS_DIRECTION_DECREASING.", \
      "use one of the two names") \
    X(QMATMUL_BATCH, "qmatmul.batch", SEV_ERROR, CLASS_PLAIN, \
      "A, B and output have the same batch and channel sizes.", \
      "make the leading sizes equal; broadcast with a stride of 0") \
    X(QMATMUL_INNER, "qmatmul.inner", SEV_ERROR, CLASS_PLAIN, \
      "A's K (last size) equals B's K (last size but one).", "make the two sizes equal") \
    X(QMATMUL_OUTPUT_SIZES, "qmatmul.output-sizes", SEV_ERROR, CLASS_PLAIN, \
      "The output is {B,C,M,N}: A's rows by B's columns.", "use A's M and B's N") \
    X(QMATMUL_DIMENSION_COUNT, "qmatmul.dimension-count", SEV_ERROR, CLASS_PLAIN, \
      "A, B and output have one dimension count.", "use one dimension count throughout") \
    X(QMATMUL_A_SCALE_SIZES, "qmatmul.a-scale-sizes", SEV_ERROR, CLASS_PLAIN, \
      "AScaleTensor is {1,1,1,1} or {1,1,M,1}.", "use one scale, or one per row of A") \
    X(QMATMUL_A_ZERO_POINT_SIZES, "qmatmul.a-zero-point-sizes", SEV_ERROR, CLASS_PLAIN, \
      "AZeroPointTensor is {1,1,1,1} or {1,1,M,1}.", "use one zero point, or one per row of A") \
    X(QMATMUL_B_SCALE_SIZES, "qmatmul.b-scale-sizes", SEV_ERROR, CLASS_PLAIN, \
      "BScaleTensor is {1,1,1,1} or {1,1,1,N}.", "use one scale, or one per column of B") \
    X(QMATMUL_B_ZERO_POINT_SIZES, "qmatmul.b-zero-point-sizes", SEV_ERROR, CLASS_PLAIN, \
      "BZeroPointTensor is {1,1,1,1} or {1,1,1,N}.", "use one zero point, or one per column of B") \
    X(QMATMUL_OUTPUT_SCALE_SIZES, "qmatmul.output-scale-sizes", SEV_ERROR, CLASS_PLAIN, \
      "OutputScaleTensor is {1,1,1,1} or {1,1,M,1}.", \
      "use one scale, or one per row of the output") \
    X(QMATMUL_OUTPUT_ZERO_POINT_SIZES, "qmatmul.output-zero-point-sizes", SEV_ERROR, CLASS_PLAIN, \
      "OutputZeroPointTensor is {1,1,1,1} or {1,1,M,1}.", \
      "use one zero point, or one per row of the output") \
    X(QMATMUL_SCALE_DATA_TYPE, "qmatmul.scale-data-type", SEV_ERROR, CLASS_PLAIN, \
      "Scales are FLOAT32.", "use FLOAT32") \
    X(QMATMUL_A_ZERO_POINT_DATA_TYPE, "qmatmul.a-zero-point-data-type", SEV_ERROR, CLASS_PLAIN, \
      "AZeroPointTensor has the data type of ATensor.", "use A's DataType") \
    X(QMATMUL_B_ZERO_POINT_DATA_TYPE, "qmatmul.b-zero-point-data-type", SEV_ERROR, CLASS_PLAIN, \
      "BZeroPointTensor has the data type of BTensor.", "use B's DataType") \
    X(QMATMUL_OUTPUT_ZERO_POINT_DATA_TYPE, "qmatmul.output-zero-point-data-type", SEV_ERROR, \
      CLASS_PLAIN, "OutputZeroPointTensor has the data type of OutputTensor.", \
      "use the output's DataType") \
    X(QMATMUL_DATA_TYPE, "qmatmul.data-type", SEV_ERROR, CLASS_PLAIN, \
      "A, B and output are INT8 or UINT8, in any mix.", "use INT8 or UINT8") \
    X(QMATMUL_SCALE_VALUE, "qmatmul.scale-value", SEV_ERROR, CLASS_DATA, \
      "Scales are finite, and an output scale is not 0 (checked when data is bound).", \
      "mend the scale at the index named") \
    X(SUPPORT_OPERATOR, "support.operator", SEV_ERROR, CLASS_LIMIT, \
      "The operator exists at the feature level.", "choose a higher --feature-level") \
    X(SUPPORT_DIMENSION_COUNT, "support.dimension-count", SEV_ERROR, CLASS_LIMIT, \
      "The dimension count is one that the operator takes at the feature level.", \
      "use a dimension count in the range named") \
    X(SUPPORT_DATA_TYPE, "support.data-type", SEV_ERROR, CLASS_LIMIT, \
      "The data type is one that the operator takes at the feature level.", \
      "use one of the types named") \
    X(BIND_DATA_TYPE, "bind.data-type", SEV_ERROR, CLASS_DATA, \
      "A file has the data type of the tensor that it is bound to.", \
      "change the DataType, or convert the file") \
    X(BIND_SIZES, "bind.sizes", SEV_ERROR, CLASS_DATA, \
      "A file has the sizes of the tensor that it is bound to, up to leading ones.", \
      "change the Sizes, or bind another file") \
    X(BIND_BUFFER_LENGTH, "bind.buffer-length", SEV_ERROR, CLASS_DATA, \
      "A file bound to a tensor with Strides holds as many elements as the strides reach.", \
      "bind a larger file, or use smaller strides") \
    X(RUN_RESOURCE_UNKNOWN, "run.resource-unknown", SEV_ERROR, CLASS_PLAIN, \
      "Bindings, print and writeFile name resources of the model.", \
      "use one of the model's resources, or add it") \
    X(RUN_DISPATCHABLE_UNKNOWN, "run.dispatchable-unknown", SEV_ERROR, CLASS_PLAIN, \
      "A dispatch names a dispatchable of the model.", \
      "use one of the model's dispatchables, or add it") \
    X(RUN_COMMAND_UNKNOWN, "run.command-unknown", SEV_ERROR, CLASS_PLAIN, \
      "A command's type is dispatch, print or writeFile.", "use one of the three") \
    X(RUN_INITIAL_VALUES, "run.initial-values", SEV_ERROR, CLASS_PLAIN, \
      "Initial values have one of the five forms: an array, a constant, a sequence, a file, a " \
      "list of typed values.", \
      "write an array of numbers, { valueCount, value }, { valueCount, valueStart, valueDelta }, " \
      "{ sourcePath }, " \
      "or a list of { name, type, value }") \
    X(RUN_INITIAL_TYPE, "run.initial-type", SEV_ERROR, CLASS_PLAIN, \
      "The data type of initial values is given, unless the file or the list has types of its " \
      "own.", \
      "add initialValuesDataType") \
    X(RUN_VALUE_RANGE, "run.value-range", SEV_ERROR, CLASS_PLAIN, \
      "An initial value fits its data type.", \
      "use a value in the range of the type, or another type") \
    X(RUN_RESOURCE_SIZE, "run.resource-size", SEV_ERROR, CLASS_PLAIN, \
      "A resource has a size, and its initial values fit in it.", \
      "make sizeInBytes at least the size named, or leave it out") \
    X(RUN_SOURCE_FILE, "run.source-file", SEV_ERROR, CLASS_DATA, \
      "The file that a resource begins with can be read, and is .npy, .dat or .bin.", \
      "mend the path; it is looked up beside the model file, then in the current folder") \
    X(RUN_TENSOR_UNKNOWN, "run.tensor-unknown", SEV_ERROR, CLASS_PLAIN, \
      "Bindings name tensors of the operator.", "use one of the operator's tensor names") \
    X(RUN_TENSOR_UNBOUND, "run.tensor-unbound", SEV_ERROR, CLASS_PLAIN, \
      "Every tensor of the descriptor is bound to a resource.", "add the binding") \
    X(RUN_BOUND_TWICE, "run.bound-twice", SEV_ERROR, CLASS_PLAIN, \
      "No tensor is bound both at initialization and at execution.", \
      "delete one of the two bindings") \
    X(RUN_BINDING_PHASE, "run.binding-phase", SEV_ERROR, CLASS_PLAIN, \
      "A tensor is bound by its dispatchable if it is OWNED_BY_DML, and by the dispatch command " \
      "if not.", \
      "move the binding, or change the tensor's Flags") \
    X(RUN_BINDING_SIZE, "run.binding-size", SEV_ERROR, CLASS_PLAIN, \
      "A bound buffer has, from the binding's offset on, at least the bytes that the tensor " \
      "needs.", \
      "bind a larger resource, or begin earlier in it") \
    X(RUN_BINDING_ALIGNMENT, "run.binding-alignment", SEV_ERROR, CLASS_PLAIN, \
      "A binding begins at a multiple of the tensor's element size and of its " \
      "GuaranteedBaseOffsetAlignment.", \
      "use an elementOffset at such a multiple") \
    X(RUN_OUTPUT_OVERLAP, "run.output-overlap", SEV_ERROR, CLASS_PLAIN, \
      "An output of a dispatch shares no bytes with another tensor of it.", \
      "bind the output to a resource, or a part of one, of its own") \
    X(RUN_PATH_OUTSIDE, "run.path-outside", SEV_ERROR, CLASS_PLAIN, \
      "A writeFile's targetPath lies below the output folder: no absolute path, no '..'.", \
      "use a relative path below the folder, or run with --allow-outside") \
    X(RUN_FILE_TYPE, "run.file-type", SEV_ERROR, CLASS_PLAIN, \
      "A writeFile's targetPath ends in .npy, .dat, .bin or .json.", "use one of these endings") \
    X(RUN_DIMENSIONS, "run.dimensions", SEV_ERROR, CLASS_PLAIN, \
      "A writeFile's dimensions multiply to the number of elements of the resource.", \
      "use dimensions with that product, or leave them out") \
    X(PORTABLE_NULL_TENSOR, "portable.null-tensor", SEV_WARNING, CLASS_PORTABLE, \
      "DxDispatch takes no null for an optional tensor.", "leave the tensor out") \
    X(PORTABLE_TYPE_CASE, "portable.type-case", SEV_WARNING, CLASS_PORTABLE, \
      "DxDispatch knows the operator of a dispatchable by 'type', not by 'Type'.", \
      "write \"type\"") \
    X(PORTABLE_DIMENSION_COUNT, "portable.dimension-count", SEV_WARNING, CLASS_PORTABLE, \
      "DxDispatch wants the operator's DimensionCount.", "add it") \
    X(PORTABLE_NPY_BYTE_ORDER, "portable.npy-byte-order", SEV_WARNING, CLASS_PORTABLE, \
      "DxDispatch does not swap the bytes of a big-endian .npy file.", \
      "write the file in little-endian order") \
    X(PORTABLE_NPY_BOOL, "portable.npy-bool", SEV_WARNING, CLASS_PORTABLE, \
      "DxDispatch reads bool in an .npy file as INT8, dmlop as UINT8.", \
      "write the file with an integer type") \
    X(PORTABLE_NPY_SHORT, "portable.npy-short", SEV_WARNING, CLASS_PORTABLE, \
      "DxDispatch fills an .npy file that is shorter than its header says with zeros; dmlop " \
      "refuses it.", \
      "write the whole file")

enum rule {
#define X(name, id, severity, of, sentence, remedy) RULE_##name,
    DMLOP_RULES(X)
#undef X
    RULE_COUNT
};

struct rule_info {
    const char *id, *sentence, *remedy;
    enum severity severity;
    enum rule_class of;
};

extern const struct rule_info rule_table[RULE_COUNT];

#endif
