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

/* All rules: X(NAME, "id", severity, class). fragments/rules.json has their texts. The enum,
 * `validate --rules`, the manual's list (dmlop-rules(7)) and the tests read both. An id never
 * changes its meaning. */
#define DMLOP_RULES(X) \
    X(JSON_SYNTAX, "json.syntax", SEV_ERROR, CLASS_PLAIN) \
    X(JSON_DUPLICATE_KEY, "json.duplicate-key", SEV_ERROR, CLASS_PLAIN) \
    X(DESC_NOT_OBJECT, "desc.not-object", SEV_ERROR, CLASS_PLAIN) \
    X(DESC_OPERATOR_UNKNOWN, "desc.operator-unknown", SEV_ERROR, CLASS_PLAIN) \
    X(DESC_OPERATOR_UNSUPPORTED, "desc.operator-unsupported", SEV_WARNING, CLASS_PLAIN) \
    X(DESC_OPERATOR_MISSING, "desc.operator-missing", SEV_ERROR, CLASS_PLAIN) \
    X(DESC_FIELD_MISSING, "desc.field-missing", SEV_ERROR, CLASS_PLAIN) \
    X(DESC_FIELD_UNKNOWN, "desc.field-unknown", SEV_WARNING, CLASS_PLAIN) \
    X(DESC_FIELD_TYPE, "desc.field-type", SEV_ERROR, CLASS_PLAIN) \
    X(DESC_FIELD_RANGE, "desc.field-range", SEV_ERROR, CLASS_RANGE) \
    X(DESC_ENUM_UNKNOWN, "desc.enum-unknown", SEV_ERROR, CLASS_PLAIN) \
    X(DESC_ARRAY_LENGTH, "desc.array-length", SEV_ERROR, CLASS_PLAIN) \
    X(DESC_SAME_DATA_TYPE, "desc.same-data-type", SEV_ERROR, CLASS_PLAIN) \
    X(DESC_SAME_DIMENSION_COUNT, "desc.same-dimension-count", SEV_ERROR, CLASS_PLAIN) \
    X(DESC_SAME_SIZES, "desc.same-sizes", SEV_ERROR, CLASS_PLAIN) \
    X(DESC_SCALAR_TYPE, "desc.scalar-type", SEV_ERROR, CLASS_PLAIN) \
    X(DESC_DISPUTED, "desc.disputed", SEV_WARNING, CLASS_PLAIN) \
    X(DESC_ACTIVATION, "desc.activation", SEV_ERROR, CLASS_PLAIN) \
    X(DESC_ACTIVATION_TENSOR, "desc.activation-tensor", SEV_WARNING, CLASS_PLAIN) \
    X(SHAPE_SIZE, "shape.size", SEV_ERROR, CLASS_PLAIN) \
    X(SHAPE_DIMENSION_COUNT, "shape.dimension-count", SEV_ERROR, CLASS_PLAIN) \
    X(SHAPE_AXIS, "shape.axis", SEV_ERROR, CLASS_PLAIN) \
    X(SHAPE_VALUE, "shape.value", SEV_ERROR, CLASS_PLAIN) \
    X(SHAPE_DATA_TYPE, "shape.data-type", SEV_ERROR, CLASS_PLAIN) \
    X(SHAPE_TENSOR, "shape.tensor", SEV_ERROR, CLASS_PLAIN) \
    X(TENSOR_TYPE, "tensor.type", SEV_ERROR, CLASS_PLAIN) \
    X(TENSOR_DATA_TYPE, "tensor.data-type", SEV_ERROR, CLASS_PLAIN) \
    X(TENSOR_DIMENSION_COUNT, "tensor.dimension-count", SEV_ERROR, CLASS_PLAIN) \
    X(TENSOR_SIZES_ZERO, "tensor.sizes-zero", SEV_ERROR, CLASS_PLAIN) \
    X(TENSOR_ELEMENT_COUNT, "tensor.element-count", SEV_ERROR, CLASS_RANGE) \
    X(TENSOR_STRIDES_COUNT, "tensor.strides-count", SEV_ERROR, CLASS_PLAIN) \
    X(TENSOR_TOTAL_SIZE, "tensor.total-size", SEV_ERROR, CLASS_PLAIN) \
    X(TENSOR_TOTAL_SIZE_ALIGNMENT, "tensor.total-size-alignment", SEV_ERROR, CLASS_LIMIT) \
    X(TENSOR_BASE_ALIGNMENT, "tensor.base-alignment", SEV_ERROR, CLASS_LIMIT) \
    X(TENSOR_FLAGS_OUTPUT, "tensor.flags-output", SEV_ERROR, CLASS_PLAIN) \
    X(TENSOR_OUTPUT_OVERLAP, "tensor.output-overlap", SEV_ERROR, CLASS_PLAIN) \
    X(SLICE_DIMENSION_COUNT, "slice.dimension-count", SEV_ERROR, CLASS_PLAIN) \
    X(SLICE_ARRAY_LENGTH, "slice.array-length", SEV_ERROR, CLASS_PLAIN) \
    X(SLICE_DATA_TYPE_MISMATCH, "slice.data-type-mismatch", SEV_ERROR, CLASS_PLAIN) \
    X(SLICE_WINDOW_EMPTY, "slice.window-empty", SEV_ERROR, CLASS_PLAIN) \
    X(SLICE_WINDOW_BOUNDS, "slice.window-bounds", SEV_ERROR, CLASS_PLAIN) \
    X(SLICE_STRIDE_ZERO, "slice.stride-zero", SEV_ERROR, CLASS_PLAIN) \
    X(SLICE_OUTPUT_SIZE, "slice.output-size", SEV_ERROR, CLASS_PLAIN) \
    X(TOPK_AXIS, "topk.axis", SEV_ERROR, CLASS_PLAIN) \
    X(TOPK_K_ZERO, "topk.k-zero", SEV_ERROR, CLASS_PLAIN) \
    X(TOPK_K_EXCEEDS_AXIS, "topk.k-exceeds-axis", SEV_ERROR, CLASS_PLAIN) \
    X(TOPK_K_EQUALS_AXIS, "topk.k-equals-axis", SEV_ERROR, CLASS_LIMIT) \
    X(TOPK_VALUE_SIZES, "topk.value-sizes", SEV_ERROR, CLASS_PLAIN) \
    X(TOPK_INDEX_SIZES, "topk.index-sizes", SEV_ERROR, CLASS_PLAIN) \
    X(TOPK_DIMENSION_COUNT, "topk.dimension-count", SEV_ERROR, CLASS_PLAIN) \
    X(TOPK_DATA_TYPE_MISMATCH, "topk.data-type-mismatch", SEV_ERROR, CLASS_PLAIN) \
    X(TOPK_INDEX_DATA_TYPE, "topk.index-data-type", SEV_ERROR, CLASS_PLAIN) \
    X(TOPK_AXIS_DIRECTION, "topk.axis-direction", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_BATCH, "qmatmul.batch", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_INNER, "qmatmul.inner", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_OUTPUT_SIZES, "qmatmul.output-sizes", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_DIMENSION_COUNT, "qmatmul.dimension-count", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_A_SCALE_SIZES, "qmatmul.a-scale-sizes", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_A_ZERO_POINT_SIZES, "qmatmul.a-zero-point-sizes", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_B_SCALE_SIZES, "qmatmul.b-scale-sizes", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_B_ZERO_POINT_SIZES, "qmatmul.b-zero-point-sizes", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_OUTPUT_SCALE_SIZES, "qmatmul.output-scale-sizes", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_OUTPUT_ZERO_POINT_SIZES, "qmatmul.output-zero-point-sizes", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_SCALE_DATA_TYPE, "qmatmul.scale-data-type", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_A_ZERO_POINT_DATA_TYPE, "qmatmul.a-zero-point-data-type", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_B_ZERO_POINT_DATA_TYPE, "qmatmul.b-zero-point-data-type", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_OUTPUT_ZERO_POINT_DATA_TYPE, "qmatmul.output-zero-point-data-type", SEV_ERROR, \
      CLASS_PLAIN) \
    X(QMATMUL_DATA_TYPE, "qmatmul.data-type", SEV_ERROR, CLASS_PLAIN) \
    X(QMATMUL_SCALE_VALUE, "qmatmul.scale-value", SEV_ERROR, CLASS_DATA) \
    X(SUPPORT_OPERATOR, "support.operator", SEV_ERROR, CLASS_LIMIT) \
    X(SUPPORT_VALUE, "support.value", SEV_ERROR, CLASS_LIMIT) \
    X(SUPPORT_DIMENSION_COUNT, "support.dimension-count", SEV_ERROR, CLASS_LIMIT) \
    X(SUPPORT_DATA_TYPE, "support.data-type", SEV_ERROR, CLASS_LIMIT) \
    X(SUPPORT_FLAGS, "support.flags", SEV_ERROR, CLASS_LIMIT) \
    X(BIND_DATA_TYPE, "bind.data-type", SEV_ERROR, CLASS_DATA) \
    X(BIND_SIZES, "bind.sizes", SEV_ERROR, CLASS_DATA) \
    X(BIND_BUFFER_LENGTH, "bind.buffer-length", SEV_ERROR, CLASS_DATA) \
    X(RUN_RESOURCE_UNKNOWN, "run.resource-unknown", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_DISPATCHABLE_UNKNOWN, "run.dispatchable-unknown", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_COMMAND_UNKNOWN, "run.command-unknown", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_INITIAL_VALUES, "run.initial-values", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_INITIAL_TYPE, "run.initial-type", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_VALUE_RANGE, "run.value-range", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_SEQUENCE_RANGE, "run.sequence-range", SEV_WARNING, CLASS_PLAIN) \
    X(RUN_RESOURCE_SIZE, "run.resource-size", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_DEFERRED, "run.deferred", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_SOURCE_FILE, "run.source-file", SEV_ERROR, CLASS_DATA) \
    X(RUN_TENSOR_UNKNOWN, "run.tensor-unknown", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_TENSOR_UNBOUND, "run.tensor-unbound", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_BOUND_TWICE, "run.bound-twice", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_BINDING_PHASE, "run.binding-phase", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_BINDING_SIZE, "run.binding-size", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_BINDING_ALIGNMENT, "run.binding-alignment", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_OUTPUT_OVERLAP, "run.output-overlap", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_PATH_OUTSIDE, "run.path-outside", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_PATH_WINDOWS, "run.path-windows", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_FILE_TYPE, "run.file-type", SEV_ERROR, CLASS_PLAIN) \
    X(RUN_DIMENSIONS, "run.dimensions", SEV_ERROR, CLASS_PLAIN) \
    X(PORTABLE_NULL_TENSOR, "portable.null-tensor", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_TYPE_CASE, "portable.type-case", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_DIMENSION_COUNT, "portable.dimension-count", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_BYTE_ORDER_MARK, "portable.byte-order-mark", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_FLAGS, "portable.flags", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_INITIAL_VALUES, "portable.initial-values", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_INTEGER, "portable.integer", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_FLOAT, "portable.float", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_NAME, "portable.name", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_VALUE_COUNT, "portable.value-count", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_IGNORED_KEY, "portable.ignored-key", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_FILE_TYPE, "portable.file-type", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_NPY_BYTE_ORDER, "portable.npy-byte-order", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_NPY_BOOL, "portable.npy-bool", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_NPY_SHORT, "portable.npy-short", SEV_WARNING, CLASS_PORTABLE) \
    X(PORTABLE_NPY_ORDER, "portable.npy-order", SEV_WARNING, CLASS_PORTABLE)

enum rule {
#define X(name, id, severity, of) RULE_##name,
    DMLOP_RULES(X)
#undef X
        RULE_COUNT
};

struct rule_info {
    const char *id;
    enum severity severity;
    enum rule_class of;
};

extern const struct rule_info rule_table[RULE_COUNT];

/* The texts of a rule, from fragments/rules.json. */
struct rule_text {
    const char *sentence; /* "Every size must be at least 1." */
    const char *remedy;   /* "use sizes of 1 or more" */
};

/* Reads the texts at the first call. Not thread-safe. */
const struct rule_text *rule_text(enum rule rule);

#endif
