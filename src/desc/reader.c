#include "desc/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "desc/item.h"
#include "json/number.h"

const char *value_kind(const struct json_doc *doc, size_t node)
{
    switch (doc->nodes[node].type) {
    case JSON_NULL:
        return "null";
    case JSON_FALSE:
        return "false";
    case JSON_TRUE:
        return "true";
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
        str_puts(&name, *last ? last : "the top-level value");
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

void hint_names(struct finding *f, const char *prefix, const char *const names[],
                const size_t which[], size_t n)
{
    struct str list = { 0 };

    for (size_t i = 0; i < n; i++)
        str_printf(&list, "%s%s%s", i == 0 ? "" : i + 1 == n ? " or " : ", ", prefix,
                   names[which[i]]);
    if (f)
        f->list->failed = f->list->failed || list.failed;
    finding_hint(f, "did you mean %s?", list.s ? list.s : "");
    if (f)
        f->list->failed = f->list->failed || list.failed;
    str_free(&list);
}

/* The names that `name` may stand for: all that begin with it, where these are several, as FLOAT
 * may be of any width; else the nearest. Returns how many. */
static size_t candidates(const char *name, const char *const names[], size_t n, size_t found[],
                         size_t most)
{
    size_t len = strlen(name), count = 0;

    for (size_t i = 0; i < n && len > 0; i++)
        if (names[i] && count < most && strncasecmp(name, names[i], len) == 0)
            found[count++] = i;
    return count > 1 ? count : str_nearest_all(name, names, n, found, most);
}

size_t unknown_name(struct reader *r, enum rule rule, const char *what, const char *name,
                    const char *prefix, const char *const names[], size_t n,
                    const char *otherwise)
{
    enum { MOST = 8 };
    size_t skip = strlen(prefix), found[MOST], near;
    bool full = strncasecmp(name, prefix, skip) == 0;
    struct finding *f = report(r, rule, "there is no %s '%s'", what, name);

    near = candidates(full ? name + skip : name, names, n, found, MOST);
    if (near == 0)
        finding_hint(f, "%s", otherwise);
    else
        hint_names(f, full ? prefix : "", names, found, near);
    if (near != 1)
        return n;
    finding_fix_string(f, path_text(r), AT_VALUE, "%s%s", full ? prefix : "", names[found[0]]);
    return found[0];
}

bool is_unknown_type(const char *name)
{
    return strcmp(name, "UNKNOWN") == 0 || strcmp(name, "DML_TENSOR_DATA_TYPE_UNKNOWN") == 0;
}

/* Names of types that dmlop does not have, which no other type is meant by. */
static bool is_other_type(const char *name)
{
    static const char *const others[] = { "INT4", "UINT4", "BFLOAT16" };
    static const char prefix[] = "DML_TENSOR_DATA_TYPE_";

    if (strncasecmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (strcasecmp(name, others[i]) == 0)
            return true;
    return false;
}

enum dtype no_such_type(struct reader *r, const char *name)
{
    struct str use = { 0 };
    size_t meant = DT_COUNT;

    str_printf(&use, "use one of %s", dtype_list);
    if (is_other_type(name))
        finding_hint(report(r, RULE_DESC_ENUM_UNKNOWN, "dmlop does not have the data type '%s'",
                            name),
                     "%s", use.s ? use.s : "");
    else
        meant = unknown_name(r, RULE_DESC_ENUM_UNKNOWN, "data type", name, "DML_TENSOR_DATA_TYPE_",
                             dtype_names, DT_COUNT, use.s ? use.s : "");
    r->fs->failed = r->fs->failed || use.failed;
    str_free(&use);
    return meant < DT_COUNT ? (enum dtype)meant : DT_NONE;
}

bool read_integer(struct reader *r, size_t node, int64_t lo, int64_t hi, int64_t *v)
{
    const struct json_node *n = &r->doc->nodes[node];
    const char *text = r->doc->clean + n->start;
    int len = (int)(n->end - n->start < 40 ? n->end - n->start : 40);
    enum number_result result = NUMBER_SYNTAX;
    struct str name;
    struct finding *f;
    bool meant;

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
    meant = (n->type == JSON_STRING || result == NUMBER_FRACTION) &&
            meant_integer(r->doc, n, lo, hi, v);
    if (meant) {
        finding_hint(f, "write %" PRId64, *v);
        finding_fix(f, path_text(r), AT_VALUE, "%" PRId64, *v);
    } else
        finding_hint(f, "use a whole number, %" PRId64 " to %" PRId64, lo, hi);
    str_free(&name);
    return meant;
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
