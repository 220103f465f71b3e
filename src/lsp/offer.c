#include "lsp/offer.h"

#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"

extern const struct embedded check_examples[];

enum { MOST_OFFERS = 500 };

struct lsp_template offer_text(const struct offers *o)
{
    return (struct lsp_template){ .snippet = o->view->snippets };
}

bool is_offered(const struct offers *o, const char *label)
{
    size_t n = strlen(label);

    for (const char *at = o->labels.s; at && (at = strstr(at, label)); at++)
        if (at > o->labels.s && at[-1] == '\n' && at[n] == '\n')
            return true;
    return false;
}

static void write_item(struct offers *o, const char *label, enum offer_kind kind, const char *about,
                       struct lsp_template *t)
{
    const struct lsp_cursor *c = &o->cursor;
    struct json_writer *w = o->w;

    if (o->n == 0) {
        json_open(w, o->key, "{}");
        json_open(w, "items", "[]");
    }
    json_open(w, NULL, "{}");
    json_string(w, "label", label);
    json_int(w, "kind", kind);
    if (about)
        json_string(w, "documentation", about);
    json_stringf(w, "sortText", "%03zu", o->n++);
    if (c->word.end > c->word.start && c->text[c->word.start] == '"')
        json_stringf(w, "filterText", "\"%s\"", label);
    json_int(w, "insertTextFormat", t->snippet ? 2 : 1);
    json_open(w, "textEdit", "{}");
    json_raw(w, "range", o->range.s ? o->range.s : "null");
    json_stringf(w, "newText", "%s%s", t->text.s ? t->text.s : "", o->comma);
    json_close(w);
    if (o->edits.len > 0)
        json_raw(w, "additionalTextEdits", o->edits.s);
    json_close(w);
}

/* Offers a text, unless the label was offered before; t is released. about may be NULL. */
void offer(struct offers *o, const char *label, enum offer_kind kind, const char *about,
                  struct lsp_template *t)
{
    o->cut = o->cut || o->n == MOST_OFFERS;
    if (!o->cut && !is_offered(o, label)) {
        str_printf(&o->labels, "\n%s\n", label);
        write_item(o, label, kind, about, t);
    }
    o->w->out->failed = o->w->out->failed || t->text.failed;
    str_free(&t->text);
}

void add_edit(struct offers *o, size_t start, size_t end, const char *text)
{
    const struct lsp_cursor *c = &o->cursor;
    struct lsp_places p = { .text = c->text, .len = c->len, .encoding = o->view->encoding };
    struct json_writer w = { .out = &o->edits };

    json_open(&w, NULL, "{}");
    lsp_write_range(&w, "range", &p, start, end);
    json_string(&w, "newText", text);
    json_close(&w);
}

/* The operators' and the model's examples: the whole value of what has that title. */
static void offer_example(struct offers *o, const char *title)
{
    static const char *const files[][3] = {
        { "DML_OPERATOR_SLICE1", "slice1", "slice1.json" },
        { "DML_OPERATOR_TOP_K1", "top_k1", "top_k1.json" },
        { "DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY", "qmatmul", "qmatmul.json" },
        { "DxDispatch model", "model", "model.json" },
        { NULL, NULL, NULL },
    };

    for (size_t i = 0; files[i][0]; i++)
        if (strcmp(title, files[i][0]) == 0) {
            const char *example = embedded_find(check_examples, files[i][2]);
            struct lsp_template t = offer_text(o);

            lsp_template_example(&t, example);
            offer(o, files[i][1], OFFER_DOCUMENT, example, &t);
        }
}

void offer_examples(struct offers *o, const struct lsp_schemas *set)
{
    for (size_t i = 0; i < set->n; i++) {
        ptrdiff_t at = json_doc_member(&o->schema.doc, set->node[i], "title");
        char *title = at < 0 ? NULL : json_doc_string(&o->schema.doc, (size_t)at);

        if (title)
            offer_example(o, title);
        free(title);
    }
}
