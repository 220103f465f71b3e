#include "lsp/schema.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "check/schema.h"

/* The name of the schema: "descriptor", "model", or "" for both. */
static const char *schema_name(const struct lsp_cursor *c)
{
    static const char *const keys[] = { "type", "Type", "resources", "dispatchables", "commands" };
    struct lsp_members m;

    if (c->depth == 0 || !c->levels[0].object)
        return "";
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (lsp_member(c->text, c->len, c->levels[0].start, keys[i], &m))
            return i < 2 ? "descriptor" : "model";
    return "";
}

static size_t definition(const struct lsp_context *s, const char *pointer)
{
    ptrdiff_t node = json_doc_find(&s->doc, pointer);

    return node < 0 ? 0 : (size_t)node;
}

static bool load_schema(struct lsp_context *s)
{
    struct str text = { 0 };
    struct json_error err;
    bool good = schema_write(&(struct json_writer){ .out = &text }, schema_name(&s->cursor)) &&
                !text.failed && json_doc_scan(&s->doc, text.s, text.len, &err) == JSON_OK;

    str_free(&text);
    if (!good)
        return false;
    s->resource_name = definition(s, "/$defs/resourceName");
    s->dispatchable_name = definition(s, "/$defs/dispatchableName");
    s->bindings = definition(s, "/$defs/bindings");
    return true;
}

bool lsp_context_begin(struct lsp_context *s, const char *text, size_t len, size_t offset)
{
    *s = (struct lsp_context){ .set = { .n = 0 } };
    lsp_cursor_find(&s->cursor, text, len, offset);
    return s->cursor.at == CURSOR_NOTHING || load_schema(s);
}

void lsp_context_free(struct lsp_context *s) { json_doc_free(&s->doc); }

const char *lsp_context_section(const struct lsp_context *s)
{
    if (s->cursor.at != CURSOR_VALUE)
        return NULL;
    if (s->resource_name && lsp_schemas_has(&s->set, s->resource_name))
        return "resources";
    return s->dispatchable_name && lsp_schemas_has(&s->set, s->dispatchable_name) ? "dispatchables"
                                                                                  : NULL;
}

bool lsp_schemas_has(const struct lsp_schemas *set, size_t node)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->node[i] == node)
            return true;
    return false;
}

void lsp_schemas_add(const struct lsp_context *s, size_t node, struct lsp_schemas *set)
{
    const struct json_node *nodes = s->doc.nodes;
    ptrdiff_t ref, any;

    if (set->n == LSP_SCHEMAS || lsp_schemas_has(set, node) || nodes[node].type != JSON_OBJECT)
        return;
    set->node[set->n++] = (uint32_t)node;
    ref = json_doc_member(&s->doc, node, "$ref");
    if (ref >= 0) { /* "#/$defs/NAME", without escapes */
        char *pointer = json_doc_string(&s->doc, (size_t)ref);

        ref = pointer ? json_doc_find(&s->doc, pointer + 1) : -1;
        free(pointer);
        if (ref >= 0)
            lsp_schemas_add(s, (size_t)ref, set);
    }
    any = json_doc_member(&s->doc, node, "anyOf");
    if (any >= 0)
        for (uint32_t i = (uint32_t)any + 1; i < nodes[any].next; i = nodes[i].next)
            lsp_schemas_add(s, i, set);
}

static struct lsp_span span_of(const struct json_node *n)
{
    return (struct lsp_span){ n->start, n->end };
}

/* True if a string of the schema, without escapes, is that of the text. */
static bool same_string(const struct lsp_context *s, size_t node, bool any_case, const char *text,
                        struct lsp_span span)
{
    struct lsp_span a = span_of(&s->doc.nodes[node]);
    const char *known = s->doc.clean + a.start;
    size_t n = a.end - a.start;

    return n == span.end - span.start && (any_case ? strncasecmp(known, text + span.start, n)
                                                   : memcmp(known, text + span.start, n)) == 0;
}

ptrdiff_t lsp_schema_word(const struct lsp_context *s, size_t node)
{
    ptrdiff_t one = json_doc_member(&s->doc, node, "const");
    ptrdiff_t examples = one < 0 ? json_doc_member(&s->doc, node, "examples") : -1;

    return examples < 0 ? one : examples + 1;
}

/* True if a schema's "enum" or word accepts a string of the text. */
static bool accepts(const struct lsp_context *s, size_t node, const char *text,
                    struct lsp_span span)
{
    const struct json_node *nodes = s->doc.nodes;
    ptrdiff_t one = lsp_schema_word(s, node), some = json_doc_member(&s->doc, node, "enum");
    bool any_case = json_doc_member(&s->doc, node, "pattern") >= 0;

    if (one >= 0 && same_string(s, (size_t)one, any_case, text, span))
        return true;
    if (some >= 0)
        for (uint32_t i = (uint32_t)some + 1; i < nodes[some].next; i = nodes[i].next)
            if (same_string(s, i, false, text, span))
                return true;
    return false;
}

bool lsp_schema_has_type(const struct lsp_context *s, size_t node, const char *type)
{
    ptrdiff_t at = json_doc_member(&s->doc, node, "type");

    return at >= 0 && lsp_span_is(s->doc.clean, span_of(&s->doc.nodes[at]), type);
}

static bool has_properties(const struct lsp_context *s, size_t node)
{
    return json_doc_member(&s->doc, node, "properties") >= 0;
}

/* The schema of a member of an object schema, or -1. */
static ptrdiff_t property(const struct lsp_context *s, size_t node, const char *key)
{
    ptrdiff_t properties = json_doc_member(&s->doc, node, "properties");

    return properties >= 0 ? json_doc_member(&s->doc, (size_t)properties, key) : -1;
}

enum { MOST_MEMBERS = 256 /* of an object that are looked at: more than any schema knows */ };

/* How well an object fits the schemas of a set. */
struct likeness {
    bool wrong_type[LSP_SCHEMAS];
    size_t known[LSP_SCHEMAS]; /* keys of the object that the schema knows */
};

static void compare_member(const struct lsp_context *s, const struct lsp_members *m,
                           const struct lsp_schemas *set, struct likeness *like)
{
    bool type = lsp_span_is(m->text, m->key, "type") || lsp_span_is(m->text, m->key, "Type");
    char *key = lsp_span_string(m->text, m->key);

    type = type && m->value.start < m->len && m->text[m->value.start] == '"';
    for (size_t i = 0; i < set->n && key; i++) {
        ptrdiff_t p = property(s, set->node[i], key);

        if (p < 0)
            continue;
        like->known[i]++;
        if (type && (lsp_schema_word(s, (size_t)p) >= 0 ||
                     json_doc_member(&s->doc, (size_t)p, "enum") >= 0))
            like->wrong_type[i] = !accepts(s, (size_t)p, m->text, m->value);
    }
    free(key);
}

static bool is_left_out(const struct lsp_cursor *c, const struct lsp_members *m)
{
    return c->left_out.end > c->left_out.start &&
           (m->key.start == c->left_out.start || m->value.start == c->left_out.start);
}

void lsp_schemas_choose(const struct lsp_context *s, const struct lsp_level *object,
                        struct lsp_schemas *set)
{
    const struct lsp_cursor *c = &s->cursor;
    struct lsp_members m = { .text = c->text, .len = c->len, .pos = object->start + 1 };
    struct likeness like = { .known = { 0 } };
    size_t score[LSP_SCHEMAS], objects = 0, most = 0, n = 0;

    for (size_t i = 0; i < set->n; i++)
        objects += has_properties(s, set->node[i]);
    if (objects < 2)
        return;
    for (size_t seen = 0; seen < MOST_MEMBERS && lsp_members_next(&m); seen++)
        if (!is_left_out(c, &m))
            compare_member(s, &m, set, &like);
    for (size_t i = 0; i < set->n; i++) {
        score[i] = like.known[i] + (like.wrong_type[i] ? 0 : MOST_MEMBERS + 1);
        if (has_properties(s, set->node[i]) && score[i] > most)
            most = score[i];
    }
    for (size_t i = 0; i < set->n; i++)
        if (!has_properties(s, set->node[i]) || score[i] == most)
            set->node[n++] = set->node[i];
    set->n = n;
}

/* From the schemas of a container to those of its member or element. */
static void step(const struct lsp_context *s, const struct lsp_level *l,
                 const struct lsp_schemas *from, struct lsp_schemas *to)
{
    char *key = l->object ? lsp_span_string(s->cursor.text, l->key) : NULL;

    for (size_t i = 0; i < from->n; i++) {
        ptrdiff_t p = key ? property(s, from->node[i], key) : -1;

        if (p < 0)
            p = json_doc_member(&s->doc, from->node[i],
                                l->object ? "additionalProperties" : "items");
        if (p >= 0)
            lsp_schemas_add(s, (size_t)p, to);
    }
    free(key);
}

void lsp_schemas_at(const struct lsp_context *s, size_t levels, struct lsp_schemas *set)
{
    const struct lsp_level *level = s->cursor.levels;

    *set = (struct lsp_schemas){ .n = 0 };
    lsp_schemas_add(s, 0, set);
    for (size_t i = 0; i < levels && set->n > 0; i++) {
        struct lsp_schemas next = { .n = 0 };

        if (level[i].object)
            lsp_schemas_choose(s, &level[i], set);
        step(s, &level[i], set, &next);
        *set = next;
    }
}

char *lsp_schemas_about(const struct lsp_context *s, const struct lsp_schemas *set)
{
    for (size_t i = 0; i < set->n; i++) {
        ptrdiff_t about = json_doc_member(&s->doc, set->node[i], "description");

        if (about >= 0)
            return json_doc_string(&s->doc, (size_t)about);
    }
    return NULL;
}
