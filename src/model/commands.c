#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/path.h"
#include "model/read.h"

/* Keys of a dispatchable that are not its descriptor's. */
static const char *const also[] = { "bindings", "executionFlags", "dmlCompileType", NULL };

/* The bindings of a dispatchable, or NO_NODE. Their key, owned by the caller, is reported and taken
 * for "bindings" where it surely is that misspelt. */
static ptrdiff_t find_bindings(struct model_reader *m, size_t node, char **key)
{
    const struct json_node *nodes = m->r.doc->nodes;
    size_t at = node + 1;

    *key = NULL;
    if (nodes[node].type != JSON_OBJECT)
        return NO_NODE;
    for (uint32_t i = 0; i < nodes[node].count; i++, at = nodes[at].next) {
        *key = model_key(m, at);
        if (*key && strcmp(*key, also[0]) == 0)
            return (ptrdiff_t)at;
        if (*key && meant_key(&m->r, node, *key, also, 3) == 0) {
            misspelt_key(&m->r, RULE_DESC_FIELD_MISSING, *key, also[0]);
            return (ptrdiff_t)at;
        }
        free(*key);
        *key = NULL;
    }
    return NO_NODE;
}

void read_dispatchable(struct model_reader *m, size_t node)
{
    struct model *model = m->model;
    struct model_dispatchable d = { .node = node };
    struct findings *fs = m->r.fs;
    size_t errors, mark = m->r.path.len, aliases = fs->context.alias_count;
    char *key;
    ptrdiff_t bindings;
    const char *beside[ARRAY_LEN(also)] = { NULL, also[1], also[2], NULL };
    struct desc_seen seen;
    struct desc desc;

    if (!mem_reserve(&model->dispatchables, model->dispatchable_count, &m->dispatchable_cap,
                     sizeof d)) {
        fs->failed = true;
        return;
    }
    bindings = find_bindings(m, node, &key);
    beside[0] = key ? key : also[0];
    errors = fs->errors;
    desc_read(&desc, &seen, m->r.doc, node, path_text(&m->r), beside, &m->opt->desc, fs);
    free(key);
    d.name = model_key(m, node);
    d.op = desc.op;
    if (fs->errors == errors && desc.op != OP_NONE) {
        d.desc = mem_alloc(1, sizeof desc);
        if (d.desc)
            *d.desc = desc;
        else
            fs->failed = true;
    }
    if (bindings >= 0 && desc.op != OP_NONE && d.name) {
        path_push(&m->r, "bindings");
        d.init = read_bindings(m, (size_t)bindings, &d, true);
    }
    if (d.name)
        check_all_bound(m, &d, d.init, true);
    path_pop(&m->r, mark);
    findings_unalias(fs, aliases);
    model->dispatchables[model->dispatchable_count++] = d;
}

/* The last one is for shaders, and without effect here. */
enum { TYPE, DISPATCHABLE, BINDINGS, RESOURCE, VERBOSE, TARGET_PATH, DIMENSIONS, COMMAND_KEYS = 8 };

static const char *const command_keys[] = { "type",    "dispatchable", "bindings",   "resource",
                                            "verbose", "targetPath",   "dimensions",
                                            "threadGroupCount" };
static const char *const types[] = { "dispatch", "print", "writeFile" };

static void read_dispatch(struct model_reader *m, const struct members *v, struct model_command *c)
{
    const struct model_dispatchable *d;
    size_t mark;

    if (v->node[DISPATCHABLE] == NO_NODE) {
        model_missing(m, "the dispatch", "dispatchable", "\"a dispatchable\"");
        return;
    }
    mark = path_push(&m->r, "dispatchable");
    c->target = find_dispatchable(m, (size_t)v->node[DISPATCHABLE]);
    path_pop(&m->r, mark);
    if (c->target == m->model->dispatchable_count)
        return;
    d = &m->model->dispatchables[c->target];
    if (v->node[BINDINGS] != NO_NODE) {
        mark = path_push(&m->r, "bindings");
        c->bindings = read_bindings(m, (size_t)v->node[BINDINGS], d, false);
    }
    check_all_bound(m, d, c->bindings, false);
    if (c->bindings)
        check_overlap(m, d, c->bindings);
    path_pop(&m->r, mark);
}

/* The resource that a print or writeFile names. */
static struct model_resource *read_target(struct model_reader *m, const struct members *v,
                                          const char *what, struct model_command *c)
{
    size_t mark;

    if (v->node[RESOURCE] == NO_NODE) {
        model_missing(m, what, "resource", "\"a resource\"");
        return NULL;
    }
    mark = path_push(&m->r, "resource");
    c->target = find_resource(m, (size_t)v->node[RESOURCE]);
    path_pop(&m->r, mark);
    return c->target < m->model->resource_count ? &m->model->resources[c->target] : NULL;
}

static void read_print(struct model_reader *m, const struct members *v, struct model_command *c)
{
    const struct json_node *nodes = m->r.doc->nodes;

    read_target(m, v, "the print", c);
    if (v->node[VERBOSE] == NO_NODE)
        return;
    c->verbose = nodes[v->node[VERBOSE]].type == JSON_TRUE;
    if (!c->verbose && nodes[v->node[VERBOSE]].type != JSON_FALSE) {
        size_t mark = path_push(&m->r, "verbose");

        wrong_type(&m->r, (size_t)v->node[VERBOSE], "true or false");
        path_pop(&m->r, mark);
    }
}

/* Whether a path leads out of the folder that it begins in, by its words alone. */
static bool leads_outside(const char *path)
{
    if (*path == '/')
        return true;
    for (const char *p = path; p; p = strchr(p, '/'), p = p ? p + 1 : NULL)
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0'))
            return true;
    return false;
}

/* `mixed`: the values have several types. */
static void check_path(struct model_reader *m, const char *path, bool mixed)
{
    struct finding *f;

    if (!m->opt->allow_outside && leads_outside(path)) {
        f = report(&m->r, RULE_RUN_PATH_OUTSIDE, "'%s' may lie outside the output folder", path);
        finding_hint(f,
                     "use a path inside the folder, without '..', or run it with --allow-outside");
    }
    check_file_type(m, path, true);
    if (mixed && (path_has_extension(path, ".npy") || path_has_extension(path, ".json")))
        finding_hint(report(&m->r, RULE_RUN_FILE_TYPE,
                            "'%s' holds values of one type, but the resource has several", path),
                     "use another extension, such as .bin, for raw data");
}

/* The dimensions at the path, against the resource's elements. */
static void read_dimensions(struct model_reader *m, size_t node, const struct model_resource *res,
                            struct model_command *c)
{
    const struct json_node *nodes = m->r.doc->nodes;
    uint64_t count = 1, have = res->type == DT_NONE ? 0 : res->used / dtype_size(res->type);
    struct finding *f;
    bool good = true;

    if (nodes[node].type != JSON_ARRAY || nodes[node].count == 0 ||
        nodes[node].count > TENSOR_MAX_RANK) {
        wrong_type(&m->r, node, "an array of 1 to 32 sizes");
        return;
    }
    for (uint32_t i = 0; i < nodes[node].count && good; i++) {
        size_t mark = path_push_index(&m->r, i);
        int64_t size = 0;

        good = read_integer(&m->r, node + 1 + i, 1, UINT32_MAX, &size);
        c->sizes[i] = (uint64_t)size;
        if (good && !u64_mul(count, c->sizes[i], &count))
            count = UINT64_MAX;
        path_pop(&m->r, mark);
    }
    c->rank = nodes[node].count;
    if (!good || !res->good || res->type == DT_NONE || count == have)
        return;
    f = report(&m->r, RULE_RUN_DIMENSIONS,
               "the product of the dimensions is %" PRIu64 ", but '%s' has %" PRIu64
               " element%s of %s",
               count, res->name, have, have == 1 ? "" : "s", dtype_name(res->type));
    finding_hint(f, "use dimensions whose product is %" PRIu64, have);
}

static void read_write_file(struct model_reader *m, const struct members *v,
                            struct model_command *c)
{
    const struct model_resource *res = read_target(m, v, "the writeFile", c);
    size_t mark;

    if (v->node[TARGET_PATH] == NO_NODE)
        model_missing(m, "the writeFile", "targetPath", "\"result.npy\"");
    else {
        mark = path_push(&m->r, "targetPath");
        c->path = model_string(m, (size_t)v->node[TARGET_PATH], "the path of the file");
        if (c->path)
            check_path(m, c->path, res && res->good && res->type == DT_NONE);
        path_pop(&m->r, mark);
    }
    if (v->node[DIMENSIONS] == NO_NODE || !res)
        return;
    mark = path_push(&m->r, "dimensions");
    read_dimensions(m, (size_t)v->node[DIMENSIONS], res, c);
    path_pop(&m->r, mark);
}

static enum command_type read_command_type(struct model_reader *m, const struct members *v)
{
    enum command_type type = COMMAND_NONE;
    size_t mark;
    char *name;

    if (v->node[TYPE] == NO_NODE) {
        model_missing(m, "the command", "type", "\"dispatch\"");
        return COMMAND_NONE;
    }
    mark = path_push(&m->r, "type");
    name = model_string(m, (size_t)v->node[TYPE], "dispatch, print or writeFile");
    for (int i = 0; name && i < 3; i++)
        if (strcasecmp(name, types[i]) == 0)
            type = (enum command_type)(COMMAND_DISPATCH + i);
    if (name && type == COMMAND_NONE) {
        size_t meant = unknown_name(&m->r, RULE_RUN_COMMAND_UNKNOWN, "command", name, "", types, 3,
                                    "use dispatch, print or writeFile");

        type = meant < 3 ? (enum command_type)(COMMAND_DISPATCH + meant) : COMMAND_NONE;
    }
    path_pop(&m->r, mark);
    free(name);
    return type;
}

/* The keys that a command must have, by its type. */
static unsigned needed_keys(struct model_reader *m, size_t node)
{
    static const unsigned by_type[] = { 1u << DISPATCHABLE | 1u << BINDINGS, 1u << RESOURCE,
                                        1u << RESOURCE | 1u << TARGET_PATH };
    bool object = m->r.doc->nodes[node].type == JSON_OBJECT;
    ptrdiff_t type = object ? json_doc_member(m->r.doc, node, command_keys[TYPE]) : NO_NODE;
    unsigned needed = 1u << TYPE;
    char *name = NULL;

    if (type >= 0 && m->r.doc->nodes[type].type == JSON_STRING) {
        name = json_doc_string(m->r.doc, (size_t)type);
        m->r.fs->failed = m->r.fs->failed || !name;
    }
    for (size_t i = 0; name && i < ARRAY_LEN(types); i++)
        if (strcasecmp(name, types[i]) == 0)
            needed |= by_type[i];
    free(name);
    return needed;
}

void read_command(struct model_reader *m, size_t node)
{
    struct model *model = m->model;
    struct model_command c = { 0 };
    size_t aliases = m->r.fs->context.alias_count;
    struct members v;

    if (!mem_reserve(&model->commands, model->command_count, &m->command_cap, sizeof c)) {
        m->r.fs->failed = true;
        return;
    }
    if (!model_members(m, node, command_keys, COMMAND_KEYS, needed_keys(m, node), "a command", &v))
        return;
    c.type = read_command_type(m, &v);
    if (c.type == COMMAND_DISPATCH)
        read_dispatch(m, &v, &c);
    else if (c.type == COMMAND_PRINT)
        read_print(m, &v, &c);
    else if (c.type == COMMAND_WRITE_FILE)
        read_write_file(m, &v, &c);
    findings_unalias(m->r.fs, aliases);
    model->commands[model->command_count++] = c;
}
