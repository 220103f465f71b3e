// What programs get wrong, and what no pointer may be followed for; dump.py includes it and
// compares what is written with dump_hostile.txt.

static void next(const DML_OPERATOR_DESC &desc)
{
    std::string text;

    dmlop_dump(desc, text);
    std::fputs(text.c_str(), stdout);
    std::fputs("\x1e", stdout);
}

template <class E> static void set(E &e, UINT value)
{
    std::memcpy(&e, &value, sizeof e);
}

static void hostile()
{
    const UINT sizes[] = { 1, 1, 2, 3 };
    DML_BUFFER_TENSOR_DESC buffer = {};
    DML_TENSOR_DESC tensor = { DML_TENSOR_TYPE_BUFFER, &buffer };
    DML_ACTIVATION_RELU_OPERATOR_DESC relu = { &tensor, &tensor };
    DML_OPERATOR_DESC desc = { DML_OPERATOR_ACTIVATION_RELU, nullptr };

    // The operator.
    next(desc);
    desc.Type = DML_OPERATOR_INVALID;
    next(desc);
    set(desc.Type, 4711);
    next(desc);
    set(desc.Type, 4294967295u);
    desc.Desc = &relu;
    next(desc);

    // Tensors.
    desc.Type = DML_OPERATOR_ACTIVATION_RELU;
    next(desc);
    buffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    buffer.DimensionCount = 4;
    buffer.Sizes = sizes;
    next(desc); // TotalTensorSizeInBytes is 0
    set(buffer.DataType, 99);
    set(buffer.Flags, 6);
    buffer.TotalTensorSizeInBytes = ~static_cast<UINT64>(0);
    buffer.GuaranteedBaseOffsetAlignment = 4294967295u;
    next(desc);
    buffer.DimensionCount = 9;
    buffer.Strides = sizes;
    next(desc);
    tensor.Type = DML_TENSOR_TYPE_INVALID;
    relu.OutputTensor = nullptr;
    next(desc);
    set(tensor.Type, 7);
    next(desc);
    tensor.Type = DML_TENSOR_TYPE_BUFFER;
    tensor.Desc = nullptr;
    next(desc);

    // Enumerations and numbers.
    DML_TOP_K1_OPERATOR_DESC topk = {};
    set(topk.AxisDirection, 7);
    desc.Type = DML_OPERATOR_TOP_K1;
    desc.Desc = &topk;
    next(desc);

    DML_FILL_VALUE_CONSTANT_OPERATOR_DESC fill = {};
    fill.Value.UInt64 = ~static_cast<UINT64>(0);
    desc.Type = DML_OPERATOR_FILL_VALUE_CONSTANT;
    desc.Desc = &fill;
    next(desc); // a scalar of no type
    fill.ValueDataType = DML_TENSOR_DATA_TYPE_FLOAT16;
    next(desc); // NaN

    // Arrays.
    DML_SLICE1_OPERATOR_DESC slice = {};
    const INT strides[] = { -2147483647 - 1, 1, 2147483647, 0, 1, 2, 3, 4 };
    slice.DimensionCount = 8;
    slice.InputWindowStrides = strides;
    desc.Type = DML_OPERATOR_SLICE1;
    desc.Desc = &slice;
    next(desc);

    DML_JOIN_OPERATOR_DESC join = {};
    const DML_TENSOR_DESC tensors[] = { tensor, { DML_TENSOR_TYPE_INVALID, nullptr } };
    join.InputCount = 2;
    join.InputTensors = tensors;
    desc.Type = DML_OPERATOR_JOIN;
    desc.Desc = &join;
    next(desc);

    // An operator that is its own activation, at once and by another one.
    DML_GEMM_OPERATOR_DESC gemm = {};
    DML_CONVOLUTION_OPERATOR_DESC convolution = {};
    const DML_OPERATOR_DESC gemm_desc = { DML_OPERATOR_GEMM, &gemm };
    const DML_OPERATOR_DESC convolution_desc = { DML_OPERATOR_CONVOLUTION, &convolution };
    gemm.FusedActivation = &gemm_desc;
    next(gemm_desc);
    gemm.FusedActivation = &convolution_desc;
    convolution.FusedActivation = &gemm_desc;
    next(gemm_desc);

    // Too many in each other, and an array that holds itself.
    DML_GEMM_OPERATOR_DESC chain[6] = {};
    DML_OPERATOR_DESC links[6] = {};
    for (int i = 0; i < 6; i++) {
        links[i].Type = DML_OPERATOR_GEMM;
        links[i].Desc = &chain[i];
        chain[i].FusedActivation = i ? &links[i - 1] : nullptr;
    }
    next(links[5]);

    DML_RNN_OPERATOR_DESC rnn = {};
    const DML_OPERATOR_DESC activations[] = {
        { DML_OPERATOR_RNN, &rnn },
        { DML_OPERATOR_ACTIVATION_TANH, nullptr },
        { DML_OPERATOR_INVALID, nullptr },
    };
    rnn.ActivationDescCount = 3;
    rnn.ActivationDescs = activations;
    next(activations[0]);
}
