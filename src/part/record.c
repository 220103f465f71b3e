#include "part/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "desc/emit.h"
#include "desc/schema.h"
#include "part/auto.h"

static const char *const suffixes[] = { ".npy", ".indices.npy", ".json" };

/* Digits of numbers in names: five, more where N has more. */
static int digits(uint64_t parts)
{
    int n = snprintf(NULL, 0, "%" PRIu64, parts);

    return n < 5 ? 5 : n;
}

char *record_name(char name[RECORD_NAME], uint64_t part, uint64_t parts, unsigned file)
{
    int n = digits(parts);

    snprintf(name, RECORD_NAME, "part-%0*" PRIu64 "-of-%0*" PRIu64 "%s", n, part, n, parts,
             suffixes[file]);
    return name;
}

bool record_name_read(const char *name, uint64_t *part, uint64_t *parts)
{
    char copy[RECORD_NAME], right[RECORD_NAME], *of;

    if (strlen(name) >= sizeof copy || strncmp(name, "part-", 5) != 0)
        return false;
    snprintf(copy, sizeof copy, "%s", name + 5);
    of = strstr(copy, "-of-");
    if (!of)
        return false;
    *of = '\0';
    of += 4;
    of[strcspn(of, ".")] = '\0';
    if (!auto_part_number(copy, part) || !auto_part_number(of, parts) || *part >= *parts ||
        *parts > SHARE_PARTS_MAX)
        return false;
    return strcmp(record_name(right, *part, *parts, RECORD_FILES), name) == 0;
}

void record_set(struct record *r, const struct desc *whole, const struct share_grid *grid,
                uint64_t part, uint64_t parts)
{
    const struct field *out = op_output(whole->op, ROLE_DATA),
                       *indices = op_output(whole->op, ROLE_INDEX);
    struct share share;

    *r = (struct record){ .part = part, .parts = parts, .grid = *grid, .op = whole->op };
    r->shape = share_shape_of(whole);
    r->type = whole->tensor[out->slot].type;
    r->index_type = indices ? whole->tensor[indices->slot].type : DT_NONE;
    r->largest = whole->direction == AXIS_DECREASING;
    r->nan_last = whole->nan_last;
    r->files = indices ? 2 : 1;
    share_at(&r->shape, grid, part, &share);
    share_place(&r->shape, &share, r->place, r->sizes);
    r->stretched = share.stretched;
    if (share.stretched) {
        r->from = share.from[r->shape.along];
        r->to = share.to[r->shape.along];
    }
}

static void write_place(struct json_writer *w, const struct record *r)
{
    json_open(w, "axes", "[ ]");
    for (unsigned i = 0; i < r->grid.n; i++) {
        json_open(w, NULL, "{ }");
        json_uint(w, "axis", r->grid.axis[i]);
        json_uint(w, "count", r->grid.count[i]);
        json_close(w);
    }
    json_close(w);
    json_line(w, 2);
    json_uints(w, "place", r->place, r->shape.rank);
    json_uints(w, "sizes", r->sizes, r->shape.rank);
    if (!r->stretched)
        return;
    json_open(w, "stretch", "{ }");
    json_uint(w, "axis", r->shape.along);
    json_uint(w, "from", r->from);
    json_uint(w, "to", r->to);
    json_close(w);
}

static void write_files(struct json_writer *w, const struct record *r)
{
    char name[RECORD_NAME];

    json_open(w, "files", "[ ]");
    for (unsigned i = 0; i < r->files; i++) {
        if (i > 0)
            json_line(w, 13);
        json_open(w, NULL, "{ }");
        json_string(w, "name", record_name(name, r->part, r->parts, i));
        json_uint(w, "bytes", r->file[i].bytes);
        json_stringf(w, "xxh3", "%016" PRIx64, r->file[i].xxh3);
        json_close(w);
    }
    json_close(w);
}

static void write_times(struct json_writer *w, const struct record_times *t)
{
    json_open(w, "timings", "{ }");
    json_uint(w, "load_ns", t->load_ns);
    json_uint(w, "validate_ns", t->validate_ns);
    json_uint(w, "compute_ns", t->compute_ns);
    json_uint(w, "store_ns", t->store_ns);
    json_line(w, 15);
    json_uint(w, "bytes_in", t->bytes_in);
    json_uint(w, "bytes_out", t->bytes_out);
    json_uint(w, "operations", t->operations);
    json_close(w);
}

void record_write(struct str *b, const struct record *r, const struct desc *whole,
                  const char *host, const char *version)
{
    struct json_writer w = { .out = b };

    json_open(&w, NULL, "{ }");
    json_string(&w, "schema", RECORD_SCHEMA);
    json_stringf(&w, "job", "%016" PRIx64, r->job);
    json_uint(&w, "part", r->part);
    json_uint(&w, "parts", r->parts);
    write_place(&w, r);
    json_line(&w, 2);
    json_open(&w, "descriptor", "{ }");
    desc_emit_members(whole, &w, 4);
    json_line(&w, 2);
    json_close(&w);
    if (r->index_type != DT_NONE)
        json_uint(&w, "k", whole->k);
    if (r->nan_last)
        json_string(&w, "nan", "last");
    json_line(&w, 2);
    write_files(&w, r);
    json_line(&w, 2);
    write_times(&w, &r->times);
    json_line(&w, 2);
    json_string(&w, "host", host);
    json_string(&w, "version", version);
    json_line(&w, 0);
    json_close(&w);
    str_puts(b, "\n");
}

bool record_is_share(const struct record *r, char error[RECORD_ERROR])
{
    char have[TENSOR_SIZES_TEXT], want[TENSOR_SIZES_TEXT];
    uint64_t place[DML_MAX_RANK], sizes[DML_MAX_RANK];
    size_t bytes = r->shape.rank * sizeof place[0];
    struct share s;

    share_at(&r->shape, &r->grid, r->part, &s);
    share_place(&r->shape, &s, place, sizes);
    if (memcmp(sizes, r->sizes, bytes) != 0) {
        snprintf(error, RECORD_ERROR, "sizes %.80s, its share is %.80s",
                 tensor_sizes_text(have, r->shape.rank, r->sizes),
                 tensor_sizes_text(want, r->shape.rank, sizes));
        return false;
    }
    if (memcmp(place, r->place, bytes) != 0) {
        snprintf(error, RECORD_ERROR, "place %.80s, its share is at %.80s",
                 tensor_sizes_text(have, r->shape.rank, r->place),
                 tensor_sizes_text(want, r->shape.rank, place));
        return false;
    }
    if (s.stretched != r->stretched ||
        (s.stretched && (s.from[r->shape.along] != r->from || s.to[r->shape.along] != r->to))) {
        snprintf(error, RECORD_ERROR, "its stretch is not its share of axis %u", r->shape.along);
        return false;
    }
    return true;
}

static bool same_grid(const struct share_grid *a, const struct share_grid *b)
{
    return a->n == b->n && memcmp(a->axis, b->axis, a->n * sizeof a->axis[0]) == 0 &&
           memcmp(a->count, b->count, a->n * sizeof a->count[0]) == 0;
}

static bool same_shape(const struct share_shape *a, const struct share_shape *b)
{
    return a->rank == b->rank && memcmp(a->sizes, b->sizes, a->rank * sizeof a->sizes[0]) == 0 &&
           a->along == b->along && a->length == b->length;
}

bool record_same_job(const struct record *r, const struct record *s)
{
    return r->job == s->job && r->op == s->op && r->parts == s->parts && r->type == s->type &&
           r->index_type == s->index_type && r->largest == s->largest &&
           r->nan_last == s->nan_last && r->descriptor == s->descriptor &&
           same_grid(&r->grid, &s->grid) && same_shape(&r->shape, &s->shape);
}

void record_difference(const struct record *r, const struct record *s, char error[RECORD_ERROR])
{
    char have[TENSOR_SIZES_TEXT], want[TENSOR_SIZES_TEXT];
    const struct share_shape *a = &r->shape, *b = &s->shape;

    if (r->op != s->op)
        snprintf(error, RECORD_ERROR, "%s, not %s", op_schemas[r->op].name, op_schemas[s->op].name);
    else if (r->parts != s->parts)
        snprintf(error, RECORD_ERROR, "%" PRIu64 " parts, not %" PRIu64, r->parts, s->parts);
    else if (a->rank != b->rank || memcmp(a->sizes, b->sizes, a->rank * sizeof a->sizes[0]) != 0)
        snprintf(error, RECORD_ERROR, "its output is %.80s, not %.80s",
                 tensor_sizes_text(have, a->rank, a->sizes),
                 tensor_sizes_text(want, b->rank, b->sizes));
    else if (!same_grid(&r->grid, &s->grid))
        snprintf(error, RECORD_ERROR, "other axes are split");
    else if (r->type != s->type)
        snprintf(error, RECORD_ERROR, "%s, not %s", dtype_name(r->type), dtype_name(s->type));
    else if (r->index_type != s->index_type)
        snprintf(error, RECORD_ERROR, "its indices are %s, not %s", dtype_name(r->index_type),
                 dtype_name(s->index_type));
    else if (r->descriptor != s->descriptor)
        snprintf(error, RECORD_ERROR, "its descriptor is another");
    else if (r->nan_last != s->nan_last)
        snprintf(error, RECORD_ERROR, "its --nan is another");
    else
        snprintf(error, RECORD_ERROR, "its inputs or --job are others");
}
