#include "check/schema.h"

#include <string.h>
#include <strings.h>

#include "cli/print.h"
#include "desc/json_schema.h"
#include "desc/schema.h"
#include "model/model.h"

bool schema_write(struct json_writer *w, const char *name, const struct schema_scope *scope)
{
    bool any = *name == '\0', model = any || strcasecmp(name, "model") == 0;
    struct schema_scope s = { scope->near, scope->op, 0, schema_count() };

    if (!model && strcasecmp(name, "descriptor") != 0) {
        s.first = schema_index(name);
        if (s.first == s.end)
            return false;
        s.end = s.first + 1;
    }
    json_open(w, NULL, "{ }");
    json_line(w, 2);
    json_string(w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_line(w, 2);
    json_string(w, "$comment",
                "dmlop " DMLOP_VERSION
                "; dmlop validate also checks the rules that a schema cannot express");
    json_line(w, 2);
    json_open(w, "anyOf", "[ ]");
    if (any || !model)
        schema_write_refs(w, &s);
    if (model)
        schema_write_ref(w, "model");
    json_close(w);
    json_line(w, 2);
    json_open(w, "$defs", "{ }");
    if (model)
        model_schema_write(w, &s);
    else
        schema_write_operators(w, &s, NULL);
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
