#include "base/digest.h"
#include "desc/schema.h"
#include "json/doc.h"
#include "json/number.h"
#include "part/record.h"

/* A record that is being read. Each function returns false after the first error. */
struct record_reader {
    struct json_doc doc;
    struct record *r;
    char *error; /* [RECORD_ERROR] */
};

/* Sets the error message, unless there is one, and returns false. */
PRINTF_LIKE(2, 3) static bool wrong(struct record_reader *rd, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    if (rd->error[0] == '\0')
        vsnprintf(rd->error, RECORD_ERROR, fmt, ap);
    va_end(ap);
    return false;
}

static const struct json_node *node_at(const struct record_reader *rd, size_t i)
{
    return &rd->doc.nodes[i];
}

static bool member(struct record_reader *rd, size_t object, const char *key, enum json_type type,
                   size_t *at)
{
    static const char *const names[] = { [JSON_NUMBER] = "a number",
                                         [JSON_STRING] = "a string",
                                         [JSON_ARRAY] = "an array",
                                         [JSON_OBJECT] = "an object" };
    ptrdiff_t i =
        node_at(rd, object)->type == JSON_OBJECT ? json_doc_member(&rd->doc, object, key) : -1;

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

/* Reads an array of exactly n numbers. */
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

/* Reads a string; "" after an error. */
static const char *read_string(struct record_reader *rd, size_t object, const char *key)
{
    size_t at;

    return member(rd, object, key, JSON_STRING, &at) ? json_doc_text(&rd->doc, at) : "";
}

/* Reads a string that must be `word`. */
static bool read_word(struct record_reader *rd, size_t object, const char *key, const char *word)
{
    return strcmp(read_string(rd, object, key), word) == 0 ||
           wrong(rd, "\"%s\" is not \"%s\"", key, word);
}

/* Reads sixteen lower-case hexadecimal digits. */
static bool read_hash(struct record_reader *rd, size_t object, const char *key, uint64_t *v)
{
    const char *s = read_string(rd, object, key);
    char right[17];

    *v = strtoull(s, NULL, 16);
    snprintf(right, sizeof right, "%016jx", *v);
    return strcmp(s, right) == 0 || wrong(rd, "\"%s\" is not 16 hexadecimal digits", key);
}

static bool read_dtype(struct record_reader *rd, size_t tensor, enum dtype *type)
{
    static const char prefix[] = "DML_TENSOR_DATA_TYPE_";
    const char *s = read_string(rd, tensor, "DataType");

    *type = strncmp(s, prefix, sizeof prefix - 1) == 0
                ? dtype_from_name(s + sizeof prefix - 1, false)
                : DT_NONE;
    return *type != DT_NONE || wrong(rd, "\"DataType\" is not one of DirectML's");
}

/* Reads 1 to DML_MAX_RANK sizes of 1 or more; with 8 bytes an element they fit INT64_MAX. */
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

/* Reads the rest of topk's descriptor. */
static bool read_topk(struct record_reader *rd, size_t desc)
{
    static const char down[] = "DML_AXIS_DIRECTION_DECREASING";
    struct part_job *job = &rd->r->job;
    struct share_shape *s = &job->shape;
    const char *direction;
    uint64_t axis, k, sizes[DML_MAX_RANK];
    size_t in, indices;
    unsigned rank;

    if (!member(rd, desc, "InputTensor", JSON_OBJECT, &in) || !read_sizes(rd, in, sizes, &rank) ||
        !member(rd, desc, "OutputIndexTensor", JSON_OBJECT, &indices) ||
        !read_dtype(rd, indices, &job->type[1]) || !read_number(rd, desc, "Axis", &axis) ||
        !read_number(rd, desc, "K", &k))
        return false;
    if (job->type[1] != DT_UINT32 && job->type[1] != DT_UINT64 && job->type[1] != DT_INT64)
        return wrong(rd, "indices are %s", dtype_name(job->type[1]));
    if (rank != s->rank || axis >= rank || k > sizes[axis])
        return wrong(rd, "the descriptor's sizes, axis and K do not fit each other");
    s->along = (unsigned)axis;
    s->length = sizes[axis];
    sizes[axis] = k;
    if (memcmp(sizes, s->sizes, rank * sizeof sizes[0]) != 0)
        return wrong(rd, "the descriptor's sizes, axis and K do not fit each other");
    direction = job->op == OP_TOP_K ? down : read_string(rd, desc, "AxisDirection");
    job->largest = strcmp(direction, down) == 0;
    return job->largest || strcmp(direction, "DML_AXIS_DIRECTION_INCREASING") == 0 ||
           wrong(rd, "\"AxisDirection\" is not one of DirectML's");
}

/* Digests a value and its key. Blanks, escapes, forms of numbers, order of keys do not matter. */
static uint64_t digest_node(struct record_reader *rd, size_t node)
{
    const struct json_node *n = node_at(rd, node);
    const char *key = n->key != JSON_NO_KEY ? json_doc_key_text(&rd->doc, node) : NULL;
    const char *string = n->type == JSON_STRING ? json_doc_text(&rd->doc, node) : NULL;
    uint64_t v[] = { n->type, key ? digest_of(key, strlen(key)) : 0,
                     string ? digest_of(string, strlen(string)) : 0, 0, 0 };
    double number;

    if (number_double(rd->doc.clean + n->start, n->end - n->start, &number) == NUMBER_OK)
        memcpy(&v[3], &number, sizeof number);
    for (size_t i = node + 1; i < n->next; i = node_at(rd, i)->next) {
        uint64_t pair[] = { v[4], digest_node(rd, i) };

        v[4] = n->type == JSON_OBJECT ? pair[0] + pair[1] : digest_of(pair, sizeof pair);
    }
    return digest_of(v, sizeof v);
}

/* Reads the type and shape of the output from the descriptor. */
static bool read_descriptor(struct record_reader *rd)
{
    struct part_job *job = &rd->r->job;
    size_t outer, desc, out;

    if (!member(rd, 0, "descriptor", JSON_OBJECT, &outer))
        return false;
    job->descriptor = digest_node(rd, outer);
    job->op = op_from_name(read_string(rd, outer, "type"));
    if (job->op == OP_NONE)
        return wrong(rd, "\"type\" is not one of the operators");
    job->files = op_output(job->op, ROLE_INDEX) ? 2 : 1;
    if (!member(rd, outer, "desc", JSON_OBJECT, &desc) ||
        !member(rd, desc, op_output(job->op, ROLE_DATA)->name, JSON_OBJECT, &out) ||
        !read_dtype(rd, out, &job->type[0]) ||
        !read_sizes(rd, out, job->shape.sizes, &job->shape.rank))
        return false;
    job->shape.along = job->shape.rank;
    return job->files == 1 || read_topk(rd, desc);
}

static bool read_axis(struct record_reader *rd, size_t node, uint64_t *parts)
{
    const struct share_shape *shape = &rd->r->job.shape;
    struct share_grid *g = &rd->r->job.grid;
    uint64_t axis, count;

    if (!read_number(rd, node, "axis", &axis) || !read_number(rd, node, "count", &count))
        return false;
    if (axis >= shape->rank)
        return wrong(rd, "\"axes\" names an axis that the output does not have");
    if (share_step(g, (unsigned)axis) > 0)
        return wrong(rd, "\"axes\" names an axis twice");
    if (count < 1 || count > SHARE_PARTS_MAX || count > share_axis_size(shape, (unsigned)axis))
        return wrong(rd, "\"axes\" has more parts along an axis than elements");
    g->axis[g->n] = (unsigned)axis;
    g->count[g->n++] = count;
    *parts *= count; /* fits: both are at most a million */
    return *parts <= SHARE_PARTS_MAX || wrong(rd, "\"axes\" make too many parts");
}

static bool read_axes(struct record_reader *rd)
{
    const struct part_job *job = &rd->r->job;
    uint64_t parts = 1;
    size_t at;

    if (!member(rd, 0, "axes", JSON_ARRAY, &at))
        return false;
    if (node_at(rd, at)->count < 1 || node_at(rd, at)->count > job->shape.rank)
        return wrong(rd, "\"axes\" does not name 1 to %u axes", job->shape.rank);
    for (size_t i = at + 1; i < node_at(rd, at)->next; i = node_at(rd, i)->next)
        if (!read_axis(rd, i, &parts))
            return false;
    return parts == job->parts || wrong(rd, "\"axes\" make another number of parts");
}

static bool read_share(struct record_reader *rd)
{
    unsigned rank = rd->r->job.shape.rank, along = rd->r->job.shape.along;
    struct share *s = &rd->r->share;
    uint64_t axis, from, to;
    size_t at;

    if (!read_numbers(rd, 0, "place", s->place, rank) ||
        !read_numbers(rd, 0, "sizes", s->sizes, rank))
        return false;
    s->stretched = json_doc_member(&rd->doc, 0, "stretch") >= 0;
    if (!s->stretched)
        return true;
    if (!member(rd, 0, "stretch", JSON_OBJECT, &at) || !read_number(rd, at, "axis", &axis) ||
        !read_number(rd, at, "from", &from) || !read_number(rd, at, "to", &to))
        return false;
    if (along < rank) { /* else record_is_share refuses the stretch */
        s->from[along] = from;
        s->to[along] = to;
    }
    return axis == along || wrong(rd, "\"stretch\" is not along topk's axis");
}

static bool read_files(struct record_reader *rd)
{
    struct record *r = rd->r;
    unsigned n = 0;
    size_t at;

    if (!member(rd, 0, "files", JSON_ARRAY, &at))
        return false;
    if (node_at(rd, at)->count != r->job.files)
        return wrong(rd, "\"files\" does not name %u file%s", r->job.files,
                     r->job.files == 1 ? "" : "s");
    for (size_t i = at + 1; i < node_at(rd, at)->next; i = node_at(rd, i)->next, n++) {
        char right[RECORD_NAME];

        record_name(right, r->part, r->job.parts, n);
        if (strcmp(read_string(rd, i, "name"), right) != 0)
            return wrong(rd, "a file of the part is not named %s", right);
        if (!read_number(rd, i, "bytes", &r->file[n].bytes) ||
            !read_hash(rd, i, "xxh3", &r->file[n].xxh3))
            return false;
    }
    return true;
}

/* Reads topk's K, and "nan": "last", which a descriptor cannot express. */
static bool read_topk_options(struct record_reader *rd)
{
    struct part_job *job = &rd->r->job;
    uint64_t k;

    if (!read_number(rd, 0, "k", &k))
        return false;
    if (k != job->shape.sizes[job->shape.along])
        return wrong(rd, "\"k\" is not the descriptor's K");
    job->nan_last = json_doc_member(&rd->doc, 0, "nan") >= 0;
    return !job->nan_last || read_word(rd, 0, "nan", "last");
}

static bool read_origin(struct record_reader *rd)
{
    struct record *r = rd->r;
    const char *host = read_string(rd, 0, "host");
    size_t at;

    r->host = digest_of(host, strlen(host));
    return member(rd, 0, "version", JSON_STRING, &at) &&
           member(rd, 0, "timings", JSON_OBJECT, &at) &&
           read_number(rd, at, "load_ns", &r->phases.load) &&
           read_number(rd, at, "validate_ns", &r->phases.validate) &&
           read_number(rd, at, "compute_ns", &r->phases.compute) &&
           read_number(rd, at, "store_ns", &r->phases.store) &&
           read_number(rd, at, "bytes_in", &r->work.bytes_in) &&
           read_number(rd, at, "bytes_out", &r->work.bytes_out) &&
           read_number(rd, at, "operations", &r->work.operations);
}

static bool read_all(struct record_reader *rd)
{
    struct part_job *job = &rd->r->job;

    if (node_at(rd, 0)->type != JSON_OBJECT)
        return wrong(rd, "the record is not an object");
    for (size_t i = 0; i < rd->doc.node_count; i++)
        if (rd->doc.nodes[i].repeated)
            return wrong(rd, "a key appears twice in one object");
    if (rd->error[0] || !read_word(rd, 0, "schema", RECORD_SCHEMA) ||
        !read_hash(rd, 0, "job", &job->hash) || !read_number(rd, 0, "part", &rd->r->part) ||
        !read_number(rd, 0, "parts", &job->parts))
        return false;
    if (job->parts < 1 || job->parts > SHARE_PARTS_MAX || rd->r->part >= job->parts)
        return wrong(rd, "there is no part %ju of %ju", rd->r->part, job->parts);
    return read_descriptor(rd) && read_axes(rd) && read_share(rd) && read_files(rd) &&
           (job->files == 1 || read_topk_options(rd)) && read_origin(rd);
}

enum record_result record_read(struct record *r, const char *text, size_t len,
                               char error[RECORD_ERROR])
{
    struct record_reader rd = { .r = r, .error = error };
    struct json_error syntax;
    enum json_result scanned;

    *r = (struct record){ .part = 0 };
    error[0] = '\0';
    if (len > RECORD_MAX_TEXT) {
        wrong(&rd, "the record has more than %d bytes", RECORD_MAX_TEXT);
        return RECORD_WRONG;
    }
    scanned = json_doc_scan(&rd.doc, text, len, &syntax);
    if (scanned == JSON_NOMEM)
        return RECORD_NOMEM;
    if (scanned == JSON_INVALID)
        wrong(&rd, "the record is not JSON");
    else {
        (void)read_all(&rd); /* or sets the error */
        json_doc_free(&rd.doc);
    }
    return *error ? RECORD_WRONG : RECORD_OK;
}
