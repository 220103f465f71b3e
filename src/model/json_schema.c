#include "base/embedded.h"
#include "desc/json_schema.h"
#include "desc/schema.h"
#include "model/model.h"

extern const struct embedded model_fragments[];

static void write_definition(struct json_writer *w, const char *name, const char *file)
{
    json_line(w, 4);
    json_raw(w, name, embedded_find(model_fragments, file));
}

static void write_types(struct json_writer *w)
{
    json_line(w, 4);
    json_open(w, "dataType", "{ }");
    json_open(w, "anyOf", "[ ]");
    json_raw(w, NULL, embedded_find(model_fragments, "unknown_type.json"));
    schema_write_types(w, ~0u);
    json_close(w);
    json_close(w);
}

static void write_dispatchable(struct json_writer *w, const struct schema_scope *scope)
{
    json_line(w, 4);
    json_open(w, "dispatchable", "{ }");
    json_open(w, "anyOf", "[ ]");
    schema_write_refs(w, scope);
    schema_write_ref(w, "program");
    json_close(w);
    json_close(w);
}

void model_schema_write(struct json_writer *w, const struct schema_scope *scope)
{
    schema_write_operators(w, scope, embedded_find(model_fragments, "operator.json"));
    write_types(w);
    write_definition(w, "resourceName", "resource_name.json");
    write_definition(w, "dispatchableName", "dispatchable_name.json");
    write_definition(w, "resource", "resource.json");
    write_definition(w, "binding", "binding.json");
    write_definition(w, "bindings", "bindings.json");
    write_definition(w, "program", "program.json");
    write_dispatchable(w, scope);
    write_definition(w, "command", "command.json");
    write_definition(w, "model", "model.json");
}
