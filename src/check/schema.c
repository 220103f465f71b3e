#include "check/schema.h"

#include <string.h>
#include <strings.h>

#include "cli/print.h"
#include "desc/json_schema.h"
#include "desc/schema.h"
#include "model/model.h"

/* The files that a schema describes. */
struct scope {
    bool model;
    size_t first, end; /* descriptors of operators first to end - 1 */
    const struct schema_scope *scope;
};

static bool find_scope(const char *name, struct scope *s)
{
    *s = (struct scope){ .model = true, .first = 0, .end = schema_count() };
    if (*name == '\0')
        return true;
    s->model = strcasecmp(name, "model") == 0;
    if (s->model) {
        s->end = s->first;
        return true;
    }
    if (strcasecmp(name, "descriptor") == 0)
        return true;
    s->first = schema_index(name);
    s->end = s->first + 1;
    return s->first < schema_count();
}

static void write_top(struct json_writer *w, const struct scope *s)
{
    json_line(w, 2);
    json_open(w, "anyOf", "[ ]");
    for (size_t i = s->first; i < s->end; i++)
        if (schema_covers(s->scope, i))
            schema_write_ref(w, schema_name(i));
    if (s->scope->near && s->end > s->first)
        schema_write_ref(w, "operator");
    if (s->model)
        schema_write_ref(w, "model");
    json_close(w);
}

bool schema_write(struct json_writer *w, const char *name, const struct schema_scope *scope)
{
    struct scope s;

    if (!find_scope(name, &s))
        return false;
    s.scope = scope;
    json_open(w, NULL, "{ }");
    json_line(w, 2);
    json_string(w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_line(w, 2);
    json_string(w, "$comment",
                "dmlop " DMLOP_VERSION
                "; dmlop validate also checks the rules that a schema cannot express");
    write_top(w, &s);
    json_line(w, 2);
    json_open(w, "$defs", "{ }");
    for (size_t i = s.first; !s.model && i < s.end; i++)
        if (schema_covers(scope, i))
            schema_write_operator(w, schema_at(i), NULL);
    if (!s.model && scope->near)
        schema_write_names(w, scope);
    if (s.model)
        model_schema_write(w, scope);
    json_line(w, 2);
    json_close(w);
    json_line(w, 0);
    json_close(w);
    return true;
}

enum status schema_print(const char *name, struct diag *dg)
{
    struct str b = { 0 };
    struct json_writer w = { .out = &b };

    if (!schema_write(&w, name, &(struct schema_scope){ .near = false }))
        return diag_error(dg, ST_USAGE, NULL,
                          "--schema: there is no schema for '%s'; use model, descriptor or an "
                          "operator, such as slice1 or gemm",
                          name);
    return print_json(&w, dg);
}
