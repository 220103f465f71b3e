#include "desc/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "desc/item.h"
#include "json/number.h"

const char *value_kind(const struct json_doc *doc, size_t node)
{
    switch (doc->nodes[node].type) {
    case JSON_NULL:
        return "null";
    case JSON_FALSE:
    case JSON_TRUE:
        return "true or false";
    case JSON_NUMBER:
        return "a number";
    case JSON_STRING:
        return "a string";
    case JSON_ARRAY:
        return "an array";
    default:
        return "an object";
    }
}

size_t path_push(struct reader *r, const char *key)
{
    size_t mark = r->path.len;

    str_puts(&r->path, "/");
    for (; *key; key++)
        if (*key == '~' || *key == '/')
            str_puts(&r->path, *key == '~' ? "~0" : "~1");
        else
            str_add(&r->path, key, 1);
    return mark;
}

size_t path_push_index(struct reader *r, size_t index)
{
    size_t mark = r->path.len;

    str_printf(&r->path, "/%zu", index);
    return mark;
}

void path_pop(struct reader *r, size_t mark)
{
    r->path.len = mark;
    if (r->path.s)
        r->path.s[mark] = '\0';
}

const char *path_text(const struct reader *r)
{
    return r->path.s ? r->path.s : "";
}

struct finding *report(struct reader *r, enum rule rule, const char *fmt, ...)
{
    struct finding *f;
    va_list ap;

    va_start(ap, fmt);
    f = findings_vadd(r->fs, rule, path_text(r), AT_VALUE, fmt, ap);
    va_end(ap);
    return f;
}

/* The last part of the path, for messages: "K", "Sizes[2]". */
static struct str field_name(const struct reader *r)
{
    const char *path = path_text(r), *last = strrchr(path, '/');
    struct str name = { 0 };

    last = last ? last + 1 : "";
    if (*last >= '0' && *last <= '9') {
        const char *array = last - 1;

        while (array > path && array[-1] != '/')
            array--;
        str_printf(&name, "%.*s[%s]", (int)(last - 1 - array), array, last);
    } else
        str_puts(&name, *last ? last : "the top value");
    return name;
}

/* The integer lo..hi that a string, or a number with a fraction or exponent, is surely meant as. */
static bool meant_integer(const struct json_doc *doc, const struct json_node *node, int64_t lo,
                          int64_t hi, int64_t *v)
{
    size_t quote = node->type == JSON_STRING;

    return node->end - node->start > 2 * quote &&
           number_i64(doc->clean + node->start + quote, node->end - node->start - 2 * quote, v)
               == NUMBER_OK &&
           *v >= lo && *v <= hi;
}

void wrong_type(struct reader *r, size_t node, const char *wanted)
{
    struct str name = field_name(r);

    finding_hint(report(r, RULE_DESC_FIELD_TYPE, "%s is %s, but must be %s",
                        name.s ? name.s : "the field", value_kind(r->doc, node), wanted),
                 "write %s", wanted);
    str_free(&name);
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

void unknown_key(struct reader *r, size_t object, const char *key, const char *const names[],
                 size_t n)
{
    size_t near = str_nearest(key, names, n), mark = path_push(r, key);
    struct finding *f;
    char list[NAMES_TEXT];

    if (near < n && strcasecmp(key, names[near]) == 0)
        f = findings_add(r->fs, RULE_DESC_FIELD_UNKNOWN, path_text(r), AT_KEY,
                         "the key '%s' differs only in case from %s, and is ignored", key,
                         names[near]);
    else
        f = findings_add(r->fs, RULE_DESC_FIELD_UNKNOWN, path_text(r), AT_KEY,
                         "the key '%s' is unknown, and is ignored", key);
    if (near < n)
        finding_hint(f, "did you mean %s?", names[near]);
    else
        finding_hint(f, "delete the key; the keys that are known here are %s",
                     list_names(names, n, list));
    if (near < n && json_doc_member(r->doc, object, names[near]) < 0)
        finding_fix_string(f, path_text(r), AT_KEY, "%s", names[near]);
    path_pop(r, mark);
}

struct finding *unknown_name(struct reader *r, enum rule rule, const char *what, const char *name,
                             const char *prefix, const char *const names[], size_t n)
{
    bool full = strncmp(name, prefix, strlen(prefix)) == 0;
    size_t near = str_nearest(full ? name + strlen(prefix) : name, names, n);
    struct finding *f = report(r, rule, "there is no %s '%s'", what, name);

    if (near < n) {
        finding_hint(f, "did you mean %s%s?", full ? prefix : "", names[near]);
        finding_fix_string(f, path_text(r), AT_VALUE, "%s%s", full ? prefix : "", names[near]);
    }
    return f;
}

bool is_unknown_type(const char *name)
{
    return strcmp(name, "UNKNOWN") == 0 || strcmp(name, "DML_TENSOR_DATA_TYPE_UNKNOWN") == 0;
}

void no_such_type(struct reader *r, const char *name)
{
    struct finding *f = unknown_name(r, RULE_DESC_ENUM_UNKNOWN, "data type", name,
                                     "DML_TENSOR_DATA_TYPE_", dtype_names, DT_COUNT);

    if (f && !f->hint)
        finding_hint(f, "use one of %s", dtype_list);
}

bool read_integer(struct reader *r, size_t node, int64_t lo, int64_t hi, int64_t *v)
{
    const struct json_node *n = &r->doc->nodes[node];
    const char *text = r->doc->clean + n->start;
    int len = (int)(n->end - n->start < 40 ? n->end - n->start : 40);
    enum number_result result = NUMBER_SYNTAX;
    struct str name;
    struct finding *f;

    if (n->type == JSON_NUMBER)
        result = number_int_literal(text, n->end - n->start, v);
    if (result == NUMBER_OK && *v >= lo && *v <= hi)
        return true;
    name = field_name(r);
    if (n->type != JSON_NUMBER)
        f = report(r, RULE_DESC_FIELD_TYPE, "%s is %s, but must be an integer",
                   name.s ? name.s : "the field", value_kind(r->doc, node));
    else
        f = report(r, RULE_DESC_FIELD_RANGE,
                   result == NUMBER_FRACTION ? "%s is %.*s, which is not written as a whole number"
                                             : "%s is %.*s, which is out of range",
                   name.s ? name.s : "the field", len, text);
    if ((n->type == JSON_STRING || result == NUMBER_FRACTION) &&
        meant_integer(r->doc, n, lo, hi, v)) {
        finding_hint(f, "write %" PRId64, *v);
        finding_fix(f, path_text(r), AT_VALUE, "%" PRId64, *v);
    } else
        finding_hint(f, "use a whole number, %" PRId64 " to %" PRId64, lo, hi);
    str_free(&name);
    return false;
}

bool read_integers(struct reader *r, size_t node, int64_t lo, int64_t hi, int64_t v[DML_MAX_RANK],
                   struct array_seen *seen)
{
    const struct json_node *nodes = r->doc->nodes;
    bool good = true;

    *seen = (struct array_seen){ 0 };
    if (nodes[node].type != JSON_ARRAY) {
        wrong_type(r, node, "an array of integers");
        return false;
    }
    *seen = (struct array_seen){ .there = true, .count = nodes[node].count };
    for (uint32_t i = 0, at = (uint32_t)node + 1; i < seen->count; i++, at = nodes[at].next) {
        size_t mark = path_push_index(r, i);
        int64_t value;

        if (!read_integer(r, at, lo, hi, &value))
            good = false;
        else if (i < DML_MAX_RANK) {
            v[i] = value;
            seen->good |= (uint8_t)(1u << i);
        }
        path_pop(r, mark);
    }
    return good;
}

bool is_beside(const struct reader *r, const char *key)
{
    const char *const *also = r->also;

    while (also && *also && strcmp(key, *also) != 0)
        also++;
    return (also && *also) || (r->type_key && strcmp(key, r->type_key) == 0);
}

void read_keys(struct reader *r, const struct item *object, const char *const names[], size_t n,
               bool outer, struct item *found)
{
    for (size_t i = 0; i < n; i++)
        found[i].json = NULL;
    for (struct item m = item_first(object); m.json; m = item_next(&m)) {
        const char *key = item_key(&m);
        size_t i = 0;

        while (i < n && strcmp(key, names[i]) != 0)
            i++;
        if (i == n && !(outer && is_beside(r, key)))
            unknown_key(r, object->node, key, names, n);
        else if (i < n && !found[i].json) /* json.duplicate-key tells of the others */
            found[i] = m;
    }
}
