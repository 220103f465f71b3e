#include <stdlib.h>

#include "lsp/answers.h"
#include "lsp/schema.h"

/* The section of a model whose member the cursor names; NULL where it names none. */
static const char *named_section(const struct lsp_cursor *c)
{
    const char *section = NULL;
    struct lsp_schema schema;
    struct lsp_schemas set;

    if (c->at == CURSOR_KEY && c->depth == 2)
        return lsp_span_is(c->text, c->levels[0].key, "resources")       ? "resources"
               : lsp_span_is(c->text, c->levels[0].key, "dispatchables") ? "dispatchables"
                                                                         : NULL;
    if (c->at != CURSOR_VALUE)
        return NULL;
    if (lsp_schema_begin(&schema, c)) {
        lsp_schemas_at(&schema, c, c->depth, &set);
        if (lsp_schemas_has(&set, schema.resource_name))
            section = "resources";
        else if (lsp_schemas_has(&set, schema.dispatchable_name))
            section = "dispatchables";
    }
    lsp_schema_free(&schema);
    return section;
}

/* The member of a section that a string names; -1 where there is none. */
static ptrdiff_t find_member(const struct json_doc *doc, const char *section,
                             const struct lsp_cursor *c)
{
    ptrdiff_t object = json_doc_member(doc, 0, section), found = -1;
    char *name = lsp_span_string(c->text, c->word);

    if (object >= 0 && doc->nodes[object].type == JSON_OBJECT && name)
        found = json_doc_member(doc, (size_t)object, name);
    free(name);
    return found;
}

void lsp_answer_definition(struct json_writer *w, const char *key, const struct lsp_view *v,
                           size_t offset)
{
    const struct document *d = &v->checked->document;
    struct lsp_places p = { .text = d->text, .len = d->len, .encoding = v->encoding };
    struct lsp_cursor c;
    const char *section = NULL;
    ptrdiff_t node = -1;

    if (v->checked->is_model) {
        lsp_cursor_find(&c, d->text, d->len, offset);
        section = c.word.end > c.word.start ? named_section(&c) : NULL;
    }
    if (section)
        node = find_member(&d->doc, section, &c);
    if (node < 0) {
        json_raw(w, key, "null");
        return;
    }
    json_open(w, key, "{}");
    json_string(w, "uri", v->uri);
    lsp_write_range(w, "range", &p,
                    json_notation_source(&d->notation, d->doc.nodes[node].key),
                    json_notation_source(&d->notation, json_doc_key_end(&d->doc, (size_t)node)));
    json_close(w);
}
