#ifndef DMLOP_DESC_SCHEMA_H
#define DMLOP_DESC_SCHEMA_H

#include <stddef.h>

#include "desc/desc.h"

enum field_kind {
    FIELD_TENSOR,
    FIELD_UINT,
    FIELD_UINT_ARRAY, /* DimensionCount entries */
    FIELD_INT_ARRAY,
    FIELD_DIRECTION, /* DML_AXIS_DIRECTION */
};

/* The role of a tensor in its operator. */
enum field_role {
    ROLE_DATA,       /* operands and results: qmatmul's matrices */
    ROLE_INDEX,      /* indices along the axis */
    ROLE_SCALE,      /* FLOAT32: one, or one per row or column of a matrix */
    ROLE_ZERO_POINT, /* the same, of the matrix's data type */
};

/* The axes of a matrix, counted from the last. */
enum { FROM_RIGHT_COLUMNS = 1, FROM_RIGHT_ROWS = 2 };

/* One field of an operator's descriptor. */
struct field {
    const char *name;  /* DirectML's: "InputWindowOffsets" */
    const char *about; /* its meaning: one or two sentences */
    enum field_kind kind;
    enum field_role role;     /* tensors */
    bool optional;            /* may be omitted (tensors: or null) */
    bool output;              /* tensors: written by the operator */
    uint8_t slot;             /* tensors: index into desc.tensor */
    uint8_t matrix;           /* scales and zero points: the slot of their matrix */
    uint8_t from_right;       /* and the axis of the matrix along which they may differ */
    size_t offset;            /* numbers and arrays: offsetof(struct desc, ...) */
    size_t seen;              /* and offsetof(struct desc_seen, ...) */
    const char *option;       /* on the command line: "--sizes", "operand A"; NULL: none */
    const char *sizes_option; /* tensors: the option for Sizes; NULL: the tensor's option */
    const char *type_option;  /* tensors: the option for DataType; NULL: the tensor's option */
};

enum { SCHEMA_MAX_FIELDS = 9 };

struct op_schema {
    const char *name;    /* without the prefix DML_OPERATOR_ */
    const char *command; /* "slice", "topk", "qmatmul" */
    bool copies_part;    /* copies a part of its input: work grows with the output, not the input */
    bool scans;          /* reads its input once, from front to back */
    /* In the order of the C struct, tensors first; a NULL name ends the list. */
    struct field fields[SCHEMA_MAX_FIELDS + 1];
};

/* Indexed by enum op; OP_NONE has no name. */
extern const struct op_schema op_schemas[OP_COUNT];

/* The operator's name on the command line: "slice1", "topk1", "qmatmul". */
const char *op_short_name(enum op op);

/* "DML_OPERATOR_SLICE1" or "SLICE1" -> OP_SLICE1; OP_NONE if unknown. */
enum op op_from_name(const char *name);

/* The field of that name, or NULL. */
const struct field *op_field(enum op op, const char *name);

/* The tensor field of a slot, or NULL. */
const struct field *op_tensor_field(enum op op, unsigned slot);

/* The first output of a role, or NULL; ROLE_DATA: the operator's result. */
const struct field *op_output(enum op op, enum field_role role);

/* True for a scale or a zero point; both are tensors. */
static inline bool field_is_parameter(const struct field *f)
{
    return f->role == ROLE_SCALE || f->role == ROLE_ZERO_POINT;
}

/* A parsed pointer of a finding. */
struct field_part {
    const struct field *field; /* NULL: the pointer names no field of the operator */
    char part[32];             /* the field of a tensor: "Sizes"; "": the whole tensor */
    int entry;                 /* the index in an array; -1: none */
};

/* "/desc/OutputTensor/Sizes/1" -> OutputTensor, "Sizes", 1. */
struct field_part op_field_part(enum op op, const char *pointer);

/* The option or operand that sets this part: "--output-sizes"; NULL: none. */
const char *field_part_option(const struct field_part *p);

/* The description of a packed tensor; rank is at most DML_MAX_RANK. */
struct tensor_desc tensor_desc_packed(enum dtype type, unsigned rank, const uint64_t *sizes);

/* The bytes of a buffer for d: extent * element size, rounded up to 4, as DMLCalcBufferTensorSize.
 * False on overflow. Source: DML_BUFFER_TENSOR_DESC. */
bool tensor_desc_bytes(const struct tensor_desc *d, uint64_t *bytes);

/* The bytes that a bound buffer must have: the above or TotalTensorSizeInBytes, if larger. 0 on
 * overflow. */
uint64_t tensor_desc_buffer_bytes(const struct tensor_desc *d);

/* Makes a view of data with d's sizes and strides (packed if d has none). False on overflow. */
bool tensor_desc_view(const struct tensor_desc *d, void *data, struct tensor *t);

#endif
