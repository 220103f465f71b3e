#ifndef DMLOP_DESC_RULES_H
#define DMLOP_DESC_RULES_H

#include "desc/desc.h"
#include "desc/finding.h"
#include "desc/level.h"
#include "desc/schema.h"

/* Which parts of a struct desc are given and well formed. Rules skip the others: the reader has
 * reported them. */

/* An array of integers. */
struct array_seen {
    bool there;     /* the field is an array */
    bool all;       /* and every entry is well formed */
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

struct desc_seen {
    struct tensor_seen tensor[SLOT_COUNT];
    const char *type_pointer; /* of the operator's name: "/type", "/Type"; "" if implied */
    const char *fields;       /* pointer of the object with the fields: "/desc", "/Desc" or "" */
    bool dimension_count, axis, k;
    struct array_seen offsets, sizes, strides;
};

/* For a struct that does not come from a text: every field is given, and pointers are those of the
 * text that desc_emit writes. */
struct desc_seen desc_seen_whole(const struct desc *d);

/*
 * Checks d against all rules of its operator and the feature level. d->op is not OP_NONE; ranks are
 * at most DML_MAX_RANK. `seen` is NULL if every field is given; then numbers may exceed DirectML's
 * types, which findings of CLASS_RANGE report, and all other rules are checked exactly. A struct
 * without findings of CLASS_PLAIN is safe to run.
 */
void desc_check(const struct desc *d, const struct desc_seen *seen, enum feature_level level,
                struct findings *fs);

#endif
