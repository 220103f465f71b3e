#ifndef DMLOP_DESC_RULES_H
#define DMLOP_DESC_RULES_H

#include "desc/desc.h"
#include "desc/finding.h"
#include "desc/level.h"
#include "desc/schema.h"

/* Which parts of a struct desc are given and well formed, so that rules do not report what only
 * follows from a missing or broken field. */
struct tensor_seen {
    bool type, sizes, strides;       /* given, every entry well formed (type: known) */
    bool dimension_count, total_size, base_alignment;
    bool nested;                     /* the { "Type", "Desc" } form: the fields are under /Desc */
    uint32_t dimension_count_value;  /* DimensionCount as written */
    uint32_t sizes_count;            /* entries in the text; may exceed DML_MAX_RANK */
    uint32_t strides_count;
};

/* An array of integers. */
struct array_seen {
    bool there;                      /* it is an array */
    uint32_t count;                  /* entries in the text */
    uint8_t good;                    /* bit i: entry i is well formed */
};

struct desc_seen {
    struct tensor_seen tensor[SLOT_COUNT];
    const char *type_pointer; /* where the operator is named: "/type", "/Type"; "" where implied */
    const char *fields;              /* where its fields are: "/desc", "/Desc" or "" */
    bool dimension_count, axis, k;
    struct array_seen offsets, sizes, strides;
};

/* For a struct that did not come from a text: every field is given, and pointers are those of
 * desc_emit's text. */
struct desc_seen desc_seen_whole(const struct desc *d);

/*
 * Checks any d against every rule of its operator and the feature level; d->op is not OP_NONE,
 * ranks are at most DML_MAX_RANK. `seen` is NULL where every field is given. Numbers may exceed
 * what DirectML's types hold: then findings of CLASS_RANGE say so, and all other rules are checked
 * exactly. A struct without findings of CLASS_PLAIN is safe to run.
 */
void desc_check(const struct desc *d, const struct desc_seen *seen, enum feature_level level,
                struct findings *fs);

#endif
