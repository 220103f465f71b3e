#include <inttypes.h>

#include "desc/check.h"

/* K against the axis; true where K is a size that the outputs can have. */
static bool check_k(struct check *c, bool axis_known)
{
    const struct desc *d = c->d;
    struct finding *f;
    uint64_t n;

    if (!c->seen->k)
        return false;
    n = axis_known ? d->tensor[SLOT_IN].sizes[d->axis] : 0;
    if (d->k == 0) {
        f = findings_add(c->fs, RULE_TOPK_K_ZERO, at_field(c, "K", WHOLE).s, AT_VALUE, "K is 0");
        if (n > 1)
            hint_up_to(c, f, n - 1, "");
        else
            finding_hint(c->fs, f, "use 1 or more");
        return false;
    }
    if (n == 0 || d->k < n)
        return true;
    f = findings_add(c->fs, d->k > n ? RULE_TOPK_K_EXCEEDS_AXIS : RULE_TOPK_K_EQUALS_AXIS, at_field(c, "K", WHOLE).s,
                     AT_VALUE,
                     d->k > n ? "K is %" PRIu64 ", but axis %" PRIu64 " of InputTensor has only %" PRIu64 " elements"
                              : "K is %" PRIu64 ", and axis %" PRIu64 " of InputTensor has %" PRIu64
                                " elements; the reference page asks for fewer",
                     d->k, d->axis, n);
    if (n > 1)
        hint_up_to(c, f, n - 1, d->k > n ? "" : ", or --relaxed to sort the axis");
    else
        finding_hint(c->fs, f, "use a longer axis, or K 1 with --relaxed");
    finding_relate(c->fs, f, at_tensor(c, SLOT_IN, "Sizes", (int)d->axis).s, "the axis has size %" PRIu64 " here", n);
    return d->k == n;
}

/* An output's sizes: the input's, with K at Axis. */
static void check_output(struct check *c, unsigned slot, enum rule rule, bool axis_known, bool k_good)
{
    const struct desc *d = c->d;

    if (!require_rank(c, RULE_TOPK_DIMENSION_COUNT, slot, SLOT_IN) || !axis_known)
        return;
    for (uint32_t i = 0; i < d->tensor[SLOT_IN].rank; i++) {
        uint64_t have = d->tensor[slot].sizes[i];
        struct finding *f;

        if (i != d->axis) {
            require_size(c, rule, slot, i, SLOT_IN, i);
            continue;
        }
        if (!k_good || have == d->k || have == 0)
            continue;
        f = findings_add(c->fs, rule, at_tensor(c, slot, "Sizes", (int)i).s, AT_VALUE,
                         "%s.Sizes[%u] is %" PRIu64 ", but K is %" PRIu64, slot_name(c, slot), i, have, d->k);
        finding_hint(c->fs, f, "use %" PRIu64, d->k);
        finding_fix(c->fs, f, at_tensor(c, slot, "Sizes", (int)i).s, AT_VALUE, "%" PRIu64, d->k);
        finding_relate(c->fs, f, at_field(c, "K", WHOLE).s, "K is %" PRIu64 " here", d->k);
    }
}

void check_topk(struct check *c)
{
    const struct desc *d = c->d;
    bool axis_known = c->seen->axis && rank_known(c, SLOT_IN), k_good;
    unsigned index_types = c->support ? c->support->index_types : 1u << DT_UINT32 | 1u << DT_UINT64;

    if (axis_known && d->axis >= d->tensor[SLOT_IN].rank) {
        struct finding *f = findings_add(c->fs, RULE_TOPK_AXIS, at_field(c, "Axis", WHOLE).s, AT_VALUE,
                                         "Axis is %" PRIu64 ", but InputTensor has %u dimensions", d->axis,
                                         d->tensor[SLOT_IN].rank);

        finding_hint(c->fs, f, "use 0 to %u", d->tensor[SLOT_IN].rank - 1);
        finding_relate(c->fs, f, at_tensor(c, SLOT_IN, "Sizes", WHOLE).s, "InputTensor has %u dimensions here",
                       d->tensor[SLOT_IN].rank);
        axis_known = false;
    }
    k_good = check_k(c, axis_known);
    check_output(c, SLOT_VALUES, RULE_TOPK_VALUE_SIZES, axis_known, k_good);
    check_output(c, SLOT_INDICES, RULE_TOPK_INDEX_SIZES, axis_known, k_good);
    if (c->seen->tensor[SLOT_IN].type && d->tensor[SLOT_IN].present)
        relate_type(c, require_type(c, RULE_TOPK_DATA_TYPE_MISMATCH, SLOT_VALUES, 1u << d->tensor[SLOT_IN].type,
                                    "InputTensor has another type, and the two are to be the same"), SLOT_IN);
    require_type(c, RULE_TOPK_INDEX_DATA_TYPE, SLOT_INDICES, index_types,
                 index_types >> DT_UINT64 & 1 ? "indices are UINT32 or UINT64"
                                              : "indices are UINT32 below feature level 5_0");
}
