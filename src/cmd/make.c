#include <math.h>

#include "base/mem.h"
#include "cli/show.h"
#include "cmd/commands.h"
#include "json/number.h"
#include "run/tensor_options.h"
#include "run/shared_options.h"
#include "tensor/element.h"
#include "tensor/generate.h"

struct make_args {
    struct common_args common;
    struct outputs writing;
    const char *output;
    struct option_list sizes;
    const char *range, *random, *fill, *between; /* NULL: not given */
    int format;                                  /* enum tensor_format, or FORMAT_BY_NAME */
    enum dtype type;                             /* DT_NONE: not given */
    long threads;
};

#include "cmd/make_rows.h"

/* The tensor that is made. */
struct making {
    const struct make_args *a;
    struct tensor tensor; /* without data, except for --fill */
    uint64_t count;
    struct generator g;
    bool first_fits; /* the first number of --range or --between fits the type */
    char element[8]; /* of --fill */
};

static enum status misfit(const char *option, const char *text, enum dtype type, struct diag *dg)
{
    const struct dtype_info *info = &dtype_table[type];

    if (info->kind == KIND_FLOAT)
        return diag_usage(dg, "%s: '%s' does not fit %s", option, text, info->name);
    return diag_usage(dg, "%s: '%s' does not fit %s; use whole numbers from %jd to %ju", option,
                      text, info->name, dtype_min(type), dtype_max(type));
}

/* Reads two numbers, called `form` in messages; unless `both`, the second may be missing and
 * *second stays as it is. Also stores the first as an element in m->g.first. */
static enum status read_pair(struct making *m, const char *option, const char *form,
                             const char *text, bool both, struct scalar *first,
                             struct scalar *second, struct diag *dg)
{
    char one[NUMBER_MAX + 1] = "";
    size_t n = strcspn(text, ",");
    bool is_float = first->is_float, comma = text[n] != '\0';

    if (n <= NUMBER_MAX)
        memcpy(one, text, n);
    text += n + comma;
    if (!number_text_scalar(one, is_float, first) || (both && !comma) ||
        (comma && !number_text_scalar(text + strspn(text, " "), is_float, second)))
        return diag_usage(dg, "%s: '%s' is not %s in %snumbers, such as %s", option,
                          text - n - comma, form, is_float ? "" : "whole ", both ? "0,9" : "10,-1");
    m->first_fits = number_text_element(one, m->tensor.type, m->g.first);
    return ST_OK;
}

static uint64_t modular(const struct scalar *s)
{
    return s->negative ? -s->magnitude : s->magnitude;
}

static enum status prepare_range(struct making *m, struct diag *dg)
{
    enum dtype type = m->tensor.type;
    bool is_float = dtype_table[type].kind == KIND_FLOAT, fits;
    struct scalar start = { .is_float = is_float },
                  step = { .is_float = is_float, .f = 1, .magnitude = 1 }, last = start;
    double far;
    enum status st = ST_OK;
    char at[8];

    if (*m->a->range)
        st = read_pair(m, "--range", "START,STEP", m->a->range, false, &start, &step, dg);
    if (st)
        return st;
    m->g.start = start.f;
    m->g.step = step.f;
    m->g.whole = modular(&start);
    m->g.whole_step = modular(&step);
    if (m->count == 0)
        return ST_OK;
    far = (double)(m->count - 1) * step.f;
    last.f = start.f + far;
    if (is_float)
        fits = m->first_fits && isfinite(last.f) &&
               (far == 0 || scalar_store(&last, type, at) == SCALAR_FITS);
    else
        fits = scalar_steps_in_range(&start, &step, type) >= m->count;
    if (fits)
        return ST_OK;
    return diag_usage(dg,
                      "--range: %ju value%s from %s on do%s not fit %s; use fewer, another "
                      "START,STEP or another --dtype",
                      m->count, m->count == 1 ? "" : "s", *m->a->range ? m->a->range : "0,1",
                      m->count == 1 ? "es" : "", dtype_name(type));
}

static enum status prepare_random(struct making *m, struct diag *dg)
{
    enum dtype type = m->tensor.type;
    bool is_float = dtype_table[type].kind == KIND_FLOAT;
    struct scalar low = { .is_float = is_float,
                          .magnitude = i64_magnitude(dtype_min(type)),
                          .negative = dtype_min(type) < 0 },
                  high = { .is_float = is_float, .f = 1, .magnitude = dtype_max(type) };
    const char *seed = m->a->random, *between = m->a->between;
    enum status st = ST_OK;
    char at[8];

    m->g.random = true;
    if (number_uint_literal(seed, strlen(seed), &m->g.seed) != NUMBER_OK)
        return diag_usage(dg, "--random: the seed '%s' is not a whole number from 0 to %ju", seed,
                          UINT64_MAX);
    if (between)
        st = read_pair(m, "--between", "LOW,HIGH", between, true, &low, &high, dg);
    if (st)
        return st;
    if (!m->first_fits || scalar_store(&high, type, at) != SCALAR_FITS)
        return misfit("--between", between, type, dg);
    m->g.start = low.f;
    m->g.step = high.f - low.f;
    m->g.whole = modular(&low);
    m->g.whole_step = modular(&high) - m->g.whole + 1;
    if (scalar_compare(&low, &high) <= 0 && isfinite(m->g.step))
        return ST_OK;
    return diag_usage(
        dg,
        "--between: '%s' is not a range: LOW must not be above HIGH, and HIGH - LOW must be finite",
        between);
}

static enum status prepare_values(struct making *m, struct diag *dg)
{
    m->g.type = m->tensor.type;
    if (m->a->fill) { /* all elements are one: each axis has stride 0 */
        m->tensor.data = m->element;
        return number_text_element(m->a->fill, m->tensor.type, m->element)
                   ? ST_OK
                   : misfit("--fill", m->a->fill, m->tensor.type, dg);
    }
    if (m->a->range)
        return prepare_range(m, dg);
    if (m->a->random)
        return prepare_random(m, dg);
    if (m->a->between)
        return diag_usage(dg, "--between is for random values; add --random SEED");
    return diag_usage(dg, "which values? give --range, --random SEED or --fill VALUE");
}

/* Chooses type, sizes and values. */
static enum status prepare(struct making *m, struct diag *dg)
{
    struct tensor *t = &m->tensor;
    struct integers list;
    uint64_t bytes;
    enum status st;

    t->type = m->a->type == DT_NONE ? DT_FLOAT32 : m->a->type;
    if (m->a->sizes.n == 0)
        return diag_usage(dg, "--sizes is missing; give such as --sizes 2,3");
    st = list_sizes("--sizes", &m->a->sizes, false, &list, dg);
    if (st)
        return st;
    t->rank = list.n;
    for (unsigned i = 0; i < list.n; i++)
        t->sizes[i] = (uint64_t)list.v[i];
    if (!tensor_dense_bytes(t->type, t->rank, t->sizes, &bytes))
        return diag_usage(dg, "--sizes: a %s of sizes %s is larger than any file",
                          dtype_name(t->type), tensor_sizes_text(t->rank, t->sizes).text);
    m->count = bytes / dtype_size(t->type);
    return prepare_values(m, dg);
}

enum { PIECE = 256 << 10 /* bytes: about 0.3 ms of work */ };

/* Makes elements, little-endian; returns their bytes. */
static size_t make_piece(const void *context, uint64_t from, uint64_t n, char *buf)
{
    const struct making *m = context;
    size_t size = dtype_size(m->tensor.type);

    generate(&m->g, from, n, buf);
    if (BIG_MACHINE)
        tensor_swap_bytes(buf, size, n);
    return (size_t)n * size;
}

/* Writes an .npy or raw data in pieces. */
static enum status write_pieces(struct making *m, struct output *out, enum tensor_format format,
                                struct diag *dg)
{
    size_t size = dtype_size(m->tensor.type);
    struct output_pieces pieces = { m->count, PIECE / size, PIECE, make_piece, m };
    enum status st = ST_OK;

    if (format == FORMAT_NPY)
        st = tensor_file_write_header(out, &m->tensor, dg);
    else
        st = output_begin(out, m->count * size, dg);
    if (st || m->count == 0)
        return st;
    return output_pieces_write(out, &pieces,
                               parallel_threads_for((int)m->a->threads, m->count * size), dg);
}

static void fill_piece(void *context, uint64_t from, uint64_t n, int thread)
{
    const struct making *m = context;

    (void)thread;
    make_piece(m, from, n, (char *)m->tensor.data + from * dtype_size(m->tensor.type));
}

/* Makes the values in memory, which the caller frees. */
static enum status make_whole(struct making *m, struct diag *dg)
{
    struct tensor *t = &m->tensor;
    size_t size = dtype_size(t->type);

    t->data = mem_alloc_aligned(m->count, size);
    if (!t->data || !tensor_pack_strides(t->rank, t->sizes, t->strides))
        return diag_nomem(dg);
    t->swapped = BIG_MACHINE;
    tensor_run_pieces(&(struct tensor_pieces){ m->count, PIECE / size, fill_piece, m },
                      parallel_threads_for((int)m->a->threads, m->count * size));
    return ST_OK;
}

static enum status write_output(struct making *m, enum tensor_format format, struct diag *dg)
{
    bool shown = output_is_shown(m->a->output, m->a->format);
    bool pieces = !shown && !m->a->fill && (format == FORMAT_NPY || format == FORMAT_RAW);
    struct outputs outs = m->a->writing;
    struct output *out;
    enum status st =
        outputs_add_tensor(&outs, m->a->output, output_member(m->a->output, "output"), &out, dg);

    if (st == ST_OK && !pieces && !m->a->fill)
        st = make_whole(m, dg);
    if (st == ST_OK)
        st = pieces  ? write_pieces(m, out, format, dg)
             : shown ? show_tensor(out, "tensor", &m->tensor, dg)
                     : tensor_file_write(out, &m->tensor, format, (int)m->a->threads, dg);
    if (!m->a->fill)
        free(m->tensor.data);
    st = st ? st : outputs_commit(&outs, dg);
    if (st == ST_OK)
        diag_note(dg, strcmp(m->a->output, "-") == 0 ? NULL : m->a->output,
                  "%s %s, %ju bytes of values", dtype_name(m->tensor.type),
                  tensor_sizes_text(m->tensor.rank, m->tensor.sizes).text,
                  m->count * dtype_size(m->tensor.type));
    outputs_close(&outs);
    return st;
}

enum status cmd_make(int argc, char **argv, struct diag *dg)
{
    struct make_args a = { .output = NULL };
    struct making m = { .a = &a, .first_fits = true }; /* a first number of 0 does */
    enum tensor_format format;
    enum status st;

    if (!command_begin(make_options, &a, &argc, &argv, &st, dg))
        return st;
    a.output = a.output ? a.output : "-";
    if (argc > 0)
        return usage_error(dg, "takes no operand: '%s'%s", argv[0],
                           a.range && !*a.range ? "; START,STEP follow an '=', as in --range=10,-1"
                                                : "");
    st = output_format("-o", a.output, a.format, FORMAT_NPY, &format, dg);
    st = st ? st : prepare(&m, dg);
    if (st)
        return st;
    a.threads = execution_threads(a.threads, dg);
    return write_output(&m, format, dg);
}
