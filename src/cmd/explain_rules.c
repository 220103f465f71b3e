#include "cmd/explain.h"

const char *const example_texts[EXAMPLE_COUNT] = {
    [EXAMPLE_SLICE1] = "{\n"
                       "  \"type\": \"DML_OPERATOR_SLICE1\",\n"
                       "  \"desc\": {\n"
                       "    \"InputTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 4, 4] },\n"
                       "    \"OutputTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 2, 2] },\n"
                       "    \"DimensionCount\": 4,\n"
                       "    \"InputWindowOffsets\": [0, 0, 0, 1],\n"
                       "    \"InputWindowSizes\": [1, 1, 4, 3],\n"
                       "    \"InputWindowStrides\": [1, 1, -2, 2]\n"
                       "  }\n"
                       "}\n",
    [EXAMPLE_SLICE] = "{\n"
                      "  \"type\": \"DML_OPERATOR_SLICE\",\n"
                      "  \"desc\": {\n"
                      "    \"InputTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 4, 4] },\n"
                      "    \"OutputTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 3, 2] },\n"
                      "    \"DimensionCount\": 4,\n"
                      "    \"Offsets\": [0, 0, 1, 2],\n"
                      "    \"Sizes\": [1, 1, 3, 2],\n"
                      "    \"Strides\": [1, 1, 1, 1]\n"
                      "  }\n"
                      "}\n",
    [EXAMPLE_TOP_K1] = "{\n"
                       "  \"type\": \"DML_OPERATOR_TOP_K1\",\n"
                       "  \"desc\": {\n"
                       "    \"InputTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 3, 4] },\n"
                       "    \"OutputValueTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 3, 2] },\n"
                       "    \"OutputIndexTensor\": { \"DataType\": \"UINT32\", \"Sizes\": [1, 1, 3, 2] },\n"
                       "    \"Axis\": 3,\n"
                       "    \"K\": 2,\n"
                       "    \"AxisDirection\": \"DML_AXIS_DIRECTION_DECREASING\"\n"
                       "  }\n"
                       "}\n",
    [EXAMPLE_QMATMUL] = "{\n"
                        "  \"type\": \"DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY\",\n"
                        "  \"desc\": {\n"
                        "    \"ATensor\": { \"DataType\": \"UINT8\", \"Sizes\": [1, 1, 2, 3] },\n"
                        "    \"AScaleTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 1, 1] },\n"
                        "    \"AZeroPointTensor\": { \"DataType\": \"UINT8\", \"Sizes\": [1, 1, 2, 1] },\n"
                        "    \"BTensor\": { \"DataType\": \"INT8\", \"Sizes\": [1, 1, 3, 4] },\n"
                        "    \"BScaleTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 1, 4] },\n"
                        "    \"BZeroPointTensor\": { \"DataType\": \"INT8\", \"Sizes\": [1, 1, 1, 4] },\n"
                        "    \"OutputScaleTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 1, 1] },\n"
                        "    \"OutputZeroPointTensor\": { \"DataType\": \"UINT8\", \"Sizes\": [1, 1, 1, 1] },\n"
                        "    \"OutputTensor\": { \"DataType\": \"UINT8\", \"Sizes\": [1, 1, 2, 4] }\n"
                        "  }\n"
                        "}\n",
    [EXAMPLE_MODEL] = "{\n"
                      "  \"resources\": {\n"
                      "    \"in\": { \"initialValuesDataType\": \"FLOAT32\", \"initialValues\": [1, 2, 3, 4] },\n"
                      "    \"out\": { \"initialValuesDataType\": \"FLOAT32\", \"initialValues\": { \"valueCount\": 2, \"value\": 0 } }\n"
                      "  },\n"
                      "  \"dispatchables\": {\n"
                      "    \"evens\": {\n"
                      "      \"type\": \"DML_OPERATOR_SLICE1\",\n"
                      "      \"desc\": {\n"
                      "        \"InputTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [4] },\n"
                      "        \"OutputTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [2] },\n"
                      "        \"DimensionCount\": 1,\n"
                      "        \"InputWindowOffsets\": [0],\n"
                      "        \"InputWindowSizes\": [4],\n"
                      "        \"InputWindowStrides\": [2]\n"
                      "      }\n"
                      "    }\n"
                      "  },\n"
                      "  \"commands\": [\n"
                      "    { \"type\": \"dispatch\", \"dispatchable\": \"evens\",\n"
                      "      \"bindings\": { \"InputTensor\": \"in\", \"OutputTensor\": \"out\" } },\n"
                      "    { \"type\": \"print\", \"resource\": \"out\" },\n"
                      "    { \"type\": \"writeFile\", \"resource\": \"out\", \"targetPath\": \"out.npy\", \"dimensions\": [1, 2] }\n"
                      "  ]\n"
                      "}\n",
};

#define A_TENSOR "\"ATensor\": { \"DataType\": \"UINT8\""
#define NPY(array) "numpy.save(\"x.npy\", numpy." array ")"

const struct explanation explanations[RULE_COUNT] = {
    [RULE_JSON_SYNTAX] = {
        "DxDispatch reads JSON with // and /* */ comments and trailing commas. Everything else is as in RFC 8259: numbers "
        "without leading zeros, strings in double quotes and valid UTF-8, one value at the top.",
        EXAMPLE_TOP_K1, { { "\"K\": 2", "\"K\": 02" } }, { { "\"K\": 2,", "\"K\": 2, // comments are fine" } }, NULL, NULL, NULL },
    [RULE_JSON_DUPLICATE_KEY] = {
        "Readers of JSON disagree on which of two members with one key counts, so that the file would mean one thing here "
        "and another there. DxDispatch passes over it; in a file written by hand it is a mistake.",
        EXAMPLE_TOP_K1, { { "\"K\": 2", "\"K\": 2,\n    \"K\": 2" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_DESC_NOT_OBJECT] = {
        "A descriptor is one object with the operator's type and its fields, not a list of them.",
        EXAMPLE_TOP_K1, { { NULL, "[\n  { \"type\": \"DML_OPERATOR_TOP_K1\" }\n]\n" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_DESC_OPERATOR_UNKNOWN] = {
        "The type is the name of the DML_OPERATOR_TYPE enumeration, with or without DML_OPERATOR_. dmlop has five operators.",
        EXAMPLE_TOP_K1, { { "DML_OPERATOR_TOP_K1", "DML_OPERATOR_TOPK" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_DESC_OPERATOR_MISSING] = {
        "Nothing else in a descriptor says which operator it is meant for. Only 'dmlop slice -d' and its kin imply one.",
        EXAMPLE_TOP_K1, { { "  \"type\": \"DML_OPERATOR_TOP_K1\",\n", "" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_DESC_FIELD_MISSING] = {
        "DirectML gives no field of an operator a default, but for optional tensors. In a tensor only DataType and Sizes are "
        "required.",
        EXAMPLE_TOP_K1, { { "    \"K\": 2,\n", "" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_DESC_FIELD_UNKNOWN] = {
        "A key that is no field is passed over, by DxDispatch too: a misspelt optional field is silently not there. Case "
        "matters.",
        EXAMPLE_SLICE1, { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 1, 4, 4], \"strides\": [16, 16, 4, 1]" } },
        { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 1, 4, 4], \"Strides\": [16, 16, 4, 1]" } }, NULL, NULL, NULL },
    [RULE_DESC_FIELD_TYPE] = {
        "Each field has one JSON type: numbers are not written in quotes, arrays not as single values.",
        EXAMPLE_TOP_K1, { { "\"K\": 2", "\"K\": \"2\"" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_DESC_FIELD_RANGE] = {
        "UINT and INT fields are 32 bits wide. DxDispatch takes integer literals only, so 4.0 and 1e2 are refused although "
        "they are whole.",
        EXAMPLE_TOP_K1, { { "\"K\": 2", "\"K\": 2.0" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_DESC_ENUM_UNKNOWN] = {
        "Enumerations are written by their DirectML names, whole or by their last part.",
        EXAMPLE_TOP_K1, { { "\"DataType\": \"UINT32\"", "\"DataType\": \"uint32\"" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_TENSOR_TYPE] = {
        "DirectML has one kind of tensor description, the buffer: DML_TENSOR_TYPE_BUFFER.",
        EXAMPLE_SLICE1,
        { { "{ \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 4, 4] }",
            "{ \"Type\": \"TEXTURE\", \"Desc\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 4, 4] } }" } },
        { { "{ \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 4, 4] }",
            "{ \"Type\": \"BUFFER\", \"Desc\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 4, 4] } }" } }, NULL, NULL, NULL },
    [RULE_TENSOR_DATA_TYPE] = {
        "UNKNOWN is a name of the enumeration, but no operator takes a tensor of it.",
        EXAMPLE_TOP_K1, { { "\"DataType\": \"UINT32\"", "\"DataType\": \"UNKNOWN\"" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_TENSOR_DIMENSION_COUNT] = {
        "DimensionCount says how many entries Sizes and Strides have; DirectML takes at most 8. It may be left out here.",
        EXAMPLE_SLICE1, { { "\"Sizes\": [1, 1, 4, 4]", "\"DimensionCount\": 2, \"Sizes\": [1, 1, 4, 4]" } },
        { { "\"Sizes\": [1, 1, 4, 4]", "\"DimensionCount\": 4, \"Sizes\": [1, 1, 4, 4]" } }, NULL, NULL, NULL },
    [RULE_TENSOR_SIZES_ZERO] = {
        "DirectML has no empty tensors.",
        EXAMPLE_SLICE1, { { "\"Sizes\": [1, 1, 2, 2]", "\"Sizes\": [1, 1, 2, 0]" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_TENSOR_ELEMENT_COUNT] = {
        "The number of elements is held in 32 bits.",
        EXAMPLE_SLICE1, { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [65536, 65536, 4, 4]" } },
        { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 65536, 4, 4]" } }, NULL, NULL, NULL },
    [RULE_TENSOR_STRIDES_COUNT] = {
        "Each dimension has a stride, or none has: without Strides the tensor is packed.",
        EXAMPLE_SLICE1, { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 1, 4, 4], \"Strides\": [8, 1]" } },
        { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 1, 4, 4], \"Strides\": [32, 32, 8, 1]" } }, NULL, NULL, NULL },
    [RULE_TENSOR_TOTAL_SIZE] = {
        "The buffer must hold the last element that sizes and strides reach: DMLCalcBufferTensorSize gives the least, the bytes "
        "up to that element rounded up to 4. Larger is fine.",
        EXAMPLE_SLICE1, { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 1, 4, 4], \"TotalTensorSizeInBytes\": 60" } },
        { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 1, 4, 4], \"TotalTensorSizeInBytes\": 64" } }, NULL, NULL, NULL },
    [RULE_TENSOR_TOTAL_SIZE_ALIGNMENT] = {
        "DirectML binds buffers in units of 4 bytes.",
        EXAMPLE_SLICE1, { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 1, 4, 4], \"TotalTensorSizeInBytes\": 66" } },
        { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 1, 4, 4], \"TotalTensorSizeInBytes\": 68" } }, NULL, NULL, NULL },
    [RULE_TENSOR_BASE_ALIGNMENT] = {
        "It promises at which multiples of bytes the tensor begins: a power of two, of an element at least. 0 promises nothing "
        "beyond the least that DirectML asks for.",
        EXAMPLE_SLICE1, { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 1, 4, 4], \"GuaranteedBaseOffsetAlignment\": 12" } },
        { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 1, 4, 4], \"GuaranteedBaseOffsetAlignment\": 16" } }, NULL, NULL, NULL },
    [RULE_TENSOR_FLAGS_OUTPUT] = {
        "OWNED_BY_DML hands a tensor to DirectML at initialization, to keep; what an operator writes cannot be handed over.",
        EXAMPLE_SLICE1, { { "\"Sizes\": [1, 1, 2, 2]", "\"Sizes\": [1, 1, 2, 2], \"Flags\": \"OWNED_BY_DML\"" } },
        { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 1, 4, 4], \"Flags\": \"OWNED_BY_DML\"" } }, NULL, NULL, NULL },
    [RULE_TENSOR_OUTPUT_OVERLAP] = {
        "Two coordinates of an output in one place would leave open which value ends there. Inputs may overlap: a stride of 0 "
        "broadcasts.",
        EXAMPLE_SLICE1, { { "\"Sizes\": [1, 1, 2, 2]", "\"Sizes\": [1, 1, 2, 2], \"Strides\": [4, 4, 0, 1]" } },
        { { "\"Sizes\": [1, 1, 2, 2]", "\"Sizes\": [1, 1, 2, 2], \"Strides\": [4, 4, 1, 2]" } }, NULL, NULL, NULL },
    [RULE_SLICE_DIMENSION_COUNT] = {
        "The operator's DimensionCount is the length of its three arrays, and both tensors have that many dimensions.",
        EXAMPLE_SLICE1, { { "\"Sizes\": [1, 1, 2, 2]", "\"Sizes\": [1, 2, 2]" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_SLICE_ARRAY_LENGTH] = {
        "Each of the three arrays has an entry for every dimension, leading ones of size 1 included.",
        EXAMPLE_SLICE1, { { "[0, 0, 0, 1]", "[0, 1]" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_SLICE_DATA_TYPE_MISMATCH] = {
        "Slicing copies elements; it converts nothing.",
        EXAMPLE_SLICE1, { { "\"OutputTensor\": { \"DataType\": \"FLOAT32\"", "\"OutputTensor\": { \"DataType\": \"FLOAT16\"" } },
        { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_SLICE_WINDOW_EMPTY] = {
        "A window without elements would make an empty output, which DirectML does not have.",
        EXAMPLE_SLICE1, { { "[1, 1, 4, 3]", "[0, 1, 4, 3]" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_SLICE_WINDOW_BOUNDS] = {
        "The window must lie in the input: reading past its end is undefined. Unlike NumPy's slices nothing is clipped. For SLICE "
        "the last element taken, Offsets + (Sizes - 1) * Strides, must be in the input.",
        EXAMPLE_SLICE1, { { "[1, 1, 4, 3]", "[1, 1, 4, 4]" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_SLICE_STRIDE_ZERO] = {
        "A stride of 0 would take one element for ever. To repeat elements, give the input tensor Strides of 0.",
        EXAMPLE_SLICE1, { { "[1, 1, -2, 2]", "[1, 1, 0, 2]" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_SLICE_OUTPUT_SIZE] = {
        "A window of size s holds 1 + (s - 1) / |stride| elements, and the output may take fewer. The reference page divides by "
        "the signed stride; read so it would refuse its own reversed example, and the magnitude is meant. SLICE's Sizes count "
        "the output itself.",
        EXAMPLE_SLICE1, { { "\"Sizes\": [1, 1, 2, 2]", "\"Sizes\": [1, 1, 2, 3]" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_TOPK_AXIS] = {
        "Axes count from 0; negative ones, which NumPy has, do not fit a UINT.",
        EXAMPLE_TOP_K1, { { "\"Axis\": 3", "\"Axis\": 4" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_TOPK_K_ZERO] = {
        "Without elements the outputs would be empty.",
        EXAMPLE_TOP_K1, { { "\"K\": 2", "\"K\": 0" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_TOPK_K_EXCEEDS_AXIS] = {
        "A sequence has no more elements to give than the axis is long.",
        EXAMPLE_TOP_K1, { { "\"K\": 2", "\"K\": 5" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_TOPK_K_EQUALS_AXIS] = {
        "The reference page asks for a K below the size of the axis. K as large as the axis sorts it, which dmlop can do: "
        "--relaxed makes this a warning.",
        EXAMPLE_TOP_K1,
        { { "\"Sizes\": [1, 1, 3, 2]", "\"Sizes\": [1, 1, 3, 4]" }, { "\"Sizes\": [1, 1, 3, 2]", "\"Sizes\": [1, 1, 3, 4]" },
          { "\"K\": 2", "\"K\": 4" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_TOPK_VALUE_SIZES] = {
        "Each sequence along Axis becomes one of K values; all other sizes stay.",
        EXAMPLE_TOP_K1,
        { { "\"OutputValueTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 3, 2] }",
            "\"OutputValueTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 3, 4] }" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_TOPK_INDEX_SIZES] = {
        "Each value has its index, so that both outputs have the same sizes.",
        EXAMPLE_TOP_K1,
        { { "\"OutputIndexTensor\": { \"DataType\": \"UINT32\", \"Sizes\": [1, 1, 3, 2] }",
            "\"OutputIndexTensor\": { \"DataType\": \"UINT32\", \"Sizes\": [1, 1, 2, 2] }" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_TOPK_DIMENSION_COUNT] = {
        "Outputs keep all dimensions of the input; Axis does not go away, even with a K of 1.",
        EXAMPLE_TOP_K1,
        { { "\"OutputIndexTensor\": { \"DataType\": \"UINT32\", \"Sizes\": [1, 1, 3, 2] }",
            "\"OutputIndexTensor\": { \"DataType\": \"UINT32\", \"Sizes\": [3, 2] }" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_TOPK_DATA_TYPE_MISMATCH] = {
        "Values are copied bit for bit; nothing is converted.",
        EXAMPLE_TOP_K1,
        { { "\"OutputValueTensor\": { \"DataType\": \"FLOAT32\"", "\"OutputValueTensor\": { \"DataType\": \"FLOAT16\"" } },
        { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_TOPK_INDEX_DATA_TYPE] = {
        "Indices are unsigned: UINT32, and from feature level 5_0 also UINT64. NumPy's and ONNX's are INT64.",
        EXAMPLE_TOP_K1, { { "\"DataType\": \"UINT32\"", "\"DataType\": \"INT64\"" } },
        { { "\"DataType\": \"UINT32\"", "\"DataType\": \"UINT64\"" } }, NULL, NULL, NULL },
    [RULE_TOPK_AXIS_DIRECTION] = {
        "DECREASING gives the largest first, INCREASING the smallest. There is no third.",
        EXAMPLE_TOP_K1, { { "DML_AXIS_DIRECTION_DECREASING", "LARGEST" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_BATCH] = {
        "There is one product for each batch and channel. One matrix for all is written with its full sizes and a stride of 0.",
        EXAMPLE_QMATMUL,
        { { "\"Sizes\": [1, 1, 2, 3]", "\"Sizes\": [1, 5, 2, 3]" }, { "\"Sizes\": [1, 1, 2, 4]", "\"Sizes\": [1, 5, 2, 4]" } },
        { { "\"Sizes\": [1, 1, 2, 3]", "\"Sizes\": [1, 5, 2, 3]" }, { "\"Sizes\": [1, 1, 2, 4]", "\"Sizes\": [1, 5, 2, 4]" },
          { "\"Sizes\": [1, 1, 3, 4]", "\"Sizes\": [1, 5, 3, 4], \"Strides\": [0, 0, 4, 1]" } }, NULL, NULL, NULL },
    [RULE_QMATMUL_INNER] = {
        "Rows of A meet columns of B: both have K elements. A transposed B is described with its Strides.",
        EXAMPLE_QMATMUL, { { "\"Sizes\": [1, 1, 3, 4]", "\"Sizes\": [1, 1, 5, 4]" } },
        { { "\"Sizes\": [1, 1, 3, 4]", "\"Sizes\": [1, 1, 3, 4], \"Strides\": [12, 12, 1, 3]" } }, NULL, NULL, NULL },
    [RULE_QMATMUL_OUTPUT_SIZES] = {
        "The output has A's M rows and B's N columns.",
        EXAMPLE_QMATMUL, { { "\"Sizes\": [1, 1, 2, 4]", "\"Sizes\": [1, 1, 4, 4]" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_DIMENSION_COUNT] = {
        "A, B and the output have one number of dimensions, 2 to 4; leading sizes of 1 may be added.",
        EXAMPLE_QMATMUL, { { "\"Sizes\": [1, 1, 3, 4]", "\"Sizes\": [3, 4]" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_A_SCALE_SIZES] = {
        "A is quantized as a whole or by rows.",
        EXAMPLE_QMATMUL,
        { { "\"AScaleTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 1, 1] }",
            "\"AScaleTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 1, 3] }" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_A_ZERO_POINT_SIZES] = {
        "A is quantized as a whole or by rows.",
        EXAMPLE_QMATMUL, { { "\"Sizes\": [1, 1, 2, 1]", "\"Sizes\": [1, 1, 3, 1]" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_B_SCALE_SIZES] = {
        "B is quantized as a whole or by columns.",
        EXAMPLE_QMATMUL,
        { { "\"BScaleTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 1, 4] }",
            "\"BScaleTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 3, 1] }" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_B_ZERO_POINT_SIZES] = {
        "B is quantized as a whole or by columns.",
        EXAMPLE_QMATMUL,
        { { "\"BZeroPointTensor\": { \"DataType\": \"INT8\", \"Sizes\": [1, 1, 1, 4] }",
            "\"BZeroPointTensor\": { \"DataType\": \"INT8\", \"Sizes\": [1, 1, 4, 1] }" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_OUTPUT_SCALE_SIZES] = {
        "The output is quantized as a whole or by rows. The reference page calls this tensor filter data; it is the output's.",
        EXAMPLE_QMATMUL,
        { { "\"OutputScaleTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 1, 1] }",
            "\"OutputScaleTensor\": { \"DataType\": \"FLOAT32\", \"Sizes\": [1, 1, 1, 4] }" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_OUTPUT_ZERO_POINT_SIZES] = {
        "The output is quantized as a whole or by rows. The reference page calls this tensor filter data; it is the output's.",
        EXAMPLE_QMATMUL,
        { { "\"OutputZeroPointTensor\": { \"DataType\": \"UINT8\", \"Sizes\": [1, 1, 1, 1] }",
            "\"OutputZeroPointTensor\": { \"DataType\": \"UINT8\", \"Sizes\": [1, 1, 1, 4] }" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_SCALE_DATA_TYPE] = {
        "Scales are real numbers, held in single precision.",
        EXAMPLE_QMATMUL, { { "\"AScaleTensor\": { \"DataType\": \"FLOAT32\"", "\"AScaleTensor\": { \"DataType\": \"FLOAT16\"" } },
        { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_A_ZERO_POINT_DATA_TYPE] = {
        "A zero point is the quantized value that stands for 0, so it has the type of what is quantized.",
        EXAMPLE_QMATMUL, { { "\"AZeroPointTensor\": { \"DataType\": \"UINT8\"", "\"AZeroPointTensor\": { \"DataType\": \"INT8\"" } },
        { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_B_ZERO_POINT_DATA_TYPE] = {
        "A zero point is the quantized value that stands for 0, so it has the type of what is quantized.",
        EXAMPLE_QMATMUL, { { "\"BZeroPointTensor\": { \"DataType\": \"INT8\"", "\"BZeroPointTensor\": { \"DataType\": \"UINT8\"" } },
        { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_OUTPUT_ZERO_POINT_DATA_TYPE] = {
        "A zero point is the quantized value that stands for 0, so it has the type of what is quantized.",
        EXAMPLE_QMATMUL,
        { { "\"OutputZeroPointTensor\": { \"DataType\": \"UINT8\"", "\"OutputZeroPointTensor\": { \"DataType\": \"INT8\"" } },
        { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_DATA_TYPE] = {
        "The operator multiplies 8-bit integers, signed or not, in any mix.",
        EXAMPLE_QMATMUL,
        { { A_TENSOR, "\"ATensor\": { \"DataType\": \"FLOAT32\"" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_QMATMUL_SCALE_VALUE] = {
        "A scale that is infinite or no number makes every output meaningless, and the output's scale is divided by.",
        EXAMPLE_QMATMUL, { { NULL, NULL } }, { { NULL, NULL } }, "--bind OutputScaleTensor=x.npy",
        NPY("array([0], \"float32\")"), NPY("array([0.5], \"float32\")") },
    [RULE_SUPPORT_OPERATOR] = {
        "An operator works from the feature level on at which it was introduced. SLICE1, TOP_K1 and the matrix multiply came with "
        "2_1, TOP_K with 2_0, SLICE with 1_0.",
        EXAMPLE_TOP_K1, { { NULL, NULL } },
        { { "TOP_K1", "TOP_K" }, { "\"K\": 2,\n    \"AxisDirection\": \"DML_AXIS_DIRECTION_DECREASING\"", "\"K\": 2" } },
        "--feature-level 2_0", NULL, NULL },
    [RULE_SUPPORT_DIMENSION_COUNT] = {
        "Early levels take tensors of 4 or 5 dimensions only; later ones 1 to 8, the matrix multiply 2 to 4. Leading sizes of 1 "
        "bring a tensor to 4 dimensions.",
        EXAMPLE_QMATMUL, { { "\"Sizes\": [1, 1, 2, 1]", "\"Sizes\": [2, 1]" } }, { { NULL, NULL } }, "--feature-level 2_1", NULL, NULL },
    [RULE_SUPPORT_DATA_TYPE] = {
        "Each level adds data types: 8-bit integers with 2_1, 64-bit ones for SLICE with 4_1 and for TOP_K with 5_0. TOP_K takes "
        "FLOAT64 at no level.",
        EXAMPLE_SLICE1,
        { { "\"InputTensor\": { \"DataType\": \"FLOAT32\"", "\"InputTensor\": { \"DataType\": \"FLOAT64\"" },
          { "\"OutputTensor\": { \"DataType\": \"FLOAT32\"", "\"OutputTensor\": { \"DataType\": \"FLOAT64\"" } },
        { { NULL, NULL } }, "--feature-level 4_0", NULL, NULL },
    [RULE_BIND_DATA_TYPE] = {
        "A tensor is bound as it is; nothing is converted.",
        EXAMPLE_SLICE1, { { NULL, NULL } }, { { NULL, NULL } }, "--bind InputTensor=x.npy",
        NPY("ones((4, 4), \"float64\")"), NPY("ones((4, 4), \"float32\")") },
    [RULE_BIND_SIZES] = {
        "Leading sizes of 1 do not count: a {4,4} file fits {1,1,4,4}. All others are equal.",
        EXAMPLE_SLICE1, { { NULL, NULL } }, { { NULL, NULL } }, "--bind InputTensor=x.npy",
        NPY("ones((4, 5), \"float32\")"), NPY("ones((4, 4), \"float32\")") },
    [RULE_BIND_BUFFER_LENGTH] = {
        "A tensor with Strides is bound to a buffer, whatever sizes the file has: it must hold the last element reached.",
        EXAMPLE_SLICE1, { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 1, 4, 4], \"Strides\": [32, 32, 8, 1]" } },
        { { "\"Sizes\": [1, 1, 4, 4]", "\"Sizes\": [1, 1, 4, 4], \"Strides\": [32, 32, 8, 1]" } }, "--bind InputTensor=x.npy",
        NPY("ones(16, \"float32\")"), NPY("ones(28, \"float32\")") },
    [RULE_RUN_RESOURCE_UNKNOWN] = {
        "A name that is no member of resources stands for nothing.",
        EXAMPLE_MODEL, { { "\"InputTensor\": \"in\"", "\"InputTensor\": \"inn\"" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_RUN_DISPATCHABLE_UNKNOWN] = {
        "A name that is no member of dispatchables stands for nothing.",
        EXAMPLE_MODEL, { { "\"dispatchable\": \"evens\"", "\"dispatchable\": \"odds\"" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_RUN_COMMAND_UNKNOWN] = {
        "There are three commands.",
        EXAMPLE_MODEL, { { "\"print\"", "\"show\"" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_RUN_INITIAL_VALUES] = {
        "A constant has valueCount and value; a sequence has valueCount, valueStart and valueDelta; a file has sourcePath.",
        EXAMPLE_MODEL, { { "{ \"valueCount\": 2, \"value\": 0 }", "{ \"valueCount\": 2 }" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_RUN_INITIAL_TYPE] = {
        "Numbers in JSON have no type. A .npy file has one; a list of { name, type, value } has one for each value.",
        EXAMPLE_MODEL, { { "\"initialValuesDataType\": \"FLOAT32\", \"initialValues\": [1", "\"initialValues\": [1" } },
        { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_RUN_VALUE_RANGE] = {
        "A value that does not fit would be another one in memory.",
        EXAMPLE_MODEL, { { "\"FLOAT32\", \"initialValues\": [1, 2, 3, 4]", "\"UINT32\", \"initialValues\": [1, 2, 3, -4]" } },
        { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_RUN_RESOURCE_SIZE] = {
        "sizeInBytes is the whole buffer: initialValuesOffsetInBytes, the initial values and what follows them.",
        EXAMPLE_MODEL, { { "[1, 2, 3, 4]", "[1, 2, 3, 4], \"sizeInBytes\": 8" } },
        { { "[1, 2, 3, 4]", "[1, 2, 3, 4], \"sizeInBytes\": 16" } }, NULL, NULL, NULL },
    [RULE_RUN_SOURCE_FILE] = {
        "The file is looked up beside the model file, then in the current folder. Raw files hold a whole number of elements.",
        EXAMPLE_MODEL, { { "[1, 2, 3, 4]", "{ \"sourcePath\": \"missing.npy\" }" } },
        { { "\"initialValuesDataType\": \"FLOAT32\", \"initialValues\": [1, 2, 3, 4]",
            "\"initialValues\": { \"sourcePath\": \"x.npy\" }" } }, NULL,
        NPY("ones(4, \"float32\")"), NPY("ones(4, \"float32\")") },
    [RULE_RUN_TENSOR_UNKNOWN] = {
        "Bindings use the operator's tensor names; optional tensors that the descriptor leaves out are not there.",
        EXAMPLE_MODEL, { { "\"InputTensor\": \"in\",", "\"InputTensor\": \"in\", \"Tensor\": \"in\"," } }, { { NULL, NULL } }, NULL,
        NULL, NULL },
    [RULE_RUN_TENSOR_UNBOUND] = {
        "Every tensor that the descriptor has needs memory: input, output, and optional ones that are there.",
        EXAMPLE_MODEL, { { "\"InputTensor\": \"in\", ", "" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_RUN_BOUND_TWICE] = {
        "An OWNED_BY_DML tensor is handed over once, at initialization.",
        EXAMPLE_MODEL,
        { { "\"Sizes\": [4] }", "\"Sizes\": [4], \"Flags\": \"OWNED_BY_DML\" }" },
          { "\"type\": \"DML_OPERATOR_SLICE1\",", "\"type\": \"DML_OPERATOR_SLICE1\", \"bindings\": { \"InputTensor\": \"in\" }," } },
        { { "\"Sizes\": [4] }", "\"Sizes\": [4], \"Flags\": \"OWNED_BY_DML\" }" },
          { "\"type\": \"DML_OPERATOR_SLICE1\",", "\"type\": \"DML_OPERATOR_SLICE1\", \"bindings\": { \"InputTensor\": \"in\" }," },
          { "\"InputTensor\": \"in\", \"OutputTensor\"", "\"OutputTensor\"" } }, NULL, NULL, NULL },
    [RULE_RUN_BINDING_PHASE] = {
        "OWNED_BY_DML tensors are bound by the dispatchable, at initialization; all others by each dispatch command.",
        EXAMPLE_MODEL,
        { { "\"type\": \"DML_OPERATOR_SLICE1\",", "\"type\": \"DML_OPERATOR_SLICE1\", \"bindings\": { \"InputTensor\": \"in\" }," } },
        { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_RUN_BINDING_SIZE] = {
        "A tensor needs its TotalTensorSizeInBytes, counted from the binding's offset; the resource must have them.",
        EXAMPLE_MODEL, { { "\"InputTensor\": \"in\"", "\"InputTensor\": { \"name\": \"in\", \"elementOffset\": 1 }" } },
        { { "[1, 2, 3, 4]", "[0, 1, 2, 3, 4]" },
          { "\"InputTensor\": \"in\"", "\"InputTensor\": { \"name\": \"in\", \"elementOffset\": 1 }" } }, NULL, NULL, NULL },
    [RULE_RUN_BINDING_ALIGNMENT] = {
        "Elements begin at multiples of their own size, and a GuaranteedBaseOffsetAlignment is to be kept.",
        EXAMPLE_MODEL,
        { { "[1, 2, 3, 4]", "[0, 1, 2, 3, 4]" },
          { "\"InputTensor\": \"in\"",
            "\"InputTensor\": { \"name\": \"in\", \"elementOffset\": 1, \"elementSizeInBytes\": 2 }" } },
        { { "[1, 2, 3, 4]", "[0, 1, 2, 3, 4]" },
          { "\"InputTensor\": \"in\"",
            "\"InputTensor\": { \"name\": \"in\", \"elementOffset\": 1, \"elementSizeInBytes\": 4 }" } }, NULL, NULL, NULL },
    [RULE_RUN_OUTPUT_OVERLAP] = {
        "What an operator reads must not change while it writes.",
        EXAMPLE_MODEL, { { "\"OutputTensor\": \"out\"", "\"OutputTensor\": \"in\"" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_RUN_PATH_OUTSIDE] = {
        "A model file from a stranger must not write where it likes. dmlop run -o FOLDER names the folder.",
        EXAMPLE_MODEL, { { "out.npy", "../out.npy" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_RUN_FILE_TYPE] = {
        "The ending tells the format: .npy and .json with type and sizes, .dat and .bin bytes alone.",
        EXAMPLE_MODEL, { { "out.npy", "out.txt" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_RUN_DIMENSIONS] = {
        "The file holds the whole resource in those dimensions.",
        EXAMPLE_MODEL, { { "[1, 2]", "[1, 3]" } }, { { NULL, NULL } }, NULL, NULL, NULL },
    [RULE_PORTABLE_NULL_TENSOR] = {
        "dmlop takes null for an optional tensor that is not there; DxDispatch takes an object or nothing.",
        EXAMPLE_QMATMUL,
        { { "\"BZeroPointTensor\": { \"DataType\": \"INT8\", \"Sizes\": [1, 1, 1, 4] }", "\"BZeroPointTensor\": null" } },
        { { "    \"BZeroPointTensor\": { \"DataType\": \"INT8\", \"Sizes\": [1, 1, 1, 4] },\n", "" } }, "--portable", NULL, NULL },
    [RULE_PORTABLE_TYPE_CASE] = {
        "Inside a descriptor DxDispatch writes Type and Desc with capitals; the operator itself it knows by 'type' only.",
        EXAMPLE_TOP_K1, { { "\"type\"", "\"Type\"" } }, { { NULL, NULL } }, "--portable", NULL, NULL },
    [RULE_PORTABLE_DIMENSION_COUNT] = {
        "dmlop derives it from the input; DxDispatch wants every field that is no optional tensor.",
        EXAMPLE_SLICE1, { { "    \"DimensionCount\": 4,\n", "" } }, { { NULL, NULL } }, "--portable", NULL, NULL },
    [RULE_PORTABLE_NPY_BYTE_ORDER] = {
        "dmlop swaps the bytes of a big-endian file while it reads it; DxDispatch takes them as they are.",
        EXAMPLE_SLICE1, { { NULL, NULL } }, { { NULL, NULL } }, "--portable --bind InputTensor=x.npy",
        NPY("ones((4, 4), \">f4\")"), NPY("ones((4, 4), \"<f4\")") },
    [RULE_PORTABLE_NPY_BOOL] = {
        "DirectML has no bool. dmlop reads NumPy's as UINT8, DxDispatch as INT8.",
        EXAMPLE_SLICE1,
        { { "\"InputTensor\": { \"DataType\": \"FLOAT32\"", "\"InputTensor\": { \"DataType\": \"UINT8\"" },
          { "\"OutputTensor\": { \"DataType\": \"FLOAT32\"", "\"OutputTensor\": { \"DataType\": \"UINT8\"" } },
        { { "\"InputTensor\": { \"DataType\": \"FLOAT32\"", "\"InputTensor\": { \"DataType\": \"UINT8\"" },
          { "\"OutputTensor\": { \"DataType\": \"FLOAT32\"", "\"OutputTensor\": { \"DataType\": \"UINT8\"" } },
        "--portable --bind InputTensor=x.npy", NPY("ones((4, 4), \"bool\")"), NPY("ones((4, 4), \"uint8\")") },
    [RULE_PORTABLE_NPY_SHORT] = {
        "A file that ends before its data do was cut off. DxDispatch reads zeros where they are missing; dmlop reads nothing.",
        EXAMPLE_SLICE1, { { NULL, NULL } }, { { NULL, NULL } }, "--portable --bind InputTensor=x.npy",
        NPY("ones((4, 4), \"float32\")") "; os.truncate(\"x.npy\", 160)", NPY("ones((4, 4), \"float32\")") },
};
