#include "desc/check.h"

/* True if a DimensionCount that differs from the number of sizes is wrong, as the tensor cannot
 * have one more or less: no level supports that, or tensors that must have as many dimensions have
 * as many as it has sizes. */
static bool sizes_are_certain(const struct check *c, unsigned slot)
{
    const struct tensor_desc *t = &c->tensor[slot];
    uint32_t have = c->tensor_seen[slot].sizes.count,
             count = c->tensor_seen[slot].dimension_count_value;
    unsigned number = slot_field(c, slot)->slot;
    bool others = false;

    if (count == 0 || (count + 1 != have && count != have + 1) ||
        (schema_since(c->schema, number, ~0u, count) == LEVEL_COUNT &&
         schema_since(c->schema, number, ~0u, have) < LEVEL_COUNT))
        return true;
    for (unsigned i = 0; i < c->values->tensor_count; i++) {
        if (i == slot || !rank_known(c, i) || !have_same(c, slot, i, false))
            continue;
        if (c->tensor[i].rank == count)
            return false;
        others = others || c->tensor[i].rank == have;
    }
    return others || (count < have && t->sizes[0] != 1 && fits_total(t));
}

static void check_count(struct check *c, unsigned slot)
{
    const struct tensor_seen *s = &c->tensor_seen[slot];
    struct finding *f;

    if (!s->sizes.all)
        return;
    if (s->dimension_count && s->dimension_count_value != s->sizes.count) {
        f = violation(c, RULE_TENSOR_DIMENSION_COUNT, at_tensor(c, slot, "DimensionCount", WHOLE),
                      "is %u, but Sizes has %s", s->dimension_count_value,
                      counted(s->sizes.count, "entry").s);
        suggest(f, s->sizes.count);
        if (!sizes_are_certain(c, slot))
            finding_doubt(f);
        relate_sizes(c, f, slot);
    }
    if (s->sizes.count >= 1 && s->sizes.count <= DML_MAX_RANK)
        return;
    f = violation(c, RULE_TENSOR_DIMENSION_COUNT, at_tensor(c, slot, "Sizes", WHOLE),
                  "has %u entries, but a tensor must have 1 to %d dimensions", s->sizes.count,
                  DML_MAX_RANK);
    finding_hint(f, s->sizes.count ? "merge dimensions until %d are left" : "give 1 to %d sizes",
                 DML_MAX_RANK);
}

static void check_sizes(struct check *c, unsigned slot)
{
    const struct tensor_desc *t = &c->tensor[slot];
    struct pointer at;
    bool in_range = true;
    struct finding *f;
    uint64_t count;

    for (uint32_t i = 0; i < t->rank; i++) {
        in_range = in_range && t->sizes[i] <= UINT32_MAX;
        if (t->sizes[i] > 0)
            continue;
        f = violation(c, RULE_TENSOR_SIZES_ZERO, at_size(c, slot, i), "is 0");
        finding_hint(f, "use 1 or more; DirectML has no empty tensors");
    }
    if (!in_range) /* desc.field-range reports that */
        return;
    if (tensor_count(t->rank, t->sizes, &count) && count <= UINT32_MAX)
        return;
    at = at_tensor(c, slot, "Sizes", WHOLE);
    f = violation(c, RULE_TENSOR_ELEMENT_COUNT, unnamed(at),
                  "the product of %s is more than 4294967295", at.name);
    finding_hint(f, "use a smaller tensor; a tensor has at most 4294967295 elements");
}

static void check_overlap(struct check *c, unsigned slot)
{
    const struct tensor_desc *t = &c->tensor[slot];
    struct pointer at = at_tensor(c, slot, "Strides", WHOLE);

    for (uint32_t i = 0; i < t->rank; i++)
        if (t->strides[i] == 0 && t->sizes[i] > 1) {
            at = at_tensor(c, slot, "Strides", (int)i);
            finding_hint(violation(c, RULE_TENSOR_OUTPUT_OVERLAP, at,
                                   "is 0, so %ju elements would have the same address",
                                   t->sizes[i]),
                         "only an input may have a stride of 0; give every element an address of "
                         "its own");
            return;
        }
    switch (strides_overlap(t->rank, t->sizes, t->strides, &c->fs->context.searched)) {
    case OVERLAP_NONE: break;
    case OVERLAP_FOUND:
        finding_hint(
            violation(c, RULE_TENSOR_OUTPUT_OVERLAP, at, "put two elements at the same address"),
            "give every element an address of its own, or leave Strides out");
        break;
    case OVERLAP_UNDECIDED:
        c->fs->context.doubtful = true;
        finding_hint(violation(c, RULE_TENSOR_OUTPUT_OVERLAP, unnamed(at),
                               "whether %s put two elements at the same address could not be "
                               "decided",
                               at.name),
                     "use strides each of which is larger than all that the smaller ones reach");
        c->fs->context.doubtful = false;
        break;
    case OVERLAP_NO_MEMORY: c->fs->failed = true; break;
    }
}

static void check_strides(struct check *c, unsigned slot, bool output)
{
    const struct tensor_seen *s = &c->tensor_seen[slot];
    struct finding *f;

    if (!s->strides.all || s->strides.count == 0)
        return;
    if (s->sizes.all && s->strides.count != s->sizes.count) {
        f = violation(c, RULE_TENSOR_STRIDES_COUNT, at_tensor(c, slot, "Strides", WHOLE),
                      "has %s, but Sizes has %u", counted(s->strides.count, "entry").s,
                      s->sizes.count);
        finding_hint(f, "give %s, or leave Strides out for a packed tensor",
                     counted(s->sizes.count, "stride").s);
        relate_sizes(c, f, slot);
        return;
    }
    if (output && sizes_known(c, slot))
        check_overlap(c, slot);
}

static void check_bytes(struct check *c, unsigned slot)
{
    const struct tensor_desc *t = &c->tensor[slot];
    const struct tensor_seen *s = &c->tensor_seen[slot];
    struct pointer at = at_tensor(c, slot, "TotalTensorSizeInBytes", WHOLE);
    bool known =
        s->type && sizes_known(c, slot) && (!t->has_strides || s->strides.count == s->sizes.count);
    uint64_t need = 0;
    bool computed = known && tensor_desc_bytes(t, &need), gaps = t->has_strides;
    struct finding *f;

    for (uint32_t i = 0; i < t->rank; i++) /* elements may be halves of larger ones */
        gaps = gaps && t->strides[i] != 1;
    if (t->total_size % 4 != 0) {
        f = violation(c, RULE_TENSOR_TOTAL_SIZE_ALIGNMENT, at,
                      "is %ju, which is not a multiple of 4", t->total_size);
        finding_hint(f, "use %ju", u64_ceil_div(t->total_size, 4) * 4);
        if (computed && t->total_size < need + 3) /* else 4 more may be meant */
            suggest(f, need);
        if (gaps)
            finding_doubt(f);
    }
    if (known && !computed && t->has_strides) /* else another rule reports that */
        finding_hint(violation(c, RULE_TENSOR_TOTAL_SIZE, at_tensor(c, slot, "Strides", WHOLE),
                               "need more bytes than 64 bits can count"),
                     "use smaller strides, or leave Strides out for a packed tensor");
    if (!computed || t->total_size == 0 || t->total_size >= need)
        return;
    f = violation(c, RULE_TENSOR_TOTAL_SIZE, at,
                  "is %ju, but its sizes, strides and data type require %ju", t->total_size, need);
    finding_hint(f, "use %ju or more, or leave the field out", need);
    if (t->total_size % 4 != 0 && !gaps) /* else another size or type may be wrong */
        finding_fix(f, "%ju", need);
}

static void check_alignment(struct check *c, unsigned slot)
{
    const struct tensor_desc *t = &c->tensor[slot];
    uint64_t a = t->base_alignment,
             size = u64_max(c->tensor_seen[slot].type ? dtype_size(t->type) : 1, 1);

    if (a == 0 || ((a & (a - 1)) == 0 && a >= size))
        return;
    finding_hint(violation(c, RULE_TENSOR_BASE_ALIGNMENT,
                           at_tensor(c, slot, "GuaranteedBaseOffsetAlignment", WHOLE),
                           "is %ju, which is %s", a,
                           a & (a - 1) ? "not a power of two" : "less than the element size"),
                 "use 0, or a power of two of at least %ju", size);
}

static void check_flags(struct check *c, unsigned slot, bool output)
{
    struct finding *f;

    if (!(output || c->schema->not_owned) || !(c->tensor[slot].flags & TENSOR_FLAG_OWNED_BY_DML))
        return;
    f = violation(c, output ? RULE_TENSOR_FLAGS_OUTPUT : RULE_SUPPORT_FLAGS,
                  unnamed(at_tensor(c, slot, "Flags", WHOLE)),
                  "%s is an %sput%s, and its Flags are OWNED_BY_DML", at_sizes(c, slot).name,
                  output ? "out" : "in", output ? "" : PHRASE(" of %s", c->schema->name));
    finding_hint(f, "use NONE, or leave Flags out");
    finding_fix_name(f, "DML_TENSOR_FLAG_", "NONE");
}

void check_tensor(struct check *c, unsigned slot, bool output)
{
    check_count(c, slot);
    if (rank_known(c, slot))
        check_sizes(c, slot);
    check_strides(c, slot, output);
    check_bytes(c, slot);
    check_alignment(c, slot);
    check_flags(c, slot, output);
}
