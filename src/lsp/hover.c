#include "check/explain.h"
#include "lsp/work.h"
#include "lsp/schema.h"

/* A name from a text as code, so that nothing in it is Markdown. */
static void about_name(struct str *b, const char *name)
{
    enum { MOST = 100 };
    size_t at;

    str_puts(b, "`");
    at = b->len;
    str_add_escaped(b, name, strnlen(name, MOST));
    for (; at < b->len; at++)
        if (b->s[at] == '`')
            b->s[at] = ' ';
    str_puts(b, "`");
}

/* The first feature level of an operator or of a data type in it. */
static void add_level(struct str *b, const char *prefix, const char *name, enum feature_level level)
{
    if (level < LEVEL_COUNT)
        str_printf(b, "%s%s: feature level %s.\n\n", prefix, name, level_names[level]);
    else
        str_printf(b, "%s%s: not at any feature level.\n\n", prefix, name);
}

static void about_operator(struct str *b, const struct op_schema *op)
{
    if (op)
        add_level(b, "DML_OPERATOR_", op->name, op->level);
}

/* Adds "FLOAT32 [2, 3]: 6 elements, TotalTensorSizeInBytes 24, strides [3, 1] (packed)". */
static void add_sizes(struct str *b, const struct tensor_desc *d)
{
    uint64_t count, bytes;
    struct tensor t;

    str_printf(b, "%s ", dtype_name(d->type));
    json_uints(&(struct json_writer){ .out = b }, NULL, d->sizes, d->rank);
    if (tensor_count(d->rank, d->sizes, &count))
        str_printf(b, ": %ju element%s", count, count == 1 ? "" : "s");
    else
        str_puts(b, ": more elements than 64 bits can count");
    if (!tensor_desc_bytes(d, &bytes))
        str_puts(b, ", more bytes than 64 bits can count");
    else if (d->total_size == 0)
        str_printf(b, ", TotalTensorSizeInBytes %ju", bytes);
    else
        str_printf(b, ", TotalTensorSizeInBytes %ju of at least %ju", d->total_size, bytes);
    if (!tensor_desc_view(d, NULL, &t))
        return;
    str_puts(b, ", strides [");
    for (unsigned i = 0; i < t.rank; i++)
        str_printf(b, "%s%jd", i ? ", " : "", t.strides[i]);
    str_puts(b, tensor_is_packed(&t) ? "] (packed)" : "]");
}

static void about_tensor(struct str *b, const struct op_values *v, const struct field *f)
{
    const struct tensor_desc *d = &v->tensor[values_of(v, f)->slot];
    const struct tensor_seen *s = &v->seen[values_of(v, f)->slot];
    bool strides = s->strides.count == 0 ||
                   (s->strides.all && s->strides.count == s->sizes.count); /* well formed */

    if (d->present && d->type != DT_NONE && d->rank > 0 && strides && s->sizes.all &&
        s->sizes.count <= DML_MAX_RANK) {
        add_sizes(b, d);
        str_printf(b, ", flags %s.\n\n",
                   d->flags & TENSOR_FLAG_OWNED_BY_DML ? "OWNED_BY_DML" : "NONE");
    }
    if (d->present && d->type != DT_NONE)
        add_level(b, dtype_name(d->type), " here",
                  schema_since(v->schema, f->slot, 1u << d->type, 0));
}

/* Kind and first feature level of a field; bytes, strides and flags of a tensor. */
static void about_field(struct str *b, const struct op_values *v, const struct field *f)
{
    const char *kind = f->values ? f->values->type : field_kinds[f->kind].type;
    bool each = f->count && strcmp(f->count, "DimensionCount") == 0;

    str_printf(b, "%s%s%s%s.\n\n", kind, each ? ", one per dimension" : "",
               !field_is_tensor(f) ? ""
               : f->output         ? ", output"
                                   : ", input",
               f->optional ? ", optional" : ", required");
    if (f->kind == FIELD_TENSOR && v->field)
        about_tensor(b, v, f);
    about_operator(b, v->schema);
}

static void about_resource(struct str *b, const struct model_resource *r)
{
    static const struct {
        const char *text;
    } forms[] = {
#include "lsp/init_forms_rows.h"
    };

    str_puts(b, "Resource ");
    about_name(b, r->name ? r->name : "");
    str_puts(b, ": ");
    if (r->good)
        str_printf(b, "%ju bytes, ", r->size);
    str_puts(b, forms[r->form].text);
    if (r->good && r->form != INIT_NONE)
        str_printf(b, "; %ju initial values", r->count);
    if (r->good && r->form != INIT_NONE && r->form != INIT_LIST)
        str_printf(b, " of %s", dtype_name(r->type));
    if (r->good && r->offset > 0)
        str_printf(b, " from byte %ju", r->offset);
    str_puts(b, ".\n\n");
}

/* The innermost member that the cursor is in, with indices: "Sizes[2]". */
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

/* The description of the value, or of the array around it. */
static void add_meaning(const struct lsp_context *s, struct str *b)
{
    const struct lsp_cursor *c = &s->cursor;
    const char *about = lsp_schemas_about(s, &s->set);

    for (size_t n = c->depth; !about && n > 0 && !c->levels[n - 1].object; n--) {
        struct lsp_schemas set;

        lsp_schemas_at(s, n - 1, &set);
        about = lsp_schemas_about(s, &set);
    }
    if (about) {
        add_name(b, c);
        str_printf(b, "%s%s\n\n", b->len ? ": " : "", about);
    }
}

/* Facts about the field or operator that the cursor is in, if the descriptor begins at a level. */
static void add_descriptor(const struct lsp_context *s, struct str *b, const struct op_values *v,
                           size_t level)
{
    const struct lsp_cursor *c = &s->cursor;
    bool in_type = lsp_cursor_in(c, level, "type") || lsp_cursor_in(c, level, "Type");
    size_t at = level + (lsp_cursor_in(c, level, "desc") || lsp_cursor_in(c, level, "Desc"));
    bool member = at < c->depth && c->levels[at].object;
    char *name = member ? lsp_span_string(c->text, c->levels[at].key) : NULL;
    const struct field *f = name && v->schema ? schema_field(v->schema, name) : NULL;

    free(name);
    if (f)
        about_field(b, v, f);
    else if (in_type || c->depth == level)
        about_operator(b, v->schema);
}

/* Facts about the resource or dispatchable that the cursor is in or names. */
static void add_model_facts(const struct lsp_context *s, const struct model *m, struct str *b)
{
    const struct lsp_cursor *c = &s->cursor;
    const char *section = lsp_context_section(s);
    bool in_resource = c->depth > 1 && lsp_cursor_in(c, 0, "resources");
    bool in_dispatchable = c->depth > 1 && lsp_cursor_in(c, 0, "dispatchables");
    bool resource = in_resource || (section && strcmp(section, "resources") == 0);
    bool inside = in_resource || (in_dispatchable && !resource);
    char *name = lsp_span_string(c->text, inside ? c->levels[1].key : c->word);

    for (size_t i = 0; resource && name && i < m->resource_count; i++)
        if (m->resources[i].name && strcmp(name, m->resources[i].name) == 0) {
            about_resource(b, &m->resources[i]);
            break;
        }
    for (size_t i = 0; !resource && (in_dispatchable || section) && i < m->dispatchable_count;
         i++) {
        const struct model_dispatchable *d = &m->dispatchables[i];

        if (name && d->name && strcmp(name, d->name) == 0) {
            add_descriptor(s, b, &d->values, in_dispatchable ? 2 : c->depth);
            break;
        }
    }
    free(name);
}

/* Explains the rules of findings at an offset. If the range is empty, it becomes the first
 * finding's. */
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

void lsp_answer_hover(struct json_writer *w, struct lsp_work *v)
{
    const struct checked *checked = v->checked;
    const struct document *d = &checked->document;
    struct str text = { 0 };
    struct lsp_context s;
    struct lsp_span range;

    text.failed = !lsp_context_begin(&s, d->text, d->len, v->start);
    range = s.cursor.word;
    if (!text.failed && s.cursor.at != CURSOR_NOTHING && range.end > range.start) {
        lsp_schemas_at(&s, s.cursor.depth, &s.set);
        add_meaning(&s, &text);
        if (checked->is_model)
            add_model_facts(&s, &checked->model, &text);
        else
            add_descriptor(&s, &text, &checked->values, 0);
    }
    lsp_context_free(&s);
    add_findings(&d->findings, v->start, &text, &range);
    w->out->failed = w->out->failed || text.failed;
    while (text.len > 0 && text.s[text.len - 1] == '\n')
        text.s[--text.len] = '\0';
    if (text.len > 0) {
        json_format(w, "result: { contents: { kind: %s value: %s }", "markdown", text.s);
        lsp_write_range(w, "range", &v->places, range.start, range.end);
        json_close(w);
    }
    str_free(&text);
}
