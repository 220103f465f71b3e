#include "desc/rules.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "desc/check.h"

struct pointer at_field(const struct check *c, const char *field, int entry)
{
    struct pointer p;

    if (entry == WHOLE)
        snprintf(p.s, sizeof p.s, "%s/%s", c->seen->fields, field);
    else
        snprintf(p.s, sizeof p.s, "%s/%s/%d", c->seen->fields, field, entry);
    return p;
}

struct pointer at_tensor(const struct check *c, unsigned slot, const char *field, int entry)
{
    const char *nested = c->seen->tensor[slot].nested ? "/Desc" : "";
    struct pointer p;

    if (entry == WHOLE)
        snprintf(p.s, sizeof p.s, "%s/%s%s/%s", c->seen->fields, slot_name(c, slot), nested, field);
    else
        snprintf(p.s, sizeof p.s, "%s/%s%s/%s/%d", c->seen->fields, slot_name(c, slot), nested, field, entry);
    return p;
}

const char *slot_name(const struct check *c, unsigned slot)
{
    return op_tensor_field(c->d->op, slot)->name;
}

bool rank_known(const struct check *c, unsigned slot)
{
    const struct tensor_seen *s = &c->seen->tensor[slot];

    return c->d->tensor[slot].present && s->sizes && s->sizes_count >= 1 && s->sizes_count <= DML_MAX_RANK;
}

bool sizes_known(const struct check *c, unsigned slot)
{
    const struct tensor_desc *t = &c->d->tensor[slot];

    if (!rank_known(c, slot))
        return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->sizes[i] == 0)
            return false;
    return true;
}

struct finding *require_type(struct check *c, enum rule rule, unsigned slot, unsigned types, const char *why)
{
    const struct tensor_desc *t = &c->d->tensor[slot];
    struct str names = { 0 };
    struct finding *f;

    if (!t->present || !c->seen->tensor[slot].type || (types >> t->type & 1))
        return NULL;
    for (int i = DT_NONE + 1; i < DT_COUNT; i++)
        if (types >> i & 1) /* "A, B or C" */
            str_printf(&names, "%s%s", !names.len ? "" : types >> i == 1 ? " or " : ", ", dtype_name((enum dtype)i));
    f = findings_add(c->fs, rule, at_tensor(c, slot, "DataType", WHOLE).s, AT_VALUE, "%s.DataType is %s, but %s",
                     slot_name(c, slot), dtype_name(t->type), why);
    finding_hint(c->fs, f, "use %s", names.s ? names.s : "another type");
    if (types && (types & (types - 1)) == 0)
        finding_fix(c->fs, f, at_tensor(c, slot, "DataType", WHOLE).s, AT_VALUE, "\"DML_TENSOR_DATA_TYPE_%s\"", names.s);
    str_free(&names);
    return f;
}

void hint_up_to(struct check *c, struct finding *f, uint64_t hi, const char *more)
{
    if (hi == 1)
        finding_hint(c->fs, f, "use 1%s", more);
    else
        finding_hint(c->fs, f, "use 1 to %" PRIu64 "%s", hi, more);
}

void relate_type(struct check *c, struct finding *f, unsigned slot)
{
    finding_relate(c->fs, f, at_tensor(c, slot, "DataType", WHOLE).s, "%s.DataType is %s here", slot_name(c, slot),
                   dtype_name(c->d->tensor[slot].type));
}

void require_size(struct check *c, enum rule rule, unsigned slot, unsigned i, unsigned other, unsigned oi)
{
    uint64_t have = c->d->tensor[slot].sizes[i], want = c->d->tensor[other].sizes[oi];
    struct finding *f;

    if (have == want || have == 0 || want == 0)
        return;
    f = findings_add(c->fs, rule, at_tensor(c, slot, "Sizes", (int)i).s, AT_VALUE,
                     "%s.Sizes[%u] is %" PRIu64 ", but %s.Sizes[%u] is %" PRIu64, slot_name(c, slot), i, have,
                     slot_name(c, other), oi, want);
    finding_hint(c->fs, f, "use %" PRIu64, want);
    finding_fix(c->fs, f, at_tensor(c, slot, "Sizes", (int)i).s, AT_VALUE, "%" PRIu64, want);
    finding_relate(c->fs, f, at_tensor(c, other, "Sizes", (int)oi).s, "%s.Sizes[%u] is %" PRIu64 " here",
                   slot_name(c, other), oi, want);
}

bool require_rank(struct check *c, enum rule rule, unsigned slot, unsigned other)
{
    uint32_t have = c->d->tensor[slot].rank, want = c->d->tensor[other].rank;
    struct finding *f;

    if (!rank_known(c, slot) || !rank_known(c, other))
        return false;
    if (have == want)
        return true;
    f = findings_add(c->fs, rule, at_tensor(c, slot, "Sizes", WHOLE).s, AT_VALUE,
                     "%s has %u dimensions, but %s has %u", slot_name(c, slot), have, slot_name(c, other), want);
    finding_hint(c->fs, f, "give both the same number; leading sizes of 1 may be added");
    finding_relate(c->fs, f, at_tensor(c, other, "Sizes", WHOLE).s, "%s has %u dimensions here", slot_name(c, other),
                   want);
    return false;
}

static void check_ranks(struct check *c)
{
    const struct op_support *s = c->support;

    for (const struct field *f = op_schemas[c->d->op].fields; f->name; f++) {
        bool parameter = f->kind == FIELD_TENSOR && c->d->op == OP_QMATMUL && f->slot != SLOT_A &&
                         f->slot != SLOT_B && f->slot != SLOT_C;
        unsigned lo = parameter ? s->param_min_rank : s->min_rank, hi = parameter ? s->param_max_rank : s->max_rank;
        struct finding *found;
        uint32_t rank;

        if (f->kind != FIELD_TENSOR || !rank_known(c, f->slot))
            continue;
        rank = c->d->tensor[f->slot].rank;
        /* Other data tensors are held to the first one's rank by rules of their own. */
        if ((rank >= lo && rank <= hi) || (!parameter && f->slot != SLOT_IN && rank_known(c, SLOT_IN)))
            continue;
        found = findings_add(c->fs, RULE_SUPPORT_DIMENSION_COUNT, at_tensor(c, f->slot, "Sizes", WHOLE).s, AT_VALUE,
                             "%s has %u dimension%s, but %s takes %u to %u at feature level %s", f->name, rank,
                             rank == 1 ? "" : "s", op_schemas[c->d->op].name, lo, hi, level_names[c->level]);
        if (rank < lo)
            finding_hint(c->fs, found, "add leading sizes of 1, or choose a higher --feature-level");
        else
            finding_hint(c->fs, found, "use %u to %u dimensions", lo, hi);
    }
}

static void check_support(struct check *c)
{
    enum feature_level since = c->level;
    char why[96];

    if (!c->support) {
        struct finding *f;

        while (since < LEVEL_NEWEST && !op_support_at(c->d->op, since))
            since++;
        f = findings_add(c->fs, RULE_SUPPORT_OPERATOR, c->seen->type_pointer, AT_VALUE,
                         "DML_OPERATOR_%s does not exist at feature level %s", op_schemas[c->d->op].name,
                         level_names[c->level]);
        finding_hint(c->fs, f, "use --feature-level %s or higher", level_names[since]);
        return;
    }
    check_ranks(c);
    if (c->d->op == OP_QMATMUL)
        return; /* its types are qmatmul.data-type and its kin at every level */
    snprintf(why, sizeof why, "%s does not take that at feature level %s", op_schemas[c->d->op].name,
             level_names[c->level]);
    require_type(c, RULE_SUPPORT_DATA_TYPE, SLOT_IN, c->support->types, why);
}

void desc_check(const struct desc *d, const struct desc_seen *seen, enum feature_level level, struct findings *fs)
{
    struct check c = { d, seen, op_support_at(d->op, level), level, fs };

    for (const struct field *f = op_schemas[d->op].fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && d->tensor[f->slot].present)
            check_tensor(&c, f);
    check_support(&c);
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
