#include "desc/read/reader.h"

#include "json/number.h"

const char *value_kind(const struct json_doc *doc, size_t node)
{
    static const char *const kinds[] = {
        [JSON_NULL] = "null",        [JSON_FALSE] = "false",     [JSON_TRUE] = "true",
        [JSON_NUMBER] = "a number",  [JSON_STRING] = "a string", [JSON_ARRAY] = "an array",
        [JSON_OBJECT] = "an object",
    };

    return kinds[doc->nodes[node].type];
}

/* Adds the pointer of a value: a key, escaped, or an index for each container. */
static void add_pointer(struct reader *r, size_t node)
{
    if (node == r->root)
        return;
    add_pointer(r, r->doc->nodes[node].parent);
    if (r->doc->nodes[node].key == JSON_NO_KEY)
        str_printf(&r->pointer, "/%zu", json_doc_element_index(r->doc, node));
    else
        json_pointer_add(&r->pointer, json_alias_key(&r->fs->context.aliases, r->doc, node));
}

const char *pointer_of(struct reader *r, size_t node)
{
    r->pointer.len = 0;
    str_puts(&r->pointer, "");
    add_pointer(r, node);
    return r->pointer.s ? r->pointer.s : "";
}

const char *field_name(struct reader *r, size_t node, char text[NAME_TEXT])
{
    const char *path = pointer_of(r, node), *last = strrchr(path, '/');

    last = last ? last + 1 : "";
    if (*last >= '0' && *last <= '9') {
        const char *array = last - 1;

        while (array > path && array[-1] != '/')
            array--;
        snprintf(text, NAME_TEXT, "%.*s[%s]", (int)(last - 1 - array), array, last);
    } else
        snprintf(text, NAME_TEXT, "%s", *last ? last : "the top-level value");
    return text;
}

size_t member_node(const struct reader *r, size_t node, const char *key)
{
    ptrdiff_t member = json_doc_member(r->doc, node, key);

    return member < 0 ? 0 : (size_t)member;
}

/* Adds the numbers in a text, such as 9 or "1 1 4 4", as an array; false if there is more. */
static bool add_array(struct str *b, const char *p, const char *end, bool integers)
{
    for (double v; p < end; p++) {
        size_t n = 0;

        while (p + n < end && strchr(integers ? "0123456789" : "0123456789+-.eE", p[n]))
            n++;
        if (n > 0 ? number_double(p, n, &v) != NUMBER_OK : !strchr("\" ,;x[]", *p))
            return false;
        if (n > 0)
            str_printf(b, "%s%.*s", b->len > 0 ? ", " : "[", (int)n, p);
        p += n > 0 ? n - 1 : 0;
    }
    str_puts(b, b->len > 0 ? "]" : "");
    return b->len > 0;
}

bool wrong_type(struct reader *r, size_t node, const char *wanted)
{
    const struct json_node *n = &r->doc->nodes[node];
    const char *text = r->doc->clean;
    bool integers = strcmp(wanted, "an array of integers") == 0, known;
    struct str array = { 0 };
    char name[NAME_TEXT];
    struct finding *f = report(r, node, RULE_DESC_FIELD_TYPE, "%s is %s, but must be %s",
                               field_name(r, node, name), value_kind(r->doc, node), wanted);

    known = (integers || strcmp(wanted, "an array of numbers") == 0) && n->type != JSON_OBJECT &&
            add_array(&array, text + n->start, text + n->end, integers) && !array.failed;
    finding_hint(f, "write %s", known ? array.s : wanted);
    if (known)
        finding_fix(f, "%s", array.s);
    str_done(&array, &r->fs->failed);
    return false;
}

bool missing_key(struct reader *r, size_t object, const char *what, const char *key,
                 const char *example)
{
    return finding_hint(findings_add(r->fs, RULE_DESC_FIELD_MISSING, pointer_of(r, object),
                                     AT_OPENING, "%s lacks %s", what, key),
                        "add \"%s\"%s%s", key, example ? ": " : "", example ? example : "");
}

const char *string_text(struct reader *r, size_t node, const char *wanted)
{
    if (!node_is(r, node, JSON_STRING))
        wrong_type(r, node, wanted);
    return node_is(r, node, JSON_STRING) ? json_doc_text(r->doc, node) : NULL;
}

const char *list_names(const char *const names[], size_t n, char list[NAMES_TEXT])
{
    size_t len = 0;

    for (size_t i = 0; i < n && len < NAMES_TEXT; i++) {
        const char *comma = i == 0 ? "" : i + 1 == n ? " and " : ", ";
        int added = snprintf(list + len, NAMES_TEXT - len, "%s%s", comma, names[i]);

        len += added > 0 ? (size_t)added : 0;
    }
    return list;
}

void hint_names(struct finding *f, const char *prefix, const char *const names[],
                const size_t which[], size_t n)
{
    struct str list = { 0 };

    if (!f)
        return;
    for (size_t i = 0; i < n; i++) {
        const char *comma = i == 0 ? "" : i + 1 == n ? " or " : ", ";

        str_printf(&list, "%s%s%s", comma, prefix, names[which[i]]);
    }
    finding_hint(f, "did you mean %s?", list.s ? list.s : "");
    str_done(&list, &f->list->failed);
}

size_t name_index(const char *name, const char *const names[], size_t n,
                  int (*compare)(const char *, const char *))
{
    size_t i = 0;

    while (i < n && compare(name, names[i]) != 0)
        i++;
    return i;
}

size_t prefix_length(const char *prefix, const char *name)
{
    enum { LEAST = 5, SLIPS = 4 }; /* characters: of a prefix; more or less than it has */
    size_t n = strlen(prefix), length = 0, most = strlen(name);
    unsigned best = UINT32_MAX, cost;
    char head[64];

    if (n == 0 || strncasecmp(name, prefix, n) == 0)
        return n;
    for (size_t i = n > LEAST + SLIPS ? n - SLIPS : LEAST; i < most && i <= n + SLIPS; i++) {
        snprintf(head, sizeof head, "%.*s", (int)i, name);
        if (!str_near(head, prefix, &cost) || cost > best)
            continue;
        best = cost;
        length = i;
    }
    return length || strncasecmp(name, prefix, 4) != 0 ? length : 4;
}

size_t enum_index(const struct enumeration *e, const char *name)
{
    size_t i = 0, prefix = strlen(e->prefix);

    if (strncmp(name, e->prefix, prefix) == 0)
        name += prefix;
    while (i < e->n && (!e->names[i] || strcmp(name, e->names[i]) != 0))
        i++;
    return i;
}

/* The candidates for an unknown name: all names that begin with it, if these are several (FLOAT may
 * have any width), else the nearest. Returns their number. */
static size_t candidates(struct findings *fs, const char *name, const struct enumeration *e,
                         size_t found[], size_t most)
{
    size_t len = strlen(name), count = 0;

    for (size_t i = 0; i < e->n && len > 0; i++)
        if (e->names[i] && str_same_letters(name, e->names[i])) {
            *found = i;
            return 1;
        } else if (e->names[i] && count < most && strncasecmp(name, e->names[i], len) == 0)
            found[count++] = i;
    return count > 1 ? count : findings_nearest(fs, name, e->names, e->n, found, most);
}

size_t unknown_name(struct reader *r, size_t node, const struct enumeration *e, const char *name)
{
    enum { MOST = 8 };
    size_t found[MOST], near, skip = prefix_length(e->prefix, name);
    const char *prefix = skip ? e->prefix : "";
    struct finding *f = report(r, node, e->rule, "there is no %s '%s'", e->what, name);

    near = candidates(r->fs, name + skip, e, found, MOST);
    if (near == 0)
        finding_hint(f, "%s", e->hint);
    else
        hint_names(f, prefix, e->names, found, near);
    if (near != 1)
        return e->n;
    finding_fix_string(f, "%s%s", prefix, e->names[found[0]]);
    return found[0];
}

/* A type of 4 bits, which only operators that dmlop does not run have; DT_NONE for other names. */
static enum dtype small_type(const struct reader *r, const char *name)
{
    static const char *const names[] = { "UINT4", "INT4" };
    struct enumeration types = { .prefix = "DML_TENSOR_DATA_TYPE_", .names = names, .n = 2 };
    size_t i = enum_index(&types, name);
    bool known = r->values && r->values->schema && r->values->schema->op == OP_NONE;

    return known && i < types.n ? (enum dtype)(DT_UINT4 + i) : DT_NONE;
}

bool read_type_name(struct reader *r, size_t node, enum dtype *type)
{
    const char *name = string_text(r, node, "a string that names a data type"), *suffix;
    struct enumeration types = { "data type", "DML_TENSOR_DATA_TYPE_", dtype_names,
                                 DT_COUNT,    RULE_DESC_ENUM_UNKNOWN,  "" };
    struct str use = { 0 };
    size_t meant = DT_COUNT;

    *type = DT_NONE;
    if (!name)
        return false;
    *type = dtype_from_name(name, false);
    if (*type == DT_NONE)
        *type = small_type(r, name);
    if (*type != DT_NONE || strcmp(name, "UNKNOWN") == 0 ||
        strcmp(name, "DML_TENSOR_DATA_TYPE_UNKNOWN") == 0)
        return true;
    str_printf(&use, "use one of %s", dtype_list);
    types.hint = use.s ? use.s : "";
    suffix = name + prefix_length(types.prefix, name);
    if (str_is_word(suffix, strlen(suffix), "INT4 UINT4 BFLOAT16", true)) /* none is corrected */
        finding_hint(report(r, node, types.rule, "dmlop does not have the data type '%s'", name),
                     "%s", types.hint);
    else
        meant = unknown_name(r, node, &types, name);
    str_done(&use, &r->fs->failed);
    *type = meant < DT_COUNT ? (enum dtype)meant : DT_NONE;
    return *type != DT_NONE;
}
