#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/read.h"

char *model_key(struct model_reader *m, size_t node)
{
    char *key = json_doc_key(m->r.doc, node);

    if (!key)
        m->r.fs->failed = true;
    return key;
}

bool model_members(struct model_reader *m, size_t node, const char *const keys[], size_t n,
                   unsigned required, const char *what, struct members *out)
{
    const struct keys k = { .names = keys, .n = n, .required = required };
    const struct json_doc *doc = m->r.doc;
    size_t found[MAX_KEYS];

    if (doc->nodes[node].type != JSON_OBJECT) {
        struct str wanted = { 0 };

        str_printf(&wanted, "an object for %s", what);
        wrong_type(&m->r, node, wanted.s ? wanted.s : "an object");
        str_free(&wanted);
        return false;
    }
    match_keys(&m->r, node, &k, found);
    for (size_t i = 0; i < n; i++)
        out->node[i] = found[i] ? (ptrdiff_t)found[i] : NO_NODE;
    return true;
}

char *model_string(struct model_reader *m, size_t node, const char *what)
{
    char *s;

    if (m->r.doc->nodes[node].type != JSON_STRING) {
        wrong_type(&m->r, node, what);
        return NULL;
    }
    s = json_doc_string(m->r.doc, node);
    if (!s)
        m->r.fs->failed = true;
    return s;
}

bool member_integer(struct model_reader *m, ptrdiff_t node, const char *key, int64_t lo, int64_t hi,
                    int64_t *v)
{
    size_t mark;
    bool good;

    if (node == NO_NODE)
        return true;
    mark = path_push(&m->r, key);
    good = read_integer(&m->r, (size_t)node, lo, hi, v);
    path_pop(&m->r, mark);
    return good;
}

void model_missing(struct model_reader *m, const char *what, const char *key, const char *example)
{
    finding_hint(findings_add(m->r.fs, RULE_DESC_FIELD_MISSING, path_text(&m->r), AT_OPENING,
                              "%s lacks %s", what, key),
                 "add \"%s\": %s", key, example);
}

/* Reports that a section has no such member. Only the first members are compared with the name, so
 * that the time stays linear however many names are wrong. Returns the member that is surely meant,
 * or NO_NODE. */
static ptrdiff_t unknown_member(struct model_reader *m, enum rule rule, size_t section,
                                const char *what, const char *name)
{
    enum { LOOKED_AT = 64, MOST = 4 };
    const struct json_node *nodes = m->r.doc->nodes;
    struct finding *f = report(&m->r, rule, "there is no %s '%s'", what, name);
    char *keys[LOOKED_AT] = { NULL };
    size_t n = 0, near, found[MOST];
    ptrdiff_t meant = NO_NODE;

    for (size_t at = section + 1; n < LOOKED_AT && n < nodes[section].count; at = nodes[at].next)
        keys[n++] = model_key(m, at);
    near = str_nearest_all(name, (const char *const *)keys, n, found, MOST);
    if (near > 0)
        hint_names(f, "", (const char *const *)keys, found, near);
    else if (n > 0 && keys[0])
        finding_hint(f, "add it, or use one that exists, such as %s", keys[0]);
    else
        finding_hint(f, "add it");
    if (near == 1 && n == nodes[section].count) {
        finding_fix_string(f, path_text(&m->r), AT_VALUE, "%s", keys[found[0]]);
        meant = json_doc_member(m->r.doc, section, keys[found[0]]);
    }
    for (size_t i = 0; i < n; i++)
        free(keys[i]);
    return meant;
}

/* The index of a node among the rows of a table, which are in ascending order of nodes: a row has
 * `size` bytes, and *first is the first one's node. */
static size_t row_of(const size_t *first, size_t count, size_t size, size_t node)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (*(const size_t *)(const void *)((const char *)first + middle * size) < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t find_resource(struct model_reader *m, size_t node)
{
    char *name = model_string(m, node, "the name of a resource");
    ptrdiff_t found = NO_NODE;
    size_t row = m->model->resource_count;

    if (name && m->resources)
        found = json_doc_member(m->r.doc, m->resources, name);
    if (found < 0 && name && m->resources)
        found = unknown_member(m, RULE_RUN_RESOURCE_UNKNOWN, m->resources, "resource", name);
    if (found >= 0)
        row = row_of(&m->model->resources[0].node, row, sizeof(struct model_resource),
                     (size_t)found);
    free(name);
    return row;
}

size_t find_dispatchable(struct model_reader *m, size_t node)
{
    char *name = model_string(m, node, "the name of a dispatchable");
    size_t section = m->dispatchables, row = m->model->dispatchable_count;
    ptrdiff_t found = name && section ? json_doc_member(m->r.doc, section, name) : NO_NODE;

    if (found < 0 && name && section)
        found = unknown_member(m, RULE_RUN_DISPATCHABLE_UNKNOWN, section, "dispatchable", name);
    if (found >= 0)
        row = row_of(&m->model->dispatchables[0].node, row, sizeof(struct model_dispatchable),
                     (size_t)found);
    free(name);
    return row;
}
