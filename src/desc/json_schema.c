#include "desc/json_schema.h"

#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "desc/level.h"
#include "desc/schema.h"

extern const struct embedded desc_fragments[];

static const char *fragment_of(const char *name)
{
    return embedded_find(desc_fragments, name);
}

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
                         const char *name,
                         const struct filling fillings[FILLINGS])
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

void schema_write_ref(struct json_writer *w, const char *name)
{
    json_open(w, NULL, "{ }");
    json_stringf(w, "$ref", "#/$defs/%s", name);
    json_close(w);
}

void schema_write_types(struct json_writer *w, unsigned types)
{
    json_open(w, NULL, "{ }");
    json_string(w, "description",
                "The data type of the elements, with or without DML_TENSOR_DATA_TYPE_.");
    json_open(w, "enum", "[]");
    for (int t = DT_NONE + 1; t < DT_COUNT; t++)
        if (types >> t & 1) {
            json_stringf(w, NULL, "DML_TENSOR_DATA_TYPE_%s", dtype_name((enum dtype)t));
            json_string(w, NULL, dtype_name((enum dtype)t));
        }
    json_close(w);
    json_close(w);
}

/* Writes the definition "NAME.TENSOR". */
static void write_tensor(struct json_writer *w, enum op op, const struct field *f)
{
    const struct op_support *s = op_support_at(op, LEVEL_NEWEST);
    bool parameter = field_is_parameter(f);
    char name[96], least[8], most[8];
    struct str types = { 0 };

    snprintf(name, sizeof name, "%s.%s", op_schemas[op].name, f->name);
    snprintf(least, sizeof least, "%u", parameter ? s->param_min_rank : s->min_rank);
    snprintf(most, sizeof most, "%u", parameter ? s->param_max_rank : s->max_rank);
    schema_write_types(&(struct json_writer){ .out = &types },
                       f->role == ROLE_SCALE   ? 1u << DT_FLOAT32
                       : f->role == ROLE_INDEX ? s->index_types
                                               : s->types);
    json_line(w, 4);
    write_filled(w, name, fragment_of("tensor.json"), name, (const struct filling[FILLINGS]){
        { "types", types.s },
        { "flags", fragment_of(f->output ? "output_flags.json" : "input_flags.json") },
        { "least", least },
        { "most", most },
    });
    w->out->failed = w->out->failed || types.failed;
    str_free(&types);
}

/* True if a rule requires the field's numbers to be at least 1. */
static bool is_positive(const struct field *f)
{
    return f->offset == offsetof(struct desc, k) || f->offset == offsetof(struct desc, sizes) ||
           f->offset == offsetof(struct desc, strides);
}

static const char *field_fragment(const struct field *f)
{
    switch (f->kind) {
    case FIELD_TENSOR:
        return f->optional ? "optional_tensor_field.json" : "tensor_field.json";
    case FIELD_UINT:
        return is_positive(f) ? "size.json" : "uint.json";
    case FIELD_UINT_ARRAY:
        return is_positive(f) ? "size_array.json" : "uint_array.json";
    case FIELD_INT_ARRAY:
        return "step_array.json";
    default:
        return "direction.json";
    }
}

/* Adds the operator's fields, as members, and the names of the required ones, as a list. */
static void list_fields(enum op op, struct str *fields, struct str *required)
{
    char name[96];

    for (const struct field *f = op_schemas[op].fields; f->name; f++) {
        struct str about = { 0 };

        json_string(&(struct json_writer){ .out = &about }, NULL, f->about);
        snprintf(name, sizeof name, "%s.%s", op_schemas[op].name, f->name);
        str_puts(fields, fields->len ? ",\n  " : "");
        write_filled(&(struct json_writer){ .out = fields }, f->name,
                     fragment_of(field_fragment(f)), name,
                     (const struct filling[FILLINGS]){ { "about", about.s } });
        fields->failed = fields->failed || about.failed;
        str_free(&about);
        if (f->optional)
            continue;
        str_puts(required, required->len ? ", " : "");
        json_string(&(struct json_writer){ .out = required }, NULL, f->name);
    }
}

void schema_write_operator(struct json_writer *w, enum op op, const char *fragment)
{
    const char *name = op_schemas[op].name;
    struct str fields = { 0 }, required = { 0 };
    struct filling fillings[FILLINGS] = { { NULL, NULL } };
    char key[96];

    for (const struct field *f = op_schemas[op].fields; f->name; f++)
        if (f->kind == FIELD_TENSOR)
            write_tensor(w, op, f);
    list_fields(op, &fields, &required);
    fillings[0] = (struct filling){ "fields", fields.s };
    fillings[1] = (struct filling){ "required", required.s };
    snprintf(key, sizeof key, "%s.fields", name);
    json_line(w, 4);
    write_filled(w, key, fragment_of("fields.json"), name, fillings);
    json_line(w, 4);
    write_filled(w, name, fragment ? fragment : fragment_of("descriptor.json"), name, fillings);
    w->out->failed = w->out->failed || fields.failed || required.failed;
    str_free(&required);
    str_free(&fields);
}
