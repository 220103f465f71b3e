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
    finding_hint(
        violation(c, RULE_DESC_FIELD_RANGE, at,
                  is_signed ? "is %jd, which is out of range" : "is %ju, which is out of range", v),
        "use a whole number, %jd to %jd", lo, hi);
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

/* What the errors of a descriptor make doubtful, by kind: data types, or sizes and all else. */
struct doubts {
    struct hash_set known; /* values that errors without a fix name */
    unsigned result[2];    /* the result that an error is about */
    bool results[2];       /* results: an error is about another value, or about several results */
    uint64_t tensors;      /* bit n % 64: an error is about sizes or the type of tensor n */
};

/* The value of an error, and the values that it is derived from, in turn; NULL after the last. */
static const char *named(const struct finding *f, size_t i)
{
    if (i == 0)
        return f->meant ? f->meant : f->pointer;
    return i <= f->related_count ? f->related[i - 1].pointer : NULL;
}

/* True for the type of a tensor, or its size in bytes or number of dimensions. */
static bool ends_in(const struct finding *f, const char *field)
{
    const char *last = strrchr(named(f, 0), '/');

    return last && strcmp(last + 1, field) == 0;
}

static bool is_derived(const struct finding *f)
{
    return ends_in(f, "TotalTensorSizeInBytes") || ends_in(f, "DimensionCount");
}

static void note_doubts(struct doubts *d, const struct finding *f)
{
    bool type = ends_in(f, "DataType");
    const char *at;

    d->results[type] |= !f->result || (d->result[type] && d->result[type] != f->tensor) ||
                        (!f->fix.text && f->rule == RULE_SHAPE_SIZE);
    d->result[type] = f->tensor;
    if (f->tensor && !is_derived(f))
        d->tensors |= UINT64_C(1) << f->tensor % 64;
    for (size_t i = 0; !f->fix.text && (at = named(f, i)); i++)
        hash_set_add(&d->known, hash_text(HASH_START, at));
}

/* True if the fix of f is derived from values that other errors name. */
static bool is_doubtful(const struct doubts *d, const struct finding *f)
{
    const char *at;

    if (is_derived(f))
        return d->tensors >> f->tensor % 64 & 1;
    if (f->result && (ends_in(f, "DataType") || strstr(named(f, 0), "/Sizes")) &&
        d->results[ends_in(f, "DataType")])
        return true;
    for (size_t i = 1; (at = named(f, i)); i++)
        if (hash_set_has(&d->known, hash_text(HASH_START, at)))
            return true;
    return false;
}

/* True if a tensor that is read has another TotalTensorSizeInBytes than it needs. */
static bool any_other_total(const struct check *c)
{
    for (unsigned slot = 0; slot < c->values->tensor_count; slot++)
        if (!slot_field(c, slot)->output && sizes_known(c, slot) && c->tensor_seen[slot].type &&
            c->tensor[slot].total_size && !fits_total(&c->tensor[slot]))
            return true;
    return false;
}

/* Drops doubtful fixes of the findings from number `rules` on. The reader's come before, from
 * number `from` on: what it could correct, and keys that it ignores in tensors, make nothing
 * doubtful. In two passes: an error that has lost its fix makes others doubtful. */
static void drop_doubtful(const struct check *c, size_t from, size_t rules)
{
    struct findings *fs = c->fs;
    bool other = any_other_total(c);
    struct doubts d = { .results = { other, other } };

    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = from; i < fs->n; i++)
            if ((fs->v[i].severity == SEV_ERROR || fs->v[i].rule == RULE_DESC_FIELD_UNKNOWN) &&
                (i >= rules || !fs->v[i].fix.text))
                note_doubts(&d, &fs->v[i]);
        for (size_t i = rules; i < fs->n; i++)
            if (fs->v[i].severity == SEV_ERROR && fs->v[i].fix.text && is_doubtful(&d, &fs->v[i]))
                finding_doubt(&fs->v[i]);
    }
    fs->failed = fs->failed || d.known.failed || fs->context.noted.failed;
    hash_set_free(&d.known);
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
    drop_doubtful(&c, v->findings, from);
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
