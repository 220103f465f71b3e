#include "lsp/template.h"

#include <stdlib.h>
#include <string.h>

void lsp_template_text(struct lsp_template *t, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (t->snippet && (s[i] == '$' || s[i] == '\\'))
            str_puts(&t->text, "\\");
        str_add(&t->text, s + i, 1);
    }
}

void lsp_template_stop(struct lsp_template *t, const char *s, size_t n)
{
    if (!t->snippet) {
        str_add(&t->text, s, n);
        return;
    }
    str_printf(&t->text, "${%u", ++t->stops);
    if (n > 0)
        str_puts(&t->text, ":");
    for (size_t i = 0; i < n; i++) {
        if (strchr("$\\}", s[i]))
            str_puts(&t->text, "\\");
        str_add(&t->text, s + i, 1);
    }
    str_puts(&t->text, "}");
}

void lsp_template_puts(struct lsp_template *t, const char *s)
{
    lsp_template_text(t, s, strlen(s));
}

static ptrdiff_t member(const struct lsp_schema *s, size_t node, const char *key)
{
    return json_doc_member(&s->doc, node, key);
}

static bool has_type(const struct lsp_schema *s, size_t node, const char *type)
{
    ptrdiff_t at = member(s, node, "type");

    return at >= 0 && lsp_span_is(s->doc.clean, (struct lsp_span){ s->doc.nodes[at].start,
                                                                   s->doc.nodes[at].end }, type);
}

/* What a value is written as, to the third object deep. */
static void add_value(struct lsp_template *t, const struct lsp_schema *s, size_t node, int depth);

static void add_object(struct lsp_template *t, const struct lsp_schema *s, size_t node, int depth)
{
    const struct json_node *nodes = s->doc.nodes;
    ptrdiff_t required = member(s, node, "required"), properties = member(s, node, "properties");
    const char *before = "{ ";

    if (required < 0 || properties < 0 || depth == 0) {
        lsp_template_puts(t, "{ ");
        lsp_template_stop(t, "", 0);
        lsp_template_puts(t, " }");
        return;
    }
    for (uint32_t i = (uint32_t)required + 1; i < nodes[required].next; i = nodes[i].next) {
        char *key = json_doc_string(&s->doc, i);
        ptrdiff_t value = key ? member(s, (size_t)properties, key) : -1;

        lsp_template_puts(t, before);
        lsp_template_text(t, s->doc.clean + nodes[i].start, nodes[i].end - nodes[i].start);
        lsp_template_puts(t, ": ");
        if (value >= 0)
            add_value(t, s, (size_t)value, depth - 1);
        before = ", ";
        free(key);
    }
    lsp_template_puts(t, " }");
}

/* Writes a schema that says what the value is; false where it leaves that to others. */
static bool add_known(struct lsp_template *t, const struct lsp_schema *s, size_t node, int depth)
{
    ptrdiff_t one = lsp_schema_word(s, node);
    const struct json_node *n = one < 0 ? NULL : &s->doc.nodes[one];
    bool string = has_type(s, node, "string") || member(s, node, "enum") >= 0;

    if (n)
        lsp_template_text(t, s->doc.clean + n->start, n->end - n->start);
    else if (has_type(s, node, "object"))
        add_object(t, s, node, depth);
    else if (string || has_type(s, node, "array")) {
        lsp_template_puts(t, string ? "\"" : "[");
        lsp_template_stop(t, "", 0);
        lsp_template_puts(t, string ? "\"" : "]");
    } else if (has_type(s, node, "boolean"))
        lsp_template_stop(t, "false", 5);
    else if (member(s, node, "type") >= 0)
        lsp_template_stop(t, "", 0);
    else
        return false;
    return true;
}

static void add_value(struct lsp_template *t, const struct lsp_schema *s, size_t node, int depth)
{
    struct lsp_schemas set = { .n = 0 };

    lsp_schemas_add(s, node, &set);
    for (size_t i = 0; i < set.n; i++)
        if (add_known(t, s, set.node[i], depth))
            return;
    lsp_template_stop(t, "", 0);
}

void lsp_template_value(struct lsp_template *t, const struct lsp_schema *s, size_t node)
{
    add_value(t, s, node, 3);
}

/* Keys whose strings are stops. */
static bool names_type(const char *text, struct lsp_span key)
{
    return lsp_span_is(text, key, "DataType") || lsp_span_is(text, key, "AxisDirection") ||
           lsp_span_is(text, key, "initialValuesDataType");
}

/* The bytes of a stop that begins with the last token: a number, with those that follow it in an
 * array, or the inside of a string that names a type. Empty where it begins none. */
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

void lsp_template_example(struct lsp_template *t, const char *example)
{
    struct json_lexer lx = { .text = example, .len = strlen(example) };
    struct lsp_span last = { 0, 0 }, key = { 0, 0 };
    size_t copied = 0;
    enum json_token token;

    while ((token = json_lex(&lx)) != JSON_TOKEN_END && token != JSON_TOKEN_ERROR) {
        struct lsp_span stop = example_stop(&lx, token, names_type(example, key));

        if (token == JSON_TOKEN_STRING)
            last = (struct lsp_span){ lx.start, lx.end };
        key = token == JSON_TOKEN_COLON ? last : (struct lsp_span){ 0, 0 };
        if (stop.end == stop.start)
            continue;
        lsp_template_text(t, example + copied, stop.start - copied);
        lsp_template_stop(t, example + stop.start, stop.end - stop.start);
        copied = stop.end;
    }
    lsp_template_text(t, example + copied, lx.len - copied);
}
