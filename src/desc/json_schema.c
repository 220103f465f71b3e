#include "desc/json_schema.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "desc/level.h"
#include "desc/schema.h"

extern const struct embedded desc_fragments[];

static const char *fragment_of(const char *name) { return embedded_find(desc_fragments, name); }

/* The subject of a fragment. */
struct subject {
    const struct op_schema *op;       /* NULL: the operators that are not covered */
    const struct field *field;        /* of op, if the fragment is about a field */
    const struct schema_scope *scope; /* without op */
};

static void add_word(struct str *b, const char *word, const struct subject *s);

/* Adds a fragment with its placeholders replaced. */
static void add_fragment(struct str *b, const char *fragment, const char *name,
                         const struct subject *s)
{
    static const char members[] = ": null";
    char word[16];

    for (const char *p = fragment; *p; p++)
        if (p[0] == '"' && p[1] == '@' && p[2] != '"') {
            size_t n = strcspn(p + 2, "\"");

            snprintf(word, sizeof word, "%.*s", (int)n, p + 2);
            add_word(b, word, s);
            p += n + 2;
            if (strncmp(p + 1, members, sizeof members - 1) == 0)
                p += sizeof members - 1;
        } else if (*p == '@')
            str_puts(b, name);
        else
            str_add(b, p, 1);
}

/* Writes a member whose value is such a text. */
static void write_fragment(struct json_writer *w, const char *key, const char *fragment,
                           const char *name, const struct subject *s)
{
    struct str b = { 0 };

    add_fragment(&b, fragment, name, s);
    json_raw(w, key, b.s ? b.s : "");
    w->out->failed = w->out->failed || b.failed;
    str_free(&b);
}

/* True if operator i is covered in full. */
static bool covers(const struct schema_scope *s, size_t i)
{
    assert(s); /* fragments with names of operators have a scope */
    if (s->near && s->op)
        return strcmp(schema_name(i), s->op->name) == 0;
    return !s->near || op_from_name(schema_name(i)) != OP_NONE;
}

/* Adds the names of the operators that are not covered. */
static void add_names(struct json_writer *w, const struct schema_scope *scope)
{
    json_open(w, NULL, "[]");
    for (size_t i = 0; i < schema_count(); i++)
        if (!covers(scope, i))
            json_stringf(w, NULL, "DML_OPERATOR_%s", schema_name(i));
    json_close(w);
}

void schema_write_ref(struct json_writer *w, const char *name)
{
    json_open(w, NULL, "{ }");
    json_stringf(w, "$ref", "#/$defs/%s", name);
    json_close(w);
}

/* Adds data types (bits 1 << enum dtype) with full and short names. */
static void add_types(struct json_writer *w, unsigned types)
{
    for (int t = DT_NONE + 1; t < DT_COUNT; t++)
        if (types >> t & 1) {
            json_stringf(w, NULL, "DML_TENSOR_DATA_TYPE_%s", dtype_name((enum dtype)t));
            json_string(w, NULL, dtype_name((enum dtype)t));
        }
}

void schema_write_refs(struct json_writer *w, const struct schema_scope *scope)
{
    for (size_t i = scope->first; i < scope->end; i++)
        if (covers(scope, i))
            schema_write_ref(w, schema_name(i));
    if (scope->near)
        schema_write_ref(w, "operator");
}

void schema_write_types(struct json_writer *w, unsigned types)
{
    json_open(w, NULL, "{ }");
    json_string(w, "description",
                "The data type of the elements, with or without DML_TENSOR_DATA_TYPE_.");
    json_open(w, "enum", "[]");
    add_types(w, types);
    json_close(w);
    json_close(w);
}

static const char *field_fragment(const struct field *f)
{
    char file[32];

    if (f->kind == FIELD_TENSOR)
        return fragment_of(f->optional ? "optional_tensor_field.json" : "tensor_field.json");
    if (f->positive)
        return fragment_of(f->kind == FIELD_UINT ? "size.json" : "size_array.json");
    snprintf(file, sizeof file, "%s.json", field_kinds[f->kind]);
    return fragment_of(file);
}

/* Adds the values of an enumeration, with and without prefix; of NULL, the data types. */
static void add_values(struct json_writer *w, const struct enum_schema *e)
{
    json_open(w, NULL, "[]");
    for (size_t i = 0; e && i < e->n; i++)
        json_stringf(w, NULL, "%s%s", e->prefix, e->names[i]);
    for (size_t i = 0; e && i < e->n; i++)
        json_string(w, NULL, e->names[i]);
    if (!e)
        add_types(w, ~0u);
    json_close(w);
}

/* Adds the activations that an operator computes with its own work, with and without prefix. */
static void add_activations(struct json_writer *w, const struct op_schema *op)
{
    json_open(w, NULL, "[]");
    for (size_t i = 0; i < 2 * schema_count(); i++) {
        const struct op_schema *s = schema_at(i % schema_count());

        if (schema_fused_since(op, s) < LEVEL_COUNT)
            json_stringf(w, NULL, "%s%s", i < schema_count() ? "DML_OPERATOR_" : "", s->name);
    }
    json_close(w);
}

/* Adds the operator's fields, as members. */
static void add_fields(struct str *b, const struct op_schema *op)
{
    char name[96];

    for (const struct field *f = op->fields; f->name; f++) {
        snprintf(name, sizeof name, "%s.%s", op->name, f->name);
        str_puts(b, f == op->fields ? "" : ",\n  ");
        write_fragment(&(struct json_writer){ .out = b }, f->name, field_fragment(f), name,
                       &(struct subject){ .op = op, .field = f });
    }
}

/* Adds the names of the required ones, as a list. */
static void add_required(struct str *b, const struct op_schema *op)
{
    const char *comma = "";

    for (const struct field *f = op->fields; f->name; f++)
        if (!f->optional) {
            str_printf(b, "%s\"%s\"", comma, f->name);
            comma = ", ";
        }
}

/* Adds the text of a placeholder. */
static void add_word(struct str *b, const char *word, const struct subject *s)
{
    const struct field *f = s->field;
    const struct op_support *t = f ? schema_support(s->op, f->slot, LEVEL_NEWEST) : NULL;
    struct json_writer w = { .out = b };

    if (strcmp(word, "names") == 0)
        add_names(&w, s->scope);
    else if (strcmp(word, "fields") == 0)
        add_fields(b, s->op);
    else if (strcmp(word, "required") == 0)
        add_required(b, s->op);
    else if (strcmp(word, "about") == 0)
        json_string(&w, NULL, f->about);
    else if (strcmp(word, "types") == 0)
        schema_write_types(&w, t ? t->types : ~0u);
    else if (strcmp(word, "flags") == 0)
        str_puts(b, fragment_of(f->output ? "output_flags.json" : "input_flags.json"));
    else if (strcmp(word, "least") == 0)
        str_printf(b, "%d", t ? t->min_rank : 1);
    else if (strcmp(word, "most") == 0)
        str_printf(b, "%d", t ? t->max_rank : DML_MAX_RANK);
    else if (f->kind == FIELD_ENUM)
        add_values(&w, f->values);
    else
        add_activations(&w, s->op);
}

static void write_operator(struct json_writer *w, const struct op_schema *op, const char *fragment)
{
    struct subject s = { .op = op };
    char name[96];

    for (s.field = op->fields; s.field->name; s.field++)
        if (field_is_tensor(s.field)) {
            snprintf(name, sizeof name, "%s.%s", op->name, s.field->name);
            json_line(w, 4);
            write_fragment(w, name, fragment_of("tensor.json"), name, &s);
        }
    s.field = NULL;
    snprintf(name, sizeof name, "%s.fields", op->name);
    json_line(w, 4);
    write_fragment(w, name, fragment_of("fields.json"), op->name, &s);
    json_line(w, 4);
    write_fragment(w, op->name, fragment ? fragment : fragment_of("descriptor.json"), op->name, &s);
}

void schema_write_operators(struct json_writer *w, const struct schema_scope *scope,
                            const char *fragment)
{
    for (size_t i = scope->first; i < scope->end; i++)
        if (covers(scope, i))
            write_operator(w, schema_at(i), fragment);
    if (!scope->near)
        return;
    json_line(w, 4);
    write_fragment(w, "operator", fragment_of("other_operators.json"), "operator",
                   &(struct subject){ .scope = scope });
}
