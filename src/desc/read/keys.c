#include "desc/read/reader.h"

enum { SURE_AMONG = 64 /* in an object of more members no key is certain */ };

const char *const outer_names[OUTER_COUNT] = { "type", "desc" };

/* The only name near to an unknown key; n if the key is a name itself, or none or several are. */
static size_t only_near(struct reader *r, const char *key, const char *const names[], size_t n)
{
    size_t found[2];
    bool only = name_index(key, names, n, strcmp) == n &&
                findings_nearest(r->fs, key, names, n, found, 2) == 1;

    return only ? found[0] : n;
}

size_t meant_key(struct reader *r, size_t member, const char *const names[], size_t n)
{
    const struct json_node *nodes = r->doc->nodes;
    const char *key = json_doc_key_text(r->doc, member);
    size_t object = nodes[member].parent, meant, at = object + 1;

    if (nodes[object].count > SURE_AMONG)
        return n;
    meant = only_near(r, key, names, n);
    if (meant == n || json_doc_member(r->doc, object, names[meant]) >= 0)
        return n;
    for (uint32_t i = 0; i < nodes[object].count && meant < n; i++, at = nodes[at].next) {
        const char *other = json_doc_key_text(r->doc, at);

        if (strcmp(other, key) != 0 && only_near(r, other, names, n) == meant)
            meant = n;
    }
    return meant;
}

static void unknown_key(struct reader *r, size_t member, const struct keys *k)
{
    enum { MOST = 4 };
    const char *key = json_doc_key_text(r->doc, member);
    size_t same = name_index(key, k->names, k->n, strcasecmp), found[MOST], near, sure;
    struct finding *f;
    char list[NAMES_TEXT];

    f = report_key(r, member, RULE_DESC_FIELD_UNKNOWN, "the key '%s' %s%s, and is ignored", key,
                   same < k->n ? "differs only in case from " : "is unknown",
                   same < k->n ? k->names[same] : "");
    if (!f)
        return;
    near = findings_nearest(r->fs, key, k->names, k->n, found, MOST);
    sure = near ? meant_key(r, member, k->names, k->n) : k->n;
    if (near)
        hint_names(f, "", k->names, found, near);
    else
        finding_hint(f, "delete the key; the keys that are known here are %s",
                     list_names(k->names, k->n, list));
    if (sure < k->n)
        finding_fix_string(f, "%s", k->names[sure]);
}

/* Reports the misspelt key of a member; from now on pointers to `name` lead to it. */
static void misspelt_key(struct reader *r, enum rule rule, size_t member, const char *name)
{
    const char *key = json_doc_key_text(r->doc, member);
    bool only_case = strcasecmp(key, name) == 0;
    struct finding *f = report_key(r, member, rule, "%s is missing; the key '%s' %s", name, key,
                                   only_case ? "differs from it only in case" : "is unknown");

    finding_hint(f, only_case ? "write %s" : "did you mean %s?", name);
    finding_fix_string(f, "%s", name);
    r->fs->failed |= !json_alias_add(&r->fs->context.aliases, r->doc, member, name);
}

size_t misspelt_member(struct reader *r, size_t object, const char *const names[], size_t n,
                       size_t wanted, enum rule rule)
{
    const struct json_node *nodes = r->doc->nodes;
    size_t at = object + 1;

    if (nodes[object].type != JSON_OBJECT)
        return 0;
    while (at < nodes[object].next &&
           (is_beside(r, json_doc_key_text(r->doc, at)) || meant_key(r, at, names, n) != wanted))
        at = nodes[at].next;
    if (at == nodes[object].next)
        return 0;
    misspelt_key(r, rule, at, names[wanted]);
    return at;
}

size_t outer_member(struct reader *r, size_t object, size_t which, enum rule rule)
{
    static const char *const upper[OUTER_COUNT] = { "Type", "Desc" };
    size_t member = member_node(r, object, outer_names[which]);

    if (!member)
        member = member_node(r, object, upper[which]);
    if (!member && rule < RULE_COUNT)
        member = misspelt_member(r, object, outer_names, OUTER_COUNT, which, rule);
    return member;
}

void match_keys(struct reader *r, size_t object, const struct keys *k, size_t found[])
{
    const struct json_node *nodes = r->doc->nodes;
    size_t at = object + 1;

    memset(found, 0, k->n * sizeof *found);
    for (uint32_t m = 0; m < nodes[object].count; m++, at = nodes[at].next) {
        const char *key = json_doc_key_text(r->doc, at);
        size_t i = name_index(key, k->names, k->n, strcmp);

        if (i == k->n && !(k->outer && is_beside(r, key))) {
            i = k->required ? meant_key(r, at, k->names, k->n) : k->n;
            if (i < k->n && k->required >> i & 1)
                misspelt_key(r, RULE_DESC_FIELD_MISSING, at, k->names[i]);
            else {
                unknown_key(r, at, k);
                continue;
            }
        }
        if (i < k->n && !found[i]) /* json.duplicate-key reports the others */
            found[i] = at;
    }
}
