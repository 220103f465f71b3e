"""Valid descriptors: PAGES, the examples of DirectML's reference pages, and MORE, with fields that
templates leave out."""


def op(name, what, **desc):
    return name, what, desc


def t(*sizes, type="FLOAT32"):
    return {"DataType": type, "Sizes": list(sizes)}


def u(*sizes):
    return t(*sizes, type="UINT32")


def activation(name, **fields):
    return {"type": "DML_OPERATOR_ACTIVATION_" + name, "desc": fields}


def scaled():
    """The tensors of a normalization, with a scale and a bias for each channel."""
    return {"InputTensor": t(3, 4, 5, 6), "ScaleTensor": t(1, 4, 1, 1), "BiasTensor": t(1, 4, 1, 1),
            "OutputTensor": t(3, 4, 5, 6)}


def padding(name, mode, **value):
    return op(name, mode, InputTensor=t(1, 1, 4, 4), OutputTensor=t(1, 1, 8, 10),
              PaddingMode="DML_PADDING_MODE_" + mode, **value, DimensionCount=4,
              StartPadding=[0, 0, 1, 2], EndPadding=[0, 0, 3, 4])


def one_hot(what, indices, axis, values=None):
    return op("ONE_HOT", what, IndicesTensor=indices, ValuesTensor=values or t(1, 1, 1, 2),
              OutputTensor=t(1, 1, 3, 4), Axis=axis)


def reduced(name, what, axes, output, **fields):
    return op(name, what, InputTensor=t(3, 3), OutputTensor=output, AxisCount=len(axes), Axes=axes,
              **fields)


def cumulative(name, what, axis, direction, exclusive):
    last = "HasExclusiveSum" if name == "CUMULATIVE_SUMMATION" else "HasExclusiveProduct"
    return op(name, what, InputTensor=t(1, 1, 3, 4), OutputTensor=t(1, 1, 3, 4), Axis=axis,
              AxisDirection="DML_AXIS_DIRECTION_" + direction, **{last: exclusive})


def join(what, axis, output, *inputs):
    return op("JOIN", what, InputCount=len(inputs), InputTensors=list(inputs), OutputTensor=output,
              Axis=axis)


def split(what, axis, *outputs):
    return op("SPLIT", what, InputTensor=t(1, 1, 6, 2), OutputCount=len(outputs),
              OutputTensors=list(outputs), Axis=axis)


def gather(what, axis, dimensions, input, indices, output):
    return op("GATHER", what, InputTensor=input, IndicesTensor=indices, OutputTensor=output,
              Axis=axis, IndexDimensions=dimensions)


def gather_nd(name, what, input, n, indices, m, output, **batch):
    return op(name, what, InputTensor=input, IndicesTensor=indices, OutputTensor=output,
              InputDimensionCount=n, IndicesDimensionCount=m, **batch)


def scatter(name, what, input, indices, updates):
    return op(name, what, InputTensor=input, IndicesTensor=indices, UpdatesTensor=updates,
              OutputTensor=input, Axis=0)


def blocks(name, input, output, **order):
    return op(name, "", InputTensor=input, OutputTensor=output, BlockSize=2, **order)


BLOCKS, IMAGE = u(1, 8, 2, 3), u(1, 2, 4, 6)

# Where a page contradicts itself, the numbers are those of its formula: GATHER 3 (IndexDimensions
# 2), GATHER_ELEMENTS (an output of another type), SCATTER 2 (an input of {2,3}), SCATTER_ND
# (tensors of different ranks, FLOAT32 indices).
PAGES = [
    join("1", 3, t(1, 1, 2, 7), t(1, 1, 2, 3), t(1, 1, 2, 4)),
    join("2, axis 1", 1, t(1, 3, 2, 2), t(1, 1, 2, 2), t(1, 1, 2, 2), t(1, 1, 2, 2)),
    join("2, axis 2", 2, t(1, 1, 6, 2), t(1, 1, 2, 2), t(1, 1, 2, 2), t(1, 1, 2, 2)),
    join("2, axis 3", 3, t(1, 1, 2, 6), t(1, 1, 2, 2), t(1, 1, 2, 2), t(1, 1, 2, 2)),
    split("1", 2, t(1, 1, 2, 2), t(1, 1, 1, 2), t(1, 1, 3, 2)),
    split("2", 3, t(1, 1, 6, 1), t(1, 1, 6, 1)),
    gather("1", 0, 1, t(4), u(5), t(5)),
    gather("2", 0, 1, t(3, 2), u(1, 4), t(4, 2)),
    gather("3", 1, 1, t(3, 2), u(1, 2), t(3, 2)),
    gather("4", 2, 2, t(1, 3, 3), u(1, 1, 2), t(3, 1, 2)),
    gather("5", 1, 2, t(1, 3, 2), u(1, 2, 2), t(2, 2, 2)),
    op("GATHER_ELEMENTS", "", InputTensor=t(3, 3), IndicesTensor=u(2, 3), OutputTensor=t(2, 3),
       Axis=0),
    gather_nd("GATHER_ND", "the text", t(3, 4, 5, 6, 7), 5, u(1, 1, 1, 2, 3), 3, t(1, 1, 2, 6, 7)),
    gather_nd("GATHER_ND", "1", t(2, 2), 2, u(2, 1), 2, t(2, 2)),
    gather_nd("GATHER_ND", "2", t(1, 2, 2, 2), 3, u(1, 1, 2, 2), 2, t(1, 1, 2, 2)),
    gather_nd("GATHER_ND1", "1", t(2, 2), 2, u(2, 1), 2, t(2, 2), BatchDimensionCount=0),
    gather_nd("GATHER_ND1", "2", t(1, 3, 2, 2), 3, u(1, 3, 2, 2), 3, t(1, 1, 3, 2),
              BatchDimensionCount=1),
    scatter("SCATTER", "1", t(5), u(4), t(4)),
    scatter("SCATTER", "2", t(3, 3), u(2, 3), t(2, 3)),
    op("SCATTER_ND", "", InputTensor=t(1, 8), IndicesTensor=u(4, 1), UpdatesTensor=t(1, 4),
       OutputTensor=t(1, 8), InputDimensionCount=1, IndicesDimensionCount=2),
    op("SCATTER_ND", "the text", InputTensor=t(3, 4, 5, 6, 7), IndicesTensor=u(1, 1, 1, 2, 3),
       UpdatesTensor=t(1, 1, 2, 6, 7), OutputTensor=t(3, 4, 5, 6, 7), InputDimensionCount=5,
       IndicesDimensionCount=3),
    one_hot("1", u(1, 1, 3, 1), 3),
    one_hot("2", u(1, 1, 1, 4), 2),
    one_hot("3", u(1, 1, 3, 1), 3, t(1, 1, 3, 1)),
    one_hot("4", t(1, 1, 3, 1, type="INT32"), 3),
    padding("PADDING", "CONSTANT", PaddingValue=9.0),
    padding("PADDING", "EDGE", PaddingValue=0.0),
    padding("PADDING", "REFLECTION", PaddingValue=0.0),
    padding("PADDING", "SYMMETRIC", PaddingValue=0.0),
    padding("PADDING1", "CONSTANT", PaddingValueDataType="DML_TENSOR_DATA_TYPE_FLOAT32",
            PaddingValue=9),
    padding("PADDING1", "SYMMETRIC", PaddingValueDataType="DML_TENSOR_DATA_TYPE_FLOAT32",
            PaddingValue=0),
    op("TILE", "", InputTensor=t(1, 1, 2, 3), OutputTensor=t(1, 1, 6, 9), RepeatsCount=4,
       Repeats=[1, 1, 3, 3]),
    reduced("REDUCE", "1", [0], t(1, 3), Function="DML_REDUCE_FUNCTION_SUM"),
    reduced("REDUCE", "2", [1], t(3, 1), Function="DML_REDUCE_FUNCTION_SUM"),
    reduced("REDUCE", "3", [0, 1], t(1, 1), Function="DML_REDUCE_FUNCTION_SUM"),
    reduced("ARGMAX", "1", [0], u(1, 3), AxisDirection="DML_AXIS_DIRECTION_INCREASING"),
    reduced("ARGMAX", "2", [1], u(3, 1), AxisDirection="DML_AXIS_DIRECTION_INCREASING"),
    reduced("ARGMAX", "3", [0, 1], u(1, 1), AxisDirection="DML_AXIS_DIRECTION_INCREASING"),
    reduced("ARGMIN", "2", [1], u(3, 1), AxisDirection="DML_AXIS_DIRECTION_DECREASING"),
    blocks("SPACE_TO_DEPTH", IMAGE, BLOCKS),
    blocks("SPACE_TO_DEPTH1", IMAGE, BLOCKS, Order="DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW"),
    blocks("SPACE_TO_DEPTH1", IMAGE, BLOCKS, Order="DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH"),
    blocks("DEPTH_TO_SPACE", BLOCKS, IMAGE),
    blocks("DEPTH_TO_SPACE1", BLOCKS, IMAGE, Order="DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW"),
    blocks("DEPTH_TO_SPACE1", BLOCKS, IMAGE, Order="DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH"),
    cumulative("CUMULATIVE_SUMMATION", "1", 3, "INCREASING", False),
    cumulative("CUMULATIVE_SUMMATION", "2", 3, "INCREASING", True),
    cumulative("CUMULATIVE_SUMMATION", "3", 3, "DECREASING", False),
    cumulative("CUMULATIVE_SUMMATION", "4", 2, "INCREASING", False),
    cumulative("CUMULATIVE_PRODUCT", "1", 3, "INCREASING", False),
    cumulative("CUMULATIVE_PRODUCT", "4", 2, "INCREASING", False),
    op("REVERSE_SUBSEQUENCES", "1", InputTensor=t(1, 1, 3, 4), SequenceLengthsTensor=u(1, 1, 3, 1),
       OutputTensor=t(1, 1, 3, 4), Axis=3),
    op("REVERSE_SUBSEQUENCES", "2", InputTensor=t(1, 1, 3, 4), SequenceLengthsTensor=u(1, 1, 1, 4),
       OutputTensor=t(1, 1, 3, 4), Axis=2),
    op("REVERSE_SUBSEQUENCES", "the text", InputTensor=t(2, 3, 4, 5),
       SequenceLengthsTensor=u(2, 1, 4, 5), OutputTensor=t(2, 3, 4, 5), Axis=1),
    op("DIAGONAL_MATRIX", "1", OutputTensor=t(1, 1, 3, 3), Offset=0, Value=1.0),
    op("DIAGONAL_MATRIX", "3", OutputTensor=t(1, 1, 3, 2), Offset=-1, Value=1.0),
    op("DIAGONAL_MATRIX", "4", OutputTensor=t(1, 1, 3, 2), Offset=-3, Value=1.0),
    op("NONZERO_COORDINATES", "", InputTensor=t(1, 1, 2, 4), OutputCountTensor=u(1, 1, 1, 1),
       OutputCoordinatesTensor=u(1, 1, 8, 3)),
    op("NONZERO_COORDINATES", "the text", InputTensor=t(1, 1, 12, 5),
       OutputCountTensor=u(1, 1, 1, 1), OutputCoordinatesTensor=u(1, 1, 60, 2)),
    op("FILL_VALUE_SEQUENCE", "1", OutputTensor=t(1, 1, 1, 3),
       ValueDataType="DML_TENSOR_DATA_TYPE_FLOAT32", ValueStart=3, ValueDelta=2),
    op("FILL_VALUE_SEQUENCE", "2", OutputTensor=t(1, 1, 2, 2, type="UINT8"),
       ValueDataType="DML_TENSOR_DATA_TYPE_UINT8", ValueStart=10, ValueDelta=2),
    op("SLICE_GRAD", "the text", InputGradientTensor=t(2, 2), OutputGradientTensor=t(4, 4),
       DimensionCount=2, InputWindowOffsets=[0, 0], InputWindowSizes=[4, 4],
       InputWindowStrides=[2, 2])]


def convolution(direction, input, filter, output, **fields):
    return {"InputTensor": input, "FilterTensor": filter,
            "BiasTensor": t(1, output["Sizes"][1], 1, 1), "OutputTensor": output,
            "Mode": "DML_CONVOLUTION_MODE_CROSS_CORRELATION",
            "Direction": "DML_CONVOLUTION_DIRECTION_" + direction, "DimensionCount": 2,
            "Strides": [2, 2], "Dilations": [1, 1], "StartPadding": [1, 1], "EndPadding": [1, 1],
            **fields}


def recurrent(gates, functions, direction="FORWARD", **more):
    """Sequences of 5 steps of 3 features, a batch of 4, a hidden state of 6 features."""
    d, h = 2 if direction == "BIDIRECTIONAL" else 1, 6
    state = t(1, d, 4, h)
    return {
        "InputTensor": t(1, 5, 4, 3), "WeightTensor": t(1, d, gates * h, 3),
        "RecurrenceTensor": t(1, d, gates * h, h), "BiasTensor": t(1, 1, d, 2 * gates * h),
        "HiddenInitTensor": state, "SequenceLengthsTensor": u(1, 1, 1, 4),
        "OutputSequenceTensor": t(5, d, 4, h), "OutputSingleTensor": state,
        "ActivationDescCount": d * len(functions),
        "ActivationDescs": [activation(f) for f in functions] * d,
        "Direction": "DML_RECURRENT_NETWORK_DIRECTION_" + direction, **more}


def attention(mask="NONE", **tensors):
    return {**tensors, "Scale": 0.5, "MaskFilterValue": -10000.0, "HeadCount": 3,
            "MaskType": "DML_MULTIHEAD_ATTENTION_MASK_TYPE_" + mask}


def without(desc, *names):
    return {k: v for k, v in desc.items() if k not in names}


def attention1(mask="NONE", **tensors):
    counts = {"QueryHeadCount": 3, "KeyValueHeadCount": 3}
    return {**without(attention(mask, **tensors), "HeadCount"), **counts}


UINT8 = "UINT8"
MORE = [
    ("CONVOLUTION", "groups",
     convolution("FORWARD", t(3, 4, 7, 9), t(6, 2, 3, 3), t(3, 6, 4, 5), OutputPadding=[0, 0],
                 GroupCount=2, FusedActivation=activation("RELU"))),
    ("CONVOLUTION", "backward",
     convolution("BACKWARD", t(3, 4, 4, 5), t(4, 2, 3, 3), t(3, 2, 8, 10), OutputPadding=[1, 1],
                 GroupCount=1)),
    ("CONVOLUTION", "backward, only padding",
     convolution("BACKWARD", t(2, 2, 1, 9), t(2, 2, 2, 3), t(2, 4, 1, 27), OutputPadding=[1, 1],
                 Strides=[3, 3], Dilations=[2, 2], StartPadding=[2, 1], EndPadding=[1, 2],
                 GroupCount=2)),
    ("CONVOLUTION_INTEGER", "zero points",
     without({**convolution("FORWARD", t(3, 4, 7, 9, type=UINT8), t(6, 4, 3, 3, type=UINT8),
                            t(3, 6, 4, 5, type="INT32"), GroupCount=1),
              "InputZeroPointTensor": t(1, 1, 1, 1, type=UINT8),
              "FilterZeroPointTensor": t(1, 1, 1, 1, type=UINT8)}, "BiasTensor", "Mode",
             "Direction")),
    ("QUANTIZED_LINEAR_CONVOLUTION", "all",
     without({**convolution("FORWARD", t(3, 4, 7, 9, type=UINT8), t(6, 4, 3, 3, type=UINT8),
                            t(3, 6, 4, 5, type=UINT8), GroupCount=1),
              "InputScaleTensor": t(1, 1, 1, 1), "InputZeroPointTensor": t(1, 1, 1, 1, type=UINT8),
              "FilterScaleTensor": t(1, 6, 1, 1),
              "FilterZeroPointTensor": t(1, 6, 1, 1, type=UINT8),
              "BiasTensor": t(1, 6, 1, 1, type="INT32"), "OutputScaleTensor": t(1, 1, 1, 1),
              "OutputZeroPointTensor": t(1, 1, 1, 1, type=UINT8)}, "Mode", "Direction")),
    op("GEMM", "C, transposed", ATensor=t(3, 4, 5, 6), BTensor=t(3, 4, 7, 5), CTensor=t(3, 4, 6, 7),
       OutputTensor=t(3, 4, 6, 7), TransA="DML_MATRIX_TRANSFORM_TRANSPOSE",
       TransB="DML_MATRIX_TRANSFORM_TRANSPOSE", Alpha=1.0, Beta=1.0),
    op("MATRIX_MULTIPLY_INTEGER", "zero points", ATensor=t(3, 4, 5, 6, type=UINT8),
       AZeroPointTensor=t(1, 1, 5, 1, type=UINT8), BTensor=t(3, 4, 6, 7, type="INT8"),
       BZeroPointTensor=t(1, 1, 1, 7, type="INT8"), OutputTensor=t(3, 4, 5, 7, type="INT32")),
    op("MATRIX_MULTIPLY_INTEGER_TO_FLOAT", "all", ATensor=t(3, 4, 5, 6, type=UINT8),
       AScaleTensor=t(1, 1, 5, 1), AZeroPointTensor=t(1, 1, 5, 1, type=UINT8),
       BTensor=t(3, 4, 6, 7, type=UINT8), BScaleTensor=t(1, 1, 1, 7),
       BZeroPointTensor=t(1, 1, 1, 7, type=UINT8), BiasTensor=t(3, 4, 5, 7),
       OutputTensor=t(3, 4, 5, 7)),
    ("RNN", "all", recurrent(1, ["TANH"])),
    ("GRU", "both directions",
     recurrent(3, ["SIGMOID", "TANH"], "BIDIRECTIONAL", LinearBeforeReset=True)),
    ("LSTM", "all",
     recurrent(4, ["SIGMOID", "TANH", "TANH"], CellMemInitTensor=t(1, 1, 4, 6),
               PeepholeTensor=t(1, 1, 1, 18), OutputCellSingleTensor=t(1, 1, 4, 6),
               ClipThreshold=1.0, UseClipThreshold=True, CoupleInputForget=False)),
    ("MULTIHEAD_ATTENTION", "stacked",
     attention(StackedQueryKeyValueTensor=t(2, 5, 3, 3, 4), OutputTensor=t(2, 5, 12))),
    ("MULTIHEAD_ATTENTION", "the past",
     attention("KEY_SEQUENCE_LENGTH", QueryTensor=t(2, 5, 12), KeyTensor=t(2, 5, 12),
               ValueTensor=t(2, 5, 12), BiasTensor=t(36), MaskTensor=t(2, type="INT32"),
               RelativePositionBiasTensor=t(2, 3, 5, 12), PastKeyTensor=t(2, 3, 7, 4),
               PastValueTensor=t(2, 3, 7, 4), OutputTensor=t(2, 5, 12),
               OutputPresentKeyTensor=t(2, 3, 12, 4), OutputPresentValueTensor=t(2, 3, 12, 4))),
    *((name, "stacked by two", make(**tensors, OutputTensor=t(2, 5, 12)))
      for name, make in (("MULTIHEAD_ATTENTION", attention), ("MULTIHEAD_ATTENTION1", attention1))
      for tensors in ({"StackedQueryKeyTensor": t(2, 5, 3, 2, 4), "ValueTensor": t(2, 5, 12)},
                      {"QueryTensor": t(2, 5, 12), "StackedKeyValueTensor": t(2, 5, 3, 2, 4)})),
    ("MULTIHEAD_ATTENTION1", "stacked, with lengths",
     attention1("KEY_SEQUENCE_LENGTH", StackedQueryKeyValueTensor=t(2, 5, 3, 3, 4),
                MaskTensor=t(2, type="INT32"), PastSequenceLengthsTensor=t(2, type="INT32"),
                OutputTensor=t(2, 5, 12))),
    op("QUANTIZED_LINEAR_AVERAGE_POOLING", "all", InputTensor=t(1, 2, 4, 4, type=UINT8),
       InputScaleTensor=t(1, 1, 1, 1), InputZeroPointTensor=t(1, 1, 1, 1, type=UINT8),
       OutputScaleTensor=t(1, 1, 1, 1), OutputZeroPointTensor=t(1, 1, 1, 1, type=UINT8),
       OutputTensor=t(1, 2, 2, 2, type=UINT8), DimensionCount=2, Strides=[2, 2], WindowSize=[2, 2],
       StartPadding=[0, 0], EndPadding=[0, 0], Dilations=[1, 1], IncludePadding=False),
    op("MEAN_VARIANCE_NORMALIZATION", "all", **scaled(), CrossChannel=False, NormalizeVariance=True,
       Epsilon=1e-5),
    op("MEAN_VARIANCE_NORMALIZATION2", "all", **scaled(), AxisCount=2, Axes=[2, 3], UseMean=True,
       UseVariance=False, Epsilon=1e-5),
    op("MEAN_VARIANCE_NORMALIZATION1", "all", **scaled(), AxisCount=2, Axes=[2, 3],
       NormalizeVariance=True, Epsilon=1e-5, FusedActivation=activation("RELU")),
    op("BATCH_NORMALIZATION_TRAINING", "all", InputTensor=t(3, 4, 5, 6), ScaleTensor=t(1, 4, 1, 1),
       BiasTensor=t(1, 4, 1, 1), FusedAddTensor=t(3, 4, 5, 6), OutputTensor=t(3, 4, 5, 6),
       OutputMeanTensor=t(1, 4, 1, 1), OutputVarianceTensor=t(1, 4, 1, 1), Epsilon=1e-5,
       FusedActivation=activation("RELU")),
    op("ELEMENT_WISE_CLIP", "scale", InputTensor=t(3, 4), OutputTensor=t(3, 4),
       ScaleBias={"Scale": 2.0, "Bias": 1.0}, Min=-1.0, Max=1.0),
    op("ELEMENT_WISE_QUANTIZED_LINEAR_ADD", "zero points", ATensor=t(3, 4, type=UINT8),
       AScaleTensor=t(1, 4), AZeroPointTensor=t(1, 4, type=UINT8), BTensor=t(3, 4, type=UINT8),
       BScaleTensor=t(1, 4), BZeroPointTensor=t(1, 4, type=UINT8), OutputScaleTensor=t(1, 4),
       OutputZeroPointTensor=t(1, 4, type=UINT8), OutputTensor=t(3, 4, type=UINT8)),
    op("DIAGONAL_MATRIX1", "input", InputTensor=t(3, 4), OutputTensor=t(3, 4),
       ValueDataType="DML_TENSOR_DATA_TYPE_FLOAT32", Value=7, DiagonalFillBegin=0,
       DiagonalFillEnd=1),
    op("ROI_ALIGN_GRAD", "the regions' gradient", InputTensor=t(2, 3, 6, 7),
       InputGradientTensor=t(5, 3, 4, 4), ROITensor=t(5, 4), BatchIndicesTensor=u(5),
       OutputGradientTensor=t(2, 3, 6, 7), OutputROIGradientTensor=t(5, 4),
       ReductionFunction="DML_REDUCE_FUNCTION_MAX",
       InterpolationMode="DML_INTERPOLATION_MODE_LINEAR", SpatialScaleX=1.0, SpatialScaleY=1.0,
       InputPixelOffset=0.5, OutputPixelOffset=-0.5, MinimumSamplesPerOutput=1,
       MaximumSamplesPerOutput=4, AlignRegionsToCorners=False)]
