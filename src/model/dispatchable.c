#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "model/read.h"

/* Reads dispatchables: operators, whose descriptors desc/ reads, and programs. */

/* Keys of a dispatchable beside those of its descriptor. */
static const char *const also[] = { "bindings", "executionFlags", "dmlCompileType", NULL };

/* The node of a dispatchable's bindings, or 0, and their key, owned by the caller. A key that is
 * certainly "bindings" misspelt is reported. */
static size_t find_bindings(struct model_reader *m, size_t node, char **key)
{
    const struct json_node *nodes = m->r.doc->nodes;
    size_t at = node + 1;

    *key = NULL;
    if (nodes[node].type != JSON_OBJECT)
        return 0;
    for (uint32_t i = 0; i < nodes[node].count; i++, at = nodes[at].next) {
        *key = read_key(&m->r, at);
        if (*key && strcmp(*key, also[0]) == 0)
            return at;
        if (*key && meant_key(&m->r, node, *key, also, 3) == 0) {
            misspelt_key(&m->r, RULE_DESC_FIELD_MISSING, *key, also[0]);
            return at;
        }
        free(*key);
        *key = NULL;
    }
    return 0;
}

/* Reads an operator with its bindings. */
static void read_descriptor(struct model_reader *m, size_t node, struct model_dispatchable *d)
{
    const struct json_node *nodes = m->r.doc->nodes;
    struct findings *fs = m->r.fs;
    size_t errors, bindings;
    const char *beside[ARRAY_LEN(also)] = { also[0], also[1], also[2], NULL };
    struct desc_text text;
    char *key;

    bindings = find_bindings(m, node, &key);
    if (key)
        beside[0] = key;
    errors = fs->errors;
    desc_read(&text, m->r.doc, node, path_text(&m->r), beside, &m->opt->desc, fs);
    free(key);
    d->values = text.values;
    d->good = fs->errors == errors && d->values.schema;
    if (d->good && text.desc.op != OP_NONE) {
        d->desc = mem_alloc(1, sizeof *d->desc);
        if (d->desc)
            *d->desc = text.desc;
        else
            fs->failed = true;
    }
    if (bindings && d->values.schema && d->name && !fs->failed) {
        path_push(&m->r, "bindings");
        d->init = read_bindings(m, bindings, d, true);
        check_all_bound(m, d, d->init, true);
        path_pop(&m->r);
    } else if (d->name)
        check_all_bound(m, d, NULL, true);
    for (int i = 1; nodes[node].type == JSON_OBJECT && also[i]; i++) {
        ptrdiff_t at = json_doc_member(m->r.doc, node, also[i]);

        check_ignored(m, at < 0 ? 0 : (size_t)at, also[i]);
    }
}

/* What the value of a program's key must be. OTHER is checked elsewhere. */
enum value { OTHER, A_STRING, A_COMPILER, A_UINT, STRINGS, UINTS_BY_NAME, STRINGS_BY_NAME };

/* As DxDispatch's parser reads them. */
static const struct {
    const char *keys[MAX_KEYS]; /* the first `required` must be there */
    enum value values[MAX_KEYS];
    unsigned required;
} programs[] = {
    [PROGRAM_HLSL] = { { "type", "sourcePath", "compilerArgs", "compiler" },
                       { OTHER, A_STRING, STRINGS, A_COMPILER },
                       3 },
    [PROGRAM_ONNX] = { { "type", "sourcePath", "freeDimensionNameOverrides",
                         "freeDimensionDenotationOverrides", "sessionOptionsConfigEntries",
                         "graphOptimizationLevel", "loggingLevel" },
                       { OTHER, A_STRING, UINTS_BY_NAME, UINTS_BY_NAME, STRINGS_BY_NAME, A_UINT,
                         A_UINT },
                       2 },
    [PROGRAM_GRAPH] = { { "type", "sourcePath", "executionFlags", "bindings" },
                        { OTHER, A_STRING, OTHER, OTHER },
                        2 },
};

static void check_string(struct model_reader *m, size_t node, bool compiler)
{
    static const char *const names[] = { "dxc" };
    static const struct enumeration compilers = { "compiler", "", names, 1, RULE_DESC_ENUM_UNKNOWN,
                                                  "use dxc" };
    char *text = read_string(&m->r, node, "a string");

    if (text && compiler && strcasecmp(text, names[0]) != 0)
        unknown_name(&m->r, &compilers, text);
    free(text);
}

/* Checks the value at the path, and those in it. */
static void check_value(struct model_reader *m, size_t node, enum value value)
{
    const struct json_node *nodes = m->r.doc->nodes;
    bool array = value == STRINGS;
    size_t at = node + 1;
    int64_t number;

    if (value == A_UINT)
        read_integer(&m->r, node, 0, UINT32_MAX, &number);
    else if (value == A_STRING || value == A_COMPILER)
        check_string(m, node, value == A_COMPILER);
    if (value < STRINGS)
        return;
    if (nodes[node].type != (array ? JSON_ARRAY : JSON_OBJECT)) {
        wrong_type(&m->r, node,
                   array                    ? "an array of strings"
                   : value == UINTS_BY_NAME ? "an object of names and integers"
                                            : "an object of names and strings");
        return;
    }
    for (uint32_t i = 0; i < nodes[node].count && !m->r.fs->failed; i++, at = nodes[at].next) {
        char *key = array ? NULL : read_key(&m->r, at);

        if (array)
            path_push_index(&m->r, i);
        else
            path_push(&m->r, key ? key : "");
        check_value(m, at, value == UINTS_BY_NAME ? A_UINT : A_STRING);
        path_pop(&m->r);
        free(key);
    }
}

/* Warns, once, that the program itself is not read. */
static void not_checked(struct model_reader *m, size_t type, enum program program)
{
    path_push(&m->r, "type");
    if (type)
        finding_remedy(report(&m->r, RULE_DESC_OPERATOR_UNSUPPORTED,
                              "this is %s, which is not checked, except for its keys and the "
                              "names of its resources",
                              program_names[program].what));
    path_pop(&m->r);
}

/* Reads a program: its own keys, as DxDispatch's parser does. */
static void read_program(struct model_reader *m, size_t node, struct model_dispatchable *d)
{
    const char *const *keys = programs[d->program].keys;
    unsigned required = programs[d->program].required;
    size_t n = 0, v[MAX_KEYS];

    while (n < MAX_KEYS && keys[n])
        n++;
    model_members(m, node, keys, n, (1u << required) - 1, program_names[d->program].what, v);
    not_checked(m, v[0], d->program);
    for (size_t i = 1; i < n; i++) {
        if (!v[i] && i < required)
            missing_key(&m->r, "the dispatchable", keys[i],
                        programs[d->program].values[i] == A_STRING ? "\"a file\"" : "[ ... ]");
        if (!v[i])
            continue;
        check_ignored(m, v[i], keys[i]);
        path_push(&m->r, keys[i]);
        check_value(m, v[i], programs[d->program].values[i]);
        if (strcmp(keys[i], also[0]) == 0)
            d->init = read_bindings(m, v[i], d, true);
        path_pop(&m->r);
    }
}

/* The program that the type of the value names. */
static enum program program_of(struct model_reader *m, size_t node)
{
    const struct json_node *nodes = m->r.doc->nodes;
    enum program program = PROGRAM_NONE;
    ptrdiff_t type = -1;
    char *name;

    if (nodes[node].type == JSON_OBJECT)
        type = json_doc_member(m->r.doc, node, "type");
    if (type < 0 && nodes[node].type == JSON_OBJECT)
        type = json_doc_member(m->r.doc, node, "Type");
    if (type < 0 || nodes[type].type != JSON_STRING)
        return PROGRAM_NONE;
    name = read_string(&m->r, (size_t)type, "");
    if (name)
        program = program_find(name);
    free(name);
    return program;
}

void read_dispatchable(struct model_reader *m, size_t node)
{
    struct model_dispatchable *d = &m->model->dispatchables[m->model->dispatchable_count++];

    d->node = node;
    d->name = read_key(&m->r, node);
    d->program = program_of(m, node);
    if (d->program)
        read_program(m, node, d);
    else
        read_descriptor(m, node, d);
}
