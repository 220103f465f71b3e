#include <math.h>

#include "base/mem.h"
#include "base/path.h"
#include "cli/print.h"
#include "cli/show.h"
#include "cmd/commands.h"
#include "driver/driver.h"
#include "io/element.h"
#include "io/npz.h"

/* The axes of the result: whatever the order on the command line, --sizes comes first and divides
 * the elements in row-major order, then --squeeze drops axes of size 1, then --permute orders the
 * axes that are left. */
struct convert_args {
    struct common_args common;
    struct outputs writing;
    const char *output, *output_dir;
    struct reading reading;         /* its type and sizes are also those of the result */
    const char *squeeze;            /* NULL: not given; "": all axes of size 1 */
    struct option_list permute;     /* no words: not given */
    struct integers dropped, order; /* both, parsed */
    int format;                     /* enum tensor_format, or FORMAT_BY_NAME */
    struct cast_rules rules;
    struct option_list scale, zero_point; /* no words: not given */
    long threads;
};

#include "cmd/convert_rows.h"

/* Reports what --clamp did; --round was given for what it did. */
static void report_counts(const struct convert_args *a, const char *path, enum dtype type,
                          const struct cast_counts *n, struct diag *dg)
{
    if (n->clamped)
        diag_warn(dg, path,
                  "%ju value%s did not fit %s; each was replaced by the nearest one that does",
                  n->clamped, n->clamped == 1 ? "" : "s", dtype_name(type));
    if (n->rounded)
        diag_print(dg, a->rules.round ? DIAG_NOTE : DIAG_WARNING, ST_OK, path, -1,
                   "%ju value%s had a fraction; each was rounded to the nearest whole number, "
                   "halves to the even one",
                   n->rounded, n->rounded == 1 ? "" : "s");
}

static enum status read_input(const struct convert_args *a, const char *path, struct tensor_file *f,
                              struct diag *dg)
{
    struct reading how = a->reading;
    enum status st;

    how.raw = how.raw || (!npz_member(path) && tensor_format_of(path) == FORMAT_RAW);
    how.rules = &a->rules;
    if (a->scale.n > 0) /* --dtype is the type of the result only */
        how.type = how.type == DT_FLOAT32 ? DT_INT32 : DT_FLOAT32;
    st = reading_whole(f, path, &how, (int)a->threads, dg);
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
    struct scalar s;
    bool fraction;

    tensor_coordinate(t->rank, t->sizes, i, index);
    s = scalar_load(t->type, t->swapped, tensor_at(t, index));
    scalar_text(&s, t->type, false, value);
    fraction = scalar_store(&s, type, element) == SCALAR_ROUNDED;
    if (fraction)
        remedy = "--round takes the nearest one";
    else if (s.is_float && isnan(s.f))
        remedy = "--clamp takes 0";
    return diag_input(
        dg, path,
        fraction ? "%s at index %s is not a whole number, and %s holds only whole numbers; %s"
                 : "%s at index %s does not fit %s; %s",
        value, tensor_index_text(t->rank, index, t->rank).text, dtype_name(type), remedy);
}

/* Reads the scale and the zero point for t. */
static enum status read_scale(const struct convert_args *a, const struct tensor *t,
                              struct inputs *in, const char *path, struct diag *dg)
{
    bool back = a->reading.type == DT_FLOAT32;
    enum dtype type = back ? t->type : a->reading.type; /* of quantized values */
    enum status st;

    if (dtype_table[type].kind == KIND_FLOAT || dtype_size(type) > (back ? 4 : 1))
        return diag_error(dg, back ? ST_INPUT : ST_USAGE, path,
                          "--scale makes INT8 or UINT8 of numbers, and FLOAT32 of integers of at "
                          "most 32 bits, not %s of %s",
                          dtype_name(a->reading.type), dtype_name(t->type));
    st = parameter_read(&in->v[SLOT_A_SCALE], "--scale", &a->scale, DT_FLOAT32, t, dg);
    return st ? st
              : parameter_read(&in->v[SLOT_A_ZERO], "--zero-point", &a->zero_point, type, t, dg);
}

/* Converts the elements to --dtype, in *owned, the caller's; NULL if they have that type. */
static enum status convert_type(const struct convert_args *a, const struct tensor_file *f,
                                struct inputs *in, struct tensor *t, void **owned, struct diag *dg)
{
    bool widened = a->reading.type == DT_BFLOAT16;
    enum dtype type = a->reading.type != DT_NONE && !widened ? a->reading.type : t->type;
    const char *path = f->input.path;
    struct cast_rules rules = a->rules;
    struct cast_result cast;
    uint64_t count;
    enum status st;

    if (widened && f->header.type != DT_BFLOAT16)
        return diag_input(dg, path,
                          "--dtype bfloat16: this is %s; bfloat16 is read, from .npy files of type "
                          "V2 and raw data, and not written",
                          dtype_name(t->type));
    t->is_bool = t->is_bool && a->reading.type == DT_NONE;
    if (a->scale.n > 0) {
        st = read_scale(a, t, in, path, dg);
        if (st)
            return st;
        rules.scale = &in->v[SLOT_A_SCALE].view;
        rules.zero = &in->v[SLOT_A_ZERO].view;
    } else if (type == t->type)
        return ST_OK;
    if (!tensor_count(t->rank, t->sizes, &count) ||
        !(*owned = mem_alloc_aligned(count, dtype_size(type))))
        return diag_nomem(dg);
    cast = tensor_cast(t, count, type, &rules, (int)a->threads, *owned);
    st = input_intact(&f->input, dg);
    if (st)
        return st;
    if (cast.refused)
        return refuse_value(t, cast.first, type, path, dg);
    report_counts(a, path, type, &cast.counts, dg);
    t->type = type;
    t->swapped = false;
    t->data = *owned;
    tensor_pack_strides(t->rank, t->sizes, t->strides); /* fits: the elements are in memory */
    return ST_OK;
}

/* Parses the words of the options. ST_USAGE, with a message, if they are no lists. */
static enum status parse_axes(struct convert_args *a, struct diag *dg)
{
    const struct option_list squeeze = { .v = { a->squeeze }, .n = 1 };
    enum status st = ST_OK;

    a->reading.sized = a->reading.words.n > 0;
    if (a->reading.sized)
        st = list_sizes("--sizes", &a->reading.words, true, &a->reading.sizes, dg);
    if (st == ST_OK && a->squeeze)
        st = list_axes("--squeeze", &squeeze, &a->dropped, dg);
    if (st == ST_OK && a->permute.n > 0)
        st = list_axes("--permute", &a->permute, &a->order, dg);
    return st;
}

/* These give the view t its axes. ST_INPUT if the tensor, from path, does not have such axes. */

/* Elements that are not in row-major order are copied, to *owned, the caller's. */
static enum status apply_sizes(const struct convert_args *a, const char *path, struct tensor *t,
                               void **owned, struct diag *dg)
{
    const struct tensor from = *t;
    uint64_t count = 0;
    enum status st;

    tensor_count(t->rank, t->sizes, &count); /* fits: the elements are in memory */
    st = reading_sizes(&a->reading.sizes, count, tensor_sizes_text(t->rank, t->sizes).text, path, t,
                       dg);
    if (st || tensor_is_packed(&from))
        return st;
    *owned = mem_alloc_aligned(count, dtype_size(t->type));
    if (!*owned)
        return diag_nomem(dg);
    tensor_gather(&from, 0, count, *owned);
    t->data = *owned;
    return ST_OK;
}

/* Copies axes with negative ones counted from the end. ST_INPUT, with a message, if there is no
 * such axis. */
static enum status find_axes(const struct integers *given, const struct tensor *t,
                             const char *option, const char *path, struct integers *axes,
                             struct diag *dg)
{
    int64_t rank = t->rank;

    *axes = *given;
    for (unsigned i = 0; i < axes->n; i++) {
        if (axes->v[i] < -rank || axes->v[i] >= rank)
            return diag_input(dg, path, "%s: there is no axis %jd in %s", option, axes->v[i],
                              tensor_sizes_text(t->rank, t->sizes).text);
        axes->v[i] += axes->v[i] < 0 ? rank : 0;
    }
    return ST_OK;
}

static enum status apply_squeeze(const struct convert_args *a, const char *path, struct tensor *t,
                                 struct diag *dg)
{
    bool drop[TENSOR_MAX_RANK] = { false };
    struct integers axes;
    unsigned rank = 0;
    enum status st = find_axes(&a->dropped, t, "--squeeze", path, &axes, dg);

    if (st)
        return st;
    for (unsigned i = 0; i < axes.n; i++) {
        if (t->sizes[axes.v[i]] != 1)
            return diag_input(
                dg, path, "--squeeze: axis %jd has size %ju; only axes of size 1 can be left out",
                axes.v[i], t->sizes[axes.v[i]]);
        drop[axes.v[i]] = true;
    }
    for (unsigned i = 0; i < t->rank; i++)
        if (!drop[i] && (*a->squeeze || t->sizes[i] != 1)) {
            t->sizes[rank] = t->sizes[i];
            t->strides[rank++] = t->strides[i];
        }
    t->rank = rank;
    return ST_OK;
}

static enum status apply_permute(const struct convert_args *a, const char *path, struct tensor *t,
                                 struct diag *dg)
{
    bool seen[TENSOR_MAX_RANK] = { false };
    const struct tensor from = *t;
    struct integers axes;
    bool once;
    enum status st = find_axes(&a->order, t, "--permute", path, &axes, dg);

    if (st)
        return st;
    once = axes.n == t->rank;
    for (unsigned i = 0; i < axes.n && once; i++) {
        once = !seen[axes.v[i]];
        seen[axes.v[i]] = true;
        t->sizes[i] = from.sizes[axes.v[i]];
        t->strides[i] = from.strides[axes.v[i]];
    }
    if (once)
        return ST_OK;
    return diag_input(dg, path, "--permute %s: must name each of the %u axes of %s once",
                      integers_text(&a->order).text, from.rank,
                      tensor_sizes_text(from.rank, from.sizes).text);
}

/* Writes the result, in columns and under the input's name if it goes to a terminal. */
static enum status write_output(const struct convert_args *a, struct output *out,
                                const struct tensor_file *in, const struct tensor *t,
                                enum tensor_format format, struct diag *dg)
{
    const char *path = a->output;
    bool shown = output_is_shown(path, a->format);
    enum status st = shown ? show_tensor(out, shown_path(in->input.path), t, dg)
                           : tensor_file_write(out, t, format, (int)a->threads, dg);

    st = st ? st : input_intact(&in->input, dg);
    if (st == ST_OK && !shown)
        diag_note(dg, strcmp(path, "-") == 0 ? NULL : path, "written as %s: %s %s",
                  tensor_format_titles[format], dtype_name(t->type),
                  tensor_sizes_text(t->rank, t->sizes).text);
    return st;
}

static enum status convert_one(const struct convert_args *a, const char *input, struct output *out,
                               struct diag *dg)
{
    struct inputs in = { .v = { { .owned = NULL } } }; /* scale and zero point */
    struct tensor_file f = { 0 };
    enum tensor_format format;
    void *owned = NULL;
    struct tensor t;
    enum status st = read_input(a, input, &f, dg);

    t = f.tensor;
    st = st ? st : convert_type(a, &f, &in, &t, &owned, dg);
    if (st == ST_OK && a->reading.sized)
        st = apply_sizes(a, input, &t, &owned, dg);
    if (st == ST_OK && a->squeeze)
        st = apply_squeeze(a, input, &t, dg);
    if (st == ST_OK && a->permute.n > 0)
        st = apply_permute(a, input, &t, dg);
    st = st ? st : output_format("", a->output, a->format, output_as(f.format, &t), &format, dg);
    st = st ? st : write_output(a, out, &f, &t, format, dg);
    free(owned);
    inputs_close(&in);
    tensor_file_close(&f);
    return st;
}

/* Adds the output of an input; in an archive it has the input's name. */
static enum status add_output(const struct convert_args *a, struct outputs *outs, const char *input,
                              struct diag *dg)
{
    const char *member = npz_member(input);
    struct output *added;
    char *file = mem_strdup(member ? member : path_base_name(input)), *dot;
    enum status st;

    if (!file)
        return diag_nomem(dg);
    dot = strrchr(file, '.');
    if (dot && (tensor_format_of(file) != FORMAT_NONE || path_has_extension(file, ".npz")))
        *dot = '\0';
    st = outputs_add_tensor(outs, a->output,
                            output_member(a->output, strcmp(file, "-") == 0 ? "stdin" : file),
                            &added, dg);
    free(file);
    return st;
}

/* Converts the inputs, which are several for an archive only. */
static enum status convert_all(const struct convert_args *a, int n, char **inputs, struct diag *dg)
{
    struct outputs outs = a->writing;
    enum status st = ST_OK;

    for (int i = 0; i < n && st == ST_OK; i++)
        st = add_output(a, &outs, inputs[i], dg);
    for (int i = 0; i < n && st == ST_OK; i++)
        st = convert_one(a, inputs[i], outs.v[0], dg);
    st = st ? st : outputs_commit(&outs, dg);
    outputs_close(&outs);
    return st;
}

static enum status convert_into(void *context, char *input, const char *output, const char *indices,
                                struct diag *dg)
{
    struct convert_args *a = context;

    (void)indices;
    a->output = output;
    return convert_all(a, 1, &input, dg);
}

static enum status check_operands(const struct convert_args *a, int n, struct diag *dg)
{
    const char *archive = output_member(a->output, a->output);

    if (n == 1 || (n > 1 && (a->output_dir || archive == a->output)))
        return ST_OK;
    if (n == 2 && a->squeeze && !*a->squeeze)
        return usage_error(dg,
                           "takes one input; the axes of --squeeze follow an '=': --squeeze=0,2");
    return usage_error(dg, "%s",
                       n == 0    ? "no input is given"
                       : archive ? "each of several inputs has its own name in an archive; give -o "
                                   "FILE.npz without ':NAME'"
                                 : "takes one input; the output is -o FILE; for several give "
                                   "--output-dir DIR or -o FILE.npz");
}

enum status cmd_convert(int argc, char **argv, struct diag *dg)
{
    struct convert_args a = { .output = NULL };
    struct many m = { .raw = true, .run = convert_into, .context = &a };
    enum tensor_format format;
    enum status st;

    if (!command_begin(convert_options, &a, &argc, &argv, &st, dg))
        return st;
    a.output = a.output ? a.output : "-";
    input_given(&argc, &argv);
    st = check_operands(&a, argc, dg);
    st = st ? st : parse_axes(&a, dg);
    st = st ? st : output_format("-o", a.output, a.format, FORMAT_NPY, &format, dg);
    if (st)
        return st;
    a.threads = execution_threads(a.threads, dg);
    m.folder = a.output_dir;
    m.again[0] = a.scale.v[0];
    m.again[1] = a.zero_point.v[0];
    if (a.zero_point.n == 0)
        a.zero_point = (struct option_list){ { "0" }, 1 };
    m.format = a.format;
    return m.folder ? many_run(&m, argc, argv, dg) : convert_all(&a, argc, argv, dg);
}
