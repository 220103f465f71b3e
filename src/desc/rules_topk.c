
#include "desc/check.h"

/* The K, 1 to n - 1, that both outputs have room for; 0 if they differ. */
static uint64_t implied_k(const struct check *c, uint64_t n)
{
    const struct tensor_desc *values = &c->tensor[SLOT_VALUES], *indices = &c->tensor[SLOT_INDICES];
    uint64_t axis = c->d->axis, k;

    if (n == 0 || !rank_known(c, SLOT_VALUES) || !rank_known(c, SLOT_INDICES) ||
        axis >= values->rank || axis >= indices->rank)
        return 0;
    k = values->sizes[axis];
    return k == indices->sizes[axis] && k < n ? k : 0;
}

/* Sets the hint with the range of K and, as the fix, the K that fits the outputs. n is the size of
 * the axis, 0 if unknown; K = n is allowed with --relaxed. */
static void hint_k(struct check *c, struct finding *f, uint64_t n)
{
    bool relaxed = c->fs->opt.relaxed, equal = c->d->k == n;
    uint64_t implied = implied_k(c, n), limit = n > 0 && (!relaxed || equal) ? n - 1 : n;
    const char *more = equal && !relaxed ? ", or --relaxed to sort the axis" : "";

    if (implied > 0 && limit > 1) {
        finding_hint(f, "use 1 to %ju%s; the outputs have room for %ju", limit, more, implied);
        finding_fix(f, "%ju", implied);
    } else if (limit > 0)
        finding_hint(f, "use %s%s", range(1, limit).s, more);
    else
        finding_hint(f, n == 0    ? "use 1 or more"
                        : relaxed ? "use a longer axis"
                                  : "use a longer axis, or K 1 with --relaxed");
}

/* Checks K against the axis. True if the outputs can have size K. */
static bool check_k(struct check *c, bool axis_known)
{
    const struct desc *d = c->d;
    uint64_t n = axis_known ? d->tensor[SLOT_IN].sizes[d->axis] : 0;
    struct finding *f;

    if (!good_value(c, "K"))
        return false;
    if (d->k == 0) {
        f = violation(c, RULE_TOPK_K_ZERO, at_field(c, "K", WHOLE), "is 0");
        hint_k(c, f, n);
        return false;
    }
    if (n == 0 || d->k < n)
        return true;
    f = violation(c, d->k > n ? RULE_TOPK_K_EXCEEDS_AXIS : RULE_TOPK_K_EQUALS_AXIS,
                  at_field(c, "K", WHOLE),
                  d->k > n ? "is %ju, but axis %ju of InputTensor has only %ju element%s"
                           : "is %ju, and axis %ju of InputTensor has %ju element%s; DirectML's "
                             "page asks for a smaller K",
                  d->k, d->axis, n, n == 1 ? "" : "s");
    hint_k(c, f, n);
    finding_relate(f, at_size(c, SLOT_IN, (unsigned)d->axis).s, "the axis has size %ju here", n);
    return d->k == n;
}

static void check_output(struct check *c, unsigned slot, enum rule rule, bool axis_known,
                         bool k_good)
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
        f = violation(c, rule, at_size(c, slot, i), "is %ju, but K is %ju", have, d->k);
        suggest_size(c, f, slot, i, d->k);
        relate_value(f, at_field(c, "K", WHOLE), d->k);
    }
}

void check_topk(struct check *c)
{
    const struct desc *d = c->d;
    bool axis_known = good_value(c, "Axis") && rank_known(c, SLOT_IN), k_good;
    const struct op_support *s = schema_support(c->schema, SLOT_INDICES, c->level);
    unsigned index_types = s ? s->types : 1u << DT_UINT32 | 1u << DT_UINT64;

    axis_known =
        axis_known && require_axis(c, RULE_TOPK_AXIS, at_field(c, "Axis", WHOLE), d->axis, SLOT_IN);
    k_good = check_k(c, axis_known);
    check_output(c, SLOT_VALUES, RULE_TOPK_VALUE_SIZES, axis_known, k_good);
    check_output(c, SLOT_INDICES, RULE_TOPK_INDEX_SIZES, axis_known, k_good);
    require_same_type(c, RULE_TOPK_DATA_TYPE_MISMATCH, SLOT_VALUES);
    require_type(c, RULE_TOPK_INDEX_DATA_TYPE, SLOT_INDICES, index_types,
                 index_types >> DT_UINT64 & 1 ? "indices must be UINT32 or UINT64"
                                              : "indices must be UINT32 below feature level 5_0");
}
