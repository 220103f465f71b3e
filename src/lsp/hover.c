#include <stdlib.h>
#include <string.h>

#include "check/explain.h"
#include "desc/schema.h"
#include "lsp/about.h"
#include "lsp/answers.h"
#include "lsp/schema.h"

/* What a hover is about. */
struct subject {
    const struct lsp_view *view;
    struct lsp_cursor cursor;
    struct lsp_schema schema;
    struct lsp_schemas set;
};

static bool key_is(const struct subject *s, size_t level, const char *key)
{
    return level < s->cursor.depth && s->cursor.levels[level].object &&
           lsp_span_is(s->cursor.text, s->cursor.levels[level].key, key);
}

/* The members and elements from the last that has a name: "Sizes[2]". */
static void add_name(struct str *b, const struct lsp_cursor *c)
{
    size_t level = c->depth, first;
    char *name;

    while (level > 0 && !c->levels[level - 1].object)
        level--;
    if (level == 0)
        return;
    first = level--;
    name = lsp_span_string(c->text, c->levels[level].key);
    about_name(b, name ? name : "");
    free(name);
    for (; first < c->depth; first++)
        str_printf(b, "[%zu]", c->levels[first].index);
}

/* The description of the value, or of the array that it is in. */
static void add_meaning(struct subject *s, struct str *b)
{
    struct lsp_cursor *c = &s->cursor;
    char *about = lsp_schemas_about(&s->schema, &s->set);

    for (size_t n = c->depth; !about && n > 0 && !c->levels[n - 1].object; n--) {
        struct lsp_schemas set;

        lsp_schemas_at(&s->schema, c, n - 1, &set);
        about = lsp_schemas_about(&s->schema, &set);
    }
    if (about) {
        add_name(b, c);
        str_printf(b, "%s%s\n\n", b->len ? ": " : "", about);
    }
    free(about);
}

/* The dispatchable or resource that a string names; NULL where there is none. */
static const struct model_dispatchable *dispatchable(const struct subject *s, struct lsp_span name)
{
    const struct model *m = &s->view->checked->model;
    const struct model_dispatchable *found = NULL;
    char *text = lsp_span_string(s->cursor.text, name);

    for (size_t i = 0; i < m->dispatchable_count && text && !found; i++)
        if (m->dispatchables[i].name && strcmp(m->dispatchables[i].name, text) == 0)
            found = &m->dispatchables[i];
    free(text);
    return found;
}

static const struct model_resource *resource(const struct subject *s, struct lsp_span name)
{
    const struct model *m = &s->view->checked->model;
    const struct model_resource *found = NULL;
    char *text = lsp_span_string(s->cursor.text, name);

    for (size_t i = 0; i < m->resource_count && text && !found; i++)
        if (m->resources[i].name && strcmp(m->resources[i].name, text) == 0)
            found = &m->resources[i];
    free(text);
    return found;
}

/* The operator's field whose member the cursor is in, where the descriptor begins at a level. */
static const struct field *field_at(const struct subject *s, enum op op, size_t level)
{
    const struct lsp_cursor *c = &s->cursor;
    const struct field *f = NULL;
    char *name;

    level += key_is(s, level, "desc") || key_is(s, level, "Desc");
    if (level >= c->depth || !c->levels[level].object)
        return NULL;
    name = lsp_span_string(c->text, c->levels[level].key);
    if (name)
        f = op_field(op, name);
    free(name);
    return f;
}

/* d is NULL where only its operator is known. */
static void add_descriptor(const struct subject *s, struct str *b, enum op op, const struct desc *d,
                           const struct desc_seen *seen, size_t level)
{
    const struct field *f = op == OP_NONE ? NULL : field_at(s, op, level);

    if (f && d)
        about_field(b, d, seen, f);
    else if (f || key_is(s, level, "type") || key_is(s, level, "Type") ||
             s->cursor.depth == level)
        about_operator(b, op);
}

/* What is known of the value beyond its meaning. */
static void add_facts(const struct subject *s, struct str *b)
{
    const struct checked *checked = s->view->checked;
    const struct lsp_cursor *c = &s->cursor;
    const struct model_dispatchable *d = NULL;
    const struct model_resource *r = NULL;

    if (!checked->is_model) {
        add_descriptor(s, b, checked->desc.op, &checked->desc, &checked->seen, 0);
        return;
    }
    if (c->depth > 1 && key_is(s, 0, "resources"))
        r = resource(s, c->levels[1].key);
    else if (c->at == CURSOR_VALUE && lsp_schemas_has(&s->set, s->schema.resource_name))
        r = resource(s, c->word);
    else if (c->depth > 1 && key_is(s, 0, "dispatchables"))
        d = dispatchable(s, c->levels[1].key);
    else if (c->at == CURSOR_VALUE && lsp_schemas_has(&s->set, s->schema.dispatchable_name))
        d = dispatchable(s, c->word);
    if (r)
        about_resource(b, r);
    if (d)
        add_descriptor(s, b, d->op, d->desc, NULL, key_is(s, 0, "dispatchables") ? 2 : c->depth);
}

/* Explains the rules of the findings at an offset; the first one's place becomes the range where
 * that is empty. */
static void add_findings(const struct findings *fs, size_t offset, struct str *b,
                         struct lsp_span *range)
{
    enum { MOST = 3 };
    int explained = 0;

    for (size_t i = 0; i < fs->n && explained < MOST; i++) {
        const struct finding *f = &fs->v[i];

        if (offset < f->range.offset || offset > f->range.end ||
            (offset == f->range.end && f->range.end > f->range.offset + 1))
            continue;
        if (range->end == range->start)
            *range = (struct lsp_span){ f->range.offset, f->range.end };
        str_puts(b, b->len ? "---\n\n" : "");
        explain_markdown(b, f->rule);
        str_puts(b, "\n\n");
        explained++;
    }
}

static void write_hover(struct json_writer *w, const char *key, const struct lsp_view *v,
                        struct str *text, struct lsp_span range)
{
    const struct document *d = &v->checked->document;
    struct lsp_places p = { .text = d->text, .len = d->len, .encoding = v->encoding };

    while (text->len > 0 && text->s[text->len - 1] == '\n')
        text->s[--text->len] = '\0';
    json_open(w, key, "{}");
    json_open(w, "contents", "{}");
    json_string(w, "kind", "markdown");
    json_str(w, "value", text);
    json_close(w);
    lsp_write_range(w, "range", &p, range.start, range.end < d->len ? range.end : d->len);
    json_close(w);
}

void lsp_answer_hover(struct json_writer *w, const char *key, const struct lsp_view *v,
                      size_t offset)
{
    const struct document *d = &v->checked->document;
    struct subject s = { .view = v };
    struct str text = { 0 };
    struct lsp_span range;

    lsp_cursor_find(&s.cursor, d->text, d->len, offset);
    range = s.cursor.word;
    if (s.cursor.at != CURSOR_NOTHING && range.end > range.start) {
        if (lsp_schema_begin(&s.schema, &s.cursor)) {
            lsp_schemas_at(&s.schema, &s.cursor, s.cursor.depth, &s.set);
            add_meaning(&s, &text);
            add_facts(&s, &text);
        } else
            text.failed = true;
        lsp_schema_free(&s.schema);
    }
    add_findings(&d->findings, offset, &text, &range);
    if (text.len > 0)
        write_hover(w, key, v, &text, range);
    else
        json_raw(w, key, "null");
    w->out->failed = w->out->failed || text.failed;
    str_free(&text);
}
