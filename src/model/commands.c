#include "base/path.h"
#include "model/read.h"
#include "os/file.h"

/* The last key is for shaders and has no effect here. */
enum { TYPE, DISPATCHABLE, BINDINGS, RESOURCE, VERBOSE, TARGET_PATH, DIMENSIONS, COMMAND_KEYS = 8 };

static const char *const command_keys[] = { "type",       "dispatchable",    "bindings",
                                            "resource",   "verbose",         "targetPath",
                                            "dimensions", "threadGroupCount" };
static const char *const type_names[] = { "dispatch", "print", "writeFile" };
static const struct enumeration types = {
    "command", "", type_names, 3, RULE_RUN_COMMAND_UNKNOWN, "use dispatch, print or writeFile"
};

static void read_dispatch(struct model_reader *m, size_t node, const size_t v[],
                          struct model_command *c)
{
    const struct model_dispatchable *d;

    if (!v[DISPATCHABLE]) {
        missing_key(&m->r, node, "the dispatch", "dispatchable", "\"a dispatchable\"");
        return;
    }
    c->target = find_member(m, v[DISPATCHABLE], &m->dispatchables);
    if (c->target == m->model->dispatchable_count)
        return;
    d = &m->model->dispatchables[c->target];
    check_other_key(m, v[COMMAND_KEYS - 1], command_keys[COMMAND_KEYS - 1]);
    if (v[BINDINGS])
        c->bindings = read_bindings(m, v[BINDINGS], d, false);
    else if (d->program)
        missing_key(&m->r, node, "the dispatch", "bindings", "{ ... }");
    check_all_bound(m, v[BINDINGS] ? v[BINDINGS] : node, d, c->bindings, false);
    if (c->bindings)
        check_overlap(m, v[BINDINGS], d, c->bindings);
}

/* The resource that a print or writeFile names; NULL, with a finding, if there is none. */
static const struct model_resource *read_target(struct model_reader *m, size_t node,
                                                const size_t v[], const char *what,
                                                struct model_command *c)
{
    if (!v[RESOURCE]) {
        missing_key(&m->r, node, what, "resource", "\"a resource\"");
        return NULL;
    }
    c->target = find_member(m, v[RESOURCE], &m->resources);
    if (c->target == m->model->resource_count)
        return NULL;
    check_deferred(m, v[RESOURCE], &m->model->resources[c->target], false);
    return &m->model->resources[c->target];
}

static void read_print(struct model_reader *m, size_t node, const size_t v[],
                       struct model_command *c)
{
    uint8_t verbose = m->r.doc->nodes[v[VERBOSE]].type;

    read_target(m, node, v, "the print", c);
    c->verbose = v[VERBOSE] && verbose == JSON_TRUE;
    if (v[VERBOSE] && verbose != JSON_TRUE && verbose != JSON_FALSE)
        wrong_type(&m->r, v[VERBOSE], "true or false");
}

/* True if a path may lead out of its folder: it is absolute or has a part "..". */
static bool leads_outside(const char *path)
{
    if (*path == '/')
        return true;
    for (const char *p = path; p; p = strchr(p, '/'), p = p ? p + 1 : NULL)
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0'))
            return true;
    return false;
}

bool check_separators(struct model_reader *m, size_t node, const char *path, bool inside)
{
    bool drive = ((*path >= 'A' && *path <= 'Z') || (*path >= 'a' && *path <= 'z')) &&
                 path[1] == ':' && (path[2] == '\\' || path[2] == '/');
    struct str fixed = { 0 };
    struct finding *f;

    if (drive ? !inside && os_path_root(path) > 0 : !strchr(path, '\\'))
        return true;
    f = report(&m->r, node, RULE_RUN_PATH_WINDOWS,
               drive ? "'%s' begins with a drive letter of Windows"
                     : "'%s' has a backslash, which separates folders on Windows only",
               path);
    for (const char *p = path; *p && !drive; p++)
        str_add(&fixed, *p == '\\' ? "/" : p, 1);
    if (drive)
        finding_hint(f, "write a relative path with '/'");
    else if (fixed.s && inside && leads_outside(fixed.s))
        finding_hint(f, "write a path inside the output folder, with '/'");
    else if (fixed.s) {
        finding_hint(f, "write %s, which Windows takes too", fixed.s);
        finding_fix_string(f, "%s", fixed.s);
    }
    str_done(&fixed, &m->r.fs->failed);
    return false;
}

/* Checks a writeFile's path; `mixed`: the values have several types. */
static void check_path(struct model_reader *m, size_t node, const char *path, bool mixed)
{
    struct finding *f;

    if (!check_separators(m, node, path, !m->opt->allow_outside))
        return;
    if (!m->opt->allow_outside && leads_outside(path)) {
        f = report(&m->r, node, RULE_RUN_PATH_OUTSIDE, "'%s' may lie outside the output folder",
                   path);
        finding_hint(f,
                     "use a path inside the folder, without '..', or run it with --allow-outside");
    }
    check_file_type(m, node, path, true);
    if (mixed && (path_has_extension(path, ".npy") || path_has_extension(path, ".json")))
        finding_remedy(report(&m->r, node, RULE_RUN_FILE_TYPE,
                              "'%s' holds values of one type, but the resource has several", path));
}

/* Reads dimensions and compares them with the resource's elements. An image may have fewer. */
static void read_dimensions(struct model_reader *m, size_t node, const struct model_resource *res,
                            struct model_command *c)
{
    const struct json_node *nodes = m->r.doc->nodes;
    uint64_t count = 1, have = res->type == DT_NONE ? 0 : res->used / dtype_size(res->type);
    bool good = true, image = c->path && path_is_image(c->path);
    struct finding *f;

    if (nodes[node].type != JSON_ARRAY || nodes[node].count == 0 ||
        nodes[node].count > TENSOR_MAX_RANK) {
        wrong_type(&m->r, node, "an array of 1 to 32 sizes");
        return;
    }
    for (uint32_t i = 0; i < nodes[node].count && good; i++) {
        int64_t size = 0;

        good = read_integer(&m->r, node + 1 + i, 1, UINT32_MAX, &size);
        c->sizes[i] = (uint64_t)size;
        count = u64_mul_most(count, c->sizes[i]);
    }
    c->rank = nodes[node].count;
    if (!good || !res->good || res->type == DT_NONE || count == have || (image && count < have))
        return;
    f = report(&m->r, node, RULE_RUN_DIMENSIONS,
               "the product of the dimensions is %ju, but '%s' has %ju element%s of %s", count,
               res->name, have, have == 1 ? "" : "s", dtype_name(res->type));
    finding_hint(f, "use dimensions whose product is %ju%s", have, image ? " or less" : "");
}

static void read_write_file(struct model_reader *m, size_t node, const size_t v[],
                            struct model_command *c)
{
    const struct model_resource *res = read_target(m, node, v, "the writeFile", c);

    if (!v[TARGET_PATH])
        missing_key(&m->r, node, "the writeFile", "targetPath", "\"result.npy\"");
    else
        c->path = string_text(&m->r, v[TARGET_PATH], "the path of the file");
    if (c->path)
        check_path(m, v[TARGET_PATH], c->path, res && res->good && res->type == DT_NONE);
    if (v[DIMENSIONS] && res)
        read_dimensions(m, v[DIMENSIONS], res, c);
}

void read_command(struct model_reader *m, size_t node)
{
    static void (*const read[])(struct model_reader *, size_t, const size_t[],
                                struct model_command *) = { read_dispatch, read_print,
                                                            read_write_file };
    static const unsigned needed[] = { 1u << DISPATCHABLE | 1u << BINDINGS, 1u << RESOURCE,
                                       1u << RESOURCE | 1u << TARGET_PATH, 0 };
    struct model_command *c = &m->model->commands[m->model->command_count];
    const char *name = member_text(m, node, command_keys[TYPE]);
    size_t type = name ? name_index(name, type_names, types.n, strcasecmp) : types.n;
    size_t v[MAX_KEYS];

    if (!model_members(m, node, command_keys, COMMAND_KEYS, 1u << TYPE | needed[type], "a command",
                       v))
        return;
    if (!v[TYPE]) {
        missing_key(&m->r, node, "the command", "type", "\"dispatch\"");
        return;
    }
    name = string_text(&m->r, v[TYPE], "dispatch, print or writeFile");
    type = name ? name_index(name, type_names, types.n, strcasecmp) : types.n;
    if (name && type == types.n)
        type = unknown_name(&m->r, v[TYPE], &types, name);
    if (type == types.n)
        return;
    c->type = (enum command_type)(COMMAND_DISPATCH + type);
    m->model->command_count++;
    read[type](m, node, v, c);
}
