#include "desc/rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "desc/check.h"

static void check_rank_support(struct check *c)
{
    const struct op_support *s = c->support;

    for (const struct field *f = op_schemas[c->d->op].fields; f->name; f++) {
        bool parameter = field_is_parameter(f);
        unsigned lo = parameter ? s->param_min_rank : s->min_rank,
                 hi = parameter ? s->param_max_rank : s->max_rank;
        struct finding *found;
        uint32_t rank;
        char range[32];

        if (f->kind != FIELD_TENSOR || !rank_known(c, f->slot))
            continue;
        rank = c->d->tensor[f->slot].rank;
        /* Other rules compare the ranks of data tensors with the first; a parameter of the first
         * tensor's rank follows it. */
        if ((rank >= lo && rank <= hi) ||
            (!parameter && f->slot != SLOT_IN && rank_known(c, SLOT_IN)) ||
            (parameter && rank_known(c, SLOT_IN) && rank == c->d->tensor[SLOT_IN].rank &&
             rank > s->max_rank))
            continue;
        snprintf(range, sizeof range, "%u to %u", lo, hi);
        if (lo == hi)
            snprintf(range, sizeof range, "%u", lo);
        found = violation(c, RULE_SUPPORT_DIMENSION_COUNT, at_tensor(c, f->slot, "Sizes", WHOLE),
                          "%s has %u dimension%s, but %s supports %s at feature level %s", f->name,
                          rank, rank == 1 ? "" : "s", op_schemas[c->d->op].name, range,
                          level_names[c->level]);
        if (rank < lo)
            finding_hint(found, "add leading sizes of 1, or choose a higher --feature-level");
        else
            finding_hint(found, "use %s dimensions", range);
    }
}

static void check_support(struct check *c)
{
    enum feature_level since = c->level;
    char why[96];

    if (!c->support) {
        while (since < LEVEL_NEWEST && !op_support_at(c->d->op, since))
            since++;
        finding_hint(findings_add(c->fs, RULE_SUPPORT_OPERATOR, c->seen->type_pointer, AT_VALUE,
                                  "DML_OPERATOR_%s does not exist at feature level %s",
                                  op_schemas[c->d->op].name, level_names[c->level]),
                     "use --feature-level %s or higher", level_names[since]);
        return;
    }
    snprintf(why, sizeof why, "%s does not support that at feature level %s",
             op_schemas[c->d->op].name, level_names[c->level]);
    if (c->d->op != OP_QMATMUL) /* qmatmul.data-type and its kin check its types */
        require_type(c, RULE_SUPPORT_DATA_TYPE, SLOT_IN, c->support->types, why);
    check_rank_support(c);
}

/* Ranges: a struct made from options may hold larger numbers than DirectML's UINT and INT. v has
 * the bits of a signed or an unsigned number. */
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

static void check_range(struct check *c, const struct field *f)
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

struct desc_seen desc_seen_whole(const struct desc *d)
{
    uint32_t n = (uint32_t)d->dimension_count;
    struct array_seen array = { .there = true,
                                .all = true,
                                .good = (uint8_t)(n < DML_MAX_RANK ? (1u << n) - 1 : UINT8_MAX),
                                .count = n };
    struct desc_seen seen = {
        .type_pointer = "/type",
        .fields = "/desc",
        .dimension_count = d->dimension_count > 0,
        .axis = true,
        .k = true,
        .offsets = array,
        .sizes = array,
        .strides = array,
    };

    for (unsigned s = 0; s < SLOT_COUNT; s++)
        seen.tensor[s] = (struct tensor_seen){
            .type = true,
            .sizes = { .all = true, .count = d->tensor[s].rank },
            .strides = { .all = true, .count = d->tensor[s].has_strides ? d->tensor[s].rank : 0 },
        };
    return seen;
}

void desc_check(const struct desc *d, const struct desc_seen *seen, enum feature_level level,
                struct findings *fs)
{
    struct desc_seen whole;
    struct check c = { d, seen, op_support_at(d->op, level), level, fs };

    if (!seen) {
        whole = desc_seen_whole(d);
        c.seen = &whole;
    }
    check_support(&c);
    for (const struct field *f = op_schemas[d->op].fields; f->name; f++) {
        if (!seen) /* the reader reports numbers out of range */
            check_range(&c, f);
        if (f->kind == FIELD_TENSOR && d->tensor[f->slot].present)
            check_tensor(&c, f);
    }
    switch (d->op) {
    case OP_SLICE:
    case OP_SLICE1:
        check_slice(&c);
        break;
    case OP_TOP_K:
    case OP_TOP_K1:
        check_topk(&c);
        break;
    case OP_QMATMUL:
        check_qmatmul(&c);
        break;
    case OP_NONE:
    case OP_COUNT:
        break;
    }
}
