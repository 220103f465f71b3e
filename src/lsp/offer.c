#include "lsp/offer.h"

extern const char check_examples[];

enum {
    MOST_OFFERS = 500,
    DEPTH_MOST = 3 /* objects in a template that have their required members */
};

/* Adds text with a backslash before each of some characters. */
static void add_escaped(struct template *t, const char *s, size_t n, const char *special)
{
    for (size_t i = 0; i < n; i++) {
        if (strchr(special, s[i]))
            str_puts(&t->text, "\\");
        str_add(&t->text, s + i, 1);
    }
}

static void template_text(struct template *t, const char *s, size_t n)
{
    add_escaped(t, s, n, t->snippet ? "$\\" : "");
}

void template_stop(struct template *t, const char *s, size_t n)
{
    if (!t->snippet) {
        str_add(&t->text, s, n);
        return;
    }
    str_printf(&t->text, n > 0 ? "${%u:" : "${%u", ++t->stops);
    add_escaped(t, s, n, "$\\}");
    str_puts(&t->text, "}");
}

void template_puts(struct template *t, const char *s) { template_text(t, s, strlen(s)); }

static void add_object(struct template *t, const struct lsp_context *s, size_t node)
{
    const struct json_node *nodes = s->doc.nodes;
    ptrdiff_t required = json_doc_member(&s->doc, node, "required"),
              properties = json_doc_member(&s->doc, node, "properties");
    bool known = required >= 0 && properties >= 0 && t->depth < DEPTH_MOST;
    uint32_t first = (uint32_t)required + 1, end = known ? nodes[required].next : 0;

    template_puts(t, "{ ");
    if (!known)
        template_stop(t, "", 0);
    t->depth++;
    for (uint32_t i = first; i < end; i = nodes[i].next) {
        const char *key = json_doc_text(&s->doc, i);
        ptrdiff_t value = json_doc_member(&s->doc, (size_t)properties, key);

        template_puts(t, i > first ? ", " : "");
        template_text(t, s->doc.clean + nodes[i].start, nodes[i].end - nodes[i].start);
        template_puts(t, ": ");
        if (value >= 0)
            template_value(t, s, (size_t)value);
    }
    t->depth--;
    template_puts(t, " }");
}

/* Adds a value by one schema; false if that does not say what the value is. */
static bool add_known(struct template *t, const struct lsp_context *s, size_t node)
{
    ptrdiff_t one = lsp_schema_word(s, node);
    const struct json_node *n = one < 0 ? NULL : &s->doc.nodes[one];
    bool string =
        lsp_schema_has(s, node, "type", "string") || json_doc_member(&s->doc, node, "enum") >= 0;

    if (n)
        template_text(t, s->doc.clean + n->start, n->end - n->start);
    else if (lsp_schema_has(s, node, "type", "object"))
        add_object(t, s, node);
    else if (string || lsp_schema_has(s, node, "type", "array")) {
        template_puts(t, string ? "\"" : "[");
        template_stop(t, "", 0);
        template_puts(t, string ? "\"" : "]");
    } else if (lsp_schema_has(s, node, "type", "boolean"))
        template_stop(t, "false", 5);
    else if (json_doc_member(&s->doc, node, "type") >= 0)
        template_stop(t, "", 0);
    else
        return false;
    return true;
}

void template_value(struct template *t, const struct lsp_context *s, size_t node)
{
    struct lsp_schemas set = { .n = 0 };

    lsp_schemas_add(s, node, &set);
    for (size_t i = 0; i < set.n; i++)
        if (add_known(t, s, set.node[i]))
            return;
    template_stop(t, "", 0);
}

/* The stop that begins with the last token: numbers of an array, or the inside of a string that
 * names a type. Empty if there is none. */
static struct lsp_span example_stop(struct json_lexer *lx, enum json_token token, bool type)
{
    struct lsp_span stop = { lx->start, lx->end };

    if (token == JSON_TOKEN_STRING && type)
        return (struct lsp_span){ lx->start + 1, lx->end - 1 };
    if (token != JSON_TOKEN_NUMBER)
        return (struct lsp_span){ lx->start, lx->start };
    for (struct json_lexer ahead = *lx;;) { /* ", NUMBER" */
        if (json_lex(&ahead) != JSON_TOKEN_COMMA || json_lex(&ahead) != JSON_TOKEN_NUMBER)
            return stop;
        stop.end = ahead.end;
        *lx = ahead;
    }
}

/* Adds a file of check/examples/: numbers and names of types become stops. */
static void template_example(struct template *t, const char *example)
{
    struct json_lexer lx = { .text = example, .len = strlen(example) };
    struct lsp_span last = { 0, 0 }, key = { 0, 0 };
    size_t copied = 0;
    enum json_token token;

    while ((token = json_lex(&lx)) != JSON_TOKEN_END && token != JSON_TOKEN_ERROR) {
        bool type = lsp_span_is(example, key, "DataType") ||
                    lsp_span_is(example, key, "AxisDirection") ||
                    lsp_span_is(example, key, "initialValuesDataType");
        struct lsp_span stop = example_stop(&lx, token, type);

        if (token == JSON_TOKEN_STRING)
            last = (struct lsp_span){ lx.start, lx.end };
        key = token == JSON_TOKEN_COLON ? last : (struct lsp_span){ 0, 0 };
        if (stop.end == stop.start)
            continue;
        template_text(t, example + copied, stop.start - copied);
        template_stop(t, example + stop.start, stop.end - stop.start);
        copied = stop.end;
    }
    template_text(t, example + copied, lx.len - copied);
}

void offer(struct offers *o, const char *label, enum offer_kind kind, const char *about,
           struct template *t)
{
    const struct lsp_cursor *c = &o->at.cursor;
    struct json_writer *w = o->w;

    w->out->failed = w->out->failed || t->text.failed;
    o->cut = o->cut || o->n == MOST_OFFERS;
    if (o->cut || lsp_has_line(&o->labels, label)) {
        str_free(&t->text);
        return;
    }
    str_printf(&o->labels, "\n%s\n", label);
    json_format(w, o->n == 0 ? "result: { items: [ {" : "{");
    lsp_write_text(w, "label", label);
    json_int(w, "kind", kind);
    if (about)
        json_string(w, "documentation", about);
    json_stringf(w, "sortText", "%03zu", o->n++);
    if (c->word.end > c->word.start && c->text[c->word.start] == '"')
        json_stringf(w, "filterText", "\"%s\"", label);
    json_int(w, "insertTextFormat", t->snippet ? 2 : 1);
    json_format(w, "textEdit: {");
    lsp_write_range(w, "range", &o->view->places, c->word.start, c->word.end);
    json_stringf(w, "newText", "%s%s", t->text.s ? t->text.s : "", o->comma);
    json_close(w);
    if (o->edits.len > 0)
        json_raw(w, "additionalTextEdits", o->edits.s);
    json_close(w);
    str_free(&t->text);
}

void offer_plain(struct offers *o, const char *label, enum offer_kind kind, const char *about,
                 const char *text, size_t n)
{
    struct template t = { .snippet = false };

    str_add(&t.text, text, n);
    offer(o, label, kind, about, &t);
}

void offer_examples(struct offers *o, const struct lsp_schemas *set)
{
    static const struct {
        const char *title, *label, *file;
    } examples[] = {
        { "DML_OPERATOR_SLICE1", "slice1", "slice1.json" },
        { "DML_OPERATOR_TOP_K1", "top_k1", "top_k1.json" },
        { "DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY", "qmatmul", "qmatmul.json" },
        { "DxDispatch model", "model", "model.json" },
    };

    for (size_t i = 0; i < set->n; i++)
        for (size_t k = 0; k < ARRAY_LEN(examples); k++)
            if (lsp_schema_has(&o->at, set->node[i], "title", examples[k].title)) {
                const char *text = embedded_find(check_examples, examples[k].file);
                struct template t = { .snippet = o->view->settings->snippets };

                template_example(&t, text);
                offer(o, examples[k].label, OFFER_DOCUMENT, text, &t);
            }
}
