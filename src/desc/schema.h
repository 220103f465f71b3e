#pragma once

#include "desc/desc.h"

/* DML_FEATURE_LEVEL_1_0 ... 6_4, in order. */
#define FEATURE_LEVELS(X) \
    X(1_0) X(2_0) X(2_1) X(3_0) X(3_1) X(4_0) X(4_1) X(5_0) X(5_1) X(5_2) X(6_0) X(6_1) X(6_2) \
    X(6_3) X(6_4)

#define X(level) LEVEL_##level,
enum feature_level { FEATURE_LEVELS(X) LEVEL_COUNT, LEVEL_NEWEST = LEVEL_COUNT - 1 };
#undef X

extern const char *const level_names[]; /* "1_0" ...; NULL ends */

/* "5_0", "5.0" or "DML_FEATURE_LEVEL_5_0" -> LEVEL_5_0; LEVEL_COUNT if unknown. */
enum feature_level level_from_name(const char *name);

/* The kinds of fields: the types of the C structs, with arrays and their counts as one field. */
enum field_kind {
    FIELD_TENSOR,
    FIELD_TENSOR_ARRAY,
    FIELD_UINT,
    FIELD_INT,
    FIELD_FLOAT,
    FIELD_BOOL,
    FIELD_ENUM,
    FIELD_SIZE_2D,      /* DML_SIZE_2D: Width and Height */
    FIELD_SCALE_BIAS,   /* DML_SCALE_BIAS: Scale and Bias */
    FIELD_SCALAR_UNION, /* DML_SCALAR_UNION: a number of another field's data type */
    FIELD_UINT_ARRAY,
    FIELD_INT_ARRAY,
    FIELD_FLOAT_ARRAY,
    FIELD_OPERATOR, /* an activation that is computed with the operator */
    FIELD_OPERATOR_ARRAY,
    FIELD_KINDS
};

/* Their names in files, "uint_array", and for people, "Array of UINT". */
extern const struct field_kind_names {
    const char *name, *type;
} field_kinds[FIELD_KINDS];

/* The role of a tensor in an operator that dmlop runs. */
enum field_role {
    ROLE_DATA,       /* operands and results: qmatmul's matrices */
    ROLE_INDEX,      /* indices along the axis */
    ROLE_SCALE,      /* FLOAT32: one, or one per row or column of a matrix */
    ROLE_ZERO_POINT, /* the same, of the matrix's data type */
};

/* The axes of a matrix, counted from the last. */
enum { FROM_RIGHT_COLUMNS = 1, FROM_RIGHT_ROWS = 2 };

enum {
    SCHEMA_MAX_FIELDS = 24,
    SCHEMA_MAX_SUPPORT = 16,
    SCHEMA_MAX_SAME = 8,
    SCHEMA_MAX_FUSED = 2,
    SCHEMA_MAX_NUMBERS = 10,
    SCHEMA_MAX_SIZES = 20,
    SCHEMA_MAX_LIMITS = 8,
    FUSED_MAX_INTO = 8,
    ENUM_MAX_VALUES = 16
};

/* An enumeration of DirectML: a row of enumerations.json, of which the build makes C. */
struct enum_schema {
    const char *type;   /* "DML_AXIS_DIRECTION" */
    const char *what;   /* for messages: "axis direction" */
    const char *prefix; /* of the values: "DML_AXIS_DIRECTION_" */
    const char *names[ENUM_MAX_VALUES];
    enum feature_level since[ENUM_MAX_VALUES];
    size_t n;
};

extern const struct enum_schema enum_schemas[]; /* a NULL type ends */

/* How an operator that dmlop runs keeps a field in struct desc, and its options. */
struct field_use {
    size_t offset;            /* numbers and arrays: offsetof(struct desc, ...) */
    enum field_role role;     /* tensors */
    unsigned matrix;          /* scales and zero points: the slot of their matrix */
    unsigned from_right;      /* and the axis of the matrix along which they may differ */
    const char *option;       /* on the command line: "--sizes", "operand A"; NULL: none */
    const char *sizes_option; /* tensors: the option for Sizes; NULL: the tensor's option */
    const char *type_option;  /* tensors: the option for DataType; NULL: the tensor's option */
};

/* What a tensor is to its operator, which may read its state, too: that counts as data. Results
 * follow data, parameters follow both. */
enum tensor_role { TENSOR_DATA, TENSOR_PARAMETER, TENSOR_RESULT };

/* One field of an operator's descriptor. */
struct field {
    const char *name;  /* DirectML's: "InputWindowOffsets" */
    const char *about; /* its meaning: one or two sentences */
    enum field_kind kind;
    bool optional;                    /* may be omitted (tensors: or null) */
    bool output;                      /* tensors: written by the operator */
    enum tensor_role tensor;          /* tensors */
    bool positive;                    /* numbers: a rule requires at least 1 */
    uint8_t slot;                     /* tensors: their number among the operator's tensors */
    uint32_t over;                    /* outputs: slots of inputs that may have the same bytes */
    const char *count;                /* arrays: the field that has their length; NULL: none */
    const struct enum_schema *values; /* FIELD_ENUM; NULL: DML_TENSOR_DATA_TYPE */
    struct field_use use;
};

/* The ranks and data types of some tensors from a feature level on. */
struct op_support {
    enum feature_level since;
    uint32_t slots; /* bit i: the tensor of slot i */
    uint8_t min_rank, max_rank;
    unsigned types; /* bits 1 << enum dtype */
};

/* Tensors that must agree. `but`, here and below: the sources that differ, for messages, which
 * makes a violation a warning; NULL: they agree. */
struct op_same {
    bool type, rank, sizes;
    uint32_t slots;
    const char *but; /* for 8-bit types */
};

/* What a field must be, if it is given. */
struct op_limit {
    const char *field;
    enum feature_level until; /* this level lifts the limit; LEVEL_1_0: none does */
    unsigned least, most;     /* of numbers, of each entry; 0: no limit */
    bool above;               /* greater than `least` */
    bool required;            /* a tensor is given; there is such a level, as for the next one */
    const char *with;         /* this tensor is given, too */
    unsigned types;           /* outputs have one of these types; 0: any */
    const char *but;
};

/* The operators that compute an activation along with their own work, from a level on. */
struct op_fused {
    enum feature_level since;
    const char *into[FUSED_MAX_INTO]; /* their names; none: all that have such fields */
    size_t into_count;
};

/* A number that sizes depend on. The names of an operator's have different first letters. */
struct op_number {
    const char *name;
    unsigned value;    /* 0: not known */
    const char *field; /* the integer field that gives it; NULL: none */
};

/* The sizes of a tensor, if it is given and, unless `when` is NULL, that field has the value `is`;
 * words as in desc/sizes.h. */
struct op_sizes {
    const char *tensor, *words;
    const char *when, *is;
};

/* How dmlop runs an operator. */
struct op_run {
    const char *command; /* "slice", "topk", "qmatmul"; NULL: it does not */
    bool copies_part;    /* copies a part of its input: work grows with the output, not the input */
    bool scans;          /* reads its input once, from front to back */
};

#define SCHEMA_LIST(type, max) \
    struct { \
        size_t n; \
        struct type v[max]; \
    }

/* One operator: src/desc/operators/NAME.json. */
struct op_schema {
    const char *name;  /* without the prefix DML_OPERATOR_ */
    const char *about; /* one or two sentences */
    enum op op;        /* OP_NONE: dmlop does not run it */
    struct op_run run;
    bool not_owned;           /* no tensor may be OWNED_BY_DML */
    enum feature_level level; /* that introduced it */
    bool in_first_header;     /* DirectML.h 1.0 has it, but its page names a later level */
    const char *shape;        /* the name of its shape recipe; NULL: none */
    const char *example;      /* the JSON text of a valid "desc"; NULL: none */
    size_t field_count;
    /* In the order of the C struct; a NULL name ends the list. */
    struct field fields[SCHEMA_MAX_FIELDS + 1];
    SCHEMA_LIST(op_support, SCHEMA_MAX_SUPPORT) support; /* by level */
    SCHEMA_LIST(op_same, SCHEMA_MAX_SAME) same;
    SCHEMA_LIST(op_fused, SCHEMA_MAX_FUSED) fused; /* activations only */
    SCHEMA_LIST(op_limit, SCHEMA_MAX_LIMITS) limits;
    SCHEMA_LIST(op_number, SCHEMA_MAX_NUMBERS) numbers;
    SCHEMA_LIST(op_sizes, SCHEMA_MAX_SIZES) sizes; /* checked by words.c */
};

/* The number of operators, and their names without DML_OPERATOR_, sorted. */
size_t schema_count(void);
const char *const *schema_names(void);
static inline const char *schema_name(size_t i) { return schema_names()[i]; }

/* Operator number i; it is read at the first call. Not thread-safe, as the functions below. */
const struct op_schema *schema_at(size_t i);

/* The number of the operator of a name in any case, with or without DML_OPERATOR_ and separators,
 * or short ("topk1"); schema_count() if there is none. */
size_t schema_index(const char *name);

/* The operator of a name with or without DML_OPERATOR_, or NULL. Case matters, as in DxDispatch. */
const struct op_schema *schema_find(const char *name);

/* An operator that dmlop runs; for OP_NONE one without a name and fields. */
const struct op_schema *op_schema(enum op op);

/* The field of a name; the tensor or tensor array of a slot; the type of scalars. NULL: none. */
const struct field *schema_field(const struct op_schema *s, const char *name);
const struct field *schema_tensor(const struct op_schema *s, unsigned slot);
const struct field *schema_scalar_type(const struct op_schema *s);

/* The support of a tensor at a level; NULL if nothing is known. */
const struct op_support *schema_support(const struct op_schema *s, unsigned slot,
                                        enum feature_level level);

/* The first level at which a tensor supports one of the types (bits) and a rank, 0 being any;
 * LEVEL_COUNT: none. */
enum feature_level schema_since(const struct op_schema *s, unsigned slot, unsigned types,
                                unsigned rank);

/* How an operator computes an activation along with its own work, from the first level on that
 * does; NULL: none. */
const struct op_fused *schema_fused(const struct op_schema *s, const struct op_schema *activation);

/* A name without the prefix DML_OPERATOR_, in any case, if it has the prefix. */
const char *dml_operator_suffix(const char *name);

/* The operator's name on the command line: "slice1", "topk1", "qmatmul". */
const char *op_short_name(enum op op);

/* "DML_OPERATOR_SLICE1" or "SLICE1" -> OP_SLICE1; OP_NONE if dmlop does not run it. */
enum op op_from_name(const char *name);

/* The first output of a role, or NULL; ROLE_DATA: the operator's result. */
const struct field *op_output(enum op op, enum field_role role);

static inline bool field_is_tensor(const struct field *f)
{
    return f->kind == FIELD_TENSOR || f->kind == FIELD_TENSOR_ARRAY;
}

/* True for a scale or a zero point; both are tensors. */
static inline bool field_is_parameter(const struct field *f)
{
    return f->use.role == ROLE_SCALE || f->use.role == ROLE_ZERO_POINT;
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

/* Of a packed tensor; rank is at most DML_MAX_RANK. */
struct tensor_desc tensor_desc_packed(enum dtype type, unsigned rank, const uint64_t *sizes);

/* The description of a slot's tensor as a file has it: without axes for vectors of qmatmul. */
struct tensor_desc desc_result(const struct desc *d, unsigned slot);

/* The bytes of a buffer for d: extent * element size, rounded up to 4, as DMLCalcBufferTensorSize.
 * False on overflow. Source: DML_BUFFER_TENSOR_DESC. */
bool tensor_desc_bytes(const struct tensor_desc *d, uint64_t *bytes);

/* The bytes that a bound buffer must have: the above or TotalTensorSizeInBytes, if larger. 0 on
 * overflow. */
uint64_t tensor_desc_buffer_bytes(const struct tensor_desc *d);

/* Makes a view of data with d's sizes and strides (packed if d has none). False on overflow. */
bool tensor_desc_view(const struct tensor_desc *d, void *data, struct tensor *t);

/* Private to desc/: fills in o, which has a name and an op, from the text of its file; keeps n
 * bytes of text, NUL-terminated, until the program ends. */
void schema_read(struct op_schema *o, const char *json);
const char *schema_text(const char *text, size_t n);
