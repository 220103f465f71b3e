#include <inttypes.h>
#include <string.h>

#include "desc/check.h"

/* desc.field-range for a struct made from options, which may hold larger numbers than DirectML's
 * UINT and INT. v has the bits of a signed or an unsigned number. */

static bool fits(uint64_t v, bool is_signed)
{
    return is_signed ? (int64_t)v >= INT32_MIN && (int64_t)v <= INT32_MAX : v <= UINT32_MAX;
}

static void out_of_range(struct check *c, struct pointer at, uint64_t v, bool is_signed)
{
    const char *dot = strchr(at.name, '.'); /* as the reader, names a tensor's field alone */
    int64_t lo = is_signed ? INT32_MIN : 0, hi = is_signed ? INT32_MAX : UINT32_MAX;

    finding_hint(violation(c, RULE_DESC_FIELD_RANGE, at,
                           is_signed ? "%s is %" PRId64 ", which is out of range"
                                     : "%s is %" PRIu64 ", which is out of range",
                           dot ? dot + 1 : at.name, v),
                 "use a whole number, %" PRId64 " to %" PRId64, lo, hi);
}

static void check_tensor_range(struct check *c, unsigned slot)
{
    const struct tensor_desc *t = &c->d->tensor[slot];

    for (unsigned i = 0; i < t->rank; i++) {
        if (!fits(t->sizes[i], false))
            out_of_range(c, at_size(c, slot, i), t->sizes[i], false);
        if (t->has_strides && !fits(t->strides[i], false))
            out_of_range(c, at_tensor(c, slot, "Strides", (int)i), t->strides[i], false);
    }
    if (!fits(t->base_alignment, false))
        out_of_range(c, at_tensor(c, slot, "GuaranteedBaseOffsetAlignment", WHOLE),
                     t->base_alignment, false);
}

void check_range(struct check *c, const struct field *f)
{
    const uint64_t *v = (const void *)((const char *)c->d + f->offset);
    bool is_array = f->kind == FIELD_UINT_ARRAY || f->kind == FIELD_INT_ARRAY;
    bool is_signed = f->kind == FIELD_INT_ARRAY;

    if (f->kind == FIELD_TENSOR && c->d->tensor[f->slot].present)
        check_tensor_range(c, f->slot);
    if (f->kind == FIELD_UINT && !fits(*v, false))
        out_of_range(c, at_field(c, f->name, WHOLE), *v, false);
    for (int i = 0; is_array && i < DML_MAX_RANK && (uint64_t)i < c->d->dimension_count; i++)
        if (!fits(v[i], is_signed))
            out_of_range(c, at_field(c, f->name, i), v[i], is_signed);
}
