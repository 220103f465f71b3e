#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/read.h"

/* The keys from "format" on are for other kinds of dispatchables and have no effect here. */
enum { NAME, ELEMENT_OFFSET, ELEMENT_COUNT, ELEMENT_SIZE, BINDING_KEYS = 9 };

static const char *const binding_keys[] = {
    "name",    "elementOffset",      "elementCount", "elementSizeInBytes", "format",
    "counter", "counterOffsetBytes", "shape",        "resampleSize",
};

/* The bytes of a resource that a binding selects. */
struct bound_part {
    size_t resource; /* index */
    uint64_t offset, length;
};

/* Selects the whole resource that the string at the path names; false, with a finding, if there is
 * none. */
static bool whole_resource(struct model_reader *m, size_t node, struct bound_part *p)
{
    p->resource = find_resource(m, node);
    if (p->resource == m->model->resource_count)
        return false;
    p->offset = 0;
    p->length = m->model->resources[p->resource].size;
    return true;
}

/* Reports that a part exceeds its resource. */
static bool past_end(struct model_reader *m, const char *key, const struct model_resource *res)
{
    path_push(&m->r, key);
    finding_hint(report(&m->r, RULE_RUN_BINDING_SIZE,
                        "the binding goes past the end of '%s', which has %" PRIu64 " bytes",
                        res->name, res->size),
                 "use a part inside the resource");
    path_pop(&m->r);
    return false;
}

/* Reads { name, elementOffset, elementCount, elementSizeInBytes }. */
static bool read_part(struct model_reader *m, size_t node, struct bound_part *p)
{
    int64_t offset = 0, count = 0, size = 0, *const numbers[] = { &offset, &count, &size };
    const struct model_resource *res;
    size_t v[MAX_KEYS];
    uint64_t bytes;
    bool good;

    if (!model_members(m, node, binding_keys, BINDING_KEYS, 1u << NAME, "a binding", v))
        return false;
    if (!v[NAME])
        return missing_key(&m->r, "the binding", "name", "\"a resource\"");
    path_push(&m->r, "name");
    good = whole_resource(m, v[NAME], p);
    path_pop(&m->r);
    for (int i = 0; i < 3; i++)
        good = member_integer(m, v[ELEMENT_OFFSET + i], binding_keys[ELEMENT_OFFSET + i], 0,
                              INT64_MAX, numbers[i]) &&
               good;
    if (!good)
        return false;
    res = &m->model->resources[p->resource];
    if (!res->good)
        return true;
    if (size == 0 && res->type == DT_NONE && (offset > 0 || count > 0))
        return missing_key(&m->r, "the binding to values of several types", "elementSizeInBytes",
                           "4");
    if (size == 0)
        size = res->type == DT_NONE ? 1 : (int64_t)dtype_size(res->type);
    if (!u64_mul((uint64_t)offset, (uint64_t)size, &p->offset) || p->offset >= res->size)
        return past_end(m, "elementOffset", res);
    p->length = res->size - p->offset;
    if (count == 0)
        return true;
    if (!u64_mul((uint64_t)count, (uint64_t)size, &bytes) || bytes > p->length)
        return past_end(m, "elementCount", res);
    p->length = bytes;
    return true;
}

/* Reads a resource's name, an object, or an array with one of either. */
static bool read_source(struct model_reader *m, size_t node, struct bound_part *p)
{
    const struct json_node *n = &m->r.doc->nodes[node];
    bool good;

    if (n->type == JSON_OBJECT)
        return read_part(m, node, p);
    if (n->type == JSON_ARRAY && n->count == 1 && m->r.doc->nodes[node + 1].type != JSON_ARRAY) {
        path_push_index(&m->r, 0);
        good = read_source(m, node + 1, p);
        path_pop(&m->r);
        return good;
    }
    if (n->type != JSON_STRING)
        return wrong_type(&m->r, node, "the name of a resource, or an object with it");
    return whole_resource(m, node, p);
}

static bool is_owned(const struct tensor_desc *t) { return t->flags & TENSOR_FLAG_OWNED_BY_DML; }

/* Checks that the part has room for the tensor and begins at a multiple of the tensor's alignment
 * and element size. */
static bool check_part(struct model_reader *m, const char *field, const struct tensor_desc *t,
                       const struct bound_part *p)
{
    const struct model_resource *res = &m->model->resources[p->resource];
    uint64_t unit = u64_max(t->base_alignment, dtype_size(t->type)),
             bytes = tensor_desc_buffer_bytes(t);
    struct finding *f;

    if (p->length < bytes) {
        f = report(&m->r, RULE_RUN_BINDING_SIZE,
                   "%s needs %" PRIu64 " bytes, but '%s' gives %" PRIu64, field, bytes, res->name,
                   p->length);
        if (p->offset == 0 || res->size < bytes)
            return finding_hint(f, "make the resource %" PRIu64 " bytes or more",
                                p->offset + bytes);
        return finding_hint(f, "begin at byte %" PRIu64 "%s", res->size - bytes,
                            res->size > bytes ? " or earlier" : "");
    }
    if (p->offset % unit == 0)
        return true;
    f = report(&m->r, RULE_RUN_BINDING_ALIGNMENT,
               "%s begins at byte %" PRIu64 " of '%s', which is not a multiple of %" PRIu64, field,
               p->offset, res->name, unit);
    return finding_hint(f, "begin at byte %" PRIu64 " or %" PRIu64, p->offset / unit * unit,
                        (p->offset / unit + 1) * unit);
}

/* Reports a key that names no tensor of the dispatchable. Returns the tensor that is certainly
 * meant, or NULL. */
static const struct field *unknown_tensor(struct model_reader *m,
                                          const struct model_dispatchable *d, size_t object,
                                          const char *key)
{
    enum { MOST = 4 };
    const char *names[SCHEMA_MAX_FIELDS];
    struct finding *f;
    size_t n = 0, near, sure, found[MOST];

    for (const struct field *x = op_schemas[d->op].fields; x->name; x++)
        if (x->kind == FIELD_TENSOR && (!d->desc || d->desc->tensor[x->slot].present))
            names[n++] = x->name;
    near = str_nearest_all(key, names, n, found, MOST);
    f = findings_add(m->r.fs, RULE_RUN_TENSOR_UNKNOWN, path_text(&m->r), AT_KEY,
                     "'%s' has no tensor '%s'", d->name, key);
    if (near == 0)
        finding_hint(f, "%s has %s%s%s", op_schemas[d->op].name, names[0], n > 1 ? ", " : "",
                     n > 1 ? names[1] : "");
    else
        hint_names(f, "", names, found, near);
    sure = near == 1 ? meant_key(&m->r, object, key, names, n) : n;
    if (sure == n)
        return NULL;
    finding_fix_string(f, "%s", names[sure]);
    return op_field(d->op, names[sure]);
}

/* Checks that a tensor is bound at the right time, initialization (init) or execution. */
static bool check_phase(struct model_reader *m, const struct model_dispatchable *d,
                        const struct field *field, bool init)
{
    if (!d->desc || is_owned(&d->desc->tensor[field->slot]) == init)
        return true;
    if (!init && d->init && d->init[field->slot].bound)
        return finding_hint(findings_add(m->r.fs, RULE_RUN_BOUND_TWICE, path_text(&m->r), AT_KEY,
                                         "%s is already bound by '%s' at initialization",
                                         field->name, d->name),
                            "delete this binding");
    return finding_hint(
        findings_add(m->r.fs, RULE_RUN_BINDING_PHASE, path_text(&m->r), AT_KEY,
                     init ? "%s is bound at initialization, but is not OWNED_BY_DML"
                          : "%s is OWNED_BY_DML, and must not be bound at execution",
                     field->name),
        init ? "bind it in the dispatch command, or give it \"Flags\": \"OWNED_BY_DML\""
             : "bind it in the dispatchable's bindings, or leave the flag out");
}

/* Reads the member `node` of the bindings `object`, called `key`. */
static void read_binding(struct model_reader *m, size_t object, size_t node, const char *key,
                         const struct model_dispatchable *d, bool init,
                         struct model_binding *bindings)
{
    const struct field *f = op_field(d->op, key);
    struct bound_part p = { 0 };
    bool good;

    if (!f || f->kind != FIELD_TENSOR || (d->desc && !d->desc->tensor[f->slot].present))
        f = unknown_tensor(m, d, object, key);
    if (!f)
        return;
    good = read_source(m, node, &p) && check_phase(m, d, f, init);
    bindings[f->slot] = (struct model_binding){ .bound = true, .resource = SIZE_MAX };
    if (good && d->desc && m->model->resources[p.resource].good &&
        check_part(m, f->name, &d->desc->tensor[f->slot], &p))
        bindings[f->slot] = (struct model_binding){ true, p.resource, p.offset };
}

struct model_binding *read_bindings(struct model_reader *m, size_t node,
                                    const struct model_dispatchable *d, bool init)
{
    const struct json_node *nodes = m->r.doc->nodes;
    struct model_binding *bindings = mem_zalloc(SLOT_COUNT, sizeof *bindings);
    size_t at = node + 1;

    if (!bindings) {
        m->r.fs->failed = true;
        return NULL;
    }
    if (nodes[node].type != JSON_OBJECT) {
        wrong_type(&m->r, node, "an object of tensor names and resources");
        return bindings;
    }
    for (uint32_t i = 0; i < nodes[node].count; i++, at = nodes[at].next) {
        size_t aliases = m->r.fs->context.alias_count;
        char *key = read_key(&m->r, at);

        path_push(&m->r, key ? key : "");
        if (key && d->op != OP_NONE)
            read_binding(m, node, at, key, d, init, bindings);
        findings_unalias(m->r.fs, aliases);
        path_pop(&m->r);
        free(key);
    }
    return bindings;
}

void check_all_bound(struct model_reader *m, const struct model_dispatchable *d,
                     const struct model_binding *bindings, bool init)
{
    for (const struct field *x = op_schemas[d->op].fields; d->desc && x->name; x++) {
        const struct tensor_desc *t = &d->desc->tensor[x->slot];

        if (x->kind != FIELD_TENSOR || !t->present || is_owned(t) != init ||
            (bindings && bindings[x->slot].bound))
            continue;
        finding_hint(findings_add(m->r.fs, RULE_RUN_TENSOR_UNBOUND, path_text(&m->r), AT_OPENING,
                                  "%s of '%s' is not bound%s", x->name, d->name,
                                  init ? " at initialization, and is OWNED_BY_DML" : ""),
                     "add \"%s\": \"a resource\"%s", x->name,
                     init ? " to the dispatchable's bindings" : "");
    }
}

void check_overlap(struct model_reader *m, const struct model_dispatchable *d,
                   const struct model_binding *b)
{
    const struct field *fields = op_schemas[d->op].fields;

    for (const struct field *x = fields; d->desc && x->name; x++) {
        if (x->kind != FIELD_TENSOR || !x->output || !b[x->slot].bound ||
            b[x->slot].resource == SIZE_MAX)
            continue;
        for (const struct field *y = fields; y->name; y++) {
            const struct model_binding *o = &b[x->slot], *i = &b[y->slot];
            struct finding *f;

            if (y->kind != FIELD_TENSOR || y == x || (y->output && y > x) || !i->bound ||
                i->resource != o->resource ||
                o->offset >= i->offset + tensor_desc_buffer_bytes(&d->desc->tensor[y->slot]) ||
                i->offset >= o->offset + tensor_desc_buffer_bytes(&d->desc->tensor[x->slot]))
                continue;
            path_push(&m->r, x->name);
            f = report(&m->r, RULE_RUN_OUTPUT_OVERLAP,
                       "%s and %s of the same dispatch share bytes of '%s'", x->name, y->name,
                       m->model->resources[o->resource].name);
            finding_hint(f, "bind %s to a resource of its own", x->name);
            path_pop(&m->r);
            path_push(&m->r, y->name);
            finding_relate(f, path_text(&m->r), "%s is bound here", y->name);
            path_pop(&m->r);
            break;
        }
    }
}
