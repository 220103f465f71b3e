#include "lsp/schema.h"

#include <limits.h>

#include "check/schema.h"

/* The name of the schema: "descriptor", "model", or "" for both. */
static const char *schema_of(const struct lsp_cursor *c)
{
    static const char *const keys[] = { "type", "Type", "resources", "dispatchables", "commands" };

    if (c->depth == 0 || !c->levels[0].object)
        return "";
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (lsp_member(c, c->levels[0].start, keys[i], '\0', NULL))
            return i < 2 ? "descriptor" : "model";
    return "";
}

const struct op_schema *lsp_operator_of(const struct lsp_cursor *c, size_t object)
{
    const struct op_schema *op;
    struct lsp_span value;
    char *name;

    if ((!lsp_member(c, object, "type", '"', &value) &&
         !lsp_member(c, object, "Type", '"', &value)) ||
        value.start == c->word.start)
        return NULL;
    name = lsp_span_string(c->text, value);
    op = name ? schema_find(name) : NULL;
    free(name);
    return op;
}

bool lsp_context_begin(struct lsp_context *s, const char *text, size_t len, size_t offset)
{
    const struct lsp_cursor *c = &s->cursor;
    struct schema_scope scope = { .near = true };
    struct str schema = { 0 };
    struct json_error err;
    bool good = true;

    *s = (struct lsp_context){ .set = { .n = 0 } };
    lsp_cursor_find(&s->cursor, text, len, offset);
    for (size_t i = 0; i < c->depth && !scope.op; i++) /* of the descriptor around the cursor */
        if (c->levels[i].object)
            scope.op = lsp_operator_of(c, c->levels[i].start);
    if (c->at != CURSOR_NOTHING)
        good = schema_write(&(struct json_writer){ .out = &schema }, schema_of(c), &scope) &&
               !schema.failed && json_doc_scan(&s->doc, schema.s, schema.len, &err) == JSON_OK;
    str_free(&schema);
    return good;
}

static bool has_node(const struct lsp_schemas *set, size_t node)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->node[i] == node)
            return true;
    return false;
}

bool lsp_context_has(const struct lsp_context *s, const char *pointer)
{
    ptrdiff_t node = json_doc_find(&s->doc, pointer);

    return node >= 0 && has_node(&s->set, (size_t)node);
}

const char *lsp_context_section(const struct lsp_context *s)
{
    static const struct {
        const char *section, *names;
    } sections[] = {
        { "resources", "/$defs/resourceName" },
        { "dispatchables", "/$defs/dispatchableName" },
    };
    const struct lsp_cursor *c = &s->cursor;

    for (size_t i = 0; i < ARRAY_LEN(sections); i++)
        if (c->at == CURSOR_KEY ? c->depth == 2 && lsp_cursor_in(c, 0, sections[i].section)
                                : lsp_context_has(s, sections[i].names))
            return sections[i].section;
    return NULL;
}

void lsp_schemas_add(const struct lsp_context *s, size_t node, struct lsp_schemas *set)
{
    const struct json_node *nodes = s->doc.nodes;
    ptrdiff_t ref, any;

    if (set->n == LSP_SCHEMAS || has_node(set, node) || nodes[node].type != JSON_OBJECT)
        return;
    set->node[set->n++] = (uint32_t)node;
    ref = json_doc_member(&s->doc, node, "$ref");
    if (ref >= 0) /* "#/$defs/NAME" */
        ref = json_doc_find(&s->doc, json_doc_text(&s->doc, (size_t)ref) + 1);
    if (ref >= 0)
        lsp_schemas_add(s, (size_t)ref, set);
    any = json_doc_member(&s->doc, node, "anyOf");
    if (any >= 0)
        for (uint32_t i = (uint32_t)any + 1; i < nodes[any].next; i = nodes[i].next)
            lsp_schemas_add(s, i, set);
}

/* True if a string of the schema, without escapes, is that of the text. */
static bool same_string(const struct lsp_context *s, size_t node, bool any_case, const char *text,
                        struct lsp_span span)
{
    const char *known = s->doc.clean + s->doc.nodes[node].start;
    size_t n = s->doc.nodes[node].end - s->doc.nodes[node].start;

    return n == span.end - span.start && (any_case ? strncasecmp(known, text + span.start, n)
                                                   : memcmp(known, text + span.start, n)) == 0;
}

ptrdiff_t lsp_schema_word(const struct lsp_context *s, size_t node)
{
    ptrdiff_t one = json_doc_member(&s->doc, node, "const");
    ptrdiff_t examples = one < 0 ? json_doc_member(&s->doc, node, "examples") : -1;

    return examples < 0 ? one : examples + 1;
}

/* True if a schema names strings, as "enum" or word, and the text has another one. */
static bool refuses(const struct lsp_context *s, size_t node, const char *text,
                    struct lsp_span span)
{
    const struct json_node *nodes = s->doc.nodes;
    ptrdiff_t one = lsp_schema_word(s, node), names = json_doc_member(&s->doc, node, "enum");
    bool any_case = json_doc_member(&s->doc, node, "pattern") >= 0;

    if (one >= 0 && same_string(s, (size_t)one, any_case, text, span))
        return false;
    if (names >= 0)
        for (uint32_t i = (uint32_t)names + 1; i < nodes[names].next; i = nodes[i].next)
            if (same_string(s, i, false, text, span))
                return false;
    return one >= 0 || names >= 0;
}

bool lsp_schema_has(const struct lsp_context *s, size_t node, const char *key, const char *value)
{
    ptrdiff_t at = json_doc_member(&s->doc, node, key);
    const struct json_node *n = at < 0 ? NULL : &s->doc.nodes[at];

    return n && lsp_span_is(s->doc.clean, (struct lsp_span){ n->start, n->end }, value);
}

/* The schema of a member of an object schema, or -1. */
static ptrdiff_t property(const struct lsp_context *s, size_t node, const char *key)
{
    ptrdiff_t properties = json_doc_member(&s->doc, node, "properties");

    return properties >= 0 ? json_doc_member(&s->doc, (size_t)properties, key) : -1;
}

enum { MOST_MEMBERS = 256 /* of an object that are looked at: more than any schema knows */ };

/* Adds to each schema's score: 1 if it knows the member's key, much less for a wrong "type". */
static void score_member(const struct lsp_context *s, const struct lsp_members *m,
                         const struct lsp_schemas *set, int score[])
{
    bool type = lsp_span_is(m->text, m->key, "type") || lsp_span_is(m->text, m->key, "Type");
    char *key = lsp_span_string(m->text, m->key);

    type = type && m->value.start < m->len && m->text[m->value.start] == '"';
    for (size_t i = 0; i < set->n && key; i++) {
        ptrdiff_t p = property(s, set->node[i], key);

        score[i] += p >= 0;
        if (p >= 0 && type && refuses(s, (size_t)p, m->text, m->value))
            score[i] -= MOST_MEMBERS + 1;
    }
    free(key);
}

void lsp_schemas_choose(const struct lsp_context *s, const struct lsp_level *object,
                        struct lsp_schemas *set)
{
    const struct lsp_cursor *c = &s->cursor;
    struct lsp_members m = lsp_members(c, object->start);
    int score[LSP_SCHEMAS] = { 0 }, best = INT_MIN;
    size_t n = 0;

    for (size_t seen = 0; seen < MOST_MEMBERS && lsp_members_next(&m); seen++)
        if (m.key.start != c->left_out && m.value.start != c->left_out)
            score_member(s, &m, set, score);
    for (size_t i = 0; i < set->n; i++)
        if (json_doc_member(&s->doc, set->node[i], "properties") < 0)
            score[i] = INT_MAX; /* no object schema: stays */
        else if (score[i] > best)
            best = score[i];
    for (size_t i = 0; i < set->n; i++)
        if (score[i] >= best)
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

const char *lsp_schemas_about(const struct lsp_context *s, const struct lsp_schemas *set)
{
    for (size_t i = 0; i < set->n; i++) {
        ptrdiff_t about = json_doc_member(&s->doc, set->node[i], "description");

        if (about >= 0)
            return json_doc_text(&s->doc, (size_t)about);
    }
    return NULL;
}
