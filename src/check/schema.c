#include "check/schema.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "cli/print.h"
#include "desc/json_schema.h"
#include "desc/schema.h"
#include "model/model.h"

/* A name without "DML_OPERATOR_" and '_', in lower case. */
static void plain_name(const char *name, char out[64])
{
    static const char prefix[] = "dmloperator";
    size_t n = 0;

    for (; *name && n < 63; name++)
        if (*name != '_')
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = '\0';
    if (strncmp(out, prefix, sizeof prefix - 1) == 0)
        memmove(out, out + sizeof prefix - 1, n - (sizeof prefix - 1) + 1);
}

int schema_op(const char *name)
{
    char wanted[64], full[64];
    int op = OP_NONE + 1;

    plain_name(name, wanted);
    if (strcmp(wanted, "model") == 0)
        return OP_NONE;
    for (; op < OP_COUNT; op++) {
        plain_name(op_schemas[op].name, full);
        if (strcmp(wanted, full) == 0 || strcmp(wanted, op_short_name((enum op)op)) == 0)
            break;
    }
    return op;
}

/* The files that a schema describes. */
struct scope {
    bool model;
    int first, end; /* descriptors of operators first to end - 1 */
};

static bool find_scope(const char *name, struct scope *s)
{
    int op = schema_op(name);

    *s = (struct scope){ .model = true, .first = OP_NONE + 1, .end = OP_COUNT };
    if (*name == '\0')
        return true;
    s->model = op == OP_NONE;
    if (strcasecmp(name, "descriptor") == 0)
        return true;
    s->first = op;
    s->end = s->model ? op : op + 1;
    return op < OP_COUNT;
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
