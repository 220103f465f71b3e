#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "desc/schema.h"
#include "lsp/offer.h"

enum { MOST_KEYS = 64 /* more than any schema knows */ };

/* A member that is not there yet. */
static void offer_key(struct offers *o, const char *name, size_t value, bool key_only)
{
    struct lsp_template t = offer_text(o);
    struct lsp_schemas set = { .n = 0 };
    char *about;

    t.snippet = t.snippet && !key_only;
    lsp_schemas_add(&o->schema, value, &set);
    about = lsp_schemas_about(&o->schema, &set);
    lsp_template_puts(&t, "\"");
    lsp_template_puts(&t, name);
    lsp_template_puts(&t, key_only ? "\"" : "\": ");
    if (!key_only)
        lsp_template_value(&t, &o->schema, value);
    offer(o, name, OFFER_KEY, about, &t);
    free(about);
}

/* Keys that the object at the cursor has, besides the one that is being typed. */
struct present {
    const char *text;
    struct lsp_span key[MOST_KEYS];
    size_t n;
};

/* "type" and "Type", "desc" and "Desc" are one key, others are not. */
static bool same_key(const char *text, struct lsp_span key, const char *name)
{
    bool either = strcasecmp(name, "type") == 0 || strcasecmp(name, "desc") == 0;

    if (either && key.end - key.start == 6 && text[key.start] == '"')
        return strncasecmp(text + key.start + 1, name, 4) == 0;
    return lsp_span_is(text, key, name);
}

static void find_present(struct present *there, const struct lsp_cursor *c)
{
    const struct lsp_level *object = &c->levels[c->depth - 1];
    struct lsp_members m = { .text = c->text, .len = c->len, .pos = object->start + 1 };

    *there = (struct present){ .text = c->text };
    while (there->n < MOST_KEYS && lsp_members_next(&m))
        if (m.key.start != c->word.start)
            there->key[there->n++] = m.key;
}

static bool is_present(const struct present *there, const char *name)
{
    for (size_t i = 0; i < there->n; i++)
        if (same_key(there->text, there->key[i], name))
            return true;
    return false;
}

/* Whether the other spelling of Type or Desc was offered. */
static bool is_second(const struct offers *o, const char *name)
{
    return (strcmp(name, "Type") == 0 && is_offered(o, "type")) ||
           (strcmp(name, "Desc") == 0 && is_offered(o, "desc"));
}

static void offer_members(struct offers *o, const struct lsp_schemas *set,
                          const struct present *there, bool key_only)
{
    const struct json_doc *doc = &o->schema.doc;

    for (size_t i = 0; i < set->n; i++) {
        ptrdiff_t p = json_doc_member(doc, set->node[i], "properties");
        uint32_t end = p < 0 ? 0 : doc->nodes[p].next;

        for (uint32_t at = (uint32_t)p + 1; at < end; at = doc->nodes[at].next) {
            char *name = json_doc_key(doc, at);

            if (name && !is_second(o, name) && !is_present(there, name))
                offer_key(o, name, at, key_only);
            free(name);
        }
    }
}

/* The string value of an object's member, owned by the caller; NULL where there is none. */
static char *string_member(const struct lsp_cursor *c, size_t object, const char *key)
{
    struct lsp_members m;

    if (!lsp_member(c->text, c->len, object, key, &m) || m.value.end <= m.value.start ||
        c->text[m.value.start] != '"')
        return NULL;
    return lsp_span_string(c->text, m.value);
}

static enum op op_of(const struct lsp_cursor *c, size_t object)
{
    char *name = string_member(c, object, "type");
    enum op op;

    if (!name)
        name = string_member(c, object, "Type");
    op = name ? op_from_name(name) : OP_NONE;
    free(name);
    return op;
}

/* The operator whose tensors the object at the cursor binds: that of the dispatchable which a
 * command names, else of the dispatchable itself. */
static enum op bound_op(const struct lsp_cursor *c)
{
    const struct lsp_level *parent = &c->levels[c->depth - 2];
    char *name = string_member(c, parent->start, "dispatchable");
    struct lsp_members m;
    enum op op = OP_NONE;

    if (!name)
        return op_of(c, parent->start);
    if (lsp_section(c, "dispatchables", &m))
        while (op == OP_NONE && lsp_members_next(&m))
            if (lsp_span_is(c->text, m.key, name) && m.value.end > m.value.start &&
                c->text[m.value.start] == '{')
                op = op_of(c, m.value.start);
    free(name);
    return op;
}

static void offer_tensors(struct offers *o, const struct present *there, bool key_only)
{
    enum op op = bound_op(&o->cursor);

    for (const struct field *f = op_schemas[op].fields; f->name; f++) {
        struct lsp_template t = offer_text(o);

        if (f->kind != FIELD_TENSOR || is_present(there, f->name))
            continue;
        lsp_template_puts(&t, "\"");
        lsp_template_puts(&t, f->name);
        lsp_template_puts(&t, key_only ? "\"" : "\": \"");
        if (!key_only) {
            lsp_template_stop(&t, "", 0);
            lsp_template_puts(&t, "\"");
        }
        offer(o, f->name, OFFER_KEY, f->about, &t);
    }
}

/* In an object without members at the top: whole documents, which take its brackets' place. */
static void offer_documents(struct offers *o, char next, struct lsp_span after)
{
    const struct lsp_cursor *c = &o->cursor;
    struct lsp_schemas set;

    if (c->depth != 1 || (next != '}' && next != '\0') || o->edits.len > 0)
        return; /* there is something to edit before it: a member, though a broken one */
    str_puts(&o->edits, "[");
    add_edit(o, c->levels[0].start, c->word.start, "");
    if (next == '}') {
        str_puts(&o->edits, ", ");
        add_edit(o, c->word.end, after.end, "");
    }
    str_puts(&o->edits, "]");
    lsp_schemas_at(&o->schema, c, 0, &set);
    offer_examples(o, &set);
    str_free(&o->edits);
}

void offer_keys(struct offers *o)
{
    struct lsp_cursor *c = &o->cursor;
    const struct lsp_level *object = &c->levels[c->depth - 1];
    struct present there;
    struct lsp_schemas set;
    struct lsp_span after;
    char next = lsp_cursor_next(c, &after);
    bool key_only = next == ':';

    o->comma = next == '"' ? "," : "";
    find_present(&there, c);
    lsp_schemas_at(&o->schema, c, c->depth - 1, &set);
    lsp_schemas_choose(&o->schema, c, object, &set);
    if (there.n == 0 && !key_only)
        offer_documents(o, next, after);
    if (c->depth > 1 && o->schema.bindings && lsp_schemas_has(&set, o->schema.bindings))
        offer_tensors(o, &there, key_only);
    offer_members(o, &set, &there, key_only);
}
