#include "run/tensor_options.h"

#include <unistd.h>

#include "base/path.h"
#include "cli/option_groups.h"
#include "io/kind.h"
#include "tensor/element.h"

#include "run/tensor_options_rows.h"

enum status reading_parse(struct reading *r, struct diag *dg)
{
    r->sized = r->words.n > 0;
    if (!r->sized)
        return ST_OK;
    if (!r->raw)
        return usage_error(dg, "--sizes is for raw data; give --raw as well");
    return list_sizes("--sizes", &r->words, true, &r->sizes, dg);
}

/* The product of all sizes except a -1, whose index is *computed; false if it overflows. */
static bool multiply(const struct integers *list, uint64_t *product, int *computed)
{
    *product = 1;
    *computed = -1;
    for (unsigned i = 0; i < list->n; i++)
        if (list->v[i] == -1)
            *computed = (int)i;
        else if (!u64_mul(*product, (uint64_t)list->v[i], product))
            return false;
    return true;
}

enum status reading_sizes(const struct integers *list, uint64_t count, const char *what,
                          const char *path, struct tensor *t, struct diag *dg)
{
    const struct integers_text text = integers_text(list);
    uint64_t product, bytes;
    int computed;
    bool fits = multiply(list, &product, &computed);

    if (fits && computed >= 0 && (product == 0 || count % product != 0))
        return diag_input(dg, path, "--sizes %s: the %ju elements of %s cannot be divided by %ju",
                          text.text, count, what, product);
    if (!fits || (computed < 0 && product != count))
        return diag_input(dg, path, "--sizes %s: %s has %ju elements, not %s%ju", text.text, what,
                          count, fits ? "" : "more than ", fits ? product : UINT64_MAX);
    t->rank = list->n;
    for (unsigned i = 0; i < t->rank; i++)
        t->sizes[i] = (int)i == computed ? count / product : (uint64_t)list->v[i];
    if (!tensor_dense_bytes(t->type, t->rank, t->sizes, &bytes) ||
        !tensor_pack_strides(t->rank, t->sizes, t->strides))
        return diag_input(dg, path, "--sizes: the sizes %s are too large",
                          tensor_sizes_text(t->rank, t->sizes).text);
    return ST_OK;
}

/* Refuses raw data without --dtype or --sizes, which may also be another kind of file. */
static enum status refuse_untyped(struct input *in, struct diag *dg)
{
    enum status st = input_fill(in, KIND_FILL, dg);
    struct kind known;

    if (st == ST_OK && kind_find(in, &known))
        st = kind_check(in, WANT_TENSOR, dg);
    return st ? st
              : diag_error(dg, ST_USAGE, in->path,
                           "raw data has no type or sizes of its own; give --dtype and "
                           "--sizes, such as --dtype float32 --sizes 2,3, or --sizes -1");
}

/* Reads one byte more than the sizes need at most: a device may have no end. */
static enum status fill_raw(const struct reading *r, struct input *in, struct diag *dg)
{
    uint64_t count, bytes;
    int computed;

    if (multiply(&r->sizes, &count, &computed) && computed < 0 &&
        u64_mul(count, dtype_size(r->type), &bytes) && bytes < SIZE_MAX)
        return input_fill(in, (size_t)bytes + 1, dg);
    return input_finish(in, dg);
}

/* Reads raw little-endian data; f->input was begun. */
static enum status read_raw(struct tensor_file *f, const struct reading *r, struct diag *dg)
{
    struct input *in = &f->input;
    struct tensor *t = &f->tensor;
    struct npy_header *h = &f->header;
    size_t size = dtype_size(r->type);
    enum status st;

    if (r->type == DT_NONE || !r->sized)
        return refuse_untyped(in, dg);
    *t = (struct tensor){ .type = r->type, .swapped = BIG_MACHINE };
    st = fill_raw(r, in, dg);
    if (st == ST_OK && in->more)
        st = diag_input(dg, in->path, "there are more bytes than %s of these --sizes have",
                        dtype_name(t->type));
    else if (st == ST_OK && in->len % size != 0)
        st = diag_input(dg, in->path,
                        "the file has %zu bytes, which are not a whole number of %s elements",
                        in->len, dtype_name(t->type));
    f->count = in->len / size;
    st = st ? st : reading_sizes(&r->sizes, f->count, "the file", in->path, t, dg);
    if (st)
        return st;
    t->data = in->data;
    f->typed = true;
    *h = (struct npy_header){ .type = t->type,
                              .swapped = t->swapped,
                              .rank = t->rank,
                              .count = f->count,
                              .data_bytes = f->count * size };
    memcpy(h->sizes, t->sizes, sizeof h->sizes);
    return r->type == DT_BFLOAT16 ? tensor_file_widen(f, dg) : ST_OK;
}

enum status reading_begin(struct tensor_file *f, const char *path, const struct reading *r,
                          int threads, struct diag *dg)
{
    const struct input *in = &f->input;
    struct kind kind;
    bool raw; /* not so if it begins as another kind of file, whatever its name */
    enum status st;

    *f = (struct tensor_file){ .rules = r->rules,
                               .skip_lines = (uint64_t)r->skip_lines,
                               .array = r->array };
    st = tensor_file_input(f, path, dg);
    if (st == ST_OK && r->raw)
        st = input_fill(&f->input, NPY_MAGIC_LEN, dg);
    if (st == ST_OK) {
        raw = r->raw && !npy_is(in->data, in->len) && !(kind_find(in, &kind) && kind.way == MEMBER);
        st = raw ? read_raw(f, r, dg) : tensor_file_begin_on(f, r->type, threads, dg);
    }
    if (st)
        tensor_file_close(f);
    return st;
}

enum status reading_whole(struct tensor_file *f, const char *path, const struct reading *r,
                          int threads, struct diag *dg)
{
    enum status st = reading_begin(f, path, r, threads, dg);

    return st ? st : tensor_file_finish(f, dg);
}

/* A path without its extension, for "%.*s". */
static int stem(const char *path) { return (int)(path_extension(path) - path); }

static enum status refuse(const char *option, const char *path, struct diag *dg)
{
    return diag_usage(dg,
                      "%s %s: the extension %s does not name a format; use .npy, .json, .csv, "
                      ".tsv, .dat or .bin, or say --format npy, json, csv, tsv or raw",
                      option, path, path_extension(path));
}

/* NAME of FILE.npz:NAME, or NULL. */
static const char *member_name(const char *path)
{
    const char *colon = strchr(path, ':');

    while (colon && (colon - path <= 4 || strncasecmp(colon - 4, ".npz", 4) != 0))
        colon = strchr(colon + 1, ':');
    return colon ? colon + 1 : NULL;
}

const char *output_member(const char *path, const char *otherwise)
{
    if (path_has_extension(path, ".npz"))
        return otherwise;
    return tensor_format_of(path) == FORMAT_NONE ? member_name(path) : NULL;
}

enum status output_format(const char *option, const char *path, int asked,
                          enum tensor_format otherwise, enum tensor_format *format, struct diag *dg)
{
    *format = FORMAT_NPY;
    if (*option && !output_member(path, path) && member_name(path))
        return diag_usage(dg,
                          "%s %s: the name of an array in an archive has no extension; use %s %.*s",
                          option, path, option, stem(path), path);
    if (output_member(path, path))
        return asked == FORMAT_BY_NAME || asked == FORMAT_NPY
                   ? ST_OK
                   : diag_usage(dg,
                                "%s %s: the arrays in an archive are .npy; leave out --format %s",
                                option, path, tensor_format_names[asked]);
    *format = asked != FORMAT_BY_NAME ? (enum tensor_format)asked
              : *path_extension(path) ? tensor_format_of(path)
                                      : otherwise;
    return *format == FORMAT_NONE ? refuse(option, path, dg) : ST_OK;
}

enum status output_check_json(const char *option, const char *path, struct diag *dg)
{
    enum tensor_format format = tensor_format_of(path);

    if ((format != FORMAT_NONE && format != FORMAT_JSON) ||
        strcasecmp(path_extension(path), ".npz") == 0)
        return diag_usage(dg, "%s writes JSON, and '%s' is the name of a tensor; use %.*s.json",
                          option, path, stem(path), path);
    return ST_OK;
}

bool output_is_shown(const char *path, int format)
{
    return format == FORMAT_BY_NAME && strcmp(path, "-") == 0 && isatty(STDOUT_FILENO);
}
