#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "cmd/command.h"
#include "cmd/notes.h"
#include "cmd/option_groups.h"
#include "cmd/print.h"
#include "cmd/show_print.h"
#include "io/element.h"
#include "io/tensor_file.h"
#include "json/number.h"
#include "tensor/cast.h"
#include "tensor/scalar.h"

static const char *const format_names[] = { ".npy", "JSON", "raw data" };

struct convert_args {
    struct common_args common;
    struct output_args writing;
    const char *output, *sizes;
    int format;      /* enum tensor_format, or FORMAT_BY_NAME */
    enum dtype type; /* DT_NONE: not given */
    bool clamp;
    long threads;
};

static const struct option_row rows[] = {
    OPT_TEXT('o', "output", struct convert_args, output, "FILE",
             "write to FILE; its extension (.npy, .json, .dat or .bin) selects the format "
             "(default: standard output)", .takes = TAKES_DATA),
    OPT_CHOICE("format", struct convert_args, format, tensor_format_names, FORMAT_BY_NAME, "FORMAT",
               "write npy, json or raw, whatever the extension"),
    OPT_GROUP(json_type_options, struct convert_args, type),
    OPT_HELP("dtype", "data type of the result; also the type of raw data, and of JSON that does "
                      "not name its type"),
    OPT_FLAG(0, "clamp", struct convert_args, clamp,
             "replace each value that does not fit the type by the nearest one, and print how many "
             "there were"),
    OPT_TEXT(0, "sizes", struct convert_args, sizes, "LIST",
             "sizes of raw input (.dat, .bin), which has the type of --dtype"),
    OPT_GROUP(threads_options, struct convert_args, threads),
    OPT_GROUP(output_options, struct convert_args, writing),
    OPT_HELP("no-sync", "do not wait until the output is on the disk"),
    OPT_GROUP(common_options, struct convert_args, common),
    OPT_OPERANDS(TAKES_DATA),
    OPT_END,
};

static const struct usage usage = {
    "convert", "[OPTIONS] INPUT -o OUTPUT",
    "Converts a tensor to another file format (.npy, JSON or raw data) or to another data type. "
    "The result is little-endian and in C order.",
    rows,
    NULL,
};

static bool is_raw(const char *path)
{
    return path_has_extension(path, ".dat") || path_has_extension(path, ".bin");
}

static enum status read_sizes(const char *list, struct tensor *t, struct diag *dg)
{
    const char *p = list;

    for (t->rank = 0; *p; t->rank++) {
        size_t n = strcspn(p, ",");

        if (t->rank == TENSOR_MAX_RANK ||
            number_uint_literal(p, n, &t->sizes[t->rank]) != NUMBER_OK)
            return diag_error(dg, ST_USAGE, NULL,
                              "--sizes: '%s' is not a list of at most 32 sizes, such as 2,3", list);
        p += n + (p[n] == ',');
    }
    return ST_OK;
}

/* Raw little-endian data of --dtype and --sizes. */
static enum status read_raw(const struct convert_args *a, const char *path, struct tensor_file *f,
                            struct diag *dg)
{
    struct tensor *t = &f->tensor;
    char sizes[TENSOR_SIZES_TEXT];
    uint64_t bytes;
    enum status st;

    if (a->type == DT_NONE || !a->sizes)
        return diag_error(dg, ST_USAGE, path,
                          "raw data has no type or sizes of its own; give --dtype and --sizes");
    t->type = a->type;
    t->swapped = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    st = read_sizes(a->sizes, t, dg);
    if (st == ST_OK)
        st = input_open(&f->input, path, dg);
    if (st)
        return st;
    if (!tensor_count(t->rank, t->sizes, &f->count) ||
        !u64_mul(f->count, dtype_size(t->type), &bytes) || bytes != f->input.len ||
        !tensor_pack_strides(t->rank, t->sizes, t->strides))
        return diag_error(dg, ST_INPUT, path, "has %zu bytes, not the %s that --sizes %s needs",
                          f->input.len, dtype_name(t->type), a->sizes);
    t->data = f->input.data;
    diag_note(dg, path, "%s %s, raw data", dtype_name(t->type),
              tensor_sizes_text(sizes, t->rank, t->sizes));
    return ST_OK;
}

static enum status read_input(const struct convert_args *a, int threads, const char *path,
                              struct tensor_file *f, struct diag *dg)
{
    enum dtype type = a->type;
    enum status st;

    if (is_raw(path))
        return read_raw(a, path, f, dg);
    if (a->sizes)
        return diag_error(dg, ST_USAGE, NULL, "--sizes is for raw data; '%s' already has sizes",
                          path);
    if (a->clamp && dtype_size(type) < 8 && type != DT_NONE)
        type = DT_FLOAT64; /* of JSON without a type, so that reading refuses nothing */
    st = tensor_file_read(f, path, type, threads, dg);
    if (st == ST_OK)
        note_tensor_file(path, f, dg);
    return st;
}

/* Refuses the value that is number `i` in row-major order, which does not fit `type`. */
static enum status refuse_value(const struct tensor *t, uint64_t i, enum dtype type,
                                const char *path, struct diag *dg)
{
    char value[NUMBER_TEXT], element[8];
    uint64_t index[TENSOR_MAX_RANK];
    struct str list = { 0 };
    enum status st;
    struct scalar s;

    tensor_coordinate(t->rank, t->sizes, i, index);
    s = scalar_load(t->type, t->swapped, tensor_at(t, index));
    scalar_store(&s, t->type, element);
    element_text(t->type, element, false, value);
    for (unsigned axis = 0; axis < t->rank; axis++)
        str_printf(&list, "%s%" PRIu64, axis ? "," : "", index[axis]);
    st = diag_error(dg, ST_INPUT, path,
                    "%s at index [%s] does not fit %s; --clamp takes the nearest value that does",
                    value, list.s ? list.s : "", dtype_name(type));
    str_free(&list);
    return st;
}

/* Converts the elements to the type of --dtype. *owned is the caller's, NULL where nothing was
 * copied. */
static enum status prepare(const struct convert_args *a, int threads, const char *path,
                           struct tensor *t, void **owned, struct diag *dg)
{
    enum dtype type = a->type != DT_NONE ? a->type : t->type;
    struct cast_misfits misfits;
    uint64_t count;

    t->is_bool = t->is_bool && a->type == DT_NONE;
    if (type == t->type)
        return ST_OK;
    if (!tensor_count(t->rank, t->sizes, &count) ||
        !(*owned = mem_alloc_aligned(count, dtype_size(type))))
        return diag_nomem(dg);
    misfits = tensor_cast(t, count, type, a->clamp, threads, *owned);
    if (misfits.count && !a->clamp)
        return refuse_value(t, misfits.first, type, path, dg);
    if (misfits.count)
        diag_warn(dg, path,
                  "%" PRIu64
                  " value%s did not fit %s; each was replaced by the nearest one that does",
                  misfits.count, misfits.count == 1 ? "" : "s", dtype_name(type));
    t->type = type;
    t->swapped = false;
    t->data = *owned;
    tensor_pack_strides(t->rank, t->sizes, t->strides); /* fits: the elements are in memory */
    return ST_OK;
}

/* Whether the result is shown to a person, under the input's name. */
static bool is_shown(const struct convert_args *a)
{
    return a->format == FORMAT_BY_NAME && show_on_terminal(a->output ? a->output : "-");
}

static enum status write_output(const struct convert_args *a, int threads, const struct input *in,
                                const struct tensor *t, enum tensor_format format, struct diag *dg)
{
    struct outputs outs = { .no_sync = a->writing.no_sync, .no_clobber = a->writing.no_clobber };
    const char *path = a->output ? a->output : "-";
    char sizes[TENSOR_SIZES_TEXT];
    enum status st = outputs_add(&outs, path, dg);

    if (st == ST_OK)
        st = is_shown(a) ? show_tensor(&outs, 0, shown_path(in->path), t, dg)
                         : tensor_file_write(&outs, 0, t, format, threads, dg);
    if (st == ST_OK)
        st = input_intact(in, dg);
    if (st == ST_OK)
        st = outputs_commit(&outs, dg);
    if (st == ST_OK && !is_shown(a))
        diag_note(dg, strcmp(path, "-") == 0 ? NULL : path, "written as %s: %s %s",
                  format_names[format], dtype_name(t->type),
                  tensor_sizes_text(sizes, t->rank, t->sizes));
    outputs_close(&outs);
    return st;
}

/* The output's format: as --format says, else by the extension of -o; on standard output as the
 * input. */
static enum status choose_format(const struct convert_args *a, enum tensor_format input,
                                 enum tensor_format *format, struct diag *dg)
{
    if (a->format != FORMAT_BY_NAME) {
        *format = (enum tensor_format)a->format;
        return ST_OK;
    }
    *format = FORMAT_NPY;
    if (!a->output || strcmp(a->output, "-") == 0) {
        if (input == FORMAT_JSON)
            *format = FORMAT_JSON;
        return ST_OK;
    }
    if (path_has_extension(a->output, ".json"))
        *format = FORMAT_JSON;
    else if (is_raw(a->output))
        *format = FORMAT_RAW;
    else if (!path_has_extension(a->output, ".npy"))
        return diag_error(
            dg, ST_USAGE, NULL,
            "the extension of '%s' does not name a format; use .npy, .json, .dat, .bin or --format",
            a->output);
    return ST_OK;
}

enum status cmd_convert(int argc, char **argv, struct diag *dg)
{
    struct convert_args a = { .output = NULL };
    struct tensor_file f = { 0 };
    enum tensor_format format;
    void *owned = NULL;
    struct tensor t;
    enum status st;
    int threads;

    if (!command_begin(&usage, &a, &argc, &argv, &st, dg))
        return st;
    if (argc != 1) {
        diag_error(dg, ST_USAGE, NULL,
                   argc == 0 ? "no input is given" : "takes one input; the output is -o FILE");
        return usage_hint(dg);
    }
    threads = execution_threads(a.threads, dg);
    st = read_input(&a, threads, argv[0], &f, dg);
    if (st == ST_OK)
        st = choose_format(&a, f.format, &format, dg);
    t = f.tensor;
    if (st == ST_OK)
        st = prepare(&a, threads, argv[0], &t, &owned, dg);
    if (st == ST_OK)
        st = write_output(&a, threads, &f.input, &t, format, dg);
    free(owned);
    tensor_file_close(&f);
    return st;
}
