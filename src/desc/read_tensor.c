#include <string.h>
#include <strings.h>

#include "desc/item.h"
#include "desc/reader.h"

/* The fields of a tensor description, in the order of names. */
enum tensor_field {
    T_TYPE, T_DATA_TYPE, T_FLAGS, T_COUNT, T_SIZES, T_STRIDES, T_TOTAL, T_ALIGNMENT, T_FIELDS
};

static const char *const names[T_FIELDS] = {
    "Type", "DataType", "Flags", "DimensionCount", "Sizes", "Strides", "TotalTensorSizeInBytes",
    "GuaranteedBaseOffsetAlignment",
};

static void read_type(struct reader *r, const struct item *item)
{
    const char *s = item_string(item);
    struct finding *f;

    if (!item_is(item, JSON_STRING)) {
        wrong_type(r, item->node, "a string, DML_TENSOR_TYPE_BUFFER");
        return;
    }
    if (strcmp(s, "BUFFER") == 0 || strcmp(s, "DML_TENSOR_TYPE_BUFFER") == 0)
        return;
    f = report(r, RULE_TENSOR_TYPE, "the tensor's Type is '%s'", s);
    finding_hint(f, "use DML_TENSOR_TYPE_BUFFER, or leave Type out");
    finding_fix_string(f, path_text(r), AT_VALUE, "DML_TENSOR_TYPE_BUFFER");
}

static void read_data_type(struct reader *r, const struct item *item, struct tensor_desc *d,
                           struct tensor_seen *s)
{
    if (!item_is(item, JSON_STRING)) {
        wrong_type(r, item->node, "a string that names a data type");
        return;
    }
    d->type = dtype_from_name(item_string(item), false);
    s->type = d->type != DT_NONE;
    if (!s->type && is_unknown_type(item_string(item)))
        finding_hint(report(r, RULE_TENSOR_DATA_TYPE, "DataType is UNKNOWN"),
                     "name the type of the elements, for instance FLOAT32");
    else if (!s->type) {
        d->type = no_such_type(r, item_string(item));
        s->type = d->type != DT_NONE;
    }
}

/* The flags that names were seen of, for what DxDispatch does not take. */
struct flags_seen {
    bool none, owned, twice;
};

static void note_flag(bool *seen, struct flags_seen *all)
{
    all->twice = all->twice || *seen;
    *seen = true;
}

/* One name of flags, n bytes; `only`: it is the whole string at the path. */
static void read_flag(struct reader *r, const char *name, size_t n, bool only,
                      struct flags_seen *seen, struct tensor_desc *d)
{
    static const char prefix[] = "DML_TENSOR_FLAG_", hint[] = "use NONE or OWNED_BY_DML";
    static const char *const flags[] = { "NONE", "OWNED_BY_DML" };
    const char *whole = name;
    size_t len = n;

    if (n >= sizeof prefix - 1 && memcmp(name, prefix, sizeof prefix - 1) == 0) {
        name += sizeof prefix - 1;
        n -= sizeof prefix - 1;
    }
    if (n == 4 && memcmp(name, "NONE", 4) == 0) {
        note_flag(&seen->none, seen);
        return;
    }
    if (n == 12 && memcmp(name, "OWNED_BY_DML", 12) == 0) {
        note_flag(&seen->owned, seen);
        d->flags |= TENSOR_FLAG_OWNED_BY_DML;
        return;
    }
    if (!only)
        finding_hint(report(r, RULE_DESC_ENUM_UNKNOWN, "there is no tensor flag '%.*s'", (int)len,
                            whole),
                     hint);
    else if (unknown_name(r, RULE_DESC_ENUM_UNKNOWN, "tensor flag", whole, prefix, flags, 2,
                          hint) == 1)
        d->flags |= TENSOR_FLAG_OWNED_BY_DML;
}

static void not_portable_flags(struct reader *r, const char *what)
{
    if (r->fs->opt.portable)
        finding_hint(report(r, RULE_PORTABLE_FLAGS, "Flags has %s", what), "%s",
                     rule_table[RULE_PORTABLE_FLAGS].remedy);
}

/* "A" or "A|B". */
static void read_flag_string(struct reader *r, const char *s, struct flags_seen *seen,
                             struct tensor_desc *d)
{
    bool only = !strpbrk(s, "| ");

    for (;;) {
        size_t n, skip;

        s += strspn(s, " ");
        n = strcspn(s, "|");
        skip = n;
        while (n > 0 && s[n - 1] == ' ')
            n--;
        read_flag(r, s, n, only, seen, d);
        if (s[skip] == '\0')
            return;
        s += skip + 1;
    }
}

/* A string as above, or an array of names. */
static void read_flags(struct reader *r, const struct item *item, struct tensor_desc *d)
{
    struct flags_seen seen = { .twice = false };
    size_t index = 0;

    if (item_is(item, JSON_STRING)) {
        read_flag_string(r, item_string(item), &seen, d);
        if (strpbrk(item_string(item), "| "))
            not_portable_flags(r, "joined names, which DxDispatch does not read");
        return;
    }
    if (!item_is(item, JSON_ARRAY)) {
        wrong_type(r, item->node, "a string or an array of strings");
        return;
    }
    for (struct item e = item_first(item); e.json; e = item_next(&e)) {
        size_t mark = path_push_index(r, index++);

        if (item_is(&e, JSON_STRING))
            read_flag(r, item_string(&e), strlen(item_string(&e)), true, &seen, d);
        else
            wrong_type(r, e.node, "a string");
        path_pop(r, mark);
    }
    if (seen.twice)
        not_portable_flags(r, "the same name twice");
}

static void read_member(struct reader *r, enum tensor_field which, const struct item *item,
                        struct tensor_desc *d, struct tensor_seen *s)
{
    int64_t v[DML_MAX_RANK] = { 0 };
    struct array_seen array;

    switch (which) {
    case T_TYPE:
        read_type(r, item);
        break;
    case T_DATA_TYPE:
        read_data_type(r, item, d, s);
        break;
    case T_FLAGS:
        read_flags(r, item, d);
        break;
    case T_COUNT:
        s->dimension_count = read_integer(r, item->node, 0, UINT32_MAX, v);
        s->dimension_count_value = (uint32_t)v[0];
        break;
    case T_SIZES:
        s->sizes = read_integers(r, item->node, 0, UINT32_MAX, v, &array);
        s->sizes_count = array.count;
        memcpy(d->sizes, v, sizeof v);
        d->rank = s->sizes_count < DML_MAX_RANK ? s->sizes_count : DML_MAX_RANK;
        break;
    case T_STRIDES:
        s->strides = read_integers(r, item->node, 0, UINT32_MAX, v, &array);
        s->strides_count = array.count;
        memcpy(d->strides, v, sizeof v);
        d->has_strides = s->strides_count > 0;
        break;
    case T_TOTAL: /* UINT64 in DirectML */
        s->total_size = read_integer(r, item->node, 0, INT64_MAX, v);
        d->total_size = (uint64_t)v[0];
        break;
    case T_ALIGNMENT:
        s->base_alignment = read_integer(r, item->node, 0, UINT32_MAX, v);
        d->base_alignment = (uint64_t)v[0];
        break;
    case T_FIELDS:
        break;
    }
}

/* The members of the object with the fields. */
static void read_inner(struct reader *r, const struct item *object, struct tensor_desc *d,
                       struct tensor_seen *s)
{
    const struct keys k = { .names = names, .n = T_FIELDS,
                            .required = 1u << T_DATA_TYPE | 1u << T_SIZES };
    struct item found[T_FIELDS];

    read_keys(r, object, &k, found);
    for (int i = 0; i < T_FIELDS; i++) {
        if (found[i].json) {
            size_t mark = path_push(r, names[i]);

            read_member(r, (enum tensor_field)i, &found[i], d, s);
            path_pop(r, mark);
        } else if (i == T_DATA_TYPE || i == T_SIZES)
            finding_hint(findings_add(r->fs, RULE_DESC_FIELD_MISSING, path_text(r), AT_OPENING,
                                      "the tensor lacks %s", names[i]),
                         i == T_SIZES ? "add \"Sizes\": [...]"
                                      : "add \"DataType\": \"FLOAT32\", or the type meant");
    }
}

/* Whether the fields of a tensor are in an object of their own: in "Desc", or in one other spelling
 * of it. */
static bool is_nested(const struct item *tensor)
{
    unsigned count = 0;

    for (struct item m = item_first(tensor); m.json; m = item_next(&m)) {
        if (strcmp(item_key(&m), "Desc") == 0)
            return true;
        count += strcasecmp(item_key(&m), "Desc") == 0;
    }
    return count == 1;
}

void read_tensor(struct reader *r, const struct item *item, struct tensor_desc *d,
                 struct tensor_seen *s)
{
    static const char *const outer[] = { "Type", "Desc" };
    const struct keys k = { .names = outer, .n = 2, .required = 1u << 1 };
    struct item found[2];
    size_t mark;

    if (!item_is(item, JSON_OBJECT)) {
        wrong_type(r, item->node, "an object that describes a tensor");
        return;
    }
    d->present = true;
    if (!is_nested(item)) {
        read_inner(r, item, d, s);
        return;
    }
    s->nested = true;
    read_keys(r, item, &k, found);
    if (found[0].json) {
        mark = path_push(r, "Type");
        read_type(r, &found[0]);
        path_pop(r, mark);
    }
    mark = path_push(r, "Desc");
    if (found[1].json && item_is(&found[1], JSON_OBJECT))
        read_inner(r, &found[1], d, s);
    else if (found[1].json)
        wrong_type(r, found[1].node, "an object with the tensor's fields");
    path_pop(r, mark);
}
