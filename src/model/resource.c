#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/read.h"
#include "model/values.h"

/* The last two are for images, which are not read, and without effect here. */
enum { TYPE_GIVEN, VALUES, SIZE, OFFSET, RESOURCE_KEYS = 6 };

static const char *const resource_keys[] = { "initialValuesDataType", "initialValues",
                                             "sizeInBytes", "initialValuesOffsetInBytes",
                                             "resampleSize", "resampleMode" };

/* The type that initialValuesDataType names; DT_NONE where it is left out or UNKNOWN. False where
 * it is neither. */
static bool read_type_name(struct model_reader *m, ptrdiff_t node, const char *key,
                           enum dtype *type)
{
    size_t mark;
    char *name;
    bool good;

    *type = DT_NONE;
    if (node == NO_NODE)
        return true;
    mark = path_push(&m->r, key);
    name = model_string(m, (size_t)node, "a string that names a data type");
    if (name)
        *type = dtype_from_name(name, false);
    good = name && (*type != DT_NONE || is_unknown_type(name));
    if (name && !good) {
        *type = no_such_type(&m->r, name);
        good = *type != DT_NONE;
    }
    path_pop(&m->r, mark);
    free(name);
    return good;
}

/* Whether the number of an integer type is written so that DxDispatch does not accept it. */
static bool is_unportable(const struct model_reader *m, size_t node, enum dtype type)
{
    const struct json_node *n = &m->r.doc->nodes[node];
    const char *text = m->r.doc->clean + n->start;
    size_t len = n->end - n->start;

    return m->r.fs->opt.portable && dtype_table[type].kind != KIND_FLOAT &&
           n->type == JSON_NUMBER &&
           (memchr(text, '.', len) || memchr(text, 'e', len) || memchr(text, 'E', len));
}

static void not_portable(struct model_reader *m, size_t node, enum dtype type)
{
    const struct json_node *n = &m->r.doc->nodes[node];
    int len = (int)(n->end - n->start < 40 ? n->end - n->start : 40);

    finding_hint(report(&m->r, RULE_PORTABLE_INTEGER,
                        "%.*s is not written as an integer, which DxDispatch requires for %s", len,
                        m->r.doc->clean + n->start, dtype_name(type)),
                 "%s", rule_table[RULE_PORTABLE_INTEGER].remedy);
}

/* Checks that a value fits; its bytes to at[8]. */
static bool read_value(struct model_reader *m, size_t node, enum dtype type, void *at)
{
    const struct json_node *n = &m->r.doc->nodes[node];
    int len = (int)(n->end - n->start < 40 ? n->end - n->start : 40);
    struct finding *f;

    if (value_store(m->r.doc, node, type, at)) {
        if (is_unportable(m, node, type))
            not_portable(m, node, type);
        return true;
    }
    f = report(&m->r, RULE_RUN_VALUE_RANGE, "%.*s is not a value of type %s", len,
               m->r.doc->clean + n->start, dtype_name(type));
    if (dtype_table[type].kind == KIND_FLOAT)
        finding_hint(f,
                     "use a finite number in the range of the type, \"nan\", \"inf\" or \"-inf\"");
    else
        finding_hint(f, "use a whole number, %" PRId64 " to %" PRIu64, dtype_min(type),
                     dtype_max(type));
    return false;
}

static bool read_member_value(struct model_reader *m, ptrdiff_t node, const char *key,
                              enum dtype type)
{
    size_t mark = path_push(&m->r, key);
    unsigned char at[8];
    bool good = read_value(m, (size_t)node, type, at);

    path_pop(&m->r, mark);
    return good;
}

static bool read_array(struct model_reader *m, struct model_resource *res)
{
    const struct json_node *nodes = m->r.doc->nodes;
    size_t at = res->values + 1;
    unsigned char element[8];
    bool good = true;

    res->count = nodes[res->values].count;
    for (uint32_t i = 0; i < nodes[res->values].count; i++, at = nodes[at].next) {
        size_t mark;

        if (value_store(m->r.doc, at, res->type, element) && !is_unportable(m, at, res->type))
            continue;
        mark = path_push_index(&m->r, i);
        good = read_value(m, at, res->type, element) && good;
        path_pop(&m->r, mark);
    }
    return good;
}

/* [ { "name", "type", "value" }, ... ]: values one after the other, without padding. */
static bool read_list(struct model_reader *m, struct model_resource *res, uint64_t *bytes)
{
    static const char *const keys[] = { "name", "type", "value" };
    const struct json_node *nodes = m->r.doc->nodes;
    size_t at = res->values + 1;
    bool good = true;

    *bytes = 0;
    res->count = nodes[res->values].count;
    for (uint32_t i = 0; i < nodes[res->values].count; i++, at = nodes[at].next) {
        size_t mark = path_push_index(&m->r, i), aliases = m->r.fs->context.alias_count;
        struct members v = { { 0 } };
        enum dtype type = DT_NONE;
        bool fine = model_members(m, at, keys, 3, 6, "a value with its type", &v);

        for (int k = 1; k < 3 && fine; k++)
            if (v.node[k] == NO_NODE) {
                model_missing(m, "the value", keys[k], k == 1 ? "\"FLOAT32\"" : "0");
                fine = false;
            }
        fine = fine && read_type_name(m, v.node[1], "type", &type);
        if (fine && type == DT_NONE) {
            finding_hint(report(&m->r, RULE_RUN_INITIAL_TYPE, "the value has no data type"),
                         "give its \"type\"");
            fine = false;
        }
        good = fine && read_member_value(m, v.node[2], "value", type) && good;
        *bytes += type == DT_NONE ? 0 : dtype_size(type); /* of at most 2^30 values */
        findings_unalias(m->r.fs, aliases);
        path_pop(&m->r, mark);
    }
    return good;
}

static bool wrong_form(struct model_reader *m)
{
    finding_hint(report(&m->r, RULE_RUN_INITIAL_VALUES,
                        "the initial values have none of the known forms"),
                 "%s", rule_table[RULE_RUN_INITIAL_VALUES].remedy);
    return false;
}

enum { COUNT_KEY, VALUE_KEY, START_KEY, DELTA_KEY, PATH_KEY, FORM_KEYS };

static const char *const form_keys[] = { "valueCount", "value", "valueStart", "valueDelta",
                                         "sourcePath" };

/* Warns of values of a sequence that do not fit the type: DxDispatch takes them. */
static void check_sequence(struct model_reader *m, const struct model_resource *res,
                           const struct members *v)
{
    unsigned char start[8], delta[8];
    struct finding *f;
    uint64_t fit;
    size_t mark;

    value_store(m->r.doc, (size_t)v->node[START_KEY], res->type, start);
    value_store(m->r.doc, (size_t)v->node[DELTA_KEY], res->type, delta);
    fit = value_steps_in_range(res->type, start, delta, res->count);
    if (fit == res->count)
        return;
    mark = path_push(&m->r, "valueDelta");
    f = report(&m->r, RULE_RUN_SEQUENCE_RANGE,
               "element %" PRIu64 " of the sequence, valueStart + %" PRIu64
               " * valueDelta, does not fit %s",
               fit, fit, dtype_name(res->type));
    finding_hint(f, "use a valueCount of %" PRIu64 " or less, another valueDelta, or another type",
                 fit);
    path_pop(&m->r, mark);
}

/* { valueCount, value } or { valueCount, valueStart, valueDelta }. */
static bool read_generated(struct model_reader *m, struct model_resource *res,
                           const struct members *v)
{
    int64_t count;
    bool good;

    if (v->node[COUNT_KEY] == NO_NODE ||
        (v->node[VALUE_KEY] != NO_NODE) == (v->node[START_KEY] != NO_NODE) ||
        (v->node[START_KEY] == NO_NODE) != (v->node[DELTA_KEY] == NO_NODE))
        return wrong_form(m);
    good = member_integer(m, v->node[COUNT_KEY], "valueCount", 1, INT64_MAX, &count);
    res->count = good ? (uint64_t)count : 0;
    if (v->node[VALUE_KEY] != NO_NODE) {
        res->form = INIT_CONSTANT;
        return read_member_value(m, v->node[VALUE_KEY], "value", res->type) && good;
    }
    res->form = INIT_SEQUENCE;
    good = read_member_value(m, v->node[START_KEY], "valueStart", res->type) && good;
    good = read_member_value(m, v->node[DELTA_KEY], "valueDelta", res->type) && good;
    if (good)
        check_sequence(m, res, v);
    return good;
}

static bool no_type(struct model_reader *m)
{
    finding_hint(report(&m->r, RULE_RUN_INITIAL_TYPE, "the initial values have no data type"),
                 "add \"initialValuesDataType\": \"FLOAT32\", or the type meant");
    return false;
}

static bool read_file(struct model_reader *m, struct model_resource *res, ptrdiff_t node)
{
    size_t mark = path_push(&m->r, "sourcePath");
    char *name = model_string(m, (size_t)node, "the path of a .npy file or a file of raw data");
    bool good = name && source_check(m, res, name);

    path_pop(&m->r, mark);
    free(name);
    return good;
}

/* The initial values at the path, by their form; *bytes is their size. False where that is not
 * known. */
static bool read_initial(struct model_reader *m, struct model_resource *res, uint64_t *bytes)
{
    const struct json_node *nodes = m->r.doc->nodes, *n = &nodes[res->values];
    struct members v;
    bool good;

    if (n->type == JSON_ARRAY && n->count > 0 && nodes[res->values + 1].type == JSON_OBJECT &&
        res->type == DT_NONE) {
        res->form = INIT_LIST;
        return read_list(m, res, bytes);
    }
    if (n->type == JSON_OBJECT) {
        if (!model_members(m, res->values, form_keys, FORM_KEYS, (1u << FORM_KEYS) - 1,
                           "initial values", &v))
            return false;
        if (v.node[PATH_KEY] != NO_NODE) {
            res->form = INIT_FILE;
            good = read_file(m, res, v.node[PATH_KEY]);
        } else
            good = res->type == DT_NONE ? no_type(m) : read_generated(m, res, &v);
    } else if (n->type == JSON_ARRAY) {
        res->form = INIT_ARRAY;
        good = res->type == DT_NONE ? no_type(m) : read_array(m, res);
    } else
        good = wrong_form(m);
    if (good && (!u64_mul(res->count, dtype_size(res->type), bytes) || *bytes > INT64_MAX)) {
        finding_hint(report(&m->r, RULE_RUN_RESOURCE_SIZE,
                            "the initial values take more bytes than 63 bits can count"),
                     "use fewer values");
        return false;
    }
    return good;
}

/* sizeInBytes and what is in it. */
static bool read_sizes(struct model_reader *m, struct model_resource *res, const struct members *v,
                       uint64_t bytes)
{
    int64_t size = 0, offset = 0;
    uint64_t need;
    struct finding *f;

    if (!member_integer(m, v->node[OFFSET], resource_keys[OFFSET], 0, INT64_MAX, &offset) ||
        !member_integer(m, v->node[SIZE], resource_keys[SIZE], 1, INT64_MAX - 3, &size))
        return false;
    res->offset = (uint64_t)offset;
    if (!u64_add(bytes, res->offset, &need) || need > INT64_MAX - 3)
        need = INT64_MAX;
    res->used = v->node[SIZE] != NO_NODE ? (uint64_t)size : need;
    res->size = (res->used + 3) & ~(uint64_t)3;
    if (res->used == 0) {
        finding_hint(report(&m->r, RULE_RUN_RESOURCE_SIZE, "the resource has no bytes"),
                     "give it initial values, or sizeInBytes");
        return false;
    }
    if (need <= res->used && need != INT64_MAX)
        return true;
    path_push(&m->r, resource_keys[v->node[SIZE] != NO_NODE ? SIZE : OFFSET]);
    f = report(&m->r, RULE_RUN_RESOURCE_SIZE,
               "sizeInBytes is %" PRIu64 ", but the initial values end at byte %" PRIu64, res->used,
               need);
    finding_hint(f, "use %" PRIu64 " or more, or leave sizeInBytes out", need);
    if (v->node[SIZE] != NO_NODE && need != INT64_MAX)
        finding_fix(f, path_text(&m->r), AT_VALUE, "%" PRIu64, need);
    return false;
}

/* Reports at the path that a resource has no initial values, which DxDispatch requires. */
static void no_values(struct model_reader *m, enum finding_at at)
{
    if (m->r.fs->opt.portable)
        finding_hint(findings_add(m->r.fs, RULE_PORTABLE_INITIAL_VALUES, path_text(&m->r), at,
                                  "the resource has no initial values, which DxDispatch requires"),
                     "%s", rule_table[RULE_PORTABLE_INITIAL_VALUES].remedy);
}

/* The keys of a resource that are missing where they are misspelt: a type that the initial values
 * bring themselves is not. */
static unsigned needed_keys(const struct model_reader *m, size_t node)
{
    const struct json_node *nodes = m->r.doc->nodes;
    ptrdiff_t values = nodes[node].type == JSON_OBJECT
                           ? json_doc_member(m->r.doc, node, resource_keys[VALUES])
                           : NO_NODE;
    bool typed = values >= 0 &&
                 ((nodes[values].type == JSON_OBJECT &&
                   json_doc_member(m->r.doc, (size_t)values, form_keys[PATH_KEY]) >= 0) ||
                  (nodes[values].type == JSON_ARRAY && nodes[values].count > 0 &&
                   nodes[values + 1].type == JSON_OBJECT));

    return 1u << VALUES | (typed ? 0 : 1u << TYPE_GIVEN);
}

void read_resource(struct model_reader *m, size_t node)
{
    struct model *model = m->model;
    struct model_resource res = { .node = node };
    size_t errors = m->r.fs->errors, mark = m->r.path.len, aliases = m->r.fs->context.alias_count;
    uint64_t bytes = 0;
    struct members v;
    bool good;

    if (!mem_reserve(&model->resources, model->resource_count, &m->resource_cap, sizeof res)) {
        m->r.fs->failed = true;
        return;
    }
    good = model_members(m, node, resource_keys, RESOURCE_KEYS, needed_keys(m, node), "a resource",
                         &v) &&
           read_type_name(m, v.node[TYPE_GIVEN], resource_keys[TYPE_GIVEN], &res.type);
    if (good && v.node[VALUES] != NO_NODE) {
        res.values = (size_t)v.node[VALUES];
        path_push(&m->r, resource_keys[VALUES]);
        good = read_initial(m, &res, &bytes);
        if (good && res.count == 0)
            no_values(m, AT_VALUE);
        path_pop(&m->r, mark);
    } else if (good && v.node[SIZE] == NO_NODE) {
        model_missing(m, "the resource", "initialValues", "[ ... ]");
        good = false;
    } else if (good)
        no_values(m, AT_OPENING);
    if (good)
        good = read_sizes(m, &res, &v, bytes);
    path_pop(&m->r, mark);
    if (res.type == DT_NONE && res.form == INIT_NONE)
        res.type = DT_UINT8;
    findings_unalias(m->r.fs, aliases);
    res.good = good && m->r.fs->errors == errors;
    res.name = model_key(m, node);
    model->resources[model->resource_count++] = res;
}
