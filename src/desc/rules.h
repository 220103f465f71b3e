#ifndef DMLOP_DESC_RULES_H
#define DMLOP_DESC_RULES_H

#include "base/finding.h"
#include "desc/desc.h"
#include "desc/level.h"
#include "desc/schema.h"

/* Which parts of a struct desc were read well, so that rules do not report what only follows from a missing or
 * broken field. */
struct tensor_seen {
    bool type, sizes, strides;       /* given, every entry well formed (type: known) */
    bool dimension_count, total_size, base_alignment, flags;
    bool nested;                     /* the { "Type", "Desc" } form: the fields stand under /Desc */
    uint32_t dimension_count_value;  /* DimensionCount as written */
    uint32_t sizes_count;            /* entries in the text; may exceed DML_MAX_RANK */
    uint32_t strides_count;
};

struct desc_seen {
    struct tensor_seen tensor[SLOT_COUNT];
    const char *type_pointer;        /* where the operator is named: "/type", "/Type"; "" where implied */
    bool dimension_count, offsets, sizes, strides, axis, k;
    uint32_t offsets_count, sizes_count, strides_count;
};

/*
 * Checks d against every rule of its operator and the feature level. Findings get pointers below `prefix` ("/desc"
 * or ""). d->op is not OP_NONE.
 */
void desc_check(const struct desc *d, const struct desc_seen *seen, enum feature_level level, const char *prefix,
                struct findings *fs);

#endif
