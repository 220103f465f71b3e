#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "desc/schema.h"
#include "json/doc.h"
#include "json/number.h"
#include "part/record.h"

/* A record that is being read: the first thing that is wrong ends it. */
struct record_reader {
    struct json_doc doc;
    struct record *r;
    char *error; /* [RECORD_ERROR] */
    bool nomem;
};

PRINTF_LIKE(2, 3) static bool wrong(struct record_reader *rd, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(rd->error, RECORD_ERROR, fmt, ap);
    va_end(ap);
    return false;
}

static const struct json_node *node_at(const struct record_reader *rd, size_t i)
{
    return &rd->doc.nodes[i];
}

/* The member of an object, which must be there and of a type. */
static bool member(struct record_reader *rd, size_t object, const char *key, enum json_type type,
                   size_t *at)
{
    static const char *const names[] = { [JSON_NUMBER] = "a number", [JSON_STRING] = "a string",
                                         [JSON_ARRAY] = "an array", [JSON_OBJECT] = "an object" };
    ptrdiff_t i = node_at(rd, object)->type == JSON_OBJECT
                      ? json_doc_member(&rd->doc, object, key) : -1;

    *at = 0;
    if (i < 0)
        return wrong(rd, "the record has no \"%s\" where one belongs", key);
    *at = (size_t)i;
    return node_at(rd, *at)->type == type || wrong(rd, "\"%s\" is not %s", key, names[type]);
}

static bool number(struct record_reader *rd, size_t node, const char *key, uint64_t *v)
{
    const struct json_node *n = node_at(rd, node);

    return (n->type == JSON_NUMBER &&
            number_uint_literal(rd->doc.clean + n->start, n->end - n->start, v) == NUMBER_OK) ||
           wrong(rd, "\"%s\" is not a whole number of 0 or more that fits 64 bits", key);
}

static bool read_number(struct record_reader *rd, size_t object, const char *key, uint64_t *v)
{
    size_t at;

    return member(rd, object, key, JSON_NUMBER, &at) && number(rd, at, key, v);
}

/* An array of `n` numbers. */
static bool read_numbers(struct record_reader *rd, size_t object, const char *key, uint64_t *v,
                         unsigned n)
{
    size_t at;

    if (!member(rd, object, key, JSON_ARRAY, &at))
        return false;
    if (node_at(rd, at)->count != n)
        return wrong(rd, "\"%s\" does not have %u numbers", key, n);
    for (unsigned i = 0; i < n; i++) /* numbers are one node each */
        if (!number(rd, at + 1 + i, key, &v[i]))
            return false;
    return true;
}

/* The string of a member, the caller's; NULL where it is wrong. */
static char *read_string(struct record_reader *rd, size_t object, const char *key)
{
    char *s;
    size_t at;

    if (!member(rd, object, key, JSON_STRING, &at))
        return NULL;
    s = json_doc_string(&rd->doc, at);
    rd->nomem = rd->nomem || !s;
    return s;
}

/* Sixteen lower-case hexadecimal digits. */
static bool read_hash(struct record_reader *rd, size_t object, const char *key, uint64_t *v)
{
    static const char hex[] = "0123456789abcdef";
    char *s = read_string(rd, object, key);
    bool good = s && strlen(s) == 16 && strspn(s, hex) == 16;

    *v = 0;
    for (const char *p = s; good && *p; p++)
        *v = *v << 4 | (uint64_t)(strchr(hex, *p) - hex);
    free(s);
    return good || (s && wrong(rd, "\"%s\" is not 16 hexadecimal digits", key));
}

static bool read_dtype(struct record_reader *rd, size_t tensor, enum dtype *type)
{
    static const char prefix[] = "DML_TENSOR_DATA_TYPE_";
    char *s = read_string(rd, tensor, "DataType");

    *type = s && strncmp(s, prefix, sizeof prefix - 1) == 0
                ? dtype_from_name(s + sizeof prefix - 1, false) : DT_NONE;
    free(s);
    return *type != DT_NONE || (s && wrong(rd, "\"DataType\" is not one of DirectML's"));
}

/* Sizes of 1 or more, whose product fits with those of elements of 8 bytes. */
static bool read_sizes(struct record_reader *rd, size_t tensor, uint64_t *sizes, unsigned *rank)
{
    uint64_t count;
    size_t at;

    if (!member(rd, tensor, "Sizes", JSON_ARRAY, &at))
        return false;
    *rank = node_at(rd, at)->count;
    if (*rank < 1 || *rank > DML_MAX_RANK)
        return wrong(rd, "\"Sizes\" does not have 1 to %d numbers", DML_MAX_RANK);
    if (!read_numbers(rd, tensor, "Sizes", sizes, *rank))
        return false;
    if (!tensor_count(*rank, sizes, &count) || count == 0 || count > INT64_MAX / 8)
        return wrong(rd, "\"Sizes\" are not those of a tensor");
    return true;
}

/* What topk's descriptor has beyond its output. */
static bool read_topk(struct record_reader *rd, size_t desc)
{
    struct share_shape *s = &rd->r->shape;
    uint64_t axis, k, sizes[DML_MAX_RANK];
    size_t in, indices;
    char *direction;
    unsigned rank;

    if (!member(rd, desc, "InputTensor", JSON_OBJECT, &in) || !read_sizes(rd, in, sizes, &rank) ||
        !member(rd, desc, "OutputIndexTensor", JSON_OBJECT, &indices) ||
        !read_dtype(rd, indices, &rd->r->index_type) || !read_number(rd, desc, "Axis", &axis) ||
        !read_number(rd, desc, "K", &k))
        return false;
    if (rd->r->index_type != DT_UINT32 && rd->r->index_type != DT_UINT64)
        return wrong(rd, "indices are %s", dtype_name(rd->r->index_type));
    if (rank != s->rank || axis >= rank || s->sizes[axis] != k || k > sizes[axis])
        return wrong(rd, "the descriptor's sizes, axis and K do not fit each other");
    s->along = (unsigned)axis;
    s->length = sizes[axis];
    sizes[axis] = k;
    if (memcmp(sizes, s->sizes, rank * sizeof sizes[0]) != 0)
        return wrong(rd, "the descriptor's sizes, axis and K do not fit each other");
    rd->r->largest = true;
    if (rd->r->op == OP_TOP_K)
        return true;
    direction = read_string(rd, desc, "AxisDirection");
    if (!direction)
        return false;
    rd->r->largest = strcmp(direction, "DML_AXIS_DIRECTION_DECREASING") == 0;
    if (!rd->r->largest && strcmp(direction, "DML_AXIS_DIRECTION_INCREASING") != 0)
        wrong(rd, "\"AxisDirection\" is not one of DirectML's");
    free(direction);
    return rd->error[0] == '\0';
}

/* The digest of a value, however it is laid out: its nodes, with their keys and texts. */
static bool digest_value_of(struct record_reader *rd, size_t node, uint64_t *digest)
{
    struct digest *d = digest_new();

    for (size_t i = node; d && i < node_at(rd, node)->next; i++) {
        const struct json_node *n = node_at(rd, i);
        bool container = n->type == JSON_ARRAY || n->type == JSON_OBJECT;

        digest_add(d, &n->type, sizeof n->type);
        digest_add(d, &n->count, sizeof n->count);
        if (n->key != JSON_NO_KEY)
            digest_add(d, rd->doc.clean + n->key, json_doc_key_end(&rd->doc, i) - n->key);
        if (!container)
            digest_add(d, rd->doc.clean + n->start, n->end - n->start);
    }
    if (d)
        *digest = digest_value(d);
    rd->nomem = rd->nomem || !d;
    digest_free(d);
    return !rd->nomem;
}

/* Of the descriptor what the output needs. */
static bool read_descriptor(struct record_reader *rd)
{
    struct record *r = rd->r;
    size_t outer, desc, out;
    char *type;

    if (!member(rd, 0, "descriptor", JSON_OBJECT, &outer))
        return false;
    if (!digest_value_of(rd, outer, &r->descriptor))
        return false;
    type = read_string(rd, outer, "type");
    r->op = type ? op_from_name(type) : OP_NONE;
    free(type);
    if (r->op == OP_NONE)
        return type && wrong(rd, "\"type\" is not one of the operators");
    r->files = op_output(r->op, ROLE_INDEX) ? 2 : 1;
    if (!member(rd, outer, "desc", JSON_OBJECT, &desc) ||
        !member(rd, desc, op_output(r->op, ROLE_DATA)->name, JSON_OBJECT, &out) ||
        !read_dtype(rd, out, &r->type) || !read_sizes(rd, out, r->shape.sizes, &r->shape.rank))
        return false;
    r->shape.along = r->shape.rank;
    return r->files == 1 || read_topk(rd, desc);
}

static bool read_axis(struct record_reader *rd, size_t node, uint64_t *parts)
{
    struct share_grid *g = &rd->r->grid;
    uint64_t axis, count;

    if (!read_number(rd, node, "axis", &axis) || !read_number(rd, node, "count", &count))
        return false;
    if (axis >= rd->r->shape.rank)
        return wrong(rd, "\"axes\" names an axis that the output does not have");
    for (unsigned i = 0; i < g->n; i++)
        if (g->axis[i] == axis)
            return wrong(rd, "\"axes\" names an axis twice");
    if (count < 1 || count > SHARE_PARTS_MAX ||
        count > share_axis_size(&rd->r->shape, (unsigned)axis))
        return wrong(rd, "\"axes\" has more parts along an axis than elements");
    g->axis[g->n] = (unsigned)axis;
    g->count[g->n++] = count;
    *parts *= count; /* fits: both are at most a million */
    return *parts <= SHARE_PARTS_MAX || wrong(rd, "\"axes\" make too many parts");
}

static bool read_axes(struct record_reader *rd)
{
    uint64_t parts = 1;
    size_t at;

    if (!member(rd, 0, "axes", JSON_ARRAY, &at))
        return false;
    if (node_at(rd, at)->count < 1 || node_at(rd, at)->count > rd->r->shape.rank)
        return wrong(rd, "\"axes\" does not name 1 to %u axes", rd->r->shape.rank);
    for (size_t i = at + 1; i < node_at(rd, at)->next; i = node_at(rd, i)->next)
        if (!read_axis(rd, i, &parts))
            return false;
    return parts == rd->r->parts || wrong(rd, "\"axes\" make another number of parts");
}

static bool read_place(struct record_reader *rd)
{
    struct record *r = rd->r;
    uint64_t axis;
    size_t at;

    if (!read_numbers(rd, 0, "place", r->place, r->shape.rank) ||
        !read_numbers(rd, 0, "sizes", r->sizes, r->shape.rank))
        return false;
    r->stretched = json_doc_member(&rd->doc, 0, "stretch") >= 0;
    if (!r->stretched)
        return true;
    if (!member(rd, 0, "stretch", JSON_OBJECT, &at) || !read_number(rd, at, "axis", &axis) ||
        !read_number(rd, at, "from", &r->from) || !read_number(rd, at, "to", &r->to))
        return false;
    return axis == r->shape.along || wrong(rd, "\"stretch\" is not along topk's axis");
}

static bool read_file(struct record_reader *rd, size_t node, unsigned i)
{
    char right[RECORD_NAME], *name = read_string(rd, node, "name");
    bool good = name && strcmp(name, record_name(right, rd->r->part, rd->r->parts, i)) == 0;

    free(name);
    if (!good)
        return name && wrong(rd, "a file of the part is not named %s", right);
    return read_number(rd, node, "bytes", &rd->r->file[i].bytes) &&
           read_hash(rd, node, "xxh3", &rd->r->file[i].xxh3);
}

static bool read_files(struct record_reader *rd)
{
    unsigned n = 0;
    size_t at;

    if (!member(rd, 0, "files", JSON_ARRAY, &at))
        return false;
    if (node_at(rd, at)->count != rd->r->files)
        return wrong(rd, "\"files\" does not name %u file%s", rd->r->files,
                     rd->r->files == 1 ? "" : "s");
    for (size_t i = at + 1; i < node_at(rd, at)->next; i = node_at(rd, i)->next)
        if (!read_file(rd, i, n++))
            return false;
    return true;
}

/* "nan": "last", which a record has where no descriptor could say so. */
static bool read_nan(struct record_reader *rd)
{
    char *nan;

    if (json_doc_member(&rd->doc, 0, "nan") < 0)
        return true;
    nan = read_string(rd, 0, "nan");
    rd->r->nan_last = nan && strcmp(nan, "last") == 0;
    free(nan);
    return rd->r->nan_last || (nan && wrong(rd, "\"nan\" is not \"last\""));
}

static bool read_rest(struct record_reader *rd)
{
    struct record_times *t = &rd->r->times;
    uint64_t k;
    char *host;
    size_t at;

    if (rd->r->files == 2 && !read_number(rd, 0, "k", &k))
        return false;
    if (rd->r->files == 2 && k != rd->r->shape.sizes[rd->r->shape.along])
        return wrong(rd, "\"k\" is not the descriptor's K");
    if (rd->r->files == 2 && !read_nan(rd))
        return false;
    host = read_string(rd, 0, "host");
    if (!host)
        return false;
    rd->r->host = digest_of(host, strlen(host));
    free(host);
    return member(rd, 0, "version", JSON_STRING, &at) &&
           member(rd, 0, "timings", JSON_OBJECT, &at) &&
           read_number(rd, at, "load_ns", &t->load_ns) &&
           read_number(rd, at, "validate_ns", &t->validate_ns) &&
           read_number(rd, at, "compute_ns", &t->compute_ns) &&
           read_number(rd, at, "store_ns", &t->store_ns) &&
           read_number(rd, at, "bytes_in", &t->bytes_in) &&
           read_number(rd, at, "bytes_out", &t->bytes_out) &&
           read_number(rd, at, "operations", &t->operations);
}

static bool read_schema(struct record_reader *rd)
{
    char *schema = read_string(rd, 0, "schema");
    bool good = schema && strcmp(schema, RECORD_SCHEMA) == 0;

    free(schema);
    return good || (schema && wrong(rd, "\"schema\" is not \"" RECORD_SCHEMA "\""));
}

static void found_twice(void *context, size_t node, size_t first)
{
    (void)node;
    (void)first;
    wrong(context, "a key appears twice in one object");
}

static bool read_all(struct record_reader *rd)
{
    struct record *r = rd->r;

    if (node_at(rd, 0)->type != JSON_OBJECT)
        return wrong(rd, "the record is not an object");
    json_doc_each_duplicate(&rd->doc, found_twice, rd);
    if (rd->error[0] || !read_schema(rd) || !read_hash(rd, 0, "job", &r->job) ||
        !read_number(rd, 0, "part", &r->part) || !read_number(rd, 0, "parts", &r->parts))
        return false;
    if (r->parts < 1 || r->parts > SHARE_PARTS_MAX || r->part >= r->parts)
        return wrong(rd, "there is no part %" PRIu64 " of %" PRIu64, r->part, r->parts);
    return read_descriptor(rd) && read_axes(rd) && read_place(rd) && read_files(rd) &&
           read_rest(rd);
}

enum record_result record_read(struct record *r, const char *text, size_t len,
                               char error[RECORD_ERROR])
{
    struct record_reader rd = { .r = r, .error = error };
    struct json_error syntax;
    enum json_result scanned;
    bool good;

    *r = (struct record){ .part = 0 };
    error[0] = '\0';
    if (len > RECORD_MAX_TEXT) {
        wrong(&rd, "the record has more than %d bytes", RECORD_MAX_TEXT);
        return RECORD_WRONG;
    }
    scanned = json_doc_scan(&rd.doc, text, len, &syntax);
    if (scanned == JSON_NOMEM)
        return RECORD_NOMEM;
    if (scanned == JSON_INVALID) {
        wrong(&rd, "the record is not JSON");
        return RECORD_WRONG;
    }
    good = read_all(&rd);
    json_doc_free(&rd.doc);
    return rd.nomem ? RECORD_NOMEM : good ? RECORD_OK : RECORD_WRONG;
}
