#include <inttypes.h>
#include <stdio.h>

#include "desc/check.h"

/* desc.field-range of a struct that was made from options: it has room for larger numbers than
 * DirectML's UINT and INT. */

/* Reports v, at `at` and called NAME or NAME[entry], where it is not an INT or a UINT; v has the
 * bits of either. */
static void check_number(struct check *c, struct pointer at, const char *name, int entry,
                         uint64_t v, bool is_signed)
{
    int64_t lo = is_signed ? INT32_MIN : 0, hi = is_signed ? INT32_MAX : UINT32_MAX;
    struct finding *f;
    char index[16] = "";

    if (is_signed ? (int64_t)v >= lo && (int64_t)v <= hi : v <= (uint64_t)hi)
        return;
    if (entry != WHOLE)
        snprintf(index, sizeof index, "[%d]", entry);
    f = violation(c, RULE_DESC_FIELD_RANGE, at,
                  is_signed ? "%s%s is %" PRId64 ", which is out of range"
                            : "%s%s is %" PRIu64 ", which is out of range",
                  name, index, v);
    finding_hint(f, "use an integer literal, %" PRId64 " to %" PRId64, lo, hi);
}

static void check_tensor_range(struct check *c, unsigned slot)
{
    const struct tensor_desc *t = &c->d->tensor[slot];

    for (int i = 0; i < (int)t->rank; i++)
        check_number(c, at_tensor(c, slot, "Sizes", i), "Sizes", i, t->sizes[i], false);
    for (int i = 0; t->has_strides && i < (int)t->rank; i++)
        check_number(c, at_tensor(c, slot, "Strides", i), "Strides", i, t->strides[i], false);
    check_number(c, at_tensor(c, slot, "GuaranteedBaseOffsetAlignment", WHOLE),
                 "GuaranteedBaseOffsetAlignment", WHOLE, t->base_alignment, false);
}

void check_range(struct check *c, const struct field *f)
{
    const uint64_t *v = (const void *)((const char *)c->d + f->offset);

    switch (f->kind) {
    case FIELD_TENSOR:
        if (c->d->tensor[f->slot].present)
            check_tensor_range(c, f->slot);
        break;
    case FIELD_UINT:
        check_number(c, at_field(c, f->name, WHOLE), f->name, WHOLE, *v, false);
        break;
    case FIELD_UINT_ARRAY:
    case FIELD_INT_ARRAY:
        for (int i = 0; i < DML_MAX_RANK && (uint64_t)i < c->d->dimension_count; i++)
            check_number(c, at_field(c, f->name, i), f->name, i, v[i], f->kind == FIELD_INT_ARRAY);
        break;
    case FIELD_DIRECTION:
        break;
    }
}
