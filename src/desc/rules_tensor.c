#include <inttypes.h>

#include "base/util.h"
#include "desc/check.h"

enum { MAX_ELEMENTS_LOG2 = 32 };

/* How many sizes there are, against DimensionCount and the limit. */
static void check_count(struct check *c, unsigned slot)
{
    const struct tensor_seen *s = &c->seen->tensor[slot];
    struct pointer at = at_tensor(c, slot, "DimensionCount", WHOLE);
    struct finding *f;

    if (!s->sizes)
        return;
    if (s->dimension_count && s->dimension_count_value != s->sizes_count) {
        f = violation(c, RULE_TENSOR_DIMENSION_COUNT, at,
                      "%s.DimensionCount is %u, but Sizes has %u entries", slot_name(c, slot),
                      s->dimension_count_value, s->sizes_count);
        suggest(f, at, s->sizes_count);
        finding_relate(f, at_tensor(c, slot, "Sizes", WHOLE).s, "%u sizes stand here",
                       s->sizes_count);
    }
    if (s->sizes_count >= 1 && s->sizes_count <= DML_MAX_RANK)
        return;
    f = violation(c, RULE_TENSOR_DIMENSION_COUNT, at_tensor(c, slot, "Sizes", WHOLE),
                  "%s.Sizes has %u entries; a tensor has 1 to %d dimensions", slot_name(c, slot),
                  s->sizes_count, DML_MAX_RANK);
    finding_hint(f, s->sizes_count ? "merge dimensions until %d are left" : "give 1 to %d sizes",
                 DML_MAX_RANK);
}

static void check_sizes(struct check *c, unsigned slot)
{
    const struct tensor_desc *t = &c->d->tensor[slot];
    bool in_range = true;
    struct finding *f;
    uint64_t count;

    for (uint32_t i = 0; i < t->rank; i++) {
        in_range = in_range && t->sizes[i] <= UINT32_MAX;
        if (t->sizes[i] == 0) {
            f = violation(c, RULE_TENSOR_SIZES_ZERO, at_tensor(c, slot, "Sizes", (int)i),
                          "%s.Sizes[%u] is 0", slot_name(c, slot), i);
            finding_hint(f, "use 1 or more; DirectML has no empty tensors");
        }
    }
    if (!in_range) /* desc.field-range says it */
        return;
    if (tensor_count(t->rank, t->sizes, &count) && count >> MAX_ELEMENTS_LOG2 == 0)
        return;
    f = violation(c, RULE_TENSOR_ELEMENT_COUNT, at_tensor(c, slot, "Sizes", WHOLE),
                  "%s.Sizes multiply to more than 4294967295 elements", slot_name(c, slot));
    finding_hint(f, "split the tensor; the product of the sizes is at most 4294967295");
}

static void check_strides(struct check *c, const struct field *field)
{
    const struct tensor_desc *t = &c->d->tensor[field->slot];
    const struct tensor_seen *s = &c->seen->tensor[field->slot];
    struct finding *f;

    if (!s->strides || s->strides_count == 0)
        return;
    if (s->sizes && s->strides_count != s->sizes_count) {
        f = violation(c, RULE_TENSOR_STRIDES_COUNT, at_tensor(c, field->slot, "Strides", WHOLE),
                      "%s.Strides has %u entries, but Sizes has %u", field->name, s->strides_count,
                      s->sizes_count);
        finding_hint(f, "give %u strides, or leave Strides out for packed ones", s->sizes_count);
        finding_relate(f, at_tensor(c, field->slot, "Sizes", WHOLE).s, "%u sizes stand here",
                       s->sizes_count);
        return;
    }
    if (!field->output || !sizes_known(c, field->slot))
        return;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->strides[i] == 0 && t->sizes[i] > 1) {
            f = violation(c, RULE_TENSOR_OUTPUT_OVERLAP,
                          at_tensor(c, field->slot, "Strides", (int)i),
                          "%s.Strides[%u] is 0, so that %" PRIu64 " coordinates share an element",
                          field->name, i, t->sizes[i]);
            finding_hint(
                f, "a stride of 0 broadcasts inputs only; give every element a place of its own");
            return;
        }
    if (strides_overlap(t->rank, t->sizes, t->strides)) {
        f = violation(c, RULE_TENSOR_OUTPUT_OVERLAP, at_tensor(c, field->slot, "Strides", WHOLE),
                      "%s.Strides send two coordinates to one element", field->name);
        finding_hint(f, "give every element a place of its own, or leave Strides out");
    }
}

static void check_bytes(struct check *c, unsigned slot)
{
    const struct tensor_desc *t = &c->d->tensor[slot];
    const struct tensor_seen *s = &c->seen->tensor[slot];
    struct pointer at = at_tensor(c, slot, "TotalTensorSizeInBytes", WHOLE);
    struct finding *f;
    uint64_t need;

    if (s->total_size && t->total_size % 4 != 0) {
        f = violation(c, RULE_TENSOR_TOTAL_SIZE_ALIGNMENT, at,
                      "%s.TotalTensorSizeInBytes is %" PRIu64 ", which is no multiple of 4",
                      slot_name(c, slot), t->total_size);
        suggest(f, at, u64_ceil_div(t->total_size, 4) * 4);
    }
    if (!s->type || !sizes_known(c, slot) || (t->has_strides && s->strides_count != s->sizes_count))
        return;
    if (!tensor_desc_bytes(t, &need)) {
        if (t->has_strides) {
            f = violation(c, RULE_TENSOR_TOTAL_SIZE, at_tensor(c, slot, "Strides", WHOLE),
                          "%s.Strides imply more bytes than 64 bits can count", slot_name(c, slot));
            finding_hint(f, "use smaller strides, or leave Strides out for packed ones");
        }
        return; /* packed: tensor.element-count or desc.field-range says it */
    }
    if (!s->total_size || t->total_size == 0 || t->total_size >= need)
        return;
    f = violation(c, RULE_TENSOR_TOTAL_SIZE, at,
                  "%s.TotalTensorSizeInBytes is %" PRIu64
                  ", but its sizes, strides and data type imply %" PRIu64,
                  slot_name(c, slot), t->total_size, need);
    finding_hint(f, "use %" PRIu64 " or more, or leave the field out", need);
    finding_fix(f, at.s, AT_VALUE, "%" PRIu64, need);
}

static void check_alignment(struct check *c, unsigned slot)
{
    const struct tensor_desc *t = &c->d->tensor[slot];
    uint64_t a = t->base_alignment, size = c->seen->tensor[slot].type ? dtype_size(t->type) : 1;
    struct finding *f;

    if (!c->seen->tensor[slot].base_alignment || a == 0 || ((a & (a - 1)) == 0 && a >= size))
        return;
    f = violation(c, RULE_TENSOR_BASE_ALIGNMENT,
                  at_tensor(c, slot, "GuaranteedBaseOffsetAlignment", WHOLE),
                  "%s.GuaranteedBaseOffsetAlignment is %" PRIu64 ", which is %s",
                  slot_name(c, slot), a,
                  a & (a - 1) ? "no power of two" : "below the element size");
    finding_hint(f, "use 0, or a power of two of at least %" PRIu64, size);
}

void check_tensor(struct check *c, const struct field *field)
{
    const struct tensor_desc *t = &c->d->tensor[field->slot];

    check_count(c, field->slot);
    if (rank_known(c, field->slot))
        check_sizes(c, field->slot);
    check_strides(c, field);
    check_bytes(c, field->slot);
    check_alignment(c, field->slot);
    if (field->output && (t->flags & TENSOR_FLAG_OWNED_BY_DML)) {
        struct finding *f =
            violation(c, RULE_TENSOR_FLAGS_OUTPUT, at_tensor(c, field->slot, "Flags", WHOLE),
                      "%s is an output, and its Flags are OWNED_BY_DML", field->name);

        finding_hint(f, "use NONE, or leave Flags out");
        finding_fix_string(f, at_tensor(c, field->slot, "Flags", WHOLE).s, AT_VALUE,
                           "DML_TENSOR_FLAG_NONE");
    }
}
