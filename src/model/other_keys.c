#include "model/read.h"
#include "model/values.h"

extern const char model_fragments[];

/* Values of keys that dmlop does not use. */

struct other_key {
    const char *key, *wanted;
    uint8_t container;  /* JSON_ARRAY or JSON_OBJECT of values; JSON_NULL: one value */
    bool or_one;        /* or one value, without container */
    bool ignored;       /* it has no effect here on any dispatchable */
    uint32_t count;     /* of values; 0: any */
    enum dtype integer; /* of the values; DT_NONE: strings */
    const char *prefix; /* of names; NULL: any strings */
    const char *names;  /* that the strings may be; NULL: those in dxgi_formats.txt */
};

/* As DxDispatch's parser reads them. */
static const struct other_key other_keys[] = {
#include "model/other_keys_rows.h"
};

/* True if the string is among the names, with or without the prefix. */
static bool is_name(struct model_reader *m, size_t node, const struct other_key *k)
{
    const char *names = k->names ? k->names : embedded_find(model_fragments, "dxgi_formats.txt");
    const char *name = json_doc_text(m->r.doc, node);

    if (strncmp(name, k->prefix, strlen(k->prefix)) == 0)
        name += strlen(k->prefix);
    return str_is_word(name, strlen(name), names, false);
}

static bool accepts_one(struct model_reader *m, size_t node, const struct other_key *k)
{
    unsigned char at[8];

    if (k->integer)
        return is_plain_integer(m->r.doc, node) && value_store(m->r.doc, node, k->integer, at);
    return m->r.doc->nodes[node].type == JSON_STRING && (!k->prefix || is_name(m, node, k));
}

static bool accepts(struct model_reader *m, size_t node, const struct other_key *k)
{
    const struct json_node *nodes = m->r.doc->nodes;
    bool good = !k->count || nodes[node].count == k->count;
    size_t at = node + 1;

    if (!k->container || nodes[node].type != k->container)
        return (!k->container || k->or_one) && accepts_one(m, node, k);
    for (uint32_t i = 0; good && i < nodes[node].count; i++, at = nodes[at].next)
        good = accepts_one(m, at, k);
    return good;
}

void check_other_key(struct model_reader *m, size_t node, const char *key)
{
    const struct other_key *k = other_keys;

    while (k < other_keys + ARRAY_LEN(other_keys) && strcmp(key, k->key) != 0)
        k++;
    if (node == 0 || k == other_keys + ARRAY_LEN(other_keys) ||
        (k->ignored && !m->r.fs->opt.portable) || accepts(m, node, k))
        return;
    finding_hint(report(&m->r, node, k->ignored ? RULE_PORTABLE_IGNORED_KEY : RULE_DESC_FIELD_TYPE,
                        "DxDispatch does not accept this value of %s%s", key,
                        k->ignored ? "; dmlop ignores it" : ""),
                 "use %s", k->wanted);
}
