#include "check/schema.h"

#include "cli/print.h"

extern const char check_fragments[];

struct definitions {
    struct schema_scope scope;
    size_t first, end; /* operators first to end - 1 of schema_at */
    bool descriptors, model;
};

struct subject {
    const struct definitions *all; /* NULL: op alone */
    const struct op_schema *op;    /* NULL: no operator */
    const struct field *field;     /* of op, if the fragment is about a field */
};

static void add_word(struct str *b, const char *word, const struct subject *s, unsigned indent);

/* Adds a fragment with its placeholders replaced. Its lines after the first are indented. */
static void add_fragment(struct str *b, const char *file, const char *name, const struct subject *s,
                         unsigned indent)
{
    static const char members[] = ": null";
    char word[16];

    for (const char *p = embedded_find(check_fragments, file); *p; p++)
        if (p[0] == '"' && p[1] == '@' && p[2] != '"') {
            size_t n = strcspn(p + 2, "\"");

            snprintf(word, sizeof word, "%.*s", (int)n, p + 2);
            add_word(b, word, s, indent);
            p += n + 2;
            if (strncmp(p + 1, members, sizeof members - 1) == 0)
                p += sizeof members - 1;
        } else if (*p == '@')
            str_puts(b, name);
        else if (*p == '\n')
            str_printf(b, "\n%*s", (int)indent, "");
        else
            str_add(b, p, 1);
}

/* True if operator i is covered in full. */
static bool covers(const struct definitions *d, size_t i)
{
    assert(d); /* fragments with names of operators have definitions */
    if (d->scope.near && d->scope.op)
        return strcmp(schema_name(i), d->scope.op->name) == 0;
    return !d->scope.near || op_from_name(schema_name(i)) != OP_NONE;
}

static void add_names(struct json_writer *w, const struct definitions *d)
{
    json_open(w, NULL, "[]");
    for (size_t i = 0; i < schema_count(); i++)
        if (!covers(d, i))
            json_stringf(w, NULL, "DML_OPERATOR_%s", schema_name(i));
    json_close(w);
}

static void add_ref(struct json_writer *w, const char *name)
{
    json_open(w, NULL, "{ }");
    json_stringf(w, "$ref", "#/$defs/%s", name);
    json_close(w);
}

/* Adds references to the operators, if wanted, and to another definition, unless that is NULL. */
static void add_refs(struct json_writer *w, const struct definitions *d, bool operators,
                     const char *other)
{
    json_open(w, NULL, "[ ]");
    for (size_t i = d->first; i < d->end && operators; i++)
        if (covers(d, i))
            add_ref(w, schema_name(i));
    if (operators && d->scope.near)
        add_ref(w, "operator");
    if (other)
        add_ref(w, other);
    json_close(w);
}

/* Adds data types (bits 1 << enum dtype) with full and short names. */
static void add_types(struct json_writer *w, unsigned types)
{
    json_open(w, NULL, "[]");
    for (int t = DT_NONE + 1; t < DT_COUNT; t++)
        if (types >> t & 1) {
            json_stringf(w, NULL, "DML_TENSOR_DATA_TYPE_%s", dtype_name((enum dtype)t));
            json_string(w, NULL, dtype_name((enum dtype)t));
        }
    json_close(w);
}

static void add_values(struct json_writer *w, const struct enum_schema *e)
{
    json_open(w, NULL, "[]");
    for (size_t i = 0; i < 2 * e->n; i++)
        json_stringf(w, NULL, "%s%s", i < e->n ? e->prefix : "", e->names[i % e->n]);
    json_close(w);
}

/* Adds the activations that an operator computes with its own work, with and without prefix. */
static void add_activations(struct json_writer *w, const struct op_schema *op)
{
    json_open(w, NULL, "[]");
    for (size_t i = 0; i < 2 * schema_count(); i++) {
        const struct op_schema *s = schema_at(i % schema_count());

        if (schema_fused(op, s))
            json_stringf(w, NULL, "%s%s", i < schema_count() ? "DML_OPERATOR_" : "", s->name);
    }
    json_close(w);
}

static void add_fields(struct str *b, const struct op_schema *op, unsigned indent)
{
    char name[96], file[32];

    for (const struct field *f = op->fields; f->name; f++) {
        const char *kind = field_kinds[f->kind].name;

        if (f->kind == FIELD_TENSOR)
            kind = f->optional ? "optional_tensor_field" : "tensor_field";
        else if (f->positive)
            kind = f->kind == FIELD_UINT ? "size" : "size_array";
        snprintf(file, sizeof file, "%s.json", kind);
        snprintf(name, sizeof name, "%s.%s", op->name, f->name);
        if (f > op->fields)
            str_printf(b, ",\n%*s", (int)indent + 2, "");
        str_printf(b, "\"%s\": ", f->name);
        add_fragment(b, file, name, &(struct subject){ .op = op, .field = f }, indent);
    }
}

static void add_required(struct str *b, const struct op_schema *op)
{
    const char *comma = "";

    for (const struct field *f = op->fields; f->name; f++)
        if (!f->optional) {
            str_printf(b, "%s\"%s\"", comma, f->name);
            comma = ", ";
        }
}

/* Begins a definition, a member on a line of its own. */
static void begin_definition(struct str *b, const char *name, const char *suffix, unsigned indent)
{
    if (b->len > 0 && b->s[b->len - 1] == '}')
        str_printf(b, ",\n%*s", (int)indent, "");
    str_printf(b, "\"%s%s\": ", name, suffix);
}

/* Adds the definitions "NAME.TENSOR" of an operator's tensors, "NAME.fields", and "NAME" of its
 * descriptor in all accepted spellings, which has a fragment of that file. NAME has no prefix. */
static void add_operator(struct str *b, const struct op_schema *op, const char *file,
                         unsigned indent)
{
    struct subject s = { .op = op };
    char name[96];

    for (s.field = op->fields; s.field->name; s.field++)
        if (field_is_tensor(s.field)) {
            snprintf(name, sizeof name, "%s.%s", op->name, s.field->name);
            begin_definition(b, name, "", indent);
            add_fragment(b, "tensor.json", name, &s, indent);
        }
    s.field = NULL;
    begin_definition(b, op->name, ".fields", indent);
    add_fragment(b, "fields.json", op->name, &s, indent);
    begin_definition(b, op->name, "", indent);
    add_fragment(b, file, op->name, &s, indent);
}

/* Adds the definitions of operators and, if wanted, of models, members of one fragment. */
static void add_definitions(struct str *b, const struct definitions *d, unsigned indent)
{
    const struct subject s = { .all = d };

    for (size_t i = d->first; i < d->end; i++)
        if (covers(d, i))
            add_operator(b, schema_at(i), d->model ? "dispatchable.json" : "descriptor.json",
                         indent);
    if (d->scope.near) {
        begin_definition(b, "operator", "", indent);
        add_fragment(b, "other_operators.json", "operator", &s, indent);
    }
    if (d->model) {
        str_printf(b, ",\n%*s", (int)indent, "");
        add_fragment(b, "model.json", "", &s, indent);
    }
}

static void add_word(struct str *b, const char *word, const struct subject *s, unsigned indent)
{
    const struct field *f = s->field;
    const struct op_support *t = f ? schema_support(s->op, f->slot, LEVEL_NEWEST) : NULL;
    const struct definitions *d = s->all;
    struct json_writer w = { .out = b };

    if (d && strcmp(word, "roots") == 0)
        add_refs(&w, d, d->descriptors, d->model ? "model" : NULL);
    else if (d && strcmp(word, "definitions") == 0)
        add_definitions(b, d, indent + 4);
    else if (d && strcmp(word, "dispatchables") == 0)
        add_refs(&w, d, true, "program");
    else if (d && strcmp(word, "names") == 0)
        add_names(&w, d);
    else if (strcmp(word, "fields") == 0)
        add_fields(b, s->op, indent);
    else if (strcmp(word, "required") == 0)
        add_required(b, s->op);
    else if (strcmp(word, "about") == 0)
        json_string(&w, NULL, f->about);
    else if (strcmp(word, "types") == 0)
        add_types(&w, t ? t->types : ~0u);
    else if (strcmp(word, "flags") == 0)
        add_fragment(b, f->output ? "output_flags.json" : "input_flags.json", "", s, indent);
    else if (strcmp(word, "least") == 0)
        str_printf(b, "%d", t ? t->min_rank : 1);
    else if (strcmp(word, "most") == 0)
        str_printf(b, "%d", t ? t->max_rank : DML_MAX_RANK);
    else if (f->kind != FIELD_ENUM)
        add_activations(&w, s->op);
    else if (f->values)
        add_values(&w, f->values);
    else
        add_types(&w, ~0u);
}

bool schema_write(struct json_writer *w, const char *name, const struct schema_scope *scope)
{
    bool any = *name == '\0', model = strcasecmp(name, "model") == 0;
    struct definitions d = { *scope, 0, schema_count(), any || !model, any || model };
    struct str b = { 0 };

    if (!d.model && strcasecmp(name, "descriptor") != 0) {
        d.first = schema_index(name);
        if (d.first == d.end)
            return false;
        d.end = d.first + 1;
    }
    add_fragment(&b, "file.json", DMLOP_VERSION, &(struct subject){ .all = &d }, 0);
    json_raw(w, NULL, b.s ? b.s : "");
    str_done(&b, &w->out->failed);
    return true;
}

enum status schema_print(const char *name, struct diag *dg)
{
    struct str b = { 0 };
    struct json_writer w = { .out = &b };

    if (!schema_write(&w, name, &(struct schema_scope){ .near = false }))
        return diag_usage(dg,
                          "--schema: there is no schema for '%s'; use model, descriptor or an "
                          "operator, such as slice1 or gemm",
                          name);
    return print_json(&w, dg);
}
