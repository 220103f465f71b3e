#ifndef DMLOP_DESC_RULES_H
#define DMLOP_DESC_RULES_H

#include "base/finding.h"
#include "desc/desc.h"
#include "desc/level.h"

/* Which parts of a struct desc were read well, so that rules do not report what only follows
 * from a missing or broken field. */
struct desc_seen {
    struct tensor_seen {
        bool type, sizes, dimension_count, strides, total_size, base_alignment, flags;
        uint32_t dimension_count_value;  /* DimensionCount as written */
        uint32_t sizes_count;            /* entries in the text; may exceed DML_MAX_RANK */
        uint32_t strides_count;
    } tensor[SLOT_COUNT];
    bool dimension_count, offsets, sizes, strides, axis, k, direction; /* given and well formed */
    uint32_t offsets_count, sizes_count, strides_count;
};

/*
 * Checks d against every rule of its operator and the feature level. Findings get pointers
 * below `prefix` ("/desc" or ""). Tensors in the {"Type","Desc"} form have "/Desc" in their
 * pointers: bit s of `nested` tells which slots.
 */
void desc_check(const struct desc *d, const struct desc_seen *seen, enum feature_level level,
                const char *prefix, unsigned nested, struct findings *fs);

#endif
