#include "model/read.h"

/* Reads dispatchables: operators, whose descriptors desc/ reads, and programs. */

static const char *const also[] = { "bindings", "executionFlags", "dmlCompileType", NULL };

static void read_descriptor(struct model_reader *m, size_t node, struct model_dispatchable *d)
{
    struct findings *fs = m->r.fs;
    size_t errors, bindings = member_node(&m->r, node, also[0]);
    const char *beside[ARRAY_LEN(also)] = { also[0], also[1], also[2], NULL };

    if (!bindings)
        bindings = misspelt_member(&m->r, node, also, 3, 0, RULE_DESC_FIELD_MISSING);
    if (bindings)
        beside[0] = json_doc_key_text(m->r.doc, bindings);
    errors = fs->errors;
    desc_read(&d->values, m->r.doc, node, pointer_of(&m->r, node), beside, &m->opt->desc, fs);
    d->good = fs->errors == errors && d->values.schema;
    if (bindings && d->values.schema && !fs->failed) {
        d->init = read_bindings(m, bindings, d, true);
        check_all_bound(m, bindings, d, d->init, true);
    } else
        check_all_bound(m, node, d, NULL, true);
    for (int i = 1; also[i]; i++)
        check_other_key(m, member_node(&m->r, node, also[i]), also[i]);
}

/* The keys of programs; the first `required` must be there. */
static const struct {
    const char *keys[MAX_KEYS];
    unsigned required;
} programs[] = {
    [PROGRAM_HLSL] = { { "type", "sourcePath", "compilerArgs", "compiler" }, 3 },
    [PROGRAM_ONNX] = { { "type", "sourcePath", "freeDimensionNameOverrides",
                         "freeDimensionDenotationOverrides", "sessionOptionsConfigEntries",
                         "graphOptimizationLevel", "loggingLevel" },
                       2 },
    [PROGRAM_GRAPH] = { { "type", "sourcePath", "executionFlags", "bindings" }, 2 },
};

/* Reads a program: its own keys, as DxDispatch's parser does. */
static void read_program(struct model_reader *m, size_t node, struct model_dispatchable *d)
{
    const char *const *keys = programs[d->program].keys;
    unsigned required = programs[d->program].required;
    size_t n = 0, v[MAX_KEYS];

    while (n < MAX_KEYS && keys[n])
        n++;
    model_members(m, node, keys, n, (1u << required) - 1, program_names[d->program].what, v);
    finding_remedy(report(&m->r, v[0], RULE_DESC_OPERATOR_UNSUPPORTED,
                          "this is %s, which is not checked, except for its keys and the names of "
                          "its resources",
                          program_names[d->program].what));
    for (size_t i = 1; i < n; i++) {
        if (!v[i] && i < required)
            missing_key(&m->r, node, "the dispatchable", keys[i],
                        i == 1 ? "\"a file\"" : "[ ... ]");
        check_other_key(m, v[i], keys[i]);
    }
    if (d->program == PROGRAM_GRAPH && v[n - 1])
        d->init = read_bindings(m, v[n - 1], d, true);
}

void read_dispatchable(struct model_reader *m, size_t node)
{
    struct model_dispatchable *d = &m->model->dispatchables[m->model->dispatchable_count++];
    const char *type = member_text(m, node, "type");

    d->node = node;
    d->name = json_doc_key_text(m->r.doc, node);
    d->program = type ? program_find(type) : PROGRAM_NONE;
    if (d->program)
        read_program(m, node, d);
    else
        read_descriptor(m, node, d);
}
