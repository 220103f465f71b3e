#ifndef DMLOP_DESC_SCHEMA_H
#define DMLOP_DESC_SCHEMA_H

#include <stddef.h>

#include "desc/desc.h"

enum field_kind {
    FIELD_TENSOR,
    FIELD_UINT,
    FIELD_UINT_ARRAY, /* DimensionCount entries */
    FIELD_INT_ARRAY,
    FIELD_DIRECTION,  /* DML_AXIS_DIRECTION */
};

/* One field of an operator's descriptor. */
struct field {
    const char *name;     /* DirectML's: "InputWindowOffsets" */
    enum field_kind kind;
    bool optional;        /* may be left out (tensors: or null) */
    bool output;          /* tensors: written by the operator */
    uint8_t slot;         /* tensors: index into desc.tensor */
    size_t offset;        /* other kinds: offsetof(struct desc, ...) */
};

enum { SCHEMA_MAX_FIELDS = 9 };

struct op_schema {
    const char *name;     /* without the prefix DML_OPERATOR_ */
    const char *command;  /* "slice", "topk", "qmatmul" */
    struct field fields[SCHEMA_MAX_FIELDS + 1]; /* in the order of the C struct; name NULL ends */
};

/* Indexed by enum op; OP_NONE has no name. The one place where operators' fields stand. */
extern const struct op_schema op_schemas[OP_COUNT];

/* "DML_OPERATOR_SLICE1" or "SLICE1" -> OP_SLICE1; OP_NONE where there is none. */
enum op op_from_name(const char *name);

/* The field of that name, or NULL. */
const struct field *op_field(enum op op, const char *name);

/* The tensor field of a slot, or NULL where the operator has none there. */
const struct field *op_tensor_field(enum op op, unsigned slot);

/* Bytes a buffer must have for d: (extent) * element size rounded up to 4, as
 * DMLCalcBufferTensorSize. False on overflow. Source: DML_BUFFER_TENSOR_DESC. */
bool tensor_desc_bytes(const struct tensor_desc *d, uint64_t *bytes);

/* d as a view of data: sizes, strides (packed where none). False on overflow. */
bool tensor_desc_view(const struct tensor_desc *d, void *data, struct tensor *t);

#endif
