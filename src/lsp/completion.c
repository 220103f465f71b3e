#include "lsp/offer.h"

static void offer_word(struct offers *o, size_t node, const char *about)
{
    const struct json_node *n = &o->at.doc.nodes[node];

    offer_plain(o, json_doc_text(&o->at.doc, node), OFFER_WORD, about, o->at.doc.clean + n->start,
                n->end - n->start);
}

/* Offers the names of resources or dispatchables that begin with the word at the cursor. */
static void offer_names(struct offers *o, const char *section)
{
    const struct lsp_cursor *c = &o->at.cursor;
    size_t start = c->word.start, n;
    struct lsp_members m;
    struct lsp_span object;

    start += c->word.end > start && c->text[start] == '"' && c->offset > start;
    n = c->offset - start;
    if (!lsp_member(c, c->levels[0].start, section, '{', &object))
        return;
    m = lsp_members(c, object.start);
    while (!o->cut && lsp_members_next(&m)) {
        char *name;

        if (m.key.end - m.key.start < n + 2 || c->text[m.key.end - 1] != '"' ||
            strncasecmp(c->text + m.key.start + 1, c->text + start, n) != 0)
            continue;
        name = lsp_span_string(c->text, m.key);
        offer_plain(o, name ? name : "", OFFER_NAME, NULL, c->text + m.key.start,
                    m.key.end - m.key.start);
        free(name);
    }
}

/* Adds a member's name, and its value if there is only one: "type: dispatch". */
static void add_required(const struct offers *o, size_t properties, size_t name, struct str *label)
{
    const struct json_doc *doc = &o->at.doc;
    const char *key = json_doc_text(doc, name);
    ptrdiff_t p = json_doc_member(doc, properties, key);
    ptrdiff_t one = p < 0 ? -1 : lsp_schema_word(&o->at, (size_t)p);

    str_printf(label, "%s%s%s%s", label->len ? ", " : "{ ", key, one < 0 ? "" : ": ",
               one < 0 ? "" : json_doc_text(doc, (size_t)one));
}

/* Offers an object, labelled by its required members: "{ DataType, Sizes }". */
static void offer_object(struct offers *o, size_t node, size_t required)
{
    const struct json_doc *doc = &o->at.doc;
    ptrdiff_t p = json_doc_member(doc, node, "properties");
    ptrdiff_t type = p < 0 ? -1 : json_doc_member(doc, (size_t)p, "type");
    struct template t = { .snippet = o->view->settings->snippets };
    struct str label = { 0 };

    if (p < 0 || (type >= 0 && json_doc_member(doc, (size_t)type, "enum") >= 0))
        return; /* an operator: its example is offered */
    for (uint32_t i = (uint32_t)required + 1; i < doc->nodes[required].next; i++)
        add_required(o, (size_t)p, i, &label);
    str_puts(&label, " }");
    template_value(&t, &o->at, node);
    offer(o, label.s ? label.s : "", OFFER_OBJECT, NULL, &t);
    str_free(&label);
}

static const char *about_node(const struct offers *o, size_t node)
{
    struct lsp_schemas set = { .n = 0 };

    lsp_schemas_add(&o->at, node, &set);
    return lsp_schemas_about(&o->at, &set);
}

/* Offers all values that a schema names, and an object with the members that it requires. */
static void offer_value(struct offers *o, size_t node)
{
    const struct json_doc *doc = &o->at.doc;
    ptrdiff_t one = lsp_schema_word(&o->at, node), names = json_doc_member(doc, node, "enum");
    ptrdiff_t required = json_doc_member(doc, node, "required");
    const char *about = about_node(o, node);

    if (one >= 0)
        offer_word(o, (size_t)one, about);
    if (names >= 0)
        for (uint32_t i = (uint32_t)names + 1; i < doc->nodes[names].next; i++)
            offer_word(o, i, about);
    if (lsp_schema_has(&o->at, node, "type", "boolean")) {
        offer_plain(o, "true", OFFER_WORD, NULL, "true", 4);
        offer_plain(o, "false", OFFER_WORD, NULL, "false", 5);
    }
    if (lsp_schema_has(&o->at, node, "type", "null"))
        offer_plain(o, "null", OFFER_WORD, NULL, "null", 4);
    if (lsp_schema_has(&o->at, node, "type", "object") && required >= 0 && o->at.cursor.depth > 0)
        offer_object(o, node, (size_t)required);
}

static void offer_values(struct offers *o)
{
    const struct lsp_cursor *c = &o->at.cursor;
    struct lsp_schemas *set = &o->at.set;
    const char *section;
    struct lsp_span after;
    char next = lsp_cursor_next(c, &after);

    o->comma = next != '\0' && !strchr("]},:", next) && c->depth > 0 ? "," : "";
    lsp_schemas_at(&o->at, c->depth, set);
    section = lsp_context_section(&o->at);
    if (section)
        offer_names(o, section);
    for (size_t i = 0; i < set->n; i++)
        offer_value(o, set->node[i]);
    offer_examples(o, set);
}

/* Begins a member: its key, and a colon unless a value follows the cursor already. */
static struct template key_template(const struct offers *o, const char *name, bool snippet)
{
    struct template t = { .snippet = snippet && o->view->settings->snippets };

    template_puts(&t, "\"");
    template_puts(&t, name);
    template_puts(&t, o->key_only ? "\"" : "\": ");
    return t;
}

static void offer_key(struct offers *o, const char *name, size_t value)
{
    struct template t = key_template(o, name, !o->key_only);

    if (!o->key_only)
        template_value(&t, &o->at, value);
    offer(o, name, OFFER_KEY, about_node(o, value), &t);
}

/* True if the object has a key, or the other spelling of Type or Desc was offered. Case matters,
 * except in "type" and "desc". */
static bool is_present(const struct offers *o, const char *name)
{
    const char *text = o->at.cursor.text;
    bool either = strcasecmp(name, "type") == 0 || strcasecmp(name, "desc") == 0;

    for (size_t i = 0; i < o->present_count; i++) {
        struct lsp_span key = o->present[i];

        if (lsp_span_is(text, key, name) ||
            (either && key.end - key.start == 6 && text[key.start] == '"' &&
             strncasecmp(text + key.start + 1, name, 4) == 0))
            return true;
    }
    return (strcmp(name, "Type") == 0 && lsp_has_line(&o->labels, "type")) ||
           (strcmp(name, "Desc") == 0 && lsp_has_line(&o->labels, "desc"));
}

static void offer_members(struct offers *o, const struct lsp_schemas *set)
{
    const struct json_doc *doc = &o->at.doc;

    for (size_t i = 0; i < set->n; i++) {
        ptrdiff_t p = json_doc_member(doc, set->node[i], "properties");
        uint32_t end = p < 0 ? 0 : doc->nodes[p].next;

        for (uint32_t at = (uint32_t)p + 1; at < end; at = doc->nodes[at].next)
            if (!is_present(o, json_doc_key_text(doc, at)))
                offer_key(o, json_doc_key_text(doc, at), at);
    }
}

/* The operator whose tensors the object at the cursor binds: of the dispatchable that a command
 * names, or of the dispatchable itself. */
static const struct op_schema *bound_operator(const struct lsp_cursor *c)
{
    const struct lsp_level *parent = &c->levels[c->depth - 2];
    const struct op_schema *op = NULL;
    struct lsp_span object;
    char *name;

    if (!lsp_member(c, parent->start, "dispatchable", '"', &object))
        return lsp_operator_of(c, parent->start);
    name = lsp_span_string(c->text, object);
    if (name && lsp_member(c, c->levels[0].start, "dispatchables", '{', &object) &&
        lsp_member(c, object.start, name, '{', &object))
        op = lsp_operator_of(c, object.start);
    free(name);
    return op;
}

static void offer_tensors(struct offers *o)
{
    const struct op_schema *op = bound_operator(&o->at.cursor);

    for (const struct field *f = op ? op->fields : op_schema(OP_NONE)->fields; f->name; f++) {
        bool array = f->kind == FIELD_TENSOR_ARRAY;
        struct template t;

        if (!field_is_tensor(f) || is_present(o, f->name))
            continue;
        t = key_template(o, f->name, true);
        if (!o->key_only) {
            template_puts(&t, array ? "[\"" : "\"");
            template_stop(&t, "", 0);
            template_puts(&t, array ? "\"]" : "\"");
        }
        offer(o, f->name, OFFER_KEY, f->about, &t);
    }
}

/* In an empty top object: offers whole documents, which replace its brackets. */
static void offer_documents(struct offers *o, char next, struct lsp_span after)
{
    const struct lsp_cursor *c = &o->at.cursor;
    struct lsp_places *places = &o->view->places;
    struct json_writer edits = { .out = &o->edits, .tight = true };
    struct lsp_schemas set;

    if (c->depth != 1 || (next != '}' && next != '\0') || o->edits.len > 0)
        return; /* an edit before it means that there is a broken member */
    json_open(&edits, NULL, "[]");
    lsp_write_edit(&edits, places, c->levels[0].start, c->word.start, "", 0);
    if (next == '}')
        lsp_write_edit(&edits, places, c->word.end, after.end, "", 0);
    json_close(&edits);
    lsp_schemas_at(&o->at, 0, &set);
    offer_examples(o, &set);
    str_free(&o->edits);
}

static void offer_keys(struct offers *o)
{
    const struct lsp_cursor *c = &o->at.cursor;
    const struct lsp_level *object = &c->levels[c->depth - 1];
    struct lsp_members m = lsp_members(c, object->start);
    struct lsp_schemas *set = &o->at.set;
    struct lsp_span after;
    char next = lsp_cursor_next(c, &after);

    o->key_only = next == ':';
    o->comma = next == '"' ? "," : "";
    while (o->present_count < OFFER_KEYS && lsp_members_next(&m))
        if (m.key.start != c->word.start)
            o->present[o->present_count++] = m.key;
    lsp_schemas_at(&o->at, c->depth - 1, set);
    lsp_schemas_choose(&o->at, object, set);
    if (o->present_count == 0 && !o->key_only)
        offer_documents(o, next, after);
    if (c->depth > 1 && lsp_context_has(&o->at, "/$defs/bindings"))
        offer_tensors(o);
    offer_members(o, set);
}

void lsp_answer_completion(struct json_writer *w, struct lsp_work *v)
{
    const struct document *d = &v->checked->document;
    struct offers o = { .w = w, .view = v, .comma = "" };
    struct json_writer edits = { .out = &o.edits, .tight = true };
    struct lsp_cursor *c = &o.at.cursor;

    if (!lsp_context_begin(&o.at, d->text, d->len, v->start))
        w->out->failed = true;
    c->left_out = c->word.end > c->word.start ? c->word.start : 0;
    if (c->previous > 0) { /* a comma is missing */
        json_open(&edits, NULL, "[]");
        lsp_write_edit(&edits, &v->places, c->previous, c->previous, ",", 1);
        json_close(&edits);
    }
    if (o.at.doc.node_count > 0 && c->at == CURSOR_KEY)
        offer_keys(&o);
    else if (o.at.doc.node_count > 0 && c->at == CURSOR_VALUE)
        offer_values(&o);
    if (o.n > 0)
        json_format(w, "] isIncomplete: %d }", o.cut);
    w->out->failed = w->out->failed || o.edits.failed || o.labels.failed;
    lsp_context_free(&o.at);
    str_free(&o.edits);
    str_free(&o.labels);
}
