#include "base/mem.h"
#include "model/read.h"

enum { POINTER = 128, BUFFER_ALIGNMENT = 16 /* DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT */ };

/* The keys from "format" on are for programs and have no effect here. */
enum { NAME, ELEMENT_OFFSET, ELEMENT_COUNT, ELEMENT_SIZE, FORMAT, COUNTER, BINDING_KEYS = 9 };

static const char *const binding_keys[] = {
    "name",    "elementOffset",      "elementCount", "elementSizeInBytes", "format",
    "counter", "counterOffsetBytes", "shape",        "resampleSize",
};

/* The bytes of a resource that a binding of d selects; only the resource if d has no operator. */
struct bound_range {
    const struct model_dispatchable *d;
    size_t resource; /* index */
    uint64_t offset, length;
};

/* Selects the whole resource that a string names; false, with a finding, if there is none. */
static bool whole_resource(struct model_reader *m, size_t node, struct bound_range *p)
{
    struct model_resource *res;

    p->resource = find_member(m, node, &m->resources);
    if (p->resource == m->model->resource_count)
        return false;
    res = &m->model->resources[p->resource];
    if (p->d->program == PROGRAM_ONNX)
        res->made = true;
    else
        check_deferred(m, node, res, true);
    p->offset = 0;
    p->length = res->size;
    return true;
}

static bool past_end(struct model_reader *m, size_t node, const struct model_resource *res)
{
    return finding_hint(report(&m->r, node, RULE_RUN_BINDING_SIZE,
                               "the binding goes past the end of '%s', which has %ju bytes",
                               res->name, res->size),
                        "use a part inside the resource");
}

/* Reads { name, elementOffset, elementCount, elementSizeInBytes }. */
static bool read_range(struct model_reader *m, size_t node, struct bound_range *p)
{
    int64_t offset = 0, count = 0, size = 0, *const numbers[] = { &offset, &count, &size };
    const struct model_resource *res;
    size_t v[MAX_KEYS];
    uint64_t bytes;
    bool good;

    if (!model_members(m, node, binding_keys, BINDING_KEYS, 1u << NAME, "a binding", v))
        return false;
    if (!v[NAME])
        return missing_key(&m->r, node, "the binding", "name", "\"a resource\"");
    good = whole_resource(m, v[NAME], p);
    for (int i = 0; i < 3; i++)
        good = member_integer(m, v[ELEMENT_OFFSET + i], 0, INT64_MAX, numbers[i]) && good;
    for (int i = FORMAT; i < BINDING_KEYS; i++)
        check_other_key(m, v[i], binding_keys[i]);
    if (v[COUNTER])
        find_member(m, v[COUNTER], &m->resources);
    if (!good)
        return false;
    res = &m->model->resources[p->resource];
    if (!res->good || !p->d->values.schema)
        return true;
    if (size == 0 && res->type == DT_NONE && (offset > 0 || count > 0))
        return missing_key(&m->r, node, "the binding to values of several types",
                           "elementSizeInBytes", "4");
    if (size == 0)
        size = res->type == DT_NONE ? 1 : (int64_t)dtype_size(res->type);
    if (!u64_mul((uint64_t)offset, (uint64_t)size, &p->offset) || p->offset >= res->size)
        return past_end(m, v[ELEMENT_OFFSET], res);
    p->length = res->size - p->offset;
    if (count == 0)
        return true;
    if (!u64_mul((uint64_t)count, (uint64_t)size, &bytes) || bytes > p->length)
        return past_end(m, v[ELEMENT_COUNT], res);
    p->length = bytes;
    return true;
}

/* Reads a resource's name, an object, or an array with one of either. */
static bool read_source(struct model_reader *m, size_t node, struct bound_range *p)
{
    const struct json_node *n = &m->r.doc->nodes[node];

    if (n->type == JSON_OBJECT)
        return read_range(m, node, p);
    if (n->type == JSON_ARRAY && n->count == 1 && !node_is(&m->r, node + 1, JSON_ARRAY))
        return read_source(m, node + 1, p);
    if (n->type != JSON_STRING)
        return wrong_type(&m->r, node, "the name of a resource, or an object with it");
    return whole_resource(m, node, p);
}

static bool is_owned(const struct tensor_desc *t) { return t->flags & TENSOR_FLAG_OWNED_BY_DML; }

/* Checks that the part has room for the tensor and begins at a multiple of its alignment. */
static bool check_range(struct model_reader *m, size_t node, const char *field,
                        const struct tensor_desc *t, const struct bound_range *p)
{
    const struct model_resource *res = &m->model->resources[p->resource];
    uint64_t unit = u64_max(t->base_alignment, BUFFER_ALIGNMENT),
             bytes = tensor_desc_buffer_bytes(t);
    struct finding *f;

    if (p->length < bytes) {
        f = report(&m->r, node, RULE_RUN_BINDING_SIZE, "%s needs %ju bytes, but '%s' gives %ju",
                   field, bytes, res->name, p->length);
        if (res->size - p->offset >= bytes)
            return finding_hint(f, "use a larger elementCount, or leave it out");
        if (p->offset == 0 || res->size < bytes)
            return finding_hint(f, "make the resource %ju bytes or more", p->offset + bytes);
        bytes = (res->size - bytes) / unit * unit; /* the last place */
        return finding_hint(f, "begin at byte %ju%s", bytes, bytes ? " or earlier" : "");
    }
    if (p->offset % unit == 0)
        return true;
    f = report(&m->r, node, RULE_RUN_BINDING_ALIGNMENT,
               "%s begins at byte %ju of '%s', which is not a multiple of %ju", field, p->offset,
               res->name, unit);
    return finding_hint(f, "begin at byte %ju or %ju", p->offset / unit * unit,
                        (p->offset / unit + 1) * unit);
}

/* Reports a key that names no tensor of the dispatchable. Returns the tensor that is certainly
 * meant, or NULL. */
static const struct field *unknown_tensor(struct model_reader *m,
                                          const struct model_dispatchable *d, size_t member)
{
    enum { MOST = 4 };
    const char *key = json_doc_key_text(m->r.doc, member);
    const struct op_schema *schema = d->values.schema;
    const char *names[SCHEMA_MAX_FIELDS];
    struct finding *f;
    size_t n = 0, near, sure, found[MOST];

    for (const struct field *x = schema->fields; x->name; x++)
        if (field_is_tensor(x) && (!d->good || values_of(&d->values, x)->given))
            names[n++] = x->name;
    near = findings_nearest(m->r.fs, key, names, n, found, MOST);
    f = report_key(&m->r, member, RULE_RUN_TENSOR_UNKNOWN, "'%s' has no tensor '%s'", d->name, key);
    if (near > 0)
        hint_names(f, "", names, found, near);
    else if (n > 0)
        finding_hint(f, "%s has %s%s%s", schema->name, names[0], n > 1 ? ", " : "",
                     n > 1 ? names[1] : "");
    sure = near == 1 ? meant_key(&m->r, member, names, n) : n;
    if (sure == n)
        return NULL;
    finding_fix_string(f, "%s", names[sure]);
    return schema_field(schema, names[sure]);
}

/* Checks that a tensor is bound at the right time, initialization (init) or execution. */
static bool check_phase(struct model_reader *m, size_t node, const struct model_dispatchable *d,
                        uint32_t slot, const char *name, bool init)
{
    if (!d->good || is_owned(&d->values.tensor[slot]) == init)
        return true;
    if (!init && d->init && d->init[slot].bound)
        return finding_hint(report_key(&m->r, node, RULE_RUN_BOUND_TWICE,
                                       "%s is already bound by '%s' at initialization", name,
                                       d->name),
                            "delete this binding");
    return finding_hint(
        report_key(&m->r, node, RULE_RUN_BINDING_PHASE,
                   init ? "%s is bound at initialization, but is not OWNED_BY_DML"
                        : "%s is OWNED_BY_DML, and must not be bound at execution",
                   name),
        init ? "bind it in the dispatch command, or give it \"Flags\": \"OWNED_BY_DML\""
             : "bind it in the dispatchable's bindings, or leave the flag out");
}

static void bind_slot(struct model_reader *m, size_t node, const struct model_dispatchable *d,
                      uint32_t slot, bool init, struct model_binding *bindings)
{
    struct tensor_name name = values_tensor_name(&d->values, slot);
    struct bound_range p = { .d = d };
    bool good = read_source(m, node, &p) && check_phase(m, node, d, slot, name.name, init);

    bindings[slot] = (struct model_binding){ .bound = true, .resource = SIZE_MAX };
    if (good && d->good && m->model->resources[p.resource].good &&
        check_range(m, node, name.name, &d->values.tensor[slot], &p))
        bindings[slot] = (struct model_binding){ true, p.resource, p.offset };
}

static void bind_array(struct model_reader *m, size_t node, const struct model_dispatchable *d,
                       const struct field *f, bool init, struct model_binding *bindings)
{
    const struct field_value *v = values_of(&d->values, f);
    const struct json_node *nodes = m->r.doc->nodes;
    size_t at = node + 1;

    for (uint32_t i = 0; i < v->tensors; i++) /* one finding about the array is enough */
        bindings[v->slot + i] = (struct model_binding){ .bound = true, .resource = SIZE_MAX };
    if (nodes[node].type != JSON_ARRAY) {
        wrong_type(&m->r, node, "an array of resources, one for each tensor");
        return;
    }
    if (nodes[node].count != v->count)
        finding_hint(report(&m->r, node, RULE_RUN_TENSOR_UNBOUND,
                            "%s has %u tensor%s, but %u resource%s bound", f->name, v->count,
                            v->count == 1 ? "" : "s", nodes[node].count,
                            nodes[node].count == 1 ? " is" : "s are"),
                     "bind %u resource%s", v->count, v->count == 1 ? "" : "s");
    for (uint32_t i = 0; i < nodes[node].count && i < v->tensors; i++, at = nodes[at].next)
        bind_slot(m, at, d, v->slot + i, init, bindings);
}

/* Reads the resources that are bound to one name of a program. */
static void read_names(struct model_reader *m, size_t node, const struct model_dispatchable *d)
{
    const struct json_node *nodes = m->r.doc->nodes;
    struct bound_range p = { .d = d };

    if (nodes[node].type != JSON_ARRAY) {
        read_source(m, node, &p);
        return;
    }
    for (size_t at = node + 1; at < nodes[node].next; at = nodes[at].next)
        if (nodes[at].type == JSON_ARRAY)
            wrong_type(&m->r, at, "the name of a resource, or an object with it");
        else
            read_source(m, at, &p);
}

struct model_binding *read_bindings(struct model_reader *m, size_t node,
                                    const struct model_dispatchable *d, bool init)
{
    const struct json_node *nodes = m->r.doc->nodes;
    const struct op_values *v = &d->values;
    struct model_binding *bindings = mem_zalloc(v->tensor_count, sizeof *bindings);
    const struct field *f;

    if (!bindings) {
        m->r.fs->failed = true;
        return NULL;
    }
    if (nodes[node].type != JSON_OBJECT) {
        wrong_type(&m->r, node, "an object of tensor names and resources");
        return bindings;
    }
    for (size_t at = node + 1; at < nodes[node].next; at = nodes[at].next) {
        if (!v->schema) {
            read_names(m, at, d);
            continue;
        }
        f = schema_field(v->schema, json_doc_key_text(m->r.doc, at));
        if (!f || !field_is_tensor(f) || (d->good && !values_of(v, f)->given))
            f = unknown_tensor(m, d, at);
        if (f && f->kind == FIELD_TENSOR)
            bind_slot(m, at, d, values_of(v, f)->slot, init, bindings);
        else if (f)
            bind_array(m, at, d, f, init, bindings);
    }
    return bindings;
}

void check_all_bound(struct model_reader *m, size_t object, const struct model_dispatchable *d,
                     const struct model_binding *bindings, bool init)
{
    const struct field *last = NULL;

    for (uint32_t slot = 0; d->good && slot < d->values.tensor_count; slot++) {
        const struct tensor_desc *t = &d->values.tensor[slot];
        const struct field *f = values_tensor_field(&d->values, slot);

        if (!t->present || is_owned(t) != init || (bindings && bindings[slot].bound) || f == last)
            continue;
        last = f; /* one finding for all tensors of an array */
        finding_hint(findings_add(m->r.fs, RULE_RUN_TENSOR_UNBOUND, pointer_of(&m->r, object),
                                  AT_OPENING, "%s of '%s' %s not bound%s", f->name, d->name,
                                  f->kind == FIELD_TENSOR ? "is" : "are",
                                  init ? " at initialization, and is OWNED_BY_DML" : ""),
                     "add \"%s\": %s%s", f->name,
                     f->kind == FIELD_TENSOR ? "\"a resource\"" : "[\"a resource\", ...]",
                     init ? " to the dispatchable's bindings" : "");
    }
}

/* True if output x and tensor y share bytes, unless x is exactly over an input that it may be. */
static bool share_bytes(const struct model_dispatchable *d, const struct model_binding *b,
                        uint32_t x, uint32_t y)
{
    const struct op_values *v = &d->values;
    uint64_t n = tensor_desc_buffer_bytes(&v->tensor[x]),
             m = tensor_desc_buffer_bytes(&v->tensor[y]);
    bool over = values_tensor_field(v, x)->over >> values_tensor_field(v, y)->slot & 1;

    return b[x].bound && b[y].bound && b[x].resource != SIZE_MAX &&
           b[x].resource == b[y].resource && b[x].offset < b[y].offset + m &&
           b[y].offset < b[x].offset + n && !(over && b[x].offset == b[y].offset && n == m);
}

static const char *binding_pointer(struct model_reader *m, size_t object, struct tensor_name name,
                                   char pointer[POINTER])
{
    snprintf(pointer, POINTER, "%s/%s", pointer_of(&m->r, object), name.pointer);
    return pointer;
}

void check_overlap(struct model_reader *m, size_t object, const struct model_dispatchable *d,
                   const struct model_binding *b)
{
    const struct op_values *v = &d->values;
    struct tensor_name out, other;
    char pointer[POINTER];
    struct finding *f;

    for (uint32_t x = 0; d->good && x < v->tensor_count; x++) {
        uint32_t y = 0;

        if (!values_tensor_field(v, x)->output)
            continue;
        while (y < v->tensor_count &&
               (y == x || (values_tensor_field(v, y)->output && y > x) || !share_bytes(d, b, x, y)))
            y++;
        if (y == v->tensor_count)
            continue;
        out = values_tensor_name(v, x);
        other = values_tensor_name(v, y);
        f = findings_add(m->r.fs, RULE_RUN_OUTPUT_OVERLAP, binding_pointer(m, object, out, pointer),
                         AT_VALUE, "%s and %s of the same dispatch share bytes of '%s'", out.name,
                         other.name, m->model->resources[b[x].resource].name);
        finding_hint(f, "bind %s to a resource of its own", out.name);
        finding_relate(f, binding_pointer(m, object, other, pointer), "%s is bound here",
                       other.name);
    }
}
