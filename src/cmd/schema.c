#include "cmd/schema.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "desc/json_schema.h"
#include "desc/schema.h"
#include "model/json_schema.h"

/* What a schema accepts. */
struct scope {
    bool model;
    enum op first, last; /* descriptors of these operators; OP_NONE: of none */
};

static bool find_scope(const char *name, struct scope *s)
{
    static const char prefix[] = "DML_OPERATOR_";

    *s = (struct scope){ .model = true, .first = OP_NONE + 1, .last = OP_COUNT - 1 };
    if (*name == '\0')
        return true;
    s->model = strcasecmp(name, "model") == 0;
    if (s->model) {
        s->first = s->last = OP_NONE;
        return true;
    }
    if (strcasecmp(name, "descriptor") == 0)
        return true;
    if (strncasecmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        if (strcasecmp(name, op_schemas[op].name) == 0) {
            s->first = s->last = (enum op)op;
            return true;
        }
    return false;
}

/* The references that the top of the schema is made of. */
static void add_top(struct str *b, const struct scope *s)
{
    const char *comma = "";

    str_puts(b, "  \"anyOf\": [ ");
    for (int op = (int)s->first; op != OP_NONE && op <= (int)s->last; op++, comma = ", ") {
        str_puts(b, comma);
        schema_add_ref(b, op_schemas[op].name);
    }
    if (s->model) {
        str_puts(b, comma);
        schema_add_ref(b, "model");
    }
    str_puts(b, " ],\n");
}

enum status schema_print(const char *name, FILE *out, struct diag *dg)
{
    struct str b = { 0 }, defs = { 0 };
    struct scope s;
    bool failed;

    if (!find_scope(name, &s))
        return diag_error(dg, ST_USAGE, NULL,
                          "--schema: there is none for '%s'; use model, descriptor, slice, slice1, top_k, top_k1 or "
                          "quantized_linear_matrix_multiply", name);
    str_puts(&b, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                 "  \"$comment\": \"dmlop " DMLOP_VERSION "; the rules that a schema cannot say are dmlop validate's\",\n");
    add_top(&b, &s);
    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        if (s.model || (op >= (int)s.first && op <= (int)s.last))
            schema_add_operator(&defs, (enum op)op, s.model ? model_schema_also : ", \"$schema\": { \"type\": \"string\" }");
    if (s.model)
        model_schema_add(&defs);
    str_printf(&b, "  \"$defs\": {%s\n  }\n}\n", defs.s ? defs.s + 1 : ""); /* without the first comma */
    failed = b.failed || defs.failed;
    if (!failed)
        fwrite(b.s, 1, b.len, out);
    str_free(&defs);
    str_free(&b);
    return failed ? diag_nomem(dg) : ST_OK;
}
