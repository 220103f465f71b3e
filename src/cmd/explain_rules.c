#include "cmd/explain.h"

#define PYTHON(...) #__VA_ARGS__

const struct explanation explanations[RULE_COUNT] = {
    [RULE_JSON_SYNTAX].why =
        "DxDispatch reads JSON with // and /* */ comments and trailing commas. Everything else is as in RFC 8259: "
        "numbers without leading zeros, strings in double quotes and valid UTF-8, one value at the top.",
    [RULE_JSON_DUPLICATE_KEY].why =
        "Readers of JSON disagree on which of two members with one key counts, so that the file would mean one thing "
        "here and another there. DxDispatch passes over it; in a file written by hand it is a mistake.",
    [RULE_DESC_NOT_OBJECT].why =
        "A descriptor is one object with the operator's type and its fields, not a list of them.",
    [RULE_DESC_OPERATOR_UNKNOWN].why =
        "The type is the name of the DML_OPERATOR_TYPE enumeration, with or without DML_OPERATOR_. dmlop has five "
        "operators.",
    [RULE_DESC_OPERATOR_MISSING].why =
        "Nothing else in a descriptor says which operator it is meant for. Only 'dmlop slice -d' and its kin imply "
        "one.",
    [RULE_DESC_FIELD_MISSING].why =
        "DirectML gives no field of an operator a default, but for optional tensors. In a tensor only DataType and "
        "Sizes are required.",
    [RULE_DESC_FIELD_UNKNOWN].why =
        "A key that is no field is passed over, by DxDispatch too: a misspelt optional field is silently not there. "
        "Case matters.",
    [RULE_DESC_FIELD_TYPE].why =
        "Each field has one JSON type: numbers are not written in quotes, arrays not as single values.",
    [RULE_DESC_FIELD_RANGE].why =
        "UINT and INT fields are 32 bits wide. DxDispatch takes integer literals only, so 4.0 and 1e2 are refused "
        "although they are whole.",
    [RULE_DESC_ENUM_UNKNOWN].why =
        "Enumerations are written by their DirectML names, whole or by their last part.",
    [RULE_TENSOR_TYPE].why =
        "DirectML has one kind of tensor description, the buffer: DML_TENSOR_TYPE_BUFFER.",
    [RULE_TENSOR_DATA_TYPE].why =
        "UNKNOWN is a name of the enumeration, but no operator takes a tensor of it.",
    [RULE_TENSOR_DIMENSION_COUNT].why =
        "DimensionCount says how many entries Sizes and Strides have; DirectML takes at most 8. It may be left out "
        "here.",
    [RULE_TENSOR_SIZES_ZERO].why = "DirectML has no empty tensors.",
    [RULE_TENSOR_ELEMENT_COUNT].why = "The number of elements is held in 32 bits.",
    [RULE_TENSOR_STRIDES_COUNT].why =
        "Each dimension has a stride, or none has: without Strides the tensor is packed.",
    [RULE_TENSOR_TOTAL_SIZE].why =
        "The buffer must hold the last element that sizes and strides reach: DMLCalcBufferTensorSize gives the "
        "least, the bytes up to that element rounded up to 4. Larger is fine.",
    [RULE_TENSOR_TOTAL_SIZE_ALIGNMENT].why = "DirectML binds buffers in units of 4 bytes.",
    [RULE_TENSOR_BASE_ALIGNMENT].why =
        "It promises at which multiples of bytes the tensor begins: a power of two, of an element at least. 0 "
        "promises nothing beyond the least that DirectML asks for.",
    [RULE_TENSOR_FLAGS_OUTPUT].why =
        "OWNED_BY_DML hands a tensor to DirectML at initialization, to keep; what an operator writes cannot be "
        "handed over.",
    [RULE_TENSOR_OUTPUT_OVERLAP].why =
        "Two coordinates of an output in one place would leave open which value ends there. Inputs may overlap: a "
        "stride of 0 broadcasts.",
    [RULE_SLICE_DIMENSION_COUNT].why =
        "The operator's DimensionCount is the length of its three arrays, and both tensors have that many dimensions.",
    [RULE_SLICE_ARRAY_LENGTH].why =
        "Each of the three arrays has an entry for every dimension, leading ones of size 1 included.",
    [RULE_SLICE_DATA_TYPE_MISMATCH].why = "Slicing copies elements; it converts nothing.",
    [RULE_SLICE_WINDOW_EMPTY].why =
        "A window without elements would make an empty output, which DirectML does not have.",
    [RULE_SLICE_WINDOW_BOUNDS].why =
        "The window must lie in the input: reading past its end is undefined. Unlike NumPy's slices nothing is "
        "clipped. For SLICE the last element taken, Offsets + (Sizes - 1) * Strides, must be in the input.",
    [RULE_SLICE_STRIDE_ZERO].why =
        "A stride of 0 would take one element for ever. To repeat elements, give the input tensor Strides of 0.",
    [RULE_SLICE_OUTPUT_SIZE].why =
        "A window of size s holds 1 + (s - 1) / |stride| elements, and the output may take fewer. The reference page "
        "divides by the signed stride; read so it would refuse its own reversed example, and the magnitude is meant. "
        "SLICE's Sizes count the output itself.",
    [RULE_TOPK_AXIS].why = "Axes count from 0; negative ones, which NumPy has, do not fit a UINT.",
    [RULE_TOPK_K_ZERO].why = "Without elements the outputs would be empty.",
    [RULE_TOPK_K_EXCEEDS_AXIS].why = "A sequence has no more elements to give than the axis is long.",
    [RULE_TOPK_K_EQUALS_AXIS].why =
        "The reference page asks for a K below the size of the axis. K as large as the axis sorts it, which dmlop "
        "can do: --relaxed makes this a warning.",
    [RULE_TOPK_VALUE_SIZES].why = "Each sequence along Axis becomes one of K values; all other sizes stay.",
    [RULE_TOPK_INDEX_SIZES].why = "Each value has its index, so that both outputs have the same sizes.",
    [RULE_TOPK_DIMENSION_COUNT].why =
        "Outputs keep all dimensions of the input; Axis does not go away, even with a K of 1.",
    [RULE_TOPK_DATA_TYPE_MISMATCH].why = "Values are copied bit for bit; nothing is converted.",
    [RULE_TOPK_INDEX_DATA_TYPE].why =
        "Indices are unsigned: UINT32, and from feature level 5_0 also UINT64. NumPy's and ONNX's are INT64.",
    [RULE_TOPK_AXIS_DIRECTION].why =
        "DECREASING gives the largest first, INCREASING the smallest. There is no third.",
    [RULE_QMATMUL_BATCH].why =
        "There is one product for each batch and channel. One matrix for all is written with its full sizes and a "
        "stride of 0.",
    [RULE_QMATMUL_INNER].why =
        "Rows of A meet columns of B: both have K elements. A transposed B is described with its Strides.",
    [RULE_QMATMUL_OUTPUT_SIZES].why = "The output has A's M rows and B's N columns.",
    [RULE_QMATMUL_DIMENSION_COUNT].why =
        "A, B and the output have one number of dimensions, 2 to 4; leading sizes of 1 may be added.",
    [RULE_QMATMUL_A_SCALE_SIZES].why = "A is quantized as a whole or by rows.",
    [RULE_QMATMUL_A_ZERO_POINT_SIZES].why = "A is quantized as a whole or by rows.",
    [RULE_QMATMUL_B_SCALE_SIZES].why = "B is quantized as a whole or by columns.",
    [RULE_QMATMUL_B_ZERO_POINT_SIZES].why = "B is quantized as a whole or by columns.",
    [RULE_QMATMUL_OUTPUT_SCALE_SIZES].why =
        "The output is quantized as a whole or by rows. The reference page calls this tensor filter data; it is the "
        "output's.",
    [RULE_QMATMUL_OUTPUT_ZERO_POINT_SIZES].why =
        "The output is quantized as a whole or by rows. The reference page calls this tensor filter data; it is the "
        "output's.",
    [RULE_QMATMUL_SCALE_DATA_TYPE].why = "Scales are real numbers, held in single precision.",
    [RULE_QMATMUL_A_ZERO_POINT_DATA_TYPE].why =
        "A zero point is the quantized value that stands for 0, so it has the type of what is quantized.",
    [RULE_QMATMUL_B_ZERO_POINT_DATA_TYPE].why =
        "A zero point is the quantized value that stands for 0, so it has the type of what is quantized.",
    [RULE_QMATMUL_OUTPUT_ZERO_POINT_DATA_TYPE].why =
        "A zero point is the quantized value that stands for 0, so it has the type of what is quantized.",
    [RULE_QMATMUL_DATA_TYPE].why = "The operator multiplies 8-bit integers, signed or not, in any mix.",
    [RULE_QMATMUL_SCALE_VALUE] = {
        .why = "A scale that is infinite or no number makes every output meaningless, and the output's scale is "
               "divided by.",
        .options = "--bind OutputScaleTensor=x.npy",
        .wrong_data = PYTHON(numpy.save("x.npy", numpy.array([0], "float32"))),
        .right_data = PYTHON(numpy.save("x.npy", numpy.array([0.5], "float32"))),
    },
    [RULE_SUPPORT_OPERATOR] = {
        .why = "An operator works from the feature level on at which it was introduced. SLICE1, TOP_K1 and the "
               "matrix multiply came with 2_1, TOP_K with 2_0, SLICE with 1_0.",
        .options = "--feature-level 2_0",
    },
    [RULE_SUPPORT_DIMENSION_COUNT] = {
        .why = "Early levels take tensors of 4 or 5 dimensions only; later ones 1 to 8, the matrix multiply 2 to 4. "
               "Leading sizes of 1 bring a tensor to 4 dimensions.",
        .options = "--feature-level 2_1",
    },
    [RULE_SUPPORT_DATA_TYPE] = {
        .why = "Each level adds data types: 8-bit integers with 2_1, 64-bit ones for SLICE with 4_1 and for TOP_K "
               "with 5_0. TOP_K takes FLOAT64 at no level.",
        .options = "--feature-level 4_0",
    },
    [RULE_BIND_DATA_TYPE] = {
        .why = "A tensor is bound as it is; nothing is converted.",
        .options = "--bind InputTensor=x.npy",
        .wrong_data = PYTHON(numpy.save("x.npy", numpy.ones((4, 4), "float64"))),
        .right_data = PYTHON(numpy.save("x.npy", numpy.ones((4, 4), "float32"))),
    },
    [RULE_BIND_SIZES] = {
        .why = "Leading sizes of 1 do not count: a {4,4} file fits {1,1,4,4}. All others are equal.",
        .options = "--bind InputTensor=x.npy",
        .wrong_data = PYTHON(numpy.save("x.npy", numpy.ones((4, 5), "float32"))),
        .right_data = PYTHON(numpy.save("x.npy", numpy.ones((4, 4), "float32"))),
    },
    [RULE_BIND_BUFFER_LENGTH] = {
        .why = "A tensor with Strides is bound to a buffer, whatever sizes the file has: it must hold the last "
               "element reached.",
        .options = "--bind InputTensor=x.npy",
        .wrong_data = PYTHON(numpy.save("x.npy", numpy.ones(16, "float32"))),
        .right_data = PYTHON(numpy.save("x.npy", numpy.ones(28, "float32"))),
    },
    [RULE_RUN_RESOURCE_UNKNOWN].why = "A name that is no member of resources stands for nothing.",
    [RULE_RUN_DISPATCHABLE_UNKNOWN].why = "A name that is no member of dispatchables stands for nothing.",
    [RULE_RUN_COMMAND_UNKNOWN].why = "There are three commands.",
    [RULE_RUN_INITIAL_VALUES].why =
        "A constant has valueCount and value; a sequence has valueCount, valueStart and valueDelta; a file has "
        "sourcePath.",
    [RULE_RUN_INITIAL_TYPE].why =
        "Numbers in JSON have no type. A .npy file has one; a list of { name, type, value } has one for each value.",
    [RULE_RUN_VALUE_RANGE].why = "A value that does not fit would be another one in memory.",
    [RULE_RUN_RESOURCE_SIZE].why =
        "sizeInBytes is the whole buffer: initialValuesOffsetInBytes, the initial values and what follows them.",
    [RULE_RUN_SOURCE_FILE] = {
        .why = "The file is looked up beside the model file, then in the current folder. Raw files hold a whole "
               "number of elements.",
        .wrong_data = PYTHON(numpy.save("x.npy", numpy.ones(4, "float32"))),
        .right_data = PYTHON(numpy.save("x.npy", numpy.ones(4, "float32"))),
    },
    [RULE_RUN_TENSOR_UNKNOWN].why =
        "Bindings use the operator's tensor names; optional tensors that the descriptor leaves out are not there.",
    [RULE_RUN_TENSOR_UNBOUND].why =
        "Every tensor that the descriptor has needs memory: input, output, and optional ones that are there.",
    [RULE_RUN_BOUND_TWICE].why = "An OWNED_BY_DML tensor is handed over once, at initialization.",
    [RULE_RUN_BINDING_PHASE].why =
        "OWNED_BY_DML tensors are bound by the dispatchable, at initialization; all others by each dispatch command.",
    [RULE_RUN_BINDING_SIZE].why =
        "A tensor needs its TotalTensorSizeInBytes, counted from the binding's offset; the resource must have them.",
    [RULE_RUN_BINDING_ALIGNMENT].why =
        "Elements begin at multiples of their own size, and a GuaranteedBaseOffsetAlignment is to be kept.",
    [RULE_RUN_OUTPUT_OVERLAP].why = "What an operator reads must not change while it writes.",
    [RULE_RUN_PATH_OUTSIDE].why =
        "A model file from a stranger must not write where it likes. dmlop run -o FOLDER names the folder.",
    [RULE_RUN_FILE_TYPE].why =
        "The ending tells the format: .npy and .json with type and sizes, .dat and .bin bytes alone.",
    [RULE_RUN_DIMENSIONS].why = "The file holds the whole resource in those dimensions.",
    [RULE_PORTABLE_NULL_TENSOR] = {
        .why = "dmlop takes null for an optional tensor that is not there; DxDispatch takes an object or nothing.",
        .options = "--portable",
    },
    [RULE_PORTABLE_TYPE_CASE] = {
        .why = "Inside a descriptor DxDispatch writes Type and Desc with capitals; the operator itself it knows by "
               "'type' only.",
        .options = "--portable",
    },
    [RULE_PORTABLE_DIMENSION_COUNT] = {
        .why = "dmlop derives it from the input; DxDispatch wants every field that is no optional tensor.",
        .options = "--portable",
    },
    [RULE_PORTABLE_NPY_BYTE_ORDER] = {
        .why = "dmlop swaps the bytes of a big-endian file while it reads it; DxDispatch takes them as they are.",
        .options = "--portable --bind InputTensor=x.npy",
        .wrong_data = PYTHON(numpy.save("x.npy", numpy.ones((4, 4), ">f4"))),
        .right_data = PYTHON(numpy.save("x.npy", numpy.ones((4, 4), "<f4"))),
    },
    [RULE_PORTABLE_NPY_BOOL] = {
        .why = "DirectML has no bool. dmlop reads NumPy's as UINT8, DxDispatch as INT8.",
        .options = "--portable --bind InputTensor=x.npy",
        .wrong_data = PYTHON(numpy.save("x.npy", numpy.ones((4, 4), "bool"))),
        .right_data = PYTHON(numpy.save("x.npy", numpy.ones((4, 4), "uint8"))),
    },
    [RULE_PORTABLE_NPY_SHORT] = {
        .why = "A file that ends before its data do was cut off. DxDispatch reads zeros where they are missing; "
               "dmlop reads nothing.",
        .options = "--portable --bind InputTensor=x.npy",
        .wrong_data = PYTHON(numpy.save("x.npy", numpy.ones((4, 4), "float32")); os.truncate("x.npy", 160)),
        .right_data = PYTHON(numpy.save("x.npy", numpy.ones((4, 4), "float32"))),
    },
};
