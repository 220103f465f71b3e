#include "model/read.h"
#include "model/values.h"

enum { TYPE_GIVEN, VALUES, SIZE, OFFSET, RESAMPLE_SIZE, RESOURCE_KEYS = 6 };

static const char *const resource_keys[] = { "initialValuesDataType", "initialValues",
                                             "sizeInBytes",           "initialValuesOffsetInBytes",
                                             "resampleSize",          "resampleMode" };

/* Checks a value of the type. False, with a finding, if it does not fit. */
static bool read_value(struct model_reader *m, size_t node, enum dtype type)
{
    unsigned char at[8];
    const struct json_node *n = &m->r.doc->nodes[node];
    const char *text = m->r.doc->clean + n->start;
    int len = (int)(n->end - n->start < 40 ? n->end - n->start : 40);
    struct finding *f;

    if (value_store(m->r.doc, node, type, at)) {
        portable_number(&m->r, node, type);
        return true;
    }
    f = report(&m->r, node, RULE_RUN_VALUE_RANGE, "%.*s is not a value of type %s", len, text,
               dtype_name(type));
    if (dtype_table[type].kind == KIND_FLOAT)
        return finding_hint(
            f, "use a finite number in the range of the type, \"nan\", \"inf\" or \"-inf\"");
    return finding_hint(f, "use a whole number, %jd to %ju", dtype_min(type), dtype_max(type));
}

/* Reads { "name", "type", "value" } and adds its size to *bytes. */
static bool read_list_value(struct model_reader *m, size_t node, uint64_t *bytes)
{
    static const char *const keys[] = { "name", "type", "value" };
    size_t v[ARRAY_LEN(keys)];
    enum dtype type;

    if (!model_members(m, node, keys, ARRAY_LEN(keys), 6, "a value with its type", v))
        return false;
    if (!v[1])
        return missing_key(&m->r, node, "the value", "type", "\"FLOAT32\"");
    if (!v[2])
        return missing_key(&m->r, node, "the value", "value", "0");
    if (!read_type_name(&m->r, v[1], &type))
        return false;
    if (type == DT_NONE)
        return finding_hint(
            report(&m->r, node, RULE_RUN_INITIAL_TYPE, "the value has no data type"),
            "give its \"type\"");
    if (type == DT_FLOAT16)
        finding_remedy(report(&m->r, node, RULE_PORTABLE_NAME,
                              "DxDispatch does not accept FLOAT16 in a list of values with types"));
    *bytes += dtype_size(type); /* cannot overflow: there are at most 2^30 values */
    return read_value(m, v[2], type);
}

/* Reads an array of values, or a list: its values, without padding between them, have types of
 * their own, and *bytes is their size. */
static bool read_array(struct model_reader *m, struct model_resource *res, uint64_t *bytes)
{
    const struct json_node *nodes = m->r.doc->nodes;
    bool good = true;

    res->count = nodes[res->values].count;
    for (size_t at = res->values + 1; at < nodes[res->values].next; at = nodes[at].next)
        good = (res->form == INIT_LIST ? read_list_value(m, at, bytes)
                                       : read_value(m, at, res->type)) &&
               good;
    return good;
}

static bool wrong_form(struct model_reader *m, const struct model_resource *res)
{
    return finding_remedy(report(&m->r, res->values, RULE_RUN_INITIAL_VALUES,
                                 "the initial values have none of the known forms"));
}

enum { COUNT_KEY, VALUE_KEY, START_KEY, DELTA_KEY, PATH_KEY, FORM_KEYS };

static const char *const form_keys[] = { "valueCount", "value", "valueStart", "valueDelta",
                                         "sourcePath" };

/* Warns of values of a sequence that do not fit the type, which DxDispatch accepts. */
static void check_sequence(struct model_reader *m, const struct model_resource *res,
                           const size_t v[])
{
    unsigned char start[8], delta[8];
    struct finding *f;
    uint64_t fit;

    value_store(m->r.doc, v[START_KEY], res->type, start);
    value_store(m->r.doc, v[DELTA_KEY], res->type, delta);
    fit = value_steps_in_range(res->type, start, delta, res->count);
    if (fit == res->count)
        return;
    f = report(&m->r, v[DELTA_KEY], RULE_RUN_SEQUENCE_RANGE,
               "element %ju of the sequence, valueStart + %ju * valueDelta, does not fit %s", fit,
               fit, dtype_name(res->type));
    finding_hint(f, "use a valueCount of %ju or less, another valueDelta, or another type", fit);
}

/* { valueCount, value } or { valueCount, valueStart, valueDelta }. */
static bool read_generated(struct model_reader *m, struct model_resource *res, const size_t v[])
{
    int64_t count;
    bool good;

    if (!v[COUNT_KEY] || !v[VALUE_KEY] == !v[START_KEY] || !v[START_KEY] != !v[DELTA_KEY])
        return wrong_form(m, res);
    good = member_integer(m, v[COUNT_KEY], 1, INT64_MAX, &count);
    res->count = good ? (uint64_t)count : 0;
    if (res->count > UINT32_MAX)
        finding_hint(report(&m->r, v[COUNT_KEY], RULE_PORTABLE_VALUE_COUNT,
                            "valueCount is %ju, which DxDispatch does not accept", res->count),
                     "use 4294967295 or less");
    if (v[VALUE_KEY]) {
        res->form = INIT_CONSTANT;
        return read_value(m, v[VALUE_KEY], res->type) && good;
    }
    res->form = INIT_SEQUENCE;
    good = read_value(m, v[START_KEY], res->type) && good;
    good = read_value(m, v[DELTA_KEY], res->type) && good;
    if (good)
        check_sequence(m, res, v);
    return good;
}

static bool no_type(struct model_reader *m, const struct model_resource *res)
{
    return finding_hint(
        report(&m->r, res->values, RULE_RUN_INITIAL_TYPE, "the initial values have no data type"),
        "add \"initialValuesDataType\": \"FLOAT32\", or the type meant");
}

/* Reads the initial values in any form; *bytes is their size. False if they have an error. */
static bool read_initial(struct model_reader *m, struct model_resource *res, uint64_t *bytes)
{
    const struct json_node *nodes = m->r.doc->nodes, *n = &nodes[res->values];
    const char *name;
    size_t v[MAX_KEYS];
    bool good;

    if (n->type == JSON_ARRAY && n->count > 0 && nodes[res->values + 1].type == JSON_OBJECT &&
        res->type == DT_NONE) {
        res->form = INIT_LIST;
        return read_array(m, res, bytes);
    }
    if (n->type == JSON_OBJECT) {
        if (!model_members(m, res->values, form_keys, FORM_KEYS, (1u << FORM_KEYS) - 1,
                           "initial values", v))
            return false;
        if (v[PATH_KEY]) {
            res->form = INIT_FILE;
            name = string_text(&m->r, v[PATH_KEY], "the path of a .npy file or a file of raw data");
            good = name && check_separators(m, v[PATH_KEY], name, false) &&
                   source_check(m, v[PATH_KEY], res, name);
        } else
            good = res->type == DT_NONE ? no_type(m, res) : read_generated(m, res, v);
    } else if (n->type == JSON_ARRAY) {
        res->form = INIT_ARRAY;
        good = res->type == DT_NONE ? no_type(m, res) : read_array(m, res, bytes);
    } else if (n->type == JSON_STRING) {
        res->form = INIT_DEFERRED;
        return strcmp(json_doc_text(m->r.doc, res->values), "deferred") == 0 || wrong_form(m, res);
    } else
        good = wrong_form(m, res);
    if (good && (!u64_mul(res->count, dtype_size(res->type), bytes) || *bytes > INT64_MAX))
        return finding_hint(report(&m->r, res->values, RULE_RUN_RESOURCE_SIZE,
                                   "the initial values take more bytes than 63 bits can count"),
                            "use fewer values");
    return good;
}

/* Reads sizeInBytes and the offset of the initial values, which have `bytes` bytes. */
static bool read_sizes(struct model_reader *m, struct model_resource *res, const size_t v[],
                       uint64_t bytes)
{
    int64_t size = 0, offset = 0;
    uint64_t need;
    struct finding *f;

    if (!member_integer(m, v[OFFSET], 0, INT64_MAX, &offset) ||
        !member_integer(m, v[SIZE], 1, INT64_MAX - 3, &size))
        return false;
    res->offset = (uint64_t)offset;
    if (!u64_add(bytes, res->offset, &need) || need > INT64_MAX - 3)
        need = INT64_MAX;
    res->used = v[SIZE] ? (uint64_t)size : need;
    res->size = (res->used + 3) & ~(uint64_t)3;
    if (res->used == 0)
        return finding_hint(
            report(&m->r, res->node, RULE_RUN_RESOURCE_SIZE, "the resource has no bytes"),
            "give it initial values, or sizeInBytes");
    if (need <= res->used && need != INT64_MAX)
        return true;
    f = report(&m->r,
               v[SIZE]     ? v[SIZE]
               : v[OFFSET] ? v[OFFSET]
                           : res->node,
               RULE_RUN_RESOURCE_SIZE, "sizeInBytes is %ju, but the initial values end at byte %ju",
               res->used, need);
    finding_hint(f, "use %ju or more, or leave sizeInBytes out", need);
    if (v[SIZE] && need != INT64_MAX)
        finding_fix(f, "%ju", need);
    return false;
}

/* Reports that a resource has no initial values, which DxDispatch requires. */
static void no_values(struct model_reader *m, size_t node, enum finding_at at)
{
    finding_remedy(findings_add(m->r.fs, RULE_PORTABLE_INITIAL_VALUES, pointer_of(&m->r, node), at,
                                "the resource has no initial values, which DxDispatch requires"));
}

static bool read_members(struct model_reader *m, size_t node, struct model_resource *res)
{
    const struct json_node *nodes = m->r.doc->nodes;
    size_t values = member_node(&m->r, node, resource_keys[VALUES]), v[MAX_KEYS];
    bool list = nodes[values].type == JSON_ARRAY && nodes[values].count > 0 &&
                nodes[values + 1].type == JSON_OBJECT;
    /* files and lists have types of their own */
    bool typed = values && (list || member_node(&m->r, values, form_keys[PATH_KEY])), good;
    unsigned needed = 1u << VALUES | (typed ? 0 : 1u << TYPE_GIVEN);
    uint64_t bytes = 0;

    if (!model_members(m, node, resource_keys, RESOURCE_KEYS, needed, "a resource", v) ||
        (v[TYPE_GIVEN] && !read_type_name(&m->r, v[TYPE_GIVEN], &res->type)))
        return false;
    if (v[VALUES]) {
        res->values = v[VALUES];
        res->resample = v[RESAMPLE_SIZE];
        good = read_initial(m, res, &bytes);
        if (good && res->count == 0 && res->form != INIT_DEFERRED)
            no_values(m, res->values, AT_VALUE);
        if (!good || res->form == INIT_DEFERRED)
            return false;
    } else if (v[SIZE])
        no_values(m, node, AT_OPENING);
    else
        return missing_key(&m->r, node, "the resource", "initialValues", "[ ... ]");
    return read_sizes(m, res, v, bytes);
}

void read_resource(struct model_reader *m, size_t node)
{
    struct model_resource *res = &m->model->resources[m->model->resource_count++];
    size_t errors = m->r.fs->errors;
    bool good;

    res->node = node;
    good = read_members(m, node, res);
    if (res->type == DT_NONE && res->form == INIT_NONE)
        res->type = DT_UINT8;
    res->good = good && m->r.fs->errors == errors;
    res->name = json_doc_key_text(m->r.doc, node);
}
