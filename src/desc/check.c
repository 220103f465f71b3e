#include "desc/check.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"

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

    int n = snprintf(p.s, sizeof p.s, "%s/%s%s", c->seen->fields, slot_name(c, slot), nested);

    if (field && entry == WHOLE)
        snprintf(p.s + n, sizeof p.s - (size_t)n, "/%s", field);
    else if (field)
        snprintf(p.s + n, sizeof p.s - (size_t)n, "/%s/%d", field, entry);
    return p;
}

struct finding *violation(struct check *c, enum rule rule, struct pointer at, const char *fmt, ...)
{
    struct finding *f;
    va_list ap;

    va_start(ap, fmt);
    f = findings_vadd(c->fs, rule, at.s, AT_VALUE, fmt, ap);
    va_end(ap);
    return f;
}

void suggest(struct finding *f, struct pointer at, uint64_t v)
{
    finding_hint(f, "use %" PRIu64, v);
    finding_fix(f, at.s, AT_VALUE, "%" PRIu64, v);
}

const char *slot_name(const struct check *c, unsigned slot)
{
    return op_tensor_field(c->d->op, slot)->name;
}

bool rank_known(const struct check *c, unsigned slot)
{
    const struct tensor_seen *s = &c->seen->tensor[slot];

    return c->d->tensor[slot].present && s->sizes && s->sizes_count >= 1 &&
           s->sizes_count <= DML_MAX_RANK;
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

struct finding *require_type(struct check *c, enum rule rule, unsigned slot, unsigned types,
                             const char *why)
{
    const struct tensor_desc *t = &c->d->tensor[slot];
    struct pointer at = at_tensor(c, slot, "DataType", WHOLE);
    struct str names = { 0 };
    struct finding *f;

    if (!t->present || !c->seen->tensor[slot].type || (types >> t->type & 1))
        return NULL;
    for (int i = DT_NONE + 1; i < DT_COUNT; i++)
        if (types >> i & 1) /* "A, B or C" */
            str_printf(&names, "%s%s", !names.len ? "" : types >> i == 1 ? " or " : ", ",
                       dtype_name((enum dtype)i));
    f = violation(c, rule, at, "%s.DataType is %s, but %s", slot_name(c, slot), dtype_name(t->type),
                  why);
    finding_hint(f, "use %s", names.s ? names.s : "another type");
    if (types && (types & (types - 1)) == 0)
        finding_fix_string(f, at.s, AT_VALUE, "DML_TENSOR_DATA_TYPE_%s", names.s);
    str_free(&names);
    return f;
}

void hint_up_to(struct finding *f, uint64_t hi, const char *more)
{
    if (hi == 1)
        finding_hint(f, "use 1%s", more);
    else
        finding_hint(f, "use 1 to %" PRIu64 "%s", hi, more);
}

void relate_type(struct check *c, struct finding *f, unsigned slot)
{
    finding_relate(f, at_tensor(c, slot, "DataType", WHOLE).s, "%s.DataType is %s here",
                   slot_name(c, slot), dtype_name(c->d->tensor[slot].type));
}

void require_size(struct check *c, enum rule rule, unsigned slot, unsigned i, unsigned other,
                  unsigned oi)
{
    uint64_t have = c->d->tensor[slot].sizes[i], want = c->d->tensor[other].sizes[oi];
    struct pointer at = at_tensor(c, slot, "Sizes", (int)i);
    struct finding *f;

    if (have == want || have == 0 || want == 0)
        return;
    f = violation(c, rule, at, "%s.Sizes[%u] is %" PRIu64 ", but %s.Sizes[%u] is %" PRIu64,
                  slot_name(c, slot), i, have, slot_name(c, other), oi, want);
    suggest(f, at, want);
    finding_relate(f, at_tensor(c, other, "Sizes", (int)oi).s, "%s.Sizes[%u] is %" PRIu64 " here",
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
    f = violation(c, rule, at_tensor(c, slot, "Sizes", WHOLE),
                  "%s has %u dimensions, but %s has %u", slot_name(c, slot), have,
                  slot_name(c, other), want);
    finding_hint(f, "give both the same number; leading sizes of 1 may be added");
    finding_relate(f, at_tensor(c, other, "Sizes", WHOLE).s, "%s has %u dimensions here",
                   slot_name(c, other), want);
    return false;
}
