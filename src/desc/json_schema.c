#include "desc/json_schema.h"

#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "desc/level.h"
#include "desc/schema.h"

extern const struct embedded desc_fragments[];

static const char *fragment_of(const char *name) { return embedded_find(desc_fragments, name); }

/* The text that replaces "@word" in a fragment. */
struct filling {
    const char *word, *text;
};

enum { FILLINGS = 4 /* at most */ };

static const char *filling_text(const struct filling f[FILLINGS], const char *word, size_t n)
{
    for (int i = 0; i < FILLINGS && f[i].word; i++)
        if (strlen(f[i].word) == n && memcmp(f[i].word, word, n) == 0)
            return f[i].text ? f[i].text : "";
    return "";
}

/* Writes a member whose value is a fragment with its placeholders replaced. */
static void write_filled(struct json_writer *w, const char *key, const char *fragment,
                         const char *name, const struct filling fillings[FILLINGS])
{
    static const char members[] = ": null";
    struct str b = { 0 };

    for (const char *p = fragment; *p; p++)
        if (p[0] == '"' && p[1] == '@' && p[2] != '"') {
            size_t n = strcspn(p + 2, "\"");

            str_puts(&b, filling_text(fillings, p + 2, n));
            p += n + 2;
            if (strncmp(p + 1, members, sizeof members - 1) == 0)
                p += sizeof members - 1;
        } else if (*p == '@')
            str_puts(&b, name);
        else
            str_add(&b, p, 1);
    json_raw(w, key, b.s ? b.s : "");
    w->out->failed = w->out->failed || b.failed;
    str_free(&b);
}

/* True if operator i is covered in full. */
static bool covers(const struct schema_scope *s, size_t i)
{
    if (s->near && s->op)
        return strcmp(schema_name(i), s->op->name) == 0;
    return !s->near || op_from_name(schema_name(i)) != OP_NONE;
}

/* Writes the definition "operator", which has the names of the operators that are not covered. */
static void write_names(struct json_writer *w, const struct schema_scope *scope)
{
    struct str names = { 0 };
    struct json_writer list = { .out = &names };

    json_open(&list, NULL, "[]");
    for (size_t i = 0; i < schema_count(); i++)
        if (!covers(scope, i))
            json_stringf(&list, NULL, "DML_OPERATOR_%s", schema_name(i));
    json_close(&list);
    json_line(w, 4);
    write_filled(w, "operator", fragment_of("other_operators.json"), "operator",
                 (const struct filling[FILLINGS]){ { "names", names.s } });
    w->out->failed = w->out->failed || names.failed;
    str_free(&names);
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

/* Writes the definition "NAME.TENSOR". */
static void write_tensor(struct json_writer *w, const struct op_schema *op, const struct field *f)
{
    const struct op_support *s = schema_support(op, f->slot, LEVEL_NEWEST);
    char name[96], least[8], most[8];
    struct str types = { 0 };

    snprintf(name, sizeof name, "%s.%s", op->name, f->name);
    snprintf(least, sizeof least, "%d", s ? s->min_rank : 1);
    snprintf(most, sizeof most, "%d", s ? s->max_rank : DML_MAX_RANK);
    schema_write_types(&(struct json_writer){ .out = &types }, s ? s->types : ~0u);
    json_line(w, 4);
    write_filled(w, name, fragment_of("tensor.json"), name,
                 (const struct filling[FILLINGS]){
                     { "types", types.s },
                     { "flags", fragment_of(f->output ? "output_flags.json" : "input_flags.json") },
                     { "least", least },
                     { "most", most },
                 });
    w->out->failed = w->out->failed || types.failed;
    str_free(&types);
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

/* Adds the operator's fields, as members, and the names of the required ones, as a list. */
static void list_fields(const struct op_schema *op, struct str *fields, struct str *required)
{
    char name[96];

    for (const struct field *f = op->fields; f->name; f++) {
        struct str about = { 0 }, values = { 0 };

        json_string(&(struct json_writer){ .out = &about }, NULL, f->about);
        if (f->kind == FIELD_ENUM)
            add_values(&(struct json_writer){ .out = &values }, f->values);
        if (f->kind == FIELD_OPERATOR || f->kind == FIELD_OPERATOR_ARRAY)
            add_activations(&(struct json_writer){ .out = &values }, op);
        snprintf(name, sizeof name, "%s.%s", op->name, f->name);
        str_puts(fields, fields->len ? ",\n  " : "");
        write_filled(
            &(struct json_writer){ .out = fields }, f->name, field_fragment(f), name,
            (const struct filling[FILLINGS]){ { "about", about.s }, { "values", values.s } });
        fields->failed = fields->failed || about.failed || values.failed;
        str_free(&about);
        str_free(&values);
        if (f->optional)
            continue;
        str_puts(required, required->len ? ", " : "");
        json_string(&(struct json_writer){ .out = required }, NULL, f->name);
    }
}

static void write_operator(struct json_writer *w, const struct op_schema *op, const char *fragment)
{
    struct str fields = { 0 }, required = { 0 };
    struct filling fillings[FILLINGS] = { { NULL, NULL } };
    char key[96];

    for (const struct field *f = op->fields; f->name; f++)
        if (field_is_tensor(f))
            write_tensor(w, op, f);
    list_fields(op, &fields, &required);
    fillings[0] = (struct filling){ "fields", fields.s };
    fillings[1] = (struct filling){ "required", required.s };
    snprintf(key, sizeof key, "%s.fields", op->name);
    json_line(w, 4);
    write_filled(w, key, fragment_of("fields.json"), op->name, fillings);
    json_line(w, 4);
    write_filled(w, op->name, fragment ? fragment : fragment_of("descriptor.json"), op->name,
                 fillings);
    w->out->failed = w->out->failed || fields.failed || required.failed;
    str_free(&required);
    str_free(&fields);
}

void schema_write_operators(struct json_writer *w, const struct schema_scope *scope,
                            const char *fragment)
{
    for (size_t i = scope->first; i < scope->end; i++)
        if (covers(scope, i))
            write_operator(w, schema_at(i), fragment);
    if (scope->near)
        write_names(w, scope);
}
