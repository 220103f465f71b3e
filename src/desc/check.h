#pragma once

#include "desc/values.h"

/* Private to desc/: shared by the files with rules. overlap.c, rules_*.c, sizes.c, shapes/ and
 * bind.c call check.c, never each other; but recipes in shapes/, words.c and limits.c call
 * sizes.c, and recipes call words.c. */

struct check {
    const struct op_schema *schema;
    const struct op_values *values;
    const struct desc *d;             /* the same, of an operator that dmlop runs */
    const struct tensor_desc *tensor; /* by slot, as the next one */
    const struct tensor_seen *tensor_seen;
    const char *fields; /* pointer of the object with the fields */
    enum feature_level level;
    const char *but; /* why violations are warnings, of desc.disputed; NULL: they are not */
    struct findings *fs;
    uint64_t seed; /* of the hashes of reported places, which no earlier check has used */
};

struct check check_values(const struct op_values *v, enum feature_level level, struct findings *fs);

/* Part of a message, cut to its room: as printf has it; "1 dimension", "2 entries"; "1 to 4". */
struct phrase {
    char s[200];
};
struct phrase phrase(const char *fmt, ...) PRINTF_LIKE(1, 2);
#define PHRASE(...) phrase(__VA_ARGS__).s /* for an argument */
struct phrase counted(uint64_t n, const char *what);
struct phrase range(uint64_t lo, uint64_t hi);

/* A JSON pointer and its name in messages: "K", "InputTensor.Sizes[2]". */
struct pointer {
    char s[160], name[96];
    unsigned tensor; /* from 1; 0: none */
};

enum { WHOLE = -1 }; /* instead of an index: the whole array, or not an array */

/* The pointer to an operator's field, as "K" or "ScaleSize/Width", or to entry `entry` of it. */
struct pointer at_field(const struct check *c, const char *field, int entry);
/* The pointer to a tensor (field NULL), to a field of it, or to entry `entry` of that field; to a
 * tensor's Sizes, with the name of the tensor; the same without a name, for messages that do not
 * begin with it. */
struct pointer at_tensor(const struct check *c, unsigned slot, const char *field, int entry);
static inline struct pointer at_size(const struct check *c, unsigned slot, unsigned i)
{
    return at_tensor(c, slot, "Sizes", (int)i);
}
struct pointer at_sizes(const struct check *c, unsigned slot);
struct pointer unnamed(struct pointer at);

/* The value of a field of that name; NULL if the operator has none, if it is not given, or for
 * good_value if it is ill-formed. */
const struct field_value *given_value(const struct check *c, const char *field);
const struct field_value *good_value(const struct check *c, const char *field);

/* The data type of a tensor field; DT_NONE if it is not known, or was reported. */
enum dtype given_type(const struct check *c, const char *field);

/* The name of an enumeration's value without prefix; "" if it is not known. value_is compares it,
 * as in value_is(c, "Direction", "BACKWARD"). */
const char *value_name(const struct check *c, const char *field);
static inline bool value_is(const struct check *c, const char *field, const char *name)
{
    return strcmp(value_name(c, field), name) == 0;
}

/* Reports that the value at a pointer breaks a rule; the message is its name, then fmt. */
struct finding *violation(struct check *c, enum rule rule, struct pointer at, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* True if a rule found the value at a pointer wrong: no rule derives other values from it. */
static inline bool is_reported(const struct check *c, struct pointer at)
{
    return hash_set_has(&c->fs->context.noted, hash_text(c->seed, at.s));
}

/* True if a tensor has exactly the TotalTensorSizeInBytes that it needs. */
bool fits_total(const struct tensor_desc *t);

/* Sets the hint "use V" and the fix V; of size i of a tensor there is no fix if
 * TotalTensorSizeInBytes fits the present size only. */
void suggest(struct finding *f, uint64_t v);
void suggest_size(struct check *c, struct finding *f, unsigned slot, unsigned i, uint64_t v);

/* The number of arrays whose entries a field counts; 0 if one of these has not n entries. */
unsigned counts_arrays(const struct check *c, const char *field, int64_t n);

static inline const struct field *slot_field(const struct check *c, unsigned slot)
{
    return values_tensor_field(c->values, slot);
}

/* True if the table says that two tensors have the same sizes or, unless `sizes`, ranks. */
bool have_same(const struct check *c, unsigned slot, unsigned other, bool sizes);

/* True if the tensor is present and has 1 to DML_MAX_RANK well-formed sizes, or also none is 0. */
bool rank_known(const struct check *c, unsigned slot);
bool sizes_known(const struct check *c, unsigned slot);

/* Reports `rule` if slot's data type is known and not among types (bits 1 << enum dtype); the hint
 * lists these. Returns the finding or NULL. */
struct finding *require_type(struct check *c, enum rule rule, unsigned slot, unsigned types,
                             const char *why);

/* The same if it differs from InputTensor's. */
void require_same_type(struct check *c, enum rule rule, unsigned slot);

/* Reports `rule` if the ranks of two slots differ. True if they are known and equal. */
bool require_rank(struct check *c, enum rule rule, unsigned slot, unsigned other);

/* Reports `rule` if size i of `slot` differs from size `oi` of `other`; the fix changes an output's
 * size. Returns the finding or NULL. */
struct finding *require_size(struct check *c, enum rule rule, unsigned slot, unsigned i,
                             unsigned other, unsigned oi);

/* Reports `rule` at an axis that is not below the rank of a slot's tensor. True if it is. */
bool require_axis(struct check *c, enum rule rule, struct pointer at, uint64_t axis, unsigned slot);

/* Sets the hint `use`, with the level that would allow the value unless that is LEVEL_COUNT. */
void hint_level(struct finding *f, const char *use, enum feature_level since);

/* Relates f to a tensor's data type, a tensor's rank, the number of a tensor's Sizes, or the value
 * v at a pointer. */
void relate_type(struct check *c, struct finding *f, unsigned slot);
void relate_rank(struct check *c, struct finding *f, unsigned slot);
void relate_sizes(struct check *c, struct finding *f, unsigned slot);
void relate_value(struct finding *f, struct pointer at, uint64_t v);

/* Report a feature level that lacks the operator, false then; a data type or rank of a tensor that
 * the operator does not support at the level. */
bool require_operator(struct check *c);
void require_type_support(struct check *c, unsigned slot);
void require_rank_support(struct check *c, unsigned slot);

/* The rules of a present tensor, of each operator that dmlop runs, and of the others: those from
 * the tables in its file, the limits there, and its shape recipe. */
void check_tensor(struct check *c, unsigned slot, bool output);
void check_slice(struct check *c);
void check_topk(struct check *c);
void check_qmatmul(struct check *c);
void check_table(struct check *c);
void check_limits(struct check *c);
void check_shape(struct check *c);

/* Finds out if the strides map two coordinates to one element. Exact for sizes of 1 or more, rank
 * at most DML_MAX_RANK and an extent below 2^63. Adds the search's steps to *spent; undecided if
 * that would exceed a document's limit. */
enum overlap { OVERLAP_NONE, OVERLAP_FOUND, OVERLAP_UNDECIDED, OVERLAP_NO_MEMORY };
enum overlap strides_overlap(unsigned rank, const uint64_t *sizes, const uint64_t *strides,
                             uint64_t *spent);
