#include "model/read.h"

bool model_members(struct model_reader *m, size_t node, const char *const keys[], size_t n,
                   unsigned required, const char *what, size_t found[])
{
    const struct keys k = { .names = keys, .n = n, .required = required };

    if (m->r.doc->nodes[node].type != JSON_OBJECT) {
        char wanted[64];

        snprintf(wanted, sizeof wanted, "an object for %s", what);
        return wrong_type(&m->r, node, wanted);
    }
    match_keys(&m->r, node, &k, found);
    return true;
}

const char *member_text(struct model_reader *m, size_t node, const char *key)
{
    size_t at = member_node(&m->r, node, key);

    return at && node_is(&m->r, at, JSON_STRING) ? json_doc_text(m->r.doc, at) : NULL;
}

/* Reports that a section has no such member. Returns the member that is certainly meant, or -1.
 * Compares the name with the first members only: the total time stays linear if all names are
 * wrong. */
static ptrdiff_t unknown_member(struct model_reader *m, size_t node,
                                const struct model_section *section, const char *name)
{
    enum { LOOKED_AT = 64, MOST = 4 };
    const struct json_node *nodes = m->r.doc->nodes;
    struct finding *f =
        report(&m->r, node, section->unknown, "there is no %s '%s'", section->what, name);
    const char *keys[LOOKED_AT];
    size_t n = 0, near, found[MOST], count = nodes[section->node].count;
    ptrdiff_t meant = -1;

    for (size_t at = section->node + 1; n < LOOKED_AT && n < count; at = nodes[at].next)
        keys[n++] = json_doc_key_text(m->r.doc, at);
    near = findings_nearest(m->r.fs, name, keys, n, found, MOST);
    if (near > 0)
        hint_names(f, "", keys, found, near);
    else if (n > 0)
        finding_hint(f, "add it, or use another one, such as '%s'", keys[0]);
    else
        finding_hint(f, "add it");
    if (near == 1 && n == count) {
        finding_fix_string(f, "%s", keys[found[0]]);
        meant = json_doc_member(m->r.doc, section->node, keys[found[0]]);
    }
    return meant;
}

static int by_node(const void *node, const void *row)
{
    const size_t *x = node, *y = row;

    return (*x > *y) - (*x < *y);
}

size_t find_member(struct model_reader *m, size_t node, const struct model_section *section)
{
    const char *name = string_text(&m->r, node, section->wanted), *row;
    ptrdiff_t found = -1;

    if (name && section->node) {
        found = json_doc_member(m->r.doc, section->node, name);
        if (found < 0)
            found = unknown_member(m, node, section, name);
    }
    row = bsearch(&(size_t){ (size_t)found }, section->rows, *section->count, section->row_size,
                  by_node);
    return row ? (size_t)(row - (const char *)section->rows) / section->row_size : *section->count;
}

void check_deferred(struct model_reader *m, size_t node, struct model_resource *res, bool bound)
{
    if (res->form != INIT_DEFERRED || (!bound && res->made))
        return;
    finding_remedy(
        report(&m->r, node, RULE_RUN_DEFERRED,
               bound ? "'%s' is deferred: only an ONNX model can be bound to it"
                     : "'%s' is deferred, and no dispatch of an ONNX model binds it before",
               res->name));
    res->made = true; /* one finding about its use is enough */
}
