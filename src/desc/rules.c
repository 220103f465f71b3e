#include <inttypes.h>
#include <string.h>

#include "desc/check.h"

/* The ranks that the operator supports. Other rules compare the ranks of data tensors with the
 * first; a parameter of the first tensor's rank follows it. */
static void check_rank_support(struct check *c)
{
    const struct op_support *data = schema_support(c->schema, SLOT_IN, c->level);

    for (const struct field *f = c->schema->fields; f->name; f++) {
        bool parameter = field_is_parameter(f), known = rank_known(c, SLOT_IN);
        uint32_t rank = f->kind == FIELD_TENSOR ? c->tensor[f->slot].rank : 0;

        if (f->kind == FIELD_TENSOR && (parameter || f->slot == SLOT_IN || !known) &&
            !(parameter && known && rank == c->tensor[SLOT_IN].rank && rank > data->max_rank))
            require_rank_support(c, f->slot);
    }
}

/* Checks that a number of a struct made from options fits DirectML's UINT or INT. v has the bits of
 * a signed or an unsigned number. */
static void check_fits(struct check *c, struct pointer at, uint64_t v, bool is_signed)
{
    char *dot = strchr(at.name, '.'); /* as the reader, names a tensor's field alone */
    int64_t lo = is_signed ? INT32_MIN : 0, hi = is_signed ? INT32_MAX : UINT32_MAX;

    if (is_signed ? (int64_t)v >= lo && (int64_t)v <= hi : v <= UINT32_MAX)
        return;
    if (dot)
        memmove(at.name, dot + 1, strlen(dot));
    finding_hint(violation(c, RULE_DESC_FIELD_RANGE, at,
                           is_signed ? "is %" PRId64 ", which is out of range"
                                     : "is %" PRIu64 ", which is out of range",
                           v),
                 "use a whole number, %" PRId64 " to %" PRId64, lo, hi);
}

static void check_range(struct check *c, const struct field *f)
{
    const struct field_value *value = values_of(c->values, f);
    const struct tensor_desc *t = &c->tensor[f->slot];
    bool is_signed = f->kind == FIELD_INT_ARRAY, array = is_signed || f->kind == FIELD_UINT_ARRAY;
    uint32_t n = array ? value->seen.count : f->kind == FIELD_UINT;

    for (uint32_t i = 0; i < n && i < DML_MAX_RANK; i++)
        check_fits(c, at_field(c, f->name, array ? (int)i : WHOLE), (uint64_t)value->v[i],
                   is_signed);
    if (f->kind != FIELD_TENSOR || !t->present)
        return;
    for (unsigned i = 0; i < t->rank; i++) {
        check_fits(c, at_size(c, f->slot, i), t->sizes[i], false);
        if (t->has_strides)
            check_fits(c, at_tensor(c, f->slot, "Strides", (int)i), t->strides[i], false);
    }
    check_fits(c, at_tensor(c, f->slot, "GuaranteedBaseOffsetAlignment", WHOLE), t->base_alignment,
               false);
}

static void check_operator(struct check *c)
{
    static void (*const checks[OP_COUNT])(struct check *) = { [OP_SLICE] = check_slice,
                                                              [OP_SLICE1] = check_slice,
                                                              [OP_TOP_K] = check_topk,
                                                              [OP_TOP_K1] = check_topk,
                                                              [OP_QMATMUL] = check_qmatmul };
    bool exists = require_operator(c);

    if (exists && c->d->op != OP_QMATMUL) /* qmatmul.data-type and its kin check its types */
        require_type_support(c, SLOT_IN);
    if (exists)
        check_rank_support(c);
    checks[c->d->op](c);
}

/* Takes the fix of f away if the values that it is derived from are doubtful: `known` has their
 * hashes. An error without a fix makes the values doubtful that it names, and *shape: sizes that a
 * recipe computes depend on the same fields. */
static void doubt(struct findings *known, bool *shape, struct finding *f)
{
    bool fixed = f->fix.text, drop = *shape && f->rule == RULE_SHAPE_SIZE;

    if (!fixed)
        findings_note(known, finding_hash(FINDING_HASH, f->pointer));
    for (size_t k = 0; k < f->related_count; k++) {
        uint64_t hash = finding_hash(FINDING_HASH, f->related[k].pointer);

        drop = drop || findings_noted(known, hash);
        if (!fixed)
            findings_note(known, hash);
    }
    *shape = *shape || (!fixed && f->rule == RULE_SHAPE_SIZE);
    if (fixed && drop)
        finding_doubt(f);
}

/* Drops doubtful fixes of the findings from number `from` on. In two passes: a later finding can
 * make an earlier one doubtful. */
static void drop_doubtful(struct findings *fs, size_t from)
{
    struct findings known = { .n = 0 };
    bool shape = false;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = from; i < fs->n; i++)
            if (fs->v[i].severity == SEV_ERROR)
                doubt(&known, &shape, &fs->v[i]);
    fs->failed = fs->failed || known.failed;
    findings_free(&known);
}

void values_check(const struct op_values *v, enum feature_level level, struct findings *fs)
{
    struct check c = check_values(v, level, fs);
    size_t from = fs->n;
    struct desc d;

    for (unsigned slot = 0; slot < v->tensor_count; slot++)
        if (v->tensor[slot].present)
            check_tensor(&c, slot, slot_field(&c, slot)->output);
    if (v->schema->op == OP_NONE)
        check_table(&c);
    else {
        desc_of_values(v, &d);
        c.d = &d;
        check_operator(&c);
    }
    drop_doubtful(fs, from);
}

void desc_check(const struct desc *d, enum feature_level level, struct findings *fs)
{
    struct op_values v;
    bool good = values_of_desc(d, &v);
    struct check c = check_values(&v, level, fs);

    for (const struct field *f = c.schema->fields; good && f->name; f++)
        check_range(&c, f); /* of a text, the reader reports these numbers */
    if (good)
        values_check(&v, level, fs);
    fs->failed = fs->failed || !good;
    values_free(&v);
}
