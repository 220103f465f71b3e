#ifndef DMLOP_DESC_RULES_H
#define DMLOP_DESC_RULES_H

#include "desc/desc.h"
#include "desc/finding.h"
#include "desc/level.h"
#include "desc/schema.h"

/* Which parts of a descriptor are given and well formed. Rules skip the others: the reader has
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

/*
 * Checks d, which does not come from a text, against all rules of its operator and the feature
 * level. d->op is not OP_NONE; ranks are at most DML_MAX_RANK. Numbers may exceed DirectML's types,
 * which findings of CLASS_RANGE report, and all other rules are checked exactly. A struct without
 * findings of CLASS_PLAIN is safe to run. Sets fs->failed if memory is short.
 */
void desc_check(const struct desc *d, enum feature_level level, struct findings *fs);

#endif
