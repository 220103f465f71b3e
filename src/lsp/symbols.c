#include "lsp/work.h"
#include "lsp/message.h"
#include "lsp/schema.h"

/* The protocol's SymbolKind. */
enum { KIND_MODULE = 2, KIND_FUNCTION = 12, KIND_VARIABLE = 13, KIND_ARRAY = 18, KIND_EVENT = 24 };

/* Symbols that are being written. A symbol begins after those before it, so places move forward. */
struct outline {
    struct json_writer *w;
    const struct json_doc *doc;
    struct lsp_places *places;
    const struct op_schema *op; /* of a descriptor, whose type may be misspelled; or NULL */
};

/* Opens the symbol of a node; the caller adds children and closes it. */
static void open_symbol(struct outline *o, size_t node, const char *name, const char *detail,
                        int kind)
{
    const struct json_node *n = &o->doc->nodes[node];
    size_t start = n->key == JSON_NO_KEY ? n->start : n->key;
    size_t end = n->key == JSON_NO_KEY ? n->end : json_doc_key_end(o->doc, node);

    json_format(o->w, "{");
    lsp_write_text(o->w, "name", *name ? name : "\"\""); /* which must not be empty */
    if (detail)
        lsp_write_text(o->w, "detail", detail);
    json_int(o->w, "kind", kind);
    lsp_write_range(o->w, "range", o->places, start, n->end);
    lsp_write_range(o->w, "selectionRange", o->places, start, end);
}

/* The string member of an object with that key, or else with the other key, which may be NULL; NULL
 * if there is none. */
static const char *string_member(const struct json_doc *doc, size_t object, const char *key,
                                 const char *other)
{
    const char *text = lsp_string(doc, json_doc_member(doc, object, key));

    return text || !other ? text : string_member(doc, object, other, NULL);
}

/* "UINT8 [1, 1, 2, 3]": type and sizes of a tensor description, as in the text. */
static void tensor_text(const struct json_doc *doc, size_t node, struct str *b)
{
    ptrdiff_t inner = json_doc_member(doc, node, "Desc"), sizes;
    size_t object = inner >= 0 && doc->nodes[inner].type == JSON_OBJECT ? (size_t)inner : node;
    const char *type = string_member(doc, object, "DataType", NULL);

    sizes = json_doc_member(doc, object, "Sizes");
    str_puts(b, type ? type : "");
    if (sizes >= 0) {
        size_t n = doc->nodes[sizes].end - doc->nodes[sizes].start;

        str_puts(b, b->len ? " " : "");
        str_add(b, doc->clean + doc->nodes[sizes].start, n < 100 ? n : 100);
    }
}

static void write_tensor(struct outline *o, size_t node, const char *name)
{
    struct str text = { 0 };

    if (o->doc->nodes[node].type != JSON_OBJECT)
        return;
    tensor_text(o->doc, node, &text);
    open_symbol(o, node, name, text.s ? text.s : "", KIND_ARRAY);
    json_close(o->w);
    str_done(&text, &o->w->out->failed);
}

/* Writes the tensors of an array as "InputTensors[0]" and so on. */
static void write_entries(struct outline *o, size_t array, const char *name)
{
    char entry[64];
    unsigned n = 0;

    for (size_t i = array + 1; i < o->doc->nodes[array].next; i = o->doc->nodes[i].next) {
        snprintf(entry, sizeof entry, "%s[%u]", name, n++);
        write_tensor(o, i, entry);
    }
}

static void write_tensors(struct outline *o, size_t node, const char *type)
{
    const struct json_node *nodes = o->doc->nodes;
    const struct op_schema *op = o->op ? o->op : type ? schema_find(type) : NULL;
    ptrdiff_t fields = json_doc_member(o->doc, node, "desc");

    if (fields < 0)
        fields = json_doc_member(o->doc, node, "Desc");
    if (fields < 0 || nodes[fields].type != JSON_OBJECT)
        fields = (ptrdiff_t)node;
    json_format(o->w, "children: [");
    for (uint32_t i = (uint32_t)fields + 1; i < nodes[fields].next; i = nodes[i].next) {
        const char *name = json_doc_key_text(o->doc, i);
        const struct field *f = op ? schema_field(op, name) : NULL;

        if (f && f->kind == FIELD_TENSOR)
            write_tensor(o, i, name);
        else if (f && f->kind == FIELD_TENSOR_ARRAY && nodes[i].type == JSON_ARRAY)
            write_entries(o, i, name);
    }
    json_close(o->w);
}

/* A section of a model, and the keys of its members' strings that are shown. */
static const struct section {
    const char *name;
    int kind;
    const char *title,
        *untitled;              /* title: NULL: the member's own key; untitled: NULL: the detail */
    const char *detail, *other; /* other: if there is no detail; may be NULL */
} sections[] = {
    { "dispatchables", KIND_FUNCTION, NULL, NULL, "type", "Type" },
    { "resources", KIND_VARIABLE, NULL, "", "initialValuesDataType", NULL },
    { "commands", KIND_EVENT, "type", "command", "dispatchable", "resource" },
};

static void write_member(struct outline *o, size_t node, const struct section *s)
{
    const struct json_node *n = &o->doc->nodes[node];
    const char *detail = string_member(o->doc, node, s->detail, s->other), *title = NULL;
    const char *untitled = s->untitled ? s->untitled : detail ? detail : "descriptor";

    if (s->title)
        title = string_member(o->doc, node, s->title, NULL);
    else if (n->key != JSON_NO_KEY)
        title = json_doc_key_text(o->doc, node);
    open_symbol(o, node, title ? title : untitled, title || s->untitled ? detail : NULL, s->kind);
    if (s->kind == KIND_FUNCTION && n->type == JSON_OBJECT)
        write_tensors(o, node, detail);
    json_close(o->w);
}

void lsp_answer_symbols(struct json_writer *w, struct lsp_work *v)
{
    const struct document *d = &v->checked->document;
    struct outline o = { .w = w, .doc = &d->doc, .places = &v->places };
    const struct json_node *nodes = d->doc.nodes;
    bool model = v->checked->is_model;

    if (!document_is_json(d) || nodes[0].type != JSON_OBJECT)
        return;
    o.op = model ? NULL : v->checked->values.schema;
    json_format(w, "result: [");
    if (!model)
        write_member(&o, 0, &sections[0]); /* a descriptor */
    for (uint32_t i = 1; model && i < nodes[0].next; i = nodes[i].next)
        for (const struct section *s = sections; s < sections + ARRAY_LEN(sections); s++) {
            if (strcmp(json_doc_key_text(o.doc, i), s->name) != 0 || nodes[i].type < JSON_ARRAY)
                continue;
            open_symbol(&o, i, s->name, NULL, KIND_MODULE);
            json_format(w, "children: [");
            for (uint32_t m = i + 1; m < nodes[i].next; m = nodes[m].next)
                write_member(&o, m, s);
            json_format(w, "] }");
        }
    json_close(w);
}

void lsp_answer_definition(struct json_writer *w, struct lsp_work *v)
{
    const struct document *d = &v->checked->document;
    const struct json_doc *doc = &d->doc;
    struct lsp_context s = { .set = { .n = 0 } };
    const struct lsp_cursor *c = &s.cursor;
    ptrdiff_t object = -1, node = -1;
    const char *section = NULL;
    char *name = NULL;

    if (v->checked->is_model && lsp_context_begin(&s, d->text, d->len, v->start) &&
        c->at != CURSOR_NOTHING && c->word.end > c->word.start) {
        lsp_schemas_at(&s, c->depth, &s.set);
        section = lsp_context_section(&s);
    }
    if (section)
        object = json_doc_member(doc, 0, section);
    if (object >= 0 && doc->nodes[object].type == JSON_OBJECT)
        name = lsp_span_string(c->text, c->word);
    if (name)
        node = json_doc_member(doc, (size_t)object, name);
    free(name);
    lsp_context_free(&s);
    if (node < 0)
        return;
    json_format(w, "result: { uri: %s", v->doc->uri);
    lsp_write_range(w, "range", &v->places,
                    json_notation_source(&d->notation, doc->nodes[node].key),
                    json_notation_source(&d->notation, json_doc_key_end(doc, (size_t)node)));
    json_close(w);
}
