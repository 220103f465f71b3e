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

/* What a tensor is to its operator. */
enum field_role {
    ROLE_DATA,       /* what is computed with: qmatmul's matrices */
    ROLE_INDEX,      /* indices along the axis */
    ROLE_SCALE,      /* FLOAT32: one, or one for each row or column of a matrix */
    ROLE_ZERO_POINT, /* the same, of the matrix's data type */
};

/* A matrix's axes, counted from the last, which is 1. */
enum { FROM_RIGHT_COLUMNS = 1, FROM_RIGHT_ROWS = 2 };

/* One field of an operator's descriptor. */
struct field {
    const char *name;  /* DirectML's: "InputWindowOffsets" */
    const char *about; /* what it means: a sentence or two */
    enum field_kind kind;
    enum field_role role;     /* tensors */
    bool optional;            /* may be left out (tensors: or null) */
    bool output;              /* tensors: written by the operator */
    uint8_t slot;             /* tensors: index into desc.tensor */
    uint8_t matrix;           /* scales and zero points: the slot of their matrix, */
    uint8_t from_right;       /* and its axis along which they may differ, counted from the right */
    size_t offset;            /* numbers and arrays: offsetof(struct desc, ...), */
    size_t seen;              /* and offsetof(struct desc_seen, ...) */
    const char *option;       /* on the command line: "--sizes", "operand A"; NULL: none gives it */
    const char *sizes_option; /* tensors: what gives their Sizes, */
    const char *type_option;  /* their DataType; NULL: what gives the tensor */
};

enum { SCHEMA_MAX_FIELDS = 9 };

struct op_schema {
    const char *name;    /* without the prefix DML_OPERATOR_ */
    const char *command; /* "slice", "topk", "qmatmul" */
    bool copies_part;    /* of its input: its output says how much work, and is made in parts */
    bool scans;          /* reads its input once, from front to back */
    /* In the order of the C struct, tensors first; name NULL ends. */
    struct field fields[SCHEMA_MAX_FIELDS + 1];
};

/* Indexed by enum op; OP_NONE has no name. */
extern const struct op_schema op_schemas[OP_COUNT];

/* The operator's name on the command line: "slice1", "topk1", "qmatmul". */
const char *op_short_name(enum op op);

/* "DML_OPERATOR_SLICE1" or "SLICE1" -> OP_SLICE1; OP_NONE where there is none. */
enum op op_from_name(const char *name);

/* The field of that name, or NULL. */
const struct field *op_field(enum op op, const char *name);

/* The tensor field of a slot, or NULL where the operator has none there. */
const struct field *op_tensor_field(enum op op, unsigned slot);

/* The first output of that role: ROLE_DATA is the operator's result. NULL where there is none. */
const struct field *op_output(enum op op, enum field_role role);

/* Whether a field is a scale or a zero point, which are tensors. */
static inline bool field_is_parameter(const struct field *f)
{
    return f->role == ROLE_SCALE || f->role == ROLE_ZERO_POINT;
}

/* What a finding's pointer names. */
struct field_part {
    const struct field *field; /* NULL: none of the operator's fields */
    char part[32];             /* of a tensor's field: "Sizes"; "" is the whole */
    int entry;                 /* of an array; -1: not an entry */
};

/* "/desc/OutputTensor/Sizes/1" -> OutputTensor, "Sizes", 1. */
struct field_part op_field_part(enum op op, const char *pointer);

/* What gives it on the command line: "--output-sizes"; NULL where nothing does. */
const char *field_part_option(const struct field_part *p);

/* The description of a packed tensor; rank is at most DML_MAX_RANK. */
struct tensor_desc tensor_desc_packed(enum dtype type, unsigned rank, const uint64_t *sizes);

/* Bytes a buffer must have for d: (extent) * element size rounded up to 4, as
 * DMLCalcBufferTensorSize. False on overflow. Source: DML_BUFFER_TENSOR_DESC. */
bool tensor_desc_bytes(const struct tensor_desc *d, uint64_t *bytes);

/* The bytes that a bound buffer must have: the above or TotalTensorSizeInBytes, if larger. 0 on
 * overflow. */
uint64_t tensor_desc_buffer_bytes(const struct tensor_desc *d);

/* d as a view of data: sizes, strides (packed where none). False on overflow. */
bool tensor_desc_view(const struct tensor_desc *d, void *data, struct tensor *t);

#endif
