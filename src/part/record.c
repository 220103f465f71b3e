#include "part/record.h"

#include "desc/schema.h"

static const char *const suffixes[] = { ".npy", ".indices.npy", ".json" };

char *record_name(char name[RECORD_NAME], uint64_t part, uint64_t parts, unsigned file)
{
    int digits = snprintf(NULL, 0, "%ju", parts), n = digits < 5 ? 5 : digits;

    snprintf(name, RECORD_NAME, "part-%0*ju-of-%0*ju%s", n, part, n, parts, suffixes[file]);
    return name;
}

bool record_name_read(const char *name, uint64_t *part, uint64_t *parts)
{
    char right[RECORD_NAME];

    /* NOLINTNEXTLINE(cert-err34-c): numbers that do not make this name again are refused */
    return sscanf(name, "part-%10ju-of-%10ju", part, parts) == 2 && *part < *parts &&
           *parts <= SHARE_PARTS_MAX &&
           strcmp(record_name(right, *part, *parts, RECORD_FILES), name) == 0;
}

void record_set(struct record *r, const struct desc *whole, const struct share_grid *grid,
                uint64_t part, uint64_t parts)
{
    const struct field *out = op_output(whole->op, ROLE_DATA),
                       *indices = op_output(whole->op, ROLE_INDEX);

    *r = (struct record){
        .job = { .parts = parts,
                 .grid = *grid,
                 .shape = share_shape_of(whole),
                 .op = whole->op,
                 .type = { whole->tensor[out->slot].type,
                           indices ? whole->tensor[indices->slot].type : DT_NONE },
                 .files = indices ? 2 : 1,
                 .largest = whole->direction == AXIS_DECREASING,
                 .nan_last = whole->nan_last },
        .part = part,
    };
    share_at(&r->job.shape, grid, part, &r->share);
}

static void write_place(struct json_writer *w, const struct record *r)
{
    const struct share_grid *grid = &r->job.grid;
    unsigned rank = r->job.shape.rank, along = r->job.shape.along;

    json_open(w, "axes", "[ ]");
    for (unsigned i = 0; i < grid->n; i++)
        json_format(w, "{ axis: %u count: %ju }", grid->axis[i], grid->count[i]);
    json_format(w, "] \n  ");
    json_uints(w, "place", r->share.place, rank);
    json_uints(w, "sizes", r->share.sizes, rank);
    if (r->share.stretched)
        json_format(w, "stretch: { axis: %u from: %ju to: %ju }", along, r->share.from[along],
                    r->share.to[along]);
}

static void write_files(struct json_writer *w, const struct record *r)
{
    char name[RECORD_NAME];

    json_open(w, "files", "[ ]");
    for (unsigned i = 0; i < r->job.files; i++) {
        if (i > 0)
            json_line(w, 13);
        json_format(w, "{ name: %s bytes: %ju", record_name(name, r->part, r->job.parts, i),
                    r->file[i].bytes);
        json_stringf(w, "xxh3", "%016jx", r->file[i].xxh3);
        json_close(w);
    }
    json_close(w);
}

void work_write(struct json_writer *w, const struct work *work)
{
    json_format(w, "bytes_in: %ju bytes_out: %ju operations: %ju", work->bytes_in, work->bytes_out,
                work->operations);
}

void record_write(struct str *b, const struct record *r, const struct desc *whole, const char *host,
                  const char *version)
{
    struct json_writer w = { .out = b };
    struct desc written = *whole;
    unsigned out = op_output(whole->op, ROLE_DATA)->slot;

    written.tensor[out] = desc_result(whole, out);
    json_format(&w, "{ schema: %s", RECORD_SCHEMA);
    json_stringf(&w, "job", "%016jx", r->job.hash);
    json_format(&w, "part: %ju parts: %ju", r->part, r->job.parts);
    write_place(&w, r);
    json_format(&w, "\n  descriptor: {");
    desc_emit_members(&written, &w, 4); /* the output as its file has it */
    json_format(&w, "\n  }");
    if (r->job.files == 2)
        json_uint(&w, "k", whole->k);
    if (r->job.nan_last)
        json_string(&w, "nan", "last");
    json_line(&w, 2);
    write_files(&w, r);
    json_format(&w,
                "\n  timings: { load_ns: %ju validate_ns: %ju compute_ns: %ju store_ns: %ju "
                "\n               ",
                r->phases.load, r->phases.validate, r->phases.compute, r->phases.store);
    work_write(&w, &r->work);
    json_format(&w, "} \n  host: %s version: %s \n}", host, version);
    str_puts(b, "\n");
}

bool record_is_share(const struct record *r, char error[RECORD_ERROR])
{
    unsigned rank = r->job.shape.rank, along = r->job.shape.along;
    const struct share *is = &r->share;
    struct share right;

    share_at(&r->job.shape, &r->job.grid, r->part, &right);
    if (memcmp(right.sizes, is->sizes, rank * sizeof right.sizes[0]) != 0)
        snprintf(error, RECORD_ERROR, "sizes %.80s, its share is %.80s",
                 tensor_sizes_text(rank, is->sizes).text,
                 tensor_sizes_text(rank, right.sizes).text);
    else if (memcmp(right.place, is->place, rank * sizeof right.place[0]) != 0)
        snprintf(error, RECORD_ERROR, "place %.80s, its share is at %.80s",
                 tensor_sizes_text(rank, is->place).text,
                 tensor_sizes_text(rank, right.place).text);
    else if (right.stretched != is->stretched ||
             (right.stretched &&
              (right.from[along] != is->from[along] || right.to[along] != is->to[along])))
        snprintf(error, RECORD_ERROR, "its stretch is not its share of axis %u", along);
    else
        return true;
    return false;
}

static bool same_grid(const struct share_grid *a, const struct share_grid *b)
{
    return a->n == b->n && memcmp(a->axis, b->axis, a->n * sizeof a->axis[0]) == 0 &&
           memcmp(a->count, b->count, a->n * sizeof a->count[0]) == 0;
}

bool record_same_job(const struct part_job *a, const struct part_job *b, char error[RECORD_ERROR])
{
    if (a->op != b->op)
        snprintf(error, RECORD_ERROR, "%s, not %s", op_schema(a->op)->name, op_schema(b->op)->name);
    else if (a->parts != b->parts)
        snprintf(error, RECORD_ERROR, "%ju parts, not %ju", a->parts, b->parts);
    else if (a->shape.rank != b->shape.rank ||
             memcmp(a->shape.sizes, b->shape.sizes, a->shape.rank * sizeof *a->shape.sizes) != 0)
        snprintf(error, RECORD_ERROR, "its output is %.80s, not %.80s",
                 tensor_sizes_text(a->shape.rank, a->shape.sizes).text,
                 tensor_sizes_text(b->shape.rank, b->shape.sizes).text);
    else if (!same_grid(&a->grid, &b->grid))
        snprintf(error, RECORD_ERROR, "other axes are split");
    else if (a->type[0] != b->type[0])
        snprintf(error, RECORD_ERROR, "%s, not %s", dtype_name(a->type[0]), dtype_name(b->type[0]));
    else if (a->type[1] != b->type[1])
        snprintf(error, RECORD_ERROR, "its indices are %s, not %s", dtype_name(a->type[1]),
                 dtype_name(b->type[1]));
    else if (a->descriptor != b->descriptor)
        snprintf(error, RECORD_ERROR, "its descriptor is another");
    else if (a->nan_last != b->nan_last)
        snprintf(error, RECORD_ERROR, "its --nan is another");
    else if (a->hash != b->hash)
        snprintf(error, RECORD_ERROR, "its inputs or --job are others");
    else
        return true;
    return false;
}
