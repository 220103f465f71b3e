#pragma once

#include "desc/finding.h"
#include "desc/schema.h"

/* Which parts of a descriptor are given and well formed. Rules skip the others: the reader has
 * reported them. */
struct array_seen {
    bool all;       /* the field is an array, and every entry is well formed */
    uint8_t good;   /* bit i: entry i is well formed */
    uint32_t count; /* entries in the text; may exceed DML_MAX_RANK */
};

struct tensor_seen {
    bool type;   /* DataType is known */
    bool nested; /* the { "Type", "Desc" } form: fields are under /Desc */
    bool dimension_count;
    uint32_t dimension_count_value; /* DimensionCount as written */
    struct array_seen sizes, strides;
};

/* The descriptor of any operator: the values of its fields. */

struct field_value {
    bool given;             /* the text has the field, and it is not null */
    bool good;              /* and its value is well formed; of an array, every entry */
    uint32_t count;         /* arrays: entries in the text */
    uint32_t slot;          /* tensors: the first in op_values.tensor */
    uint32_t tensors;       /* and their number there; less than count if one is ill-formed */
    struct array_seen seen; /* arrays of integers */
    union {
        int64_t v[DML_MAX_RANK]; /* integers, Booleans, the index of an enumeration's value, a data
                                    type; SIZE_2D: width and height */
        double x[DML_MAX_RANK];  /* floats; SCALE_BIAS: scale and bias */
    };
};

/* The members of DML_SCALAR_UNION. */
extern const char scalar_members[DT_COUNT][8];

/* Zero-initialise; release with values_free. */
struct op_values {
    const struct op_schema *schema; /* NULL: the operator is not known */
    const char *type_pointer;       /* of the operator's name: "/type", "/Type"; "" if implied */
    const char *fields;        /* pointer of the object with the fields: "/desc", "/Desc" or "" */
    struct field_value *field; /* [schema->field_count], owned */
    /* Owned: a tensor for each field of the kind, also if it is not given, and for each entry of
     * tensor arrays. The tensors of an operator that dmlop runs have the slots of struct desc. */
    struct tensor_desc *tensor;
    struct tensor_seen *seen;
    uint32_t tensor_count, fused_count;
    struct op_values *fused; /* owned: activations without errors, in the order of fields */
    size_t tensor_room, seen_room, fused_room;
    size_t findings; /* that came before those of the descriptor */
};

static inline struct field_value *values_of(const struct op_values *v, const struct field *f)
{
    return &v->field[f - v->schema->fields];
}

/* Prepares for an operator, and adds a tensor. False if memory is short. */
bool values_begin(struct op_values *v, const struct op_schema *schema);
bool values_add_tensor(struct op_values *v, const struct tensor_desc *d,
                       const struct tensor_seen *seen);

/* The field that has the tensor of a slot. */
const struct field *values_tensor_field(const struct op_values *v, uint32_t slot);

/* The tensor as text: its name and pointer below the fields, as in "InputTensors[1]" and
 * "InputTensors/1". */
struct tensor_name {
    char name[64], pointer[64];
};
struct tensor_name values_tensor_name(const struct op_values *v, uint32_t slot);

/* Copies the descriptor of an operator that dmlop runs. Fields that are not given have their
 * defaults. */
void desc_of_values(const struct op_values *v, struct desc *d);

/* The opposite, for a struct that does not come from a text: every field is given, and pointers are
 * those of the text that desc_emit writes. False if memory is short. */
bool values_of_desc(const struct desc *d, struct op_values *v);

/* Checks the values of an operator that dmlop runs as desc_check does; of another operator by the
 * rules that its file states and by its shape recipe. */
void values_check(const struct op_values *v, enum feature_level level, struct findings *fs);

/* Checks d, which does not come from a text, against all rules of its operator and the feature
 * level. d->op is not OP_NONE; ranks are at most DML_MAX_RANK. Numbers may exceed DirectML's types,
 * which findings of CLASS_RANGE report, and all other rules are checked exactly. A struct without
 * findings of CLASS_PLAIN is safe to run. Sets fs->failed if memory is short. */
void desc_check(const struct desc *d, enum feature_level level, struct findings *fs);

void values_free(struct op_values *v);
