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
    int first, end; /* descriptors of operators first to end - 1 */
};

static bool find_scope(const char *name, struct scope *s)
{
    static const char prefix[] = "DML_OPERATOR_";

    *s = (struct scope){ .model = true, .first = OP_NONE + 1, .end = OP_COUNT };
    if (*name == '\0')
        return true;
    s->model = strcasecmp(name, "model") == 0;
    if (s->model) {
        s->end = s->first;
        return true;
    }
    if (strcasecmp(name, "descriptor") == 0)
        return true;
    if (strncasecmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        if (strcasecmp(name, op_schemas[op].name) == 0 ||
            strcasecmp(name, op_short_name((enum op)op)) == 0) {
            s->first = op;
            s->end = op + 1;
            return true;
        }
    return false;
}

static void write_top(struct json_writer *w, const struct scope *s)
{
    json_line(w, 2);
    json_open(w, "anyOf", "[ ]");
    for (int op = s->first; op < s->end; op++)
        schema_write_ref(w, op_schemas[op].name);
    if (s->model)
        schema_write_ref(w, "model");
    json_close(w);
}

bool schema_write(struct json_writer *w, const char *name)
{
    struct scope s;

    if (!find_scope(name, &s))
        return false;
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
    for (int op = s.first; !s.model && op < s.end; op++)
        schema_write_operator(w, (enum op)op, NULL);
    if (s.model)
        model_schema_write(w);
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

    if (!schema_write(&w, name))
        return diag_error(dg, ST_USAGE, NULL,
                          "--schema: there is no schema for '%s'; use model, descriptor, slice, "
                          "slice1, top_k, top_k1 or quantized_linear_matrix_multiply",
                          name);
    return print_json(&w, dg);
}
