#include "desc/read/reader.h"

/* The fields of a tensor description, in the order of names. */
enum { T_TYPE, T_DATA_TYPE, T_FLAGS, T_COUNT, T_SIZES, T_STRIDES, T_TOTAL, T_ALIGNMENT, T_FIELDS };

static const char *const names[T_FIELDS] = {
    "Type",  "DataType", "Flags",                  "DimensionCount",
    "Sizes", "Strides",  "TotalTensorSizeInBytes", "GuaranteedBaseOffsetAlignment",
};

static void read_type(struct reader *r, size_t node)
{
    const char *s = string_text(r, node, "a string, DML_TENSOR_TYPE_BUFFER");
    struct finding *f;

    if (!s || strcmp(s, "BUFFER") == 0 || strcmp(s, "DML_TENSOR_TYPE_BUFFER") == 0)
        return;
    f = report(r, node, RULE_TENSOR_TYPE, "the tensor's Type is '%s'", s);
    finding_hint(f, "use DML_TENSOR_TYPE_BUFFER, or leave Type out");
    finding_fix_name(f, "DML_TENSOR_TYPE_", "BUFFER");
}

static void read_data_type(struct reader *r, size_t node, struct tensor_desc *d,
                           struct tensor_seen *s)
{
    if (read_type_name(r, node, &d->type) && d->type == DT_NONE)
        finding_hint(report(r, node, RULE_TENSOR_DATA_TYPE, "DataType is UNKNOWN"),
                     "name the type of the elements, for instance FLOAT32");
    s->type = d->type != DT_NONE; /* nothing follows from a name that is only near to a type */
    if (s->type) {
        const char *name = json_doc_text(r->doc, node);

        s->type = str_same_letters(name + prefix_length("DML_TENSOR_DATA_TYPE_", name),
                                   dtype_name(d->type));
    }
}

struct flags {
    bool seen[2]; /* NONE, OWNED_BY_DML */
    bool twice;   /* the same name twice */
};

/* Reads one name; only a name that is the whole string (`alone`) can be corrected. */
static void read_flag(struct reader *r, size_t node, const char *name, bool alone,
                      struct flags *flags)
{
    static const char *const flag_names[] = { "NONE", "OWNED_BY_DML" };
    static const struct enumeration known = {
        "tensor flag",         "DML_TENSOR_FLAG_",     flag_names,
        ARRAY_LEN(flag_names), RULE_DESC_ENUM_UNKNOWN, "use NONE or OWNED_BY_DML"
    };
    size_t i = enum_index(&known, name);

    if (i == known.n && alone)
        i = unknown_name(r, node, &known, name);
    else if (i == known.n)
        finding_hint(report(r, node, known.rule, "there is no %s '%s'", known.what, name), "%s",
                     known.hint);
    if (i == known.n)
        return;
    flags->twice = flags->twice || flags->seen[i];
    flags->seen[i] = true;
}

/* Reads a name, or "A|B" with blanks around the names. */
static void read_names(struct reader *r, size_t node, struct flags *flags)
{
    const char *s = json_doc_text(r->doc, node), *end = s;
    bool joined = strpbrk(s, "| ");

    for (bool more = true; more; s = end + 1) {
        char *name;
        size_t n;

        s += strspn(s, " ");
        n = strcspn(s, "|");
        end = s + n;
        more = *end == '|';
        while (n > 0 && s[n - 1] == ' ')
            n--;
        name = str_format("%.*s", (int)n, s);
        if (name)
            read_flag(r, node, name, !joined, flags);
        r->fs->failed = r->fs->failed || !name;
        free(name);
    }
    if (joined)
        finding_remedy(report(r, node, RULE_PORTABLE_FLAGS,
                              "Flags has joined names, which DxDispatch does not read"));
}

/* Reads names, or an array of single ones. */
static void read_flags(struct reader *r, size_t node, struct tensor_desc *d)
{
    const struct json_node *nodes = r->doc->nodes;
    struct flags flags = { .twice = false };

    if (node_is(r, node, JSON_STRING))
        read_names(r, node, &flags);
    else if (!node_is(r, node, JSON_ARRAY))
        wrong_type(r, node, "a string or an array of strings");
    else {
        for (size_t at = node + 1; at < nodes[node].next; at = nodes[at].next) {
            const char *name = string_text(r, at, "a string");

            if (name)
                read_flag(r, at, name, true, &flags);
        }
        if (flags.twice)
            finding_remedy(report(r, node, RULE_PORTABLE_FLAGS, "Flags has the same name twice"));
    }
    if (flags.seen[1])
        d->flags |= TENSOR_FLAG_OWNED_BY_DML;
}

static void read_unsigned(struct reader *r, size_t node, uint64_t to[DML_MAX_RANK],
                          struct array_seen *seen)
{
    int64_t v[DML_MAX_RANK] = { 0 };

    read_integers(r, node, 0, UINT32_MAX, v, seen);
    memcpy(to, v, sizeof v);
}

static void read_inner(struct reader *r, size_t object, struct tensor_desc *d,
                       struct tensor_seen *s)
{
    const struct keys k = { .names = names,
                            .n = T_FIELDS,
                            .required = 1u << T_DATA_TYPE | 1u << T_SIZES };
    int64_t v[DML_MAX_RANK] = { 0 };
    size_t found[T_FIELDS];
    char name[NAME_TEXT];

    match_keys(r, object, &k, found);
    if (found[T_TYPE])
        read_type(r, found[T_TYPE]);
    if (found[T_DATA_TYPE])
        read_data_type(r, found[T_DATA_TYPE], d, s);
    else
        missing_key(r, object, "the tensor", "DataType", "\"FLOAT32\", or the type meant");
    if (found[T_FLAGS])
        read_flags(r, found[T_FLAGS], d);
    if (found[T_COUNT]) {
        s->dimension_count = read_integer(r, found[T_COUNT], 0, UINT32_MAX, v);
        s->dimension_count_value = (uint32_t)v[0];
    }
    if (found[T_SIZES]) {
        read_unsigned(r, found[T_SIZES], d->sizes, &s->sizes);
        d->rank = s->sizes.count < DML_MAX_RANK ? s->sizes.count : DML_MAX_RANK;
    } else
        missing_key(r, object, "the tensor", "Sizes", "[...]");
    if (found[T_STRIDES] && node_is(r, found[T_STRIDES], JSON_NULL)) {
        struct finding *f = report(r, found[T_STRIDES], RULE_DESC_FIELD_TYPE,
                                   "Strides is null, but must be an array of integers");

        finding_hint(f, "leave Strides out for a packed tensor");
        finding_fix(f, "[]");
    } else if (found[T_STRIDES])
        read_unsigned(r, found[T_STRIDES], d->strides, &s->strides);
    d->has_strides = s->strides.count > 0;
    if (found[T_TOTAL] && read_integer(r, found[T_TOTAL], 0, INT64_MAX, v)) { /* UINT64 in C */
        d->total_size = (uint64_t)v[0];
        if (v[0] == 0)
            finding_hint(report(r, found[T_TOTAL], RULE_DESC_DISPUTED,
                                "%s is 0: DxDispatch computes it then, CreateOperator refuses it",
                                field_name(r, found[T_TOTAL], name)),
                         "write the size in bytes; for DxDispatch, leave it out");
    }
    if (found[T_ALIGNMENT] && read_integer(r, found[T_ALIGNMENT], 0, UINT32_MAX, v))
        d->base_alignment = (uint64_t)v[0];
}

/* True if the fields are in an object of their own: "Desc", or the only member that is called so in
 * another case. */
static bool is_nested(const struct reader *r, size_t tensor)
{
    const struct json_node *nodes = r->doc->nodes;
    unsigned count = 0;

    for (size_t at = tensor + 1; at < nodes[tensor].next; at = nodes[at].next)
        count += strcasecmp(json_doc_key_text(r->doc, at), "Desc") == 0;
    return count == 1 || member_node(r, tensor, "Desc");
}

void read_tensor(struct reader *r, size_t node, struct tensor_desc *d, struct tensor_seen *s)
{
    static const char *const outer[] = { "Type", "Desc" };
    const struct keys k = { .names = outer, .n = 2, .required = 1u << 1 };
    size_t found[2];

    if (!node_is(r, node, JSON_OBJECT)) {
        wrong_type(r, node, "an object that describes a tensor");
        return;
    }
    d->present = true;
    if (!is_nested(r, node)) {
        read_inner(r, node, d, s);
        return;
    }
    s->nested = true;
    match_keys(r, node, &k, found);
    if (found[0])
        read_type(r, found[0]);
    if (found[1] && node_is(r, found[1], JSON_OBJECT))
        read_inner(r, found[1], d, s);
    else if (found[1])
        wrong_type(r, found[1], "an object with the tensor's fields");
}
