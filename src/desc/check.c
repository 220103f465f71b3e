#include "desc/check.h"

struct check check_values(const struct op_values *v, enum feature_level level, struct findings *fs)
{
    return (struct check){ .schema = v->schema,
                           .values = v,
                           .tensor = v->tensor,
                           .tensor_seen = v->seen,
                           .fields = v->fields,
                           .level = level,
                           .fs = fs,
                           .seed = HASH_START + fs->errors + fs->warnings };
}

struct phrase phrase(const char *fmt, ...)
{
    struct phrase p;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(p.s, sizeof p.s, fmt, ap);
    va_end(ap);
    return p;
}

struct phrase counted(uint64_t n, const char *what)
{
    int length = (int)strlen(what);

    if (n == 1)
        return phrase("1 %s", what);
    return what[length - 1] == 'y' ? phrase("%ju %.*sies", n, length - 1, what)
                                   : phrase("%ju %ss", n, what);
}

struct phrase range(uint64_t lo, uint64_t hi)
{
    return phrase(lo == hi ? "%ju" : "%ju to %ju", lo, hi);
}

static struct pointer entry_of(struct pointer p, int entry)
{
    size_t s = strlen(p.s), n = strlen(p.name);

    if (entry != WHOLE) {
        snprintf(p.s + s, sizeof p.s - s, "/%d", entry);
        snprintf(p.name + n, sizeof p.name - n, "[%d]", entry);
    }
    return p;
}

struct pointer at_field(const struct check *c, const char *field, int entry)
{
    struct pointer p = { .tensor = 0 };

    snprintf(p.s, sizeof p.s, "%s/%s", c->fields, field);
    snprintf(p.name, sizeof p.name, "%s", field);
    if (strchr(p.name, '/'))
        *strchr(p.name, '/') = '.';
    return entry_of(p, entry);
}

struct pointer at_tensor(const struct check *c, unsigned slot, const char *field, int entry)
{
    const char *nested = c->tensor_seen[slot].nested ? "/Desc" : "", *dot = field ? "." : "";
    struct tensor_name t = values_tensor_name(c->values, slot);
    struct pointer p = { .tensor = slot + 1 };

    snprintf(p.s, sizeof p.s, "%s/%s%s%s%s", c->fields, t.pointer, nested, field ? "/" : "",
             field ? field : "");
    snprintf(p.name, sizeof p.name, "%s%s%s", t.name, dot, field ? field : "");
    return entry_of(p, entry);
}

struct pointer at_sizes(const struct check *c, unsigned slot)
{
    struct pointer p = at_tensor(c, slot, "Sizes", WHOLE);

    *strrchr(p.name, '.') = '\0';
    return p;
}

struct finding *violation(struct check *c, enum rule rule, struct pointer at, const char *fmt, ...)
{
    bool once = c->schema->op == OP_NONE; /* the first rule that a value breaks says enough */
    uint64_t place = hash_text(c->seed, at.s);
    struct finding *f = NULL;
    struct str text = { 0 };
    va_list ap;

    if (once && hash_set_has(&c->fs->context.noted, place))
        return NULL;
    va_start(ap, fmt);
    str_vprintf(&text, fmt, ap);
    va_end(ap);
    f = findings_add(c->fs, c->but ? RULE_DESC_DISPUTED : rule, at.s, AT_VALUE, "%s%s%s%s%s",
                     at.name, *at.name ? " " : "", text.s ? text.s : "", c->but ? ": " : "",
                     c->but ? c->but : "");
    if (f && !c->but) {
        f->tensor = at.tensor;
        f->result = at.tensor && slot_field(c, at.tensor - 1)->output;
        hash_set_add(&c->fs->context.noted, place);
    }
    str_done(&text, &c->fs->failed);
    return f;
}

struct pointer unnamed(struct pointer at)
{
    *at.name = '\0';
    return at;
}

const struct field_value *given_value(const struct check *c, const char *field)
{
    const struct field *f = schema_field(c->schema, field);

    return f && values_of(c->values, f)->given ? values_of(c->values, f) : NULL;
}

const struct field_value *good_value(const struct check *c, const char *field)
{
    const struct field_value *v = given_value(c, field);

    return v && v->good ? v : NULL;
}

enum dtype given_type(const struct check *c, const char *field)
{
    const struct field_value *v = given_value(c, field);

    return v && v->tensors && c->tensor_seen[v->slot].type &&
                   !is_reported(c, at_tensor(c, v->slot, "DataType", WHOLE))
               ? c->tensor[v->slot].type
               : DT_NONE;
}

const char *value_name(const struct check *c, const char *field)
{
    const struct field_value *f = good_value(c, field);
    const struct enum_schema *e = f ? schema_field(c->schema, field)->values : NULL;

    return e ? e->names[f->v[0]] : "";
}

void suggest(struct finding *f, uint64_t v)
{
    finding_hint(f, "use %ju", v);
    finding_fix(f, "%ju", v);
}

bool fits_total(const struct tensor_desc *t)
{
    uint64_t need;

    return t->total_size && tensor_desc_bytes(t, &need) && need == t->total_size;
}

/* Takes the fix of f away if a tensor's TotalTensorSizeInBytes fits the tensor, but not what it
 * would become. */
static void doubt_by_total(const struct check *c, struct finding *f, unsigned slot,
                           const struct tensor_desc *fixed)
{
    if (c->tensor_seen[slot].type && fits_total(&c->tensor[slot]) && !fits_total(fixed))
        finding_doubt(f);
}

void suggest_size(struct check *c, struct finding *f, unsigned slot, unsigned i, uint64_t v)
{
    struct tensor_desc fixed = c->tensor[slot];

    fixed.sizes[i] = v;
    suggest(f, v);
    doubt_by_total(c, f, slot, &fixed);
}

unsigned counts_arrays(const struct check *c, const char *field, int64_t n)
{
    unsigned arrays = 0;

    for (const struct field *f = c->schema->fields; f->name; f++) {
        const struct field_value *v = values_of(c->values, f);

        if (!f->count || strcmp(f->count, field) != 0 || !v->given)
            continue;
        arrays++;
        if (v->count != n)
            return 0;
    }
    return arrays;
}

bool rank_known(const struct check *c, unsigned slot)
{
    const struct tensor_seen *s = &c->tensor_seen[slot];

    return c->tensor[slot].present && s->sizes.all && s->sizes.count >= 1 &&
           s->sizes.count <= DML_MAX_RANK;
}

bool sizes_known(const struct check *c, unsigned slot)
{
    const struct tensor_desc *t = &c->tensor[slot];

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
    const struct tensor_desc *t = &c->tensor[slot];
    struct tensor_desc fixed = *t;
    struct str names = { 0 };
    struct finding *f;

    if (!t->present || !c->tensor_seen[slot].type || (types >> t->type & 1))
        return NULL;
    for (int i = DT_NONE + 1; i < DT_ALL; i++)
        if (types >> i & 1) /* "A, B or C" */
            str_printf(&names, "%s%s",
                       !names.len        ? ""
                       : types >> i == 1 ? " or "
                                         : ", ",
                       dtype_name((enum dtype)i));
    f = violation(c, rule, at_tensor(c, slot, "DataType", WHOLE), "is %s, but %s",
                  dtype_name(t->type), why);
    finding_hint(f, "use %s", names.s ? names.s : "another type");
    if (types && (types & (types - 1)) == 0) {
        fixed.type = dtype_from_name(names.s, false);
        finding_fix_name(f, "DML_TENSOR_DATA_TYPE_", names.s);
        doubt_by_total(c, f, slot, &fixed);
    }
    str_free(&names);
    return f;
}

void relate_type(struct check *c, struct finding *f, unsigned slot)
{
    struct pointer at = at_tensor(c, slot, "DataType", WHOLE);

    finding_relate(f, at.s, "%s is %s here", at.name, dtype_name(c->tensor[slot].type));
}

void relate_value(struct finding *f, struct pointer at, uint64_t v)
{
    finding_relate(f, at.s, "%s is %ju here", at.name, v);
    if (!at.tensor)
        finding_from(f, at.name, v);
}

void relate_rank(struct check *c, struct finding *f, unsigned slot)
{
    struct pointer at = at_sizes(c, slot);

    finding_relate(f, at.s, "%s has %s here", at.name,
                   counted(c->tensor[slot].rank, "dimension").s);
}

void relate_sizes(struct check *c, struct finding *f, unsigned slot)
{
    uint32_t n = c->tensor_seen[slot].sizes.count;

    finding_relate(f, at_tensor(c, slot, "Sizes", WHOLE).s, "there %s %s here",
                   n == 1 ? "is" : "are", counted(n, "size").s);
}

void require_same_type(struct check *c, enum rule rule, unsigned slot)
{
    enum dtype type = c->tensor[SLOT_IN].type;

    if (c->tensor[SLOT_IN].present && c->tensor_seen[SLOT_IN].type &&
        !is_reported(c, at_tensor(c, SLOT_IN, "DataType", WHOLE)))
        relate_type(c,
                    require_type(c, rule, slot, 1u << type, "it must be the type of InputTensor"),
                    SLOT_IN);
}

struct finding *require_size(struct check *c, enum rule rule, unsigned slot, unsigned i,
                             unsigned other, unsigned oi)
{
    uint64_t have = c->tensor[slot].sizes[i], want = c->tensor[other].sizes[oi];
    const struct tensor_desc *t = &c->tensor[slot];
    struct pointer by = at_size(c, other, oi);
    struct finding *f;

    if (have == want || have == 0 || want == 0 || is_reported(c, by))
        return NULL;
    f = violation(c, rule, at_size(c, slot, i), "is %ju, but %s is %ju", have, by.name, want);
    if (slot_field(c, slot)->output)
        suggest_size(c, f, slot, i, want);
    else if (rule == RULE_DESC_SAME_SIZES && have == 1 && (!t->has_strides || t->strides[i]))
        finding_hint(f, "use %ju, and give Strides with a 0 there to repeat the element", want);
    else
        finding_hint(f, "use %ju, or change the other size", want);
    relate_value(f, by, want);
    return f;
}

bool have_same(const struct check *c, unsigned slot, unsigned other, bool sizes)
{
    uint32_t both = 1u << slot_field(c, slot)->slot | 1u << slot_field(c, other)->slot;
    bool found = false;

    for (size_t i = 0; i < c->schema->same.n; i++) {
        const struct op_same *same = &c->schema->same.v[i];

        found = found || ((sizes ? same->sizes : same->rank) && (same->slots & both) == both);
    }
    return found;
}

/* Hints at `rank` dimensions: for a vector with an element for each channel, axis 1 of the first
 * tensor or an output (axis 0 of a matrix), at its sizes. */
static bool hint_rank(const struct check *c, struct finding *f, unsigned slot, uint32_t rank,
                      const char *otherwise)
{
    uint64_t n = c->tensor[slot].sizes[0], v[DML_MAX_RANK];

    for (unsigned s = 0; c->tensor[slot].rank == 1 && s < c->values->tensor_count; s++) {
        const struct tensor_desc *t = &c->tensor[s];
        unsigned axis = rank > 2 || t->sizes[1] == n;
        bool repeated = have_same(c, slot, s, true),
             unsure = axis + 1 < rank && t->sizes[rank - 1] == n;

        if ((s > 0 && !slot_field(c, s)->output) || t->rank != rank || rank < 2 || n == 1 ||
            t->sizes[axis] != n)
            continue;
        for (unsigned i = 0; i < rank; i++)
            v[i] = i == axis ? repeated ? 1 : n : !repeated;
        return finding_hint(
            f, "use %s%s%s%s", tensor_sizes_text(rank, repeated ? t->sizes : v).text,
            repeated ? " with Strides " : "", repeated ? tensor_sizes_text(rank, v).text : "",
            unsure ? " if there is one for each channel" : "");
    }
    return finding_hint(f, "%s", otherwise);
}

bool require_rank(struct check *c, enum rule rule, unsigned slot, unsigned other)
{
    uint32_t have = c->tensor[slot].rank, want = c->tensor[other].rank;
    struct finding *f;

    if (!rank_known(c, slot) || !rank_known(c, other))
        return false;
    if (have == want)
        return true;
    f = violation(c, rule, at_sizes(c, slot), "has %s, but %s has %u", counted(have, "dimension").s,
                  at_sizes(c, other).name, want);
    hint_rank(c, f, slot, want, "give both the same number; leading sizes of 1 can be added");
    relate_rank(c, f, other);
    return false;
}

bool require_axis(struct check *c, enum rule rule, struct pointer at, uint64_t axis, unsigned slot)
{
    uint32_t rank = c->tensor[slot].rank;
    struct finding *f;

    if (axis < rank)
        return true;
    f = violation(c, rule, at, "is %ju, but %s has %s", axis, at_sizes(c, slot).name,
                  counted(rank, "dimension").s);
    relate_rank(c, f, slot);
    return finding_hint(f, "use %s", range(0, rank - 1).s);
}

void hint_level(struct finding *f, const char *use, enum feature_level since)
{
    if (since < LEVEL_COUNT)
        finding_hint(f, "%s, or --feature-level %s or higher", use, level_names[since]);
    else
        finding_hint(f, "%s", use);
}

void require_type_support(struct check *c, unsigned slot)
{
    enum dtype type = c->tensor[slot].type;
    unsigned number = slot_field(c, slot)->slot; /* differs from slot after an array of tensors */
    const struct op_support *s = schema_support(c->schema, number, c->level);
    struct phrase why = phrase("%s does not support that at feature level %s", c->schema->name,
                               level_names[c->level]);
    struct finding *f = s ? require_type(c, RULE_SUPPORT_DATA_TYPE, slot, s->types, why.s) : NULL;

    if (f && f->hint)
        hint_level(f, PHRASE("%s", f->hint), schema_since(c->schema, number, 1u << type, 0));
}

void require_rank_support(struct check *c, unsigned slot)
{
    unsigned number = slot_field(c, slot)->slot;
    const struct op_support *s = schema_support(c->schema, number, c->level);
    uint32_t rank = c->tensor[slot].rank;
    struct phrase ranks;
    enum feature_level since;
    struct finding *f;

    if (!s || !rank_known(c, slot) || (rank >= s->min_rank && rank <= s->max_rank))
        return;
    ranks = range(s->min_rank, s->max_rank);
    f = violation(c, RULE_SUPPORT_DIMENSION_COUNT, at_sizes(c, slot),
                  "has %s, but %s supports %s at feature level %s", counted(rank, "dimension").s,
                  c->schema->name, ranks.s, level_names[c->level]);
    since = schema_since(c->schema, number, ~0u, rank);
    hint_rank(c, f, slot, c->tensor[0].rank,
              rank < s->min_rank ? "add leading sizes of 1" : PHRASE("use %s dimensions", ranks.s));
    if (f && f->hint)
        hint_level(f, PHRASE("%s", f->hint), since > c->level ? since : LEVEL_COUNT);
}

bool require_operator(struct check *c)
{
    if (c->schema->level <= c->level)
        return true;
    return finding_hint(findings_add(c->fs, RULE_SUPPORT_OPERATOR, c->values->type_pointer,
                                     AT_VALUE, "DML_OPERATOR_%s does not exist at feature level %s",
                                     c->schema->name, level_names[c->level]),
                        "use --feature-level %s or higher", level_names[c->schema->level]);
}
