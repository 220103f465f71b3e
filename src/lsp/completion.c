#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lsp/offer.h"

/* The value of a node of the schema, a string or a word, as it stands there. */
static void offer_word(struct offers *o, size_t node, const char *about)
{
    const struct json_node *n = &o->schema.doc.nodes[node];
    struct lsp_template t = { .snippet = false };
    char *label = lsp_span_string(o->schema.doc.clean, (struct lsp_span){ n->start, n->end });

    lsp_template_text(&t, o->schema.doc.clean + n->start, n->end - n->start);
    if (label)
        offer(o, label, OFFER_WORD, about, &t);
    else
        str_free(&t.text);
    free(label);
}

static void offer_literal(struct offers *o, const char *word)
{
    struct lsp_template t = { .snippet = false };

    lsp_template_puts(&t, word);
    offer(o, word, OFFER_WORD, NULL, &t);
}

/* Names of resources or dispatchables that begin as what is typed. */
static void offer_names(struct offers *o, const char *section, const char *about)
{
    const struct lsp_cursor *c = &o->cursor;
    size_t start = c->word.start;
    struct lsp_members m;

    start += c->word.end > start && c->text[start] == '"' && c->offset > start;
    if (!lsp_section(c, section, &m))
        return;
    while (!o->cut && lsp_members_next(&m)) {
        struct lsp_template t = { .snippet = false };
        size_t n = c->offset - start;
        char *name;

        if (m.key.end - m.key.start < n + 2 || c->text[m.key.end - 1] != '"' ||
            strncasecmp(c->text + m.key.start + 1, c->text + start, n) != 0)
            continue;
        name = lsp_span_string(c->text, m.key);
        lsp_template_text(&t, c->text + m.key.start, m.key.end - m.key.start);
        offer(o, name ? name : "", OFFER_NAME, about, &t);
        free(name);
    }
}

/* The name of a member, and its value where that is given: "type: dispatch". */
static void add_required(const struct offers *o, size_t properties, size_t name, struct str *label)
{
    const struct json_doc *doc = &o->schema.doc;
    char *key = json_doc_string(doc, name), *value = NULL;
    ptrdiff_t p = key ? json_doc_member(doc, properties, key) : -1;
    ptrdiff_t one = p < 0 ? -1 : lsp_schema_word(&o->schema, (size_t)p);

    if (one >= 0)
        value = json_doc_string(doc, (size_t)one);
    str_printf(label, "%s%s%s%s", label->len ? ", " : "{ ", key ? key : "", value ? ": " : "",
               value ? value : "");
    free(value);
    free(key);
}

/* An object by the members that it requires: "{ DataType, Sizes }". */
static void offer_object(struct offers *o, size_t node, size_t required)
{
    const struct json_doc *doc = &o->schema.doc;
    ptrdiff_t p = json_doc_member(doc, node, "properties");
    ptrdiff_t type = p < 0 ? -1 : json_doc_member(doc, (size_t)p, "type");
    struct lsp_template t = offer_text(o);
    struct str label = { 0 };

    if (p < 0 || (type >= 0 && json_doc_member(doc, (size_t)type, "enum") >= 0))
        return; /* an operator, whose example is offered */
    for (uint32_t i = (uint32_t)required + 1; i < doc->nodes[required].next; i++)
        add_required(o, (size_t)p, i, &label);
    str_puts(&label, " }");
    lsp_template_value(&t, &o->schema, node);
    offer(o, label.s ? label.s : "", OFFER_OBJECT, NULL, &t);
    str_free(&label);
}

static bool has_type(const struct json_doc *doc, size_t node, const char *type)
{
    ptrdiff_t at = json_doc_member(doc, node, "type");

    return at >= 0 && lsp_span_is(doc->clean, (struct lsp_span){ doc->nodes[at].start,
                                                                 doc->nodes[at].end }, type);
}

/* The names that an enumeration or constant has. */
static void offer_words(struct offers *o, size_t node, const char *about)
{
    const struct json_doc *doc = &o->schema.doc;
    ptrdiff_t one = lsp_schema_word(&o->schema, node), some = json_doc_member(doc, node, "enum");

    if (one >= 0)
        offer_word(o, (size_t)one, about);
    if (some >= 0)
        for (uint32_t i = (uint32_t)some + 1; i < doc->nodes[some].next; i++)
            offer_word(o, i, about);
}

static void offer_value(struct offers *o, size_t node)
{
    const struct json_doc *doc = &o->schema.doc;
    ptrdiff_t required = json_doc_member(doc, node, "required");
    struct lsp_schemas set = { .n = 0 };
    char *about;

    lsp_schemas_add(&o->schema, node, &set);
    about = lsp_schemas_about(&o->schema, &set);
    offer_words(o, node, about);
    free(about);
    if (has_type(doc, node, "boolean")) {
        offer_literal(o, "true");
        offer_literal(o, "false");
    }
    if (has_type(doc, node, "null"))
        offer_literal(o, "null");
    if (has_type(doc, node, "object") && required >= 0 && o->cursor.depth > 0)
        offer_object(o, node, (size_t)required);
}

static void offer_values(struct offers *o)
{
    const struct lsp_cursor *c = &o->cursor;
    struct lsp_schemas set;
    struct lsp_span after;
    char next = lsp_cursor_next(c, &after);

    o->comma = next != '\0' && !strchr("]},:", next) && c->depth > 0 ? "," : "";
    lsp_schemas_at(&o->schema, c, c->depth, &set);
    if (o->schema.resource_name && lsp_schemas_has(&set, o->schema.resource_name))
        offer_names(o, "resources", NULL);
    if (o->schema.dispatchable_name && lsp_schemas_has(&set, o->schema.dispatchable_name))
        offer_names(o, "dispatchables", NULL);
    for (size_t i = 0; i < set.n; i++)
        offer_value(o, set.node[i]);
    offer_examples(o, &set);
}

/* What items replace, and the comma that lacks before them. */
static void begin_edits(struct offers *o)
{
    const struct lsp_cursor *c = &o->cursor;
    struct lsp_places p = { .text = c->text, .len = c->len, .encoding = o->view->encoding };

    lsp_write_range(&(struct json_writer){ .out = &o->range }, NULL, &p, c->word.start,
                    c->word.end);
    if (c->previous == 0)
        return;
    str_puts(&o->edits, "[");
    add_edit(o, c->previous, c->previous, ",");
    str_puts(&o->edits, "]");
}

void lsp_answer_completion(struct json_writer *w, const char *key, const struct lsp_view *v,
                           size_t offset)
{
    const struct document *d = &v->checked->document;
    struct offers o = { .w = w, .key = key, .view = v, .comma = "" };

    lsp_cursor_find(&o.cursor, d->text, d->len, offset);
    o.cursor.left_out = o.cursor.word;
    begin_edits(&o);
    if (o.cursor.at != CURSOR_NOTHING && !lsp_schema_begin(&o.schema, &o.cursor))
        w->out->failed = true;
    else if (o.cursor.at == CURSOR_KEY)
        offer_keys(&o);
    else if (o.cursor.at == CURSOR_VALUE)
        offer_values(&o);
    if (o.n > 0) {
        json_close(w);
        json_bool(w, "isIncomplete", o.cut);
        json_close(w);
    } else
        json_raw(w, key, "null");
    w->out->failed = w->out->failed || o.range.failed || o.edits.failed || o.labels.failed;
    lsp_schema_free(&o.schema);
    str_free(&o.range);
    str_free(&o.edits);
    str_free(&o.labels);
}
