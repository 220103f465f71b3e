#ifndef DMLOP_DESC_CHECK_H
#define DMLOP_DESC_CHECK_H

#include "desc/rules.h"

/* Private to desc/: what the files with rules share. Rules in overlap.c, rules_*.c and bind.c call
 * check.c, which calls none of them. */

struct check {
    const struct desc *d;
    const struct desc_seen *seen;
    const struct op_support *support; /* NULL: the operator does not exist at the level */
    enum feature_level level;
    struct findings *fs;
};

/* A JSON pointer, by value: of an operator's field or an entry of it; of a tensor (field NULL), its
 * field, or an entry of that; and what messages call it, "K" or "InputTensor.Sizes[2]". */
struct pointer {
    char s[128], name[64];
};

enum { WHOLE = -1 }; /* not an entry */

struct pointer at_field(const struct check *c, const char *field, int entry);
struct pointer at_tensor(const struct check *c, unsigned slot, const char *field, int entry);
struct pointer at_size(const struct check *c, unsigned slot, unsigned i);

/* Reports a rule that the value at a pointer breaks. */
struct finding *violation(struct check *c, enum rule rule, struct pointer at, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Sets the hint "use V", and V as the fix of the value at a pointer. */
void suggest(struct finding *f, struct pointer at, uint64_t v);

/* Name of a slot's tensor. */
const char *slot_name(const struct check *c, unsigned slot);

/* Whether the tensor is there with 1 to DML_MAX_RANK well-formed sizes, none of them 0. */
bool sizes_known(const struct check *c, unsigned slot);

/* The same, but 0 may be among them. */
bool rank_known(const struct check *c, unsigned slot);

/* Reports `rule` where slot's data type, if known, is not among types (1 << enum dtype); says which
 * are. Returns the finding, or NULL. */
struct finding *require_type(struct check *c, enum rule rule, unsigned slot, unsigned types,
                             const char *why);

/* Reports `rule` where size i of `slot` is not size `oi` of `other`, which an output's follows
 * from. */
void require_size(struct check *c, enum rule rule, unsigned slot, unsigned i, unsigned other,
                  unsigned oi);

/* The hint "use 1 to HI", or "use 1"; with `more` after it. */
void hint_up_to(struct finding *f, uint64_t hi, const char *more);

/* Relates f to a tensor's data type, to the value v at a pointer, to a tensor's rank, to the number
 * of its Sizes. */
void relate_type(struct check *c, struct finding *f, unsigned slot);
void relate_value(struct finding *f, struct pointer at, uint64_t v);
void relate_rank(struct check *c, struct finding *f, unsigned slot);
void relate_sizes(struct check *c, struct finding *f, unsigned slot);

/* Reports `rule` where slot's data type is not InputTensor's. */
void require_same_type(struct check *c, enum rule rule, unsigned slot);

/* Reports `rule` where slot's rank differs from `rank`, that of `other`. */
bool require_rank(struct check *c, enum rule rule, unsigned slot, unsigned other);

/* The rules, a file each: of numbers' ranges, of one tensor that is present, of an operator. */
void check_range(struct check *c, const struct field *f);
void check_tensor(struct check *c, const struct field *f);
void check_slice(struct check *c);
void check_topk(struct check *c);
void check_qmatmul(struct check *c);

/*
 * Whether the strides map two coordinates to one element: exact for any sizes (1 or more, rank at
 * most DML_MAX_RANK) and strides whose extent fits 64 bits. Adds the steps that it takes to *spent;
 * undecided where these would be more than a document may take.
 */
enum overlap { OVERLAP_NONE, OVERLAP_FOUND, OVERLAP_UNDECIDED, OVERLAP_NO_MEMORY };
enum overlap strides_overlap(unsigned rank, const uint64_t *sizes, const uint64_t *strides,
                             uint64_t *spent);

#endif
