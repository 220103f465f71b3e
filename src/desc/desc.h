#pragma once

#include "tensor/tensor.h"
#include "json/write.h"

/* The structs of operator descriptors: data only. */

enum op {
    OP_NONE,
    OP_SLICE,   /* DML_OPERATOR_SLICE */
    OP_SLICE1,  /* DML_OPERATOR_SLICE1 */
    OP_TOP_K,   /* DML_OPERATOR_TOP_K */
    OP_TOP_K1,  /* DML_OPERATOR_TOP_K1 */
    OP_QMATMUL, /* DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY */
    OP_COUNT
};

enum axis_direction { AXIS_INCREASING, AXIS_DECREASING }; /* DML_AXIS_DIRECTION */

enum { TENSOR_FLAG_OWNED_BY_DML = 1 }; /* DML_TENSOR_FLAG_OWNED_BY_DML */

/* DML_BUFFER_TENSOR_DESC. Fields are wider than DirectML's UINT: options may describe larger files.
 * Numbers read from JSON fit UINT. */
struct tensor_desc {
    bool present;     /* false: an omitted optional tensor */
    bool has_strides; /* false: packed */
    enum dtype type;
    uint32_t flags;
    uint32_t rank; /* number of Sizes, at most DML_MAX_RANK */
    uint64_t sizes[DML_MAX_RANK];
    uint64_t strides[DML_MAX_RANK]; /* in elements */
    uint64_t total_size;            /* TotalTensorSizeInBytes; 0: derived */
    uint64_t base_alignment;        /* GuaranteedBaseOffsetAlignment */
};

/* Indices of an operator's tensors in struct desc. */
enum slot {
    SLOT_IN = 0,      /* slice, topk: InputTensor */
    SLOT_OUT = 1,     /* slice: OutputTensor */
    SLOT_VALUES = 1,  /* topk: OutputValueTensor */
    SLOT_INDICES = 2, /* topk: OutputIndexTensor */
    SLOT_A = 0,       /* qmatmul, in the order of the C struct */
    SLOT_A_SCALE = 1,
    SLOT_A_ZERO = 2,
    SLOT_B = 3,
    SLOT_B_SCALE = 4,
    SLOT_B_ZERO = 5,
    SLOT_C_SCALE = 6, /* OutputScaleTensor */
    SLOT_C_ZERO = 7,  /* OutputZeroPointTensor */
    SLOT_C = 8,       /* OutputTensor */
    SLOT_COUNT = 9
};

/* An operator descriptor. SLICE uses SLICE1's fields: its Offsets, Sizes and Strides are offsets,
 * sizes (of the output, not of a window) and strides. TOP_K has direction AXIS_DECREASING. */
struct desc {
    enum op op;
    struct tensor_desc tensor[SLOT_COUNT];
    uint64_t dimension_count; /* 0: not given */
    uint64_t offsets[DML_MAX_RANK];
    uint64_t sizes[DML_MAX_RANK];
    int64_t strides[DML_MAX_RANK];
    uint64_t axis;
    uint64_t k;
    enum axis_direction direction;
    bool nan_last; /* topk: NaNs come last in both directions; options only */
    /* qmatmul: A is one row, B one column that the result has no axis for; options only */
    bool vector_a, vector_b;
};

/* Adds d to b as the JSON of a descriptor, on several lines, with full enumeration names; dmlop and
 * DxDispatch can read it. Leaves out defaults: packed strides, flags NONE. */
void desc_emit(const struct desc *d, struct str *b);

/* Writes the members "type" and "desc" to an open object, on lines with that indent. */
void desc_emit_members(const struct desc *d, struct json_writer *w, unsigned indent);
