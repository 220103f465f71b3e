#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/coordinates.h"
#include "cli/option_groups.h"
#include "cli/print.h"
#include "cmd/commands.h"
#include "cmd/reshape.h"
#include "io/element.h"
#include "io/tensor_file.h"
#include "io/npz.h"
#include "part/tensor.h"
#include "run/output_format.h"
#include "run/reading.h"
#include "run/show.h"
#include "tensor/cast.h"
#include "tensor/element.h"
#include "tensor/scalar.h"

static const char *const format_names[] = { ".npy", "JSON", "raw data" };

struct convert_args {
    struct common_args common;
    struct output_args writing;
    const char *output;
    struct reshape_args shape;
    struct reading_args reading; /* its type is also that of the result; shape has the sizes */
    int format;                  /* enum tensor_format, or FORMAT_BY_NAME */
    struct cast_rules rules;
    long threads;
};

static const struct option_row rows[] = {
    OPT_TEXT('o', "output", struct convert_args, output, "FILE",
             "write to FILE; its extension (.npy, .json, .dat or .bin) selects the format "
             "(default: standard output)",
             .takes = TAKES_DATA),
    OPT_CHOICE("format", struct convert_args, format, tensor_format_names, FORMAT_BY_NAME, "FORMAT",
               "write npy, json or raw, whatever the extension"),
    OPT_GROUP(reading_options, struct convert_args, reading),
    OPT_HELP("dtype", "data type of the result; also the type of raw data, and of JSON that does "
                      "not name its type"),
    OPT_FLAG(0, "round", struct convert_args, rules.round,
             "round fractions to the nearest whole number, halves to the even one, where the "
             "type is an integer type"),
    OPT_FLAG(0, "clamp", struct convert_args, rules.clamp,
             "replace each value that does not fit the type by the nearest one, fractions "
             "included, and print how many there were"),
    OPT_GROUP(reshape_options, struct convert_args, shape),
    OPT_GROUP(threads_options, struct convert_args, threads),
    OPT_GROUP(output_options, struct convert_args, writing),
    OPT_HELP("no-sync", "do not wait until the output is on the disk"),
    OPT_GROUP(common_options, struct convert_args, common),
    OPT_OPERANDS(TAKES_DATA),
    OPT_END,
};

static const struct usage usage = {
    "convert",
    "[OPTIONS] INPUT -o OUTPUT",
    "Converts a tensor to another file format (.npy, JSON or raw data), data type or shape. "
    "The result is little-endian and in C order.",
    rows,
    NULL,
};

/* True if the extension is one of raw data. */
static bool is_named_raw(const char *path)
{
    enum tensor_format format;

    return !npz_is_member(path) && tensor_format_of(path, &format) && format == FORMAT_RAW;
}

/* Reports what --clamp did; --round was given for what it did. */
static void report_counts(const struct convert_args *a, const char *path, enum dtype type,
                          const struct cast_counts *n, struct diag *dg)
{
    if (n->clamped)
        diag_warn(dg, path,
                  "%" PRIu64
                  " value%s did not fit %s; each was replaced by the nearest one that does",
                  n->clamped, n->clamped == 1 ? "" : "s", dtype_name(type));
    if (n->rounded)
        (a->rules.round ? diag_note : diag_warn)(
            dg, path,
            "%" PRIu64 " value%s had a fraction; each was rounded to the nearest whole number, "
            "halves to the even one",
            n->rounded, n->rounded == 1 ? "" : "s");
}

static enum status read_input(const struct convert_args *a, int threads, const char *path,
                              struct tensor_file *f, struct diag *dg)
{
    const struct reading how = { .type = a->reading.type,
                                 .raw = a->reading.raw || is_named_raw(path),
                                 .sized = a->shape.sizes_words.n > 0,
                                 .sizes = a->shape.sizes };
    enum status st;

    if (part_tensor_is(path)) {
        st = part_tensor_begin(f, path, a->reading.type, threads,
                               dg); /* read while they are written */
        if (st == ST_OK && f->source)
            f->source->all = true;
    } else {
        f->rules = &a->rules;
        st = input_begin(&f->input, path, dg);
        if (st == ST_OK)
            st = reading_begin_on(f, &how, threads, dg);
        if (st == ST_OK)
            st = tensor_file_finish(f, dg);
    }
    if (st == ST_OK) {
        note_tensor_file(path, f, dg);
        report_counts(a, path, f->tensor.type, &f->counts, dg);
    }
    return st;
}

/* Refuses value number i in row-major order, which is not a value of the type. */
static enum status refuse_value(const struct tensor *t, uint64_t i, enum dtype type,
                                const char *path, struct diag *dg)
{
    const char *remedy = "--clamp takes the nearest value that does";
    char value[NUMBER_TEXT], element[8];
    uint64_t index[TENSOR_MAX_RANK];
    struct str place = { 0 };
    enum status st;
    struct scalar s;
    bool fraction;

    tensor_coordinate(t->rank, t->sizes, i, index);
    st = tensor_need(t, tensor_at(t, index), dtype_size(t->type));
    if (st)
        return st;
    s = scalar_load(t->type, t->swapped, tensor_at(t, index));
    scalar_text(&s, t->type, false, value);
    coordinates_add(&place, t->rank, index, t->rank);
    fraction = scalar_store(&s, type, element) == SCALAR_ROUNDED;
    if (fraction)
        remedy = "--round takes the nearest one";
    else if (s.is_float && isnan(s.f))
        remedy = "--clamp takes 0";
    st = diag_error(dg, ST_INPUT, path,
                    fraction ? "%s at index %s is not a whole number, and %s holds only whole "
                               "numbers; %s"
                             : "%s at index %s does not fit %s; %s",
                    value, place.s ? place.s : "", dtype_name(type), remedy);
    str_free(&place);
    return st;
}

/* Converts the elements to --dtype, in *owned, the caller's; NULL if they have that type. */
static enum status convert_type(const struct convert_args *a, int threads,
                                const struct tensor_file *f, struct tensor *t, void **owned,
                                struct diag *dg)
{
    bool widened = a->reading.type == DT_BFLOAT16;
    enum dtype type = a->reading.type != DT_NONE && !widened ? a->reading.type : t->type;
    const char *path = f->input.path;
    struct cast_result cast;
    uint64_t count;
    enum status st;

    if (widened && f->header.type != DT_BFLOAT16)
        return diag_error(dg, ST_INPUT, path,
                          "--dtype bfloat16: this is %s; bfloat16 is read, from .npy files of type "
                          "V2 and raw data, and not written",
                          dtype_name(t->type));
    t->is_bool = t->is_bool && a->reading.type == DT_NONE;
    if (type == t->type)
        return ST_OK;
    if (!tensor_count(t->rank, t->sizes, &count) ||
        !(*owned = mem_alloc_aligned(count, dtype_size(type))))
        return diag_nomem(dg);
    cast = tensor_cast(t, count, type, &a->rules, threads, *owned);
    st = tensor_file_intact(f, dg);
    if (st)
        return st;
    if (cast.refused)
        return refuse_value(t, cast.first, type, path, dg);
    report_counts(a, path, type, &cast.counts, dg);
    t->type = type;
    t->swapped = false;
    t->feed = NULL;
    t->data = *owned;
    tensor_pack_strides(t->rank, t->sizes, t->strides); /* fits: the elements are in memory */
    return ST_OK;
}

/* Writes the result, in columns and under the input's name if it goes to a terminal. */
static enum status write_output(const struct convert_args *a, int threads,
                                const struct tensor_file *in, const struct tensor *t,
                                enum tensor_format format, struct diag *dg)
{
    struct outputs outs = { .no_sync = a->writing.no_sync, .no_clobber = a->writing.no_clobber };
    const char *path = a->output;
    bool shown = a->format == FORMAT_BY_NAME && show_on_terminal(path);
    char sizes[TENSOR_SIZES_TEXT];
    enum status st = outputs_add(&outs, path, dg);

    if (st == ST_OK)
        st = shown ? show_tensor(outs.v[0], shown_path(in->input.path), t, dg)
                   : tensor_file_write(outs.v[0], t, format, threads, dg);
    if (st == ST_OK)
        st = tensor_file_intact(in, dg);
    if (st == ST_OK)
        st = outputs_commit(&outs, dg);
    if (st == ST_OK && !shown)
        diag_note(dg, strcmp(path, "-") == 0 ? NULL : path, "written as %s: %s %s",
                  format_names[format], dtype_name(t->type),
                  tensor_sizes_text(sizes, t->rank, t->sizes));
    outputs_close(&outs);
    return st;
}

static enum status check_operands(const struct convert_args *a, int n, struct diag *dg)
{
    if (n == 1)
        return ST_OK;
    if (n == 2 && a->shape.squeeze && !*a->shape.squeeze)
        return usage_error(dg,
                           "takes one input; the axes of --squeeze follow an '=': --squeeze=0,2");
    return usage_error(dg, "%s",
                       n == 0 ? "no input is given" : "takes one input; the output is -o FILE");
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
    a.output = a.output ? a.output : "-";
    st = check_operands(&a, argc, dg);
    if (st == ST_OK)
        st = reshape_parse(&a.shape, dg);
    if (st == ST_OK)
        st = output_format("-o", a.output, a.format, true, FORMAT_NPY, &format, dg);
    if (st == ST_OK)
        st = part_tensor_check_output(argv[0], a.output, dg);
    if (st)
        return st;
    threads = execution_threads(a.threads, dg);
    st = read_input(&a, threads, argv[0], &f, dg);
    if (st == ST_OK)
        st = output_format("-o", a.output, a.format, true, f.format, &format, dg);
    t = f.tensor;
    if (st == ST_OK)
        st = convert_type(&a, threads, &f, &t, &owned, dg);
    if (st == ST_OK)
        st = reshape_apply(&a.shape, argv[0], &t, &owned, dg);
    if (st == ST_OK && t.feed && !tensor_is_packed(&t)) { /* read in another order */
        st = tensor_file_finish(&f, dg);
        t.feed = NULL;
    }
    if (st == ST_OK)
        st = write_output(&a, threads, &f, &t, format, dg);
    free(owned);
    tensor_file_close(&f);
    return st;
}
