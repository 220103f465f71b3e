#ifndef DMLOP_DESC_RULE_LIST_H
#define DMLOP_DESC_RULE_LIST_H

enum severity { SEV_ERROR, SEV_WARNING };

/* "error" or "warning". */
const char *severity_name(enum severity severity);

enum rule_class {
    CLASS_PLAIN,
    CLASS_LIMIT,    /* a documented limit that safety does not need: a warning with --relaxed */
    CLASS_DATA,     /* about the contents of a file: exit status 3 */
    CLASS_PORTABLE, /* checked with --portable only */
    CLASS_RANGE,    /* about numbers that DirectML's C types cannot hold */
};

/* All rules: X(NAME, "id", severity, class, "sentence", "remedy"). The enum, `validate --rules`,
 * the manual's list (dmlop-rules(7)) and the tests read them. An id never changes its meaning. */
#define DMLOP_RULES(X) \
    X(JSON_SYNTAX, "json.syntax", SEV_ERROR, CLASS_PLAIN, \
      "The text must be JSON; comments and trailing commas are allowed.", \
      "fix the text at the place shown") \
    X(JSON_DUPLICATE_KEY, "json.duplicate-key", SEV_ERROR, CLASS_PLAIN, \
      "An object must not have the same key twice.", "delete one of the two") \
    X(DESC_NOT_OBJECT, "desc.not-object", SEV_ERROR, CLASS_PLAIN, \
      "A descriptor must be a JSON object.", "write { \"type\": ..., \"desc\": { ... } }") \
    X(DESC_OPERATOR_UNKNOWN, "desc.operator-unknown", SEV_ERROR, CLASS_PLAIN, \
      "The type must name an operator of DirectML.", \
      "use one of the names in dmlop-operators(7), with or without DML_OPERATOR_") \
    X(DESC_OPERATOR_UNSUPPORTED, "desc.operator-unsupported", SEV_WARNING, CLASS_PLAIN, \
      "A dispatchable must be an operator of DirectML: HLSL shaders, ONNX models and serialized " \
      "graphs are not checked.", \
      "check it with DxDispatch") \
    X(DESC_OPERATOR_MISSING, "desc.operator-missing", SEV_ERROR, CLASS_PLAIN, \
      "A descriptor must name its operator with 'type', unless the command implies it.", \
      "add \"type\": \"DML_OPERATOR_...\"") \
    X(DESC_FIELD_MISSING, "desc.field-missing", SEV_ERROR, CLASS_PLAIN, \
      "Every required field must be present.", "add the field") \
    X(DESC_FIELD_UNKNOWN, "desc.field-unknown", SEV_WARNING, CLASS_PLAIN, \
      "Every key must be the name of a field of its object.", \
      "correct the spelling of the key, or delete it") \
    X(DESC_FIELD_TYPE, "desc.field-type", SEV_ERROR, CLASS_PLAIN, \
      "Every field must have its JSON type: number, string, array or object.", \
      "write a value of the type named") \
    X(DESC_FIELD_RANGE, "desc.field-range", SEV_ERROR, CLASS_RANGE, \
      "A number must fit its C type: UINT 0 to 4294967295, INT -2147483648 to 2147483647, FLOAT " \
      "up to 3.4e38.", \
      "write a number in this range; a whole number has no fraction and exponent") \
    X(DESC_ENUM_UNKNOWN, "desc.enum-unknown", SEV_ERROR, CLASS_PLAIN, \
      "The name of an enumeration value must be one that exists.", "use one of the names listed") \
    X(DESC_ARRAY_LENGTH, "desc.array-length", SEV_ERROR, CLASS_PLAIN, \
      "An array must have as many entries as the field that counts them says.", \
      "make the two equal") \
    X(DESC_SAME_DATA_TYPE, "desc.same-data-type", SEV_ERROR, CLASS_PLAIN, \
      "Tensors of an operator that must have the same data type must agree.", \
      "give them the same DataType") \
    X(DESC_SAME_DIMENSION_COUNT, "desc.same-dimension-count", SEV_ERROR, CLASS_PLAIN, \
      "Tensors of an operator that must have the same number of dimensions must agree.", \
      "use the same number of dimensions; leading sizes of 1 can be added") \
    X(DESC_SAME_SIZES, "desc.same-sizes", SEV_ERROR, CLASS_PLAIN, \
      "Tensors of an operator that must have the same sizes must agree; Strides of 0 broadcast " \
      "an " \
      "input.", \
      "make the sizes equal") \
    X(DESC_SCALAR_TYPE, "desc.scalar-type", SEV_ERROR, CLASS_PLAIN, \
      "The data type of a scalar field must be that of the output tensor.", \
      "use the output's data type") \
    X(DESC_ACTIVATION, "desc.activation", SEV_ERROR, CLASS_PLAIN, \
      "A fused activation must be one that the operator can compute with its own work.", \
      "use another activation, or a dispatchable of its own") \
    X(DESC_ACTIVATION_TENSOR, "desc.activation-tensor", SEV_WARNING, CLASS_PLAIN, \
      "A fused activation must have no tensors of its own: DirectML's page requires NULL, and " \
      "DxDispatch does not read them.", \
      "leave the tensors out") \
    X(SHAPE_SIZE, "shape.size", SEV_ERROR, CLASS_PLAIN, \
      "The sizes of an operator's tensors must be those that its other fields give.", \
      "use the size that the message computes") \
    X(SHAPE_DIMENSION_COUNT, "shape.dimension-count", SEV_ERROR, CLASS_PLAIN, \
      "A tensor must have the number of dimensions that the operator's other fields require.", \
      "use the number of dimensions named") \
    X(SHAPE_AXIS, "shape.axis", SEV_ERROR, CLASS_PLAIN, \
      "An axis must be less than the tensor's number of dimensions, and be given once.", \
      "use an axis of the tensor; axes are counted from 0") \
    X(SHAPE_VALUE, "shape.value", SEV_ERROR, CLASS_PLAIN, \
      "A number must be in the range that the operator's other fields allow.", \
      "use a number in the range named") \
    X(SHAPE_DATA_TYPE, "shape.data-type", SEV_ERROR, CLASS_PLAIN, \
      "A tensor must have a data type that the operator's other fields allow.", \
      "use one of the types named") \
    X(SHAPE_TENSOR, "shape.tensor", SEV_ERROR, CLASS_PLAIN, \
      "Optional tensors must be given, or left out, as the operator's other fields require.", \
      "add the tensor, or leave it out") \
    X(TENSOR_TYPE, "tensor.type", SEV_ERROR, CLASS_PLAIN, \
      "A tensor's Type, if given, must be BUFFER.", \
      "write \"DML_TENSOR_TYPE_BUFFER\", or leave Type out") \
    X(TENSOR_DATA_TYPE, "tensor.data-type", SEV_ERROR, CLASS_PLAIN, \
      "DataType must be a known type other than UNKNOWN.", \
      "use one of FLOAT32 FLOAT16 FLOAT64 INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64") \
    X(TENSOR_DIMENSION_COUNT, "tensor.dimension-count", SEV_ERROR, CLASS_PLAIN, \
      "A tensor must have 1 to 8 dimensions; its DimensionCount, if given, must be the length " \
      "of Sizes.", \
      "make DimensionCount the length of Sizes, 1 to 8") \
    X(TENSOR_SIZES_ZERO, "tensor.sizes-zero", SEV_ERROR, CLASS_PLAIN, \
      "Every size of a tensor must be at least 1.", "use sizes of 1 or more") \
    X(TENSOR_ELEMENT_COUNT, "tensor.element-count", SEV_ERROR, CLASS_RANGE, \
      "The product of a tensor's sizes must be at most 4294967295.", "use fewer elements") \
    X(TENSOR_STRIDES_COUNT, "tensor.strides-count", SEV_ERROR, CLASS_PLAIN, \
      "Strides, if given, must have as many entries as Sizes.", \
      "give one stride per size, or leave Strides out") \
    X(TENSOR_TOTAL_SIZE, "tensor.total-size", SEV_ERROR, CLASS_PLAIN, \
      "TotalTensorSizeInBytes, if given, must be at least what Sizes, Strides and DataType " \
      "require.", \
      "give at least the required size, or leave the field out") \
    X(TENSOR_TOTAL_SIZE_ALIGNMENT, "tensor.total-size-alignment", SEV_ERROR, CLASS_LIMIT, \
      "TotalTensorSizeInBytes, if given, must be a multiple of 4.", \
      "round the size up to a multiple of 4") \
    X(TENSOR_BASE_ALIGNMENT, "tensor.base-alignment", SEV_ERROR, CLASS_LIMIT, \
      "GuaranteedBaseOffsetAlignment must be 0, or a power of two that is at least the " \
      "element size.", \
      "use 0, or a power of two that is at least the element size") \
    X(TENSOR_FLAGS_OUTPUT, "tensor.flags-output", SEV_ERROR, CLASS_PLAIN, \
      "OWNED_BY_DML must be set on input tensors only.", "use NONE for an output") \
    X(TENSOR_OUTPUT_OVERLAP, "tensor.output-overlap", SEV_ERROR, CLASS_PLAIN, \
      "The strides of an output must not put two elements at the same address.", \
      "use strides that put every element at an address of its own") \
    X(SLICE_DIMENSION_COUNT, "slice.dimension-count", SEV_ERROR, CLASS_PLAIN, \
      "DimensionCount must be the number of dimensions of both tensors.", \
      "use the same number of dimensions everywhere") \
    X(SLICE_ARRAY_LENGTH, "slice.array-length", SEV_ERROR, CLASS_PLAIN, \
      "The offsets, sizes and strides must have DimensionCount entries each.", \
      "give one entry per dimension") \
    X(SLICE_DATA_TYPE_MISMATCH, "slice.data-type-mismatch", SEV_ERROR, CLASS_PLAIN, \
      "Input and output must have the same data type.", "give both tensors the same DataType") \
    X(SLICE_WINDOW_EMPTY, "slice.window-empty", SEV_ERROR, CLASS_PLAIN, \
      "Every window size must be at least 1.", "use 1 or more") \
    X(SLICE_WINDOW_BOUNDS, "slice.window-bounds", SEV_ERROR, CLASS_PLAIN, \
      "The window must lie within the input: offset + size must be at most the input's size.", \
      "move or shrink the window") \
    X(SLICE_STRIDE_ZERO, "slice.stride-zero", SEV_ERROR, CLASS_PLAIN, \
      "A window stride must not be 0.", "use 1 to take every element") \
    X(SLICE_OUTPUT_SIZE, "slice.output-size", SEV_ERROR, CLASS_PLAIN, \
      "Every output size must be from 1 to 1 + (window size - 1) / |stride|; for SLICE it " \
      "must equal Sizes.", \
      "use an output size in that range") \
    X(TOPK_AXIS, "topk.axis", SEV_ERROR, CLASS_PLAIN, \
      "Axis must be less than the input's number of dimensions.", \
      "use an axis of the input; axes are counted from 0") \
    X(TOPK_K_ZERO, "topk.k-zero", SEV_ERROR, CLASS_PLAIN, "K must be at least 1.", \
      "use 1 or more") \
    X(TOPK_K_EXCEEDS_AXIS, "topk.k-exceeds-axis", SEV_ERROR, CLASS_PLAIN, \
      "K must be at most the input's size along Axis.", "use a smaller K") \
    X(TOPK_K_EQUALS_AXIS, "topk.k-equals-axis", SEV_ERROR, CLASS_LIMIT, \
      "K must be less than the input's size along Axis, as DirectML's page asks.", \
      "use a smaller K, or --relaxed to sort the whole axis") \
    X(TOPK_VALUE_SIZES, "topk.value-sizes", SEV_ERROR, CLASS_PLAIN, \
      "OutputValueTensor must have the input's sizes, except for K along Axis.", \
      "use those sizes") \
    X(TOPK_INDEX_SIZES, "topk.index-sizes", SEV_ERROR, CLASS_PLAIN, \
      "OutputIndexTensor must have the input's sizes, except for K along Axis.", \
      "use those sizes") \
    X(TOPK_DIMENSION_COUNT, "topk.dimension-count", SEV_ERROR, CLASS_PLAIN, \
      "The three tensors must have the same number of dimensions.", \
      "use the same number of dimensions everywhere") \
    X(TOPK_DATA_TYPE_MISMATCH, "topk.data-type-mismatch", SEV_ERROR, CLASS_PLAIN, \
      "InputTensor and OutputValueTensor must have the same data type.", \
      "give both tensors the same DataType") \
    X(TOPK_INDEX_DATA_TYPE, "topk.index-data-type", SEV_ERROR, CLASS_PLAIN, \
      "Indices must be UINT32 or, from feature level 5_0 on, UINT64.", "use UINT32") \
    X(TOPK_AXIS_DIRECTION, "topk.axis-direction", SEV_ERROR, CLASS_PLAIN, \
      "AxisDirection must be DML_AXIS_DIRECTION_INCREASING or DML_AXIS_DIRECTION_DECREASING.", \
      "use one of the two names") \
    X(QMATMUL_BATCH, "qmatmul.batch", SEV_ERROR, CLASS_PLAIN, \
      "A, B and the output must have the same batch and channel sizes.", \
      "make these sizes equal; Strides of 0 repeat one matrix") \
    X(QMATMUL_INNER, "qmatmul.inner", SEV_ERROR, CLASS_PLAIN, \
      "A must have as many columns as B has rows (both are K).", "make the two sizes equal") \
    X(QMATMUL_OUTPUT_SIZES, "qmatmul.output-sizes", SEV_ERROR, CLASS_PLAIN, \
      "The output must be {B,C,M,N}: as many rows as A, as many columns as B.", \
      "use A's number of rows and B's number of columns") \
    X(QMATMUL_DIMENSION_COUNT, "qmatmul.dimension-count", SEV_ERROR, CLASS_PLAIN, \
      "A, B and the output must have the same number of dimensions.", \
      "use the same number of dimensions everywhere") \
    X(QMATMUL_A_SCALE_SIZES, "qmatmul.a-scale-sizes", SEV_ERROR, CLASS_PLAIN, \
      "The sizes of AScaleTensor must be {1,1,1,1} or {1,1,M,1}.", \
      "use one scale, or one per row of A") \
    X(QMATMUL_A_ZERO_POINT_SIZES, "qmatmul.a-zero-point-sizes", SEV_ERROR, CLASS_PLAIN, \
      "The sizes of AZeroPointTensor must be {1,1,1,1} or {1,1,M,1}.", \
      "use one zero point, or one per row of A") \
    X(QMATMUL_B_SCALE_SIZES, "qmatmul.b-scale-sizes", SEV_ERROR, CLASS_PLAIN, \
      "The sizes of BScaleTensor must be {1,1,1,1} or {1,1,1,N}.", \
      "use one scale, or one per column of B") \
    X(QMATMUL_B_ZERO_POINT_SIZES, "qmatmul.b-zero-point-sizes", SEV_ERROR, CLASS_PLAIN, \
      "The sizes of BZeroPointTensor must be {1,1,1,1} or {1,1,1,N}.", \
      "use one zero point, or one per column of B") \
    X(QMATMUL_OUTPUT_SCALE_SIZES, "qmatmul.output-scale-sizes", SEV_ERROR, CLASS_PLAIN, \
      "The sizes of OutputScaleTensor must be {1,1,1,1} or {1,1,M,1}.", \
      "use one scale, or one per row of the output") \
    X(QMATMUL_OUTPUT_ZERO_POINT_SIZES, "qmatmul.output-zero-point-sizes", SEV_ERROR, CLASS_PLAIN, \
      "The sizes of OutputZeroPointTensor must be {1,1,1,1} or {1,1,M,1}.", \
      "use one zero point, or one per row of the output") \
    X(QMATMUL_SCALE_DATA_TYPE, "qmatmul.scale-data-type", SEV_ERROR, CLASS_PLAIN, \
      "Scales must be FLOAT32.", "use FLOAT32") \
    X(QMATMUL_A_ZERO_POINT_DATA_TYPE, "qmatmul.a-zero-point-data-type", SEV_ERROR, CLASS_PLAIN, \
      "AZeroPointTensor must have the data type of ATensor.", "use A's DataType") \
    X(QMATMUL_B_ZERO_POINT_DATA_TYPE, "qmatmul.b-zero-point-data-type", SEV_ERROR, CLASS_PLAIN, \
      "BZeroPointTensor must have the data type of BTensor.", "use B's DataType") \
    X(QMATMUL_OUTPUT_ZERO_POINT_DATA_TYPE, "qmatmul.output-zero-point-data-type", SEV_ERROR, \
      CLASS_PLAIN, "OutputZeroPointTensor must have the data type of OutputTensor.", \
      "use the output's DataType") \
    X(QMATMUL_DATA_TYPE, "qmatmul.data-type", SEV_ERROR, CLASS_PLAIN, \
      "A, B and the output must each be INT8 or UINT8.", "use INT8 or UINT8") \
    X(QMATMUL_SCALE_VALUE, "qmatmul.scale-value", SEV_ERROR, CLASS_DATA, \
      "Scales must be finite and not 0 as FLOAT32 (checked when data are bound).", \
      "correct the scale at the index named") \
    X(SUPPORT_OPERATOR, "support.operator", SEV_ERROR, CLASS_LIMIT, \
      "The operator must exist at the feature level.", "choose a higher --feature-level") \
    X(SUPPORT_VALUE, "support.value", SEV_ERROR, CLASS_LIMIT, \
      "A value of an enumeration, or a fused activation, must exist at the feature level.", \
      "use another value, or choose a higher --feature-level") \
    X(SUPPORT_DIMENSION_COUNT, "support.dimension-count", SEV_ERROR, CLASS_LIMIT, \
      "The operator must support the number of dimensions at the feature level.", \
      "use a number of dimensions in the range named") \
    X(SUPPORT_DATA_TYPE, "support.data-type", SEV_ERROR, CLASS_LIMIT, \
      "The operator must support the data type at the feature level.", \
      "use one of the types named") \
    X(BIND_DATA_TYPE, "bind.data-type", SEV_ERROR, CLASS_DATA, \
      "A file must have the data type of the tensor that it is bound to.", \
      "change the DataType, or convert the file") \
    X(BIND_SIZES, "bind.sizes", SEV_ERROR, CLASS_DATA, \
      "A file must have the sizes of the tensor that it is bound to; leading sizes of 1 do " \
      "not count.", \
      "change the Sizes, or bind another file") \
    X(BIND_BUFFER_LENGTH, "bind.buffer-length", SEV_ERROR, CLASS_DATA, \
      "A file that is bound to a tensor with Strides must hold every element that the strides " \
      "reach.", \
      "bind a larger file, or use smaller strides") \
    X(RUN_RESOURCE_UNKNOWN, "run.resource-unknown", SEV_ERROR, CLASS_PLAIN, \
      "Bindings, print and writeFile must name resources of the model.", \
      "use one of the model's resources, or add it") \
    X(RUN_DISPATCHABLE_UNKNOWN, "run.dispatchable-unknown", SEV_ERROR, CLASS_PLAIN, \
      "A dispatch must name a dispatchable of the model.", \
      "use one of the model's dispatchables, or add it") \
    X(RUN_COMMAND_UNKNOWN, "run.command-unknown", SEV_ERROR, CLASS_PLAIN, \
      "A command's type must be dispatch, print or writeFile.", "use one of the three") \
    X(RUN_INITIAL_VALUES, "run.initial-values", SEV_ERROR, CLASS_PLAIN, \
      "initialValues must be an array, a constant, a sequence, a file, a list of typed values, " \
      "or deferred.", \
      "write an array of numbers, { valueCount, value }, { valueCount, valueStart, valueDelta " \
      "}, { sourcePath }, a list of { name, type, value }, or \"deferred\"") \
    X(RUN_INITIAL_TYPE, "run.initial-type", SEV_ERROR, CLASS_PLAIN, \
      "initialValuesDataType must be given, unless the file or the list has types of its own.", \
      "add initialValuesDataType") \
    X(RUN_VALUE_RANGE, "run.value-range", SEV_ERROR, CLASS_PLAIN, \
      "An initial value must fit its data type.", \
      "use a value in the range of the type, or another type") \
    X(RUN_SEQUENCE_RANGE, "run.sequence-range", SEV_WARNING, CLASS_PLAIN, \
      "Every value of a sequence must fit its data type.", \
      "use a smaller valueCount, another valueDelta, or another type") \
    X(RUN_RESOURCE_SIZE, "run.resource-size", SEV_ERROR, CLASS_PLAIN, \
      "A resource must have a size, and its initial values must fit in it.", \
      "make sizeInBytes at least the size named, or leave it out") \
    X(RUN_DEFERRED, "run.deferred", SEV_ERROR, CLASS_PLAIN, \
      "A deferred resource must be bound by dispatches of ONNX models only, and by one of them " \
      "before it is printed or written.", \
      "give the resource initial values") \
    X(RUN_SOURCE_FILE, "run.source-file", SEV_ERROR, CLASS_DATA, \
      "sourcePath must name a .npy file or a file of raw data that can be read.", \
      "correct the path; dmlop looks for the file beside the model file, then in the current " \
      "folder") \
    X(RUN_TENSOR_UNKNOWN, "run.tensor-unknown", SEV_ERROR, CLASS_PLAIN, \
      "Bindings must name tensors of the operator.", "use one of the operator's tensor names") \
    X(RUN_TENSOR_UNBOUND, "run.tensor-unbound", SEV_ERROR, CLASS_PLAIN, \
      "Every tensor of the descriptor must be bound to a resource.", "add the binding") \
    X(RUN_BOUND_TWICE, "run.bound-twice", SEV_ERROR, CLASS_PLAIN, \
      "A tensor must not be bound both by its dispatchable and by the dispatch command.", \
      "delete one of the two bindings") \
    X(RUN_BINDING_PHASE, "run.binding-phase", SEV_ERROR, CLASS_PLAIN, \
      "A tensor must be bound by its dispatchable if it is OWNED_BY_DML, and by the dispatch " \
      "command if not.", \
      "move the binding, or change the tensor's Flags") \
    X(RUN_BINDING_SIZE, "run.binding-size", SEV_ERROR, CLASS_PLAIN, \
      "A resource must hold, from the binding's offset on, the bytes that the tensor needs.", \
      "bind a larger resource, or use a smaller offset") \
    X(RUN_BINDING_ALIGNMENT, "run.binding-alignment", SEV_ERROR, CLASS_PLAIN, \
      "A binding must begin at a multiple of the tensor's element size and of its " \
      "GuaranteedBaseOffsetAlignment.", \
      "use an elementOffset that gives such a multiple") \
    X(RUN_OUTPUT_OVERLAP, "run.output-overlap", SEV_ERROR, CLASS_PLAIN, \
      "An output of a dispatch must not share bytes with another of its tensors.", \
      "bind the output to a resource of its own, or to an unused part of one") \
    X(RUN_PATH_OUTSIDE, "run.path-outside", SEV_ERROR, CLASS_PLAIN, \
      "A writeFile's targetPath must be inside the output folder: not absolute, and without " \
      "'..'.", \
      "use a relative path inside the folder, or run with --allow-outside") \
    X(RUN_PATH_WINDOWS, "run.path-windows", SEV_ERROR, CLASS_PLAIN, \
      "A path must be written with '/', and without a drive letter: Windows takes '/' too, and a " \
      "backslash is part of a file's name elsewhere.", \
      "write '/' instead of the backslash, and a relative path instead of a drive") \
    X(RUN_FILE_TYPE, "run.file-type", SEV_ERROR, CLASS_PLAIN, \
      "A writeFile to a .npy or .json file must name a resource with values of one type.", \
      "use another extension, such as .bin, for raw data") \
    X(RUN_DIMENSIONS, "run.dimensions", SEV_ERROR, CLASS_PLAIN, \
      "The product of a writeFile's dimensions must be the number of elements of the resource, " \
      "or at most this number for an image.", \
      "use dimensions with that product, or leave them out") \
    X(PORTABLE_NULL_TENSOR, "portable.null-tensor", SEV_WARNING, CLASS_PORTABLE, \
      "An optional tensor must be left out, not null: DxDispatch does not accept null.", \
      "leave the tensor out") \
    X(PORTABLE_TYPE_CASE, "portable.type-case", SEV_WARNING, CLASS_PORTABLE, \
      "A dispatchable must name its operator with 'type': DxDispatch does not read 'Type' " \
      "there.", \
      "write \"type\"") \
    X(PORTABLE_DIMENSION_COUNT, "portable.dimension-count", SEV_WARNING, CLASS_PORTABLE, \
      "The operator must have a DimensionCount: DxDispatch requires it.", "add it") \
    X(PORTABLE_BYTE_ORDER_MARK, "portable.byte-order-mark", SEV_WARNING, CLASS_PORTABLE, \
      "The text must not begin with a byte-order mark: DxDispatch cannot read it then.", \
      "save the file as UTF-8 without a byte-order mark") \
    X(PORTABLE_FLAGS, "portable.flags", SEV_WARNING, CLASS_PORTABLE, \
      "Flags must be one name, or an array of names, each of them once: DxDispatch does not read " \
      "names joined with '|'.", \
      "write one name, or an array of different names") \
    X(PORTABLE_INITIAL_VALUES, "portable.initial-values", SEV_WARNING, CLASS_PORTABLE, \
      "A resource must have initialValues: DxDispatch does not accept sizeInBytes alone.", \
      "add initial values, for instance { \"valueCount\": 4, \"value\": 0 }") \
    X(PORTABLE_INTEGER, "portable.integer", SEV_WARNING, CLASS_PORTABLE, \
      "An initial value of an integer type must be written without fraction and exponent: " \
      "DxDispatch does not accept 1.0.", \
      "write the number without fraction and exponent") \
    X(PORTABLE_FLOAT, "portable.float", SEV_WARNING, CLASS_PORTABLE, \
      "A value of a float type must be a number that DxDispatch reads as it is: it refuses " \
      "integers that FLOAT64 does not hold, and cuts FLOAT16 off instead of rounding.", \
      "write the number that is meant exactly") \
    X(PORTABLE_NAME, "portable.name", SEV_WARNING, CLASS_PORTABLE, \
      "An operator, an enumeration's value and a type must be one that DxDispatch's parser " \
      "knows: not FOLD, UNFOLD, RESAMPLE3, WRAP, and not FLOAT16 in a list of values with " \
      "types.", \
      "use another one, or run the file with dmlop only") \
    X(PORTABLE_VALUE_COUNT, "portable.value-count", SEV_WARNING, CLASS_PORTABLE, \
      "valueCount must be at most 4294967295: DxDispatch reads it as a UINT.", "use fewer values") \
    X(PORTABLE_IGNORED_KEY, "portable.ignored-key", SEV_WARNING, CLASS_PORTABLE, \
      "A key that dmlop ignores must have a value that DxDispatch accepts.", \
      "correct the value, or leave the key out") \
    X(PORTABLE_FILE_TYPE, "portable.file-type", SEV_WARNING, CLASS_PORTABLE, \
      "The extension of a file must not be .json, .jpg or .png: DxDispatch writes raw data for " \
      ".json, and images for the other two.", \
      "use .npy, or .bin for raw data") \
    X(PORTABLE_NPY_BYTE_ORDER, "portable.npy-byte-order", SEV_WARNING, CLASS_PORTABLE, \
      "A .npy file must be little-endian: DxDispatch does not swap the bytes of a big-endian " \
      "one.", \
      "write the file in little-endian order") \
    X(PORTABLE_NPY_BOOL, "portable.npy-bool", SEV_WARNING, CLASS_PORTABLE, \
      "A .npy file must not be of type bool: DxDispatch reads it as INT8, dmlop as UINT8.", \
      "write the file with an integer type") \
    X(PORTABLE_NPY_SHORT, "portable.npy-short", SEV_WARNING, CLASS_PORTABLE, \
      "A .npy file must be as long as its header says: DxDispatch fills it up with zeros, " \
      "dmlop refuses it.", \
      "write the whole file") \
    X(PORTABLE_NPY_ORDER, "portable.npy-order", SEV_WARNING, CLASS_PORTABLE, \
      "A .npy file must be in C order: DxDispatch does not read Fortran order.", \
      "write the file in C order")

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
