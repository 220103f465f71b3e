#include <float.h>
#include <math.h>

#include "cli/option_groups.h"
#include "cli/print.h"
#include "cmd/commands.h"
#include "io/element.h"
#include "io/file.h"
#include "io/kind.h"
#include "io/npz.h"
#include "run/tensor_options.h"
#include "tensor/compare.h"

struct compare_args {
    struct common_args common;
    struct compare_options equal;
    int format; /* enum report_format */
    struct reading reading;
    long threads;
};

#include "cmd/compare_rows.h"

struct pair {
    struct compare_args args;
    char **path;       /* [2] */
    const char *array; /* one of several in two archives; NULL: the files are compared */
    struct str text;
    struct json_writer w; /* into text */
    struct tensor_file file[2];
};

static void add_double(struct str *b, double v)
{
    char text[NUMBER_TEXT];

    scalar_text(&(struct scalar){ .is_float = true, .f = v }, DT_FLOAT64, false, text);
    str_puts(b, text);
}

static bool look_same(char text[2][NUMBER_TEXT])
{
    return strtold(text[0], NULL) == strtold(text[1], NULL);
}

/* Makes the index and the texts of both elements. Each is as its own type prints it; two different
 * numbers that would look the same get as many digits as tell them apart. */
static void elements_text(const struct pair *p, uint64_t number, uint64_t *index, bool quoted,
                          char text[2][NUMBER_TEXT])
{
    enum { DIGITS_MOST = 20 /* of integers */ };
    struct scalar s[2] = { { 0 }, { 0 } };
    long double v[2]; /* exact: at least 64 bits */

    tensor_coordinate(p->file[0].tensor.rank, p->file[0].tensor.sizes, number, index);
    for (int i = 0; i < 2; i++) {
        const struct tensor *t = &p->file[i].tensor;

        s[i] = scalar_load(t->type, t->swapped, tensor_at(t, index));
        v[i] = (s[i].negative ? -1 : 1) * (long double)s[i].magnitude;
        v[i] = s[i].is_float ? (long double)s[i].f : v[i];
        scalar_text(&s[i], t->type, quoted, text[i]);
    }
    if (v[0] == v[1] || !isfinite(v[0]) || !isfinite(v[1]) || !look_same(text))
        return;
    for (int i = 0; i < 2; i++)
        scalar_text(&s[i], DT_FLOAT64, quoted, text[i]);
    for (int digits = DBL_DECIMAL_DIG; digits <= DIGITS_MOST && look_same(text); digits++)
        for (int i = 0; i < 2; i++)
            if (s[i].is_float)
                snprintf(text[i], NUMBER_TEXT, "%.*g", digits, s[i].f);
}

/* Adds "[0, 1]: 2.5 and 3". */
static void add_elements(struct str *b, const struct pair *p, uint64_t number)
{
    struct json_writer w = { .out = b };
    uint64_t index[TENSOR_MAX_RANK];
    char text[2][NUMBER_TEXT];

    elements_text(p, number, index, false, text);
    json_uints(&w, NULL, index, p->file[0].tensor.rank);
    str_printf(b, ": %s and %s", text[0], text[1]);
}

/* Adds "axis 0: differences at 3 of 10 indices: 0 (12), 4 (3), 9 (1)", the first few of them. */
static void add_axis(struct str *b, const struct comparison *c, unsigned axis, uint64_t size)
{
    enum { SHOWN = 8 };
    const struct compare_axis *a = &c->axes[axis];
    uint64_t buckets = (size + a->width - 1) / a->width, hit = 0;

    for (uint64_t i = 0; i < buckets; i++)
        hit += a->differ[i] > 0;
    str_printf(b, "  axis %u: differences at %ju of %ju %s:", axis, hit, buckets,
               a->width == 1 ? "indices" : "ranges of indices");
    for (uint64_t i = 0, shown = 0; i < buckets && shown <= SHOWN; i++) {
        if (a->differ[i] == 0)
            continue;
        if (shown++ == SHOWN)
            str_puts(b, " ...");
        else if (a->width == 1)
            str_printf(b, " %ju (%ju)", i, a->differ[i]);
        else
            str_printf(b, " %ju-%ju (%ju)", i * a->width, u64_min(size, (i + 1) * a->width) - 1,
                       a->differ[i]);
    }
    str_puts(b, "\n");
}

static void add_counts(struct str *b, const struct comparison *c)
{
    if (c->specials.nan_a || c->specials.nan_b)
        str_printf(b, "  NaN: %ju in A, %ju in B, %ju in both at the same index\n",
                   c->specials.nan_a, c->specials.nan_b, c->specials.nan_both);
    if (c->specials.inf_a || c->specials.inf_b)
        str_printf(b, "  infinite: %ju in A, %ju in B\n", c->specials.inf_a, c->specials.inf_b);
}

/* Adds "  largest KIND difference X at [0, 1]: 2.5 and 3". */
static void add_difference(struct str *b, const struct pair *p, const char *kind, double v,
                           uint64_t number)
{
    str_printf(b, "  largest %s difference ", kind);
    add_double(b, v);
    str_puts(b, " at ");
    add_elements(b, p, number);
    str_puts(b, "\n");
}

static void add_largest(struct str *b, const struct pair *p, const struct comparison *c)
{
    if (c->unequal == 0)
        return;
    add_difference(b, p, "absolute", c->largest.difference, c->largest.number);
    add_difference(b, p, "relative", c->worst_ratio.relative, c->worst_ratio.number);
    if (c->same_floats) {
        str_printf(b, "  largest distance %ju ULP at ", c->ulp);
        add_elements(b, p, c->ulp_number);
        str_puts(b, "\n");
    }
}

/* Adds the least tolerances; none helps with a difference beyond the largest FLOAT64. */
static void add_tolerances(struct str *b, const struct comparison *c, const char *equal_nan)
{
    const char *names[2] = { "--atol", "--rtol" }, *before = "  would be equal with ";
    const double least[2] = { c->least_atol, c->least_rtol };

    for (int i = 0; i < 2; i++) {
        if (!isfinite(least[i]))
            continue;
        str_printf(b, "%s%s%s ", before, equal_nan, names[i]);
        add_double(b, least[i]);
        before = " or ";
    }
    if (!isfinite(least[0]) && !isfinite(least[1]))
        str_puts(b, "  no --atol or --rtol makes them equal");
}

/* Adds the options with which the comparison would pass. */
static void add_remedy(struct str *b, const struct pair *p, const struct comparison *c)
{
    uint64_t others = c->differ - c->finite_differ; /* with a NaN or an infinity */
    bool only_nan = others > 0 && others == c->specials.nan_both && !p->args.equal.equal_nan;

    if (only_nan && c->finite_differ == 0) {
        str_puts(b, "  only NaN at the same index of both differ; would be equal with "
                    "--equal-nan\n");
        return;
    }
    if (c->unequal == 0)
        return;
    add_tolerances(b, c, only_nan ? "--equal-nan " : "");
    str_puts(b, others > 0 && !only_nan ? ", except for NaN and infinities\n" : "\n");
}

static void add_text(struct str *b, const struct pair *p, const struct comparison *c)
{
    const struct tensor *a = &p->file[0].tensor, *o = &p->file[1].tensor;
    const char *plural = c->count == 1 ? "" : "s";

    if (c->differ == 0)
        str_printf(b, "equal: %ju element%s of %s", c->count, plural,
                   tensor_sizes_text(a->rank, a->sizes).text);
    else
        str_printf(b, "%ju of %ju element%s of %s differ", c->differ, c->count, plural,
                   tensor_sizes_text(a->rank, a->sizes).text);
    if (a->type != o->type)
        str_printf(b, ", %s and %s compared by value", dtype_name(a->type), dtype_name(o->type));
    if (c->differ == 0 && c->unequal > 0)
        str_printf(b, ", %ju of them only within the tolerance", c->unequal);
    str_puts(b, "\n");
    add_counts(b, c);
    add_largest(b, p, c);
    add_remedy(b, p, c);
    for (unsigned i = 0; i < a->rank && c->differ > 0; i++)
        add_axis(b, c, i, a->sizes[i]);
    for (uint64_t i = 0; i < c->differ && i < COMPARE_FIRST; i++) {
        str_puts(b, "  ");
        add_elements(b, p, c->first[i].number);
        str_puts(b, "\n");
    }
    if (c->differ > COMPARE_FIRST)
        str_printf(b, "  ... and %ju more\n", c->differ - COMPARE_FIRST);
}

static void write_elements(struct json_writer *w, const char *key, const struct pair *p,
                           const struct compare_element *at)
{
    uint64_t index[TENSOR_MAX_RANK];
    char text[2][NUMBER_TEXT];

    elements_text(p, at->number, index, true, text);
    json_open(w, key, "{ }");
    json_uints(w, "index", index, p->file[0].tensor.rank);
    json_raw(w, "a", text[0]);
    json_raw(w, "b", text[1]);
    json_format(w, "difference: %g relative: %g }", at->difference, at->relative);
}

static void write_axis(struct json_writer *w, const struct compare_axis *a, uint64_t size)
{
    char first[24];

    json_format(w, "{ width: %ju", a->width);
    json_open(w, "differ", "{}");
    for (uint64_t k = 0; k * a->width < size; k++)
        if (a->differ[k]) {
            snprintf(first, sizeof first, "%ju", k * a->width);
            json_uint(w, first, a->differ[k]);
        }
    json_format(w, "} }");
}

/* Opens the object, for equal and for different sizes. */
static void write_start(struct json_writer *w, const struct pair *p, bool equal)
{
    const struct tensor *a = &p->file[0].tensor;

    if (p->array)
        json_format(w, "\n  { array: %s equal: %d", p->array, equal);
    else
        json_format(w, "{ schema: %s equal: %d", "dmlop.compare/1", equal);
    json_uints(w, "sizes", a->sizes, a->rank);
}

static void write_json(struct json_writer *w, const struct pair *p, const struct comparison *c)
{
    const struct compare_specials *s = &c->specials;
    const struct tensor *a = &p->file[0].tensor;

    write_start(w, p, c->differ == 0);
    json_format(w,
                "types: [%s %s] \n  count: %ju differ: %ju unequal: %ju \n  nan: { a: %ju b: %ju "
                "both: %ju } inf: { a: %ju b: %ju }",
                dtype_name(a->type), dtype_name(p->file[1].tensor.type), c->count, c->differ,
                c->unequal, s->nan_a, s->nan_b, s->nan_both, s->inf_a, s->inf_b);
    if (c->unequal > 0) {
        json_line(w, 2);
        write_elements(w, "largest_difference", p, &c->largest);
        json_line(w, 2);
        write_elements(w, "largest_relative", p, &c->worst_ratio);
    }
    if (c->unequal > 0 && c->same_floats)
        json_format(w, "\n  largest_ulp: %ju", c->ulp);
    json_format(w, "\n  least_atol: %g least_rtol: %g \n  ", c->least_atol, c->least_rtol);
    json_open(w, "axes", "[]");
    for (unsigned i = 0; i < a->rank; i++)
        write_axis(w, &c->axes[i], a->sizes[i]);
    json_format(w, "] \n  ");
    json_open(w, "first", "[]");
    for (uint64_t i = 0; i < c->differ && i < COMPARE_FIRST; i++) {
        json_line(w, 4);
        write_elements(w, NULL, p, &c->first[i]);
    }
    json_close(w);
}

/* Checks that the files have not changed since they were opened. */
static enum status check_files(const struct pair *p, struct diag *dg)
{
    enum status st = input_intact(&p->file[0].input, dg);

    return st ? st : input_intact(&p->file[1].input, dg);
}

/* Prints the report, unless -q is given; c: NULL if the sizes differ. */
static enum status print_report(struct pair *p, const struct comparison *c, struct diag *dg)
{
    const struct tensor *a = &p->file[0].tensor, *b = &p->file[1].tensor;
    bool json = p->args.format == REPORT_JSON;
    enum status st;

    if (p->args.common.quiet)
        return ST_OK;
    if (p->array && !json)
        str_printf(&p->text, "%s: ", p->array);
    if (json && c)
        write_json(&p->w, p, c);
    else if (json) {
        write_start(&p->w, p, false);
        json_uints(&p->w, "other_sizes", b->sizes, b->rank);
    } else if (c)
        add_text(&p->text, p, c);
    else
        str_printf(&p->text, "the sizes differ: %s and %s\n",
                   tensor_sizes_text(a->rank, a->sizes).text,
                   tensor_sizes_text(b->rank, b->sizes).text);
    st = check_files(p, dg); /* the elements in it were read again */
    if (st == ST_OK && p->array && json)
        json_close(&p->w);
    if (st == ST_OK && !p->array)
        return json ? print_json(&p->w, dg) : print_str(&p->text, dg);
    return st;
}

/* Compares and reports; returns ST_INVALID if the tensors differ. */
static enum status compare(struct pair *p, struct diag *dg)
{
    const struct tensor *a = &p->file[0].tensor, *b = &p->file[1].tensor;
    bool same = a->rank == b->rank && memcmp(a->sizes, b->sizes, a->rank * sizeof *a->sizes) == 0;
    bool made, equal = false;
    struct comparison c;
    enum status st;

    if (!same) {
        st = print_report(p, NULL, dg);
        return st ? st : ST_INVALID;
    }
    made = comparison_make(a, b, &p->args.equal, (int)p->args.threads, &c);
    st = check_files(p, dg);
    if (st == ST_OK && !made)
        st = diag_nomem(dg);
    if (st == ST_OK) {
        equal = c.differ == 0;
        st = print_report(p, &c, dg);
    }
    comparison_free(&c);
    return st || equal ? st : ST_INVALID;
}

static enum status read_file(struct pair *p, int i, enum dtype type, struct diag *dg)
{
    struct reading how = p->args.reading;

    how.type = type;
    return reading_whole(&p->file[i], p->path[i], &how, (int)p->args.threads, dg);
}

/* Reads both files: JSON that does not name its type as --dtype, or else as the other's type. */
static enum status load(struct pair *p, struct diag *dg)
{
    enum dtype asked = p->args.reading.type, type;
    /* file a is read first, and again if only the other one names a type */
    int a = file_is_special(p->path[0]) && !file_is_special(p->path[1]), b = !a;
    enum status st = read_file(p, a, asked, dg);

    type = asked == DT_NONE && p->file[a].typed ? p->file[a].tensor.type : asked;
    st = st ? st : read_file(p, b, type, dg);
    type = p->file[b].tensor.type;
    if (st == ST_OK && asked == DT_NONE && !p->file[a].typed && p->file[b].typed &&
        p->file[a].tensor.type != type) {
        tensor_file_close(&p->file[a]);
        st = file_is_special(p->path[a])
                 ? diag_input(dg, p->path[a],
                              "the type of its elements is not named; give --dtype %s",
                              dtype_name(type))
                 : read_file(p, a, type, dg);
    }
    for (int i = 0; i < 2 && st == ST_OK; i++) {
        note_tensor_file(p->file[i].input.path, &p->file[i], dg);
        if (p->file[0].typed && p->file[1].typed && !p->args.reading.raw)
            warn_dtype(p->file[i].input.path, asked, p->file[i].tensor.type, dg);
    }
    return st;
}

/* Loads and compares p->path. */
static enum status compare_pair(struct pair *p, struct diag *dg)
{
    enum status st = load(p, dg);

    st = st ? st : compare(p, dg);
    tensor_file_close(&p->file[0]);
    tensor_file_close(&p->file[1]);
    return st;
}

/* Adds the name of an array and its NUL: members_visit. */
static enum status add_name(void *context, const char *path, const struct npz_member *m,
                            struct diag *dg)
{
    struct str *names = context;
    const char *name = npz_member(path);

    (void)m;
    str_add(names, name ? name : "", name ? strlen(name) + 1 : 1);
    return names->failed ? diag_nomem(dg) : ST_OK;
}

/* Compares all arrays of two archives, by name. */
static enum status compare_archives(struct pair *p, struct diag *dg)
{
    struct str names[2] = { { 0 }, { 0 } }; /* a NUL before and after each */
    bool json = p->args.format == REPORT_JSON, differ = false, both;
    enum status st = ST_OK;

    for (int i = 0; i < 2 && st == ST_OK; i++) {
        str_add(&names[i], "", 1);
        st = members_each(p->path[i], add_name, &names[i], dg);
    }
    if (json)
        json_format(&p->w, "{ schema: %s arrays: [", "dmlop.compare/1");
    for (int i = 0; i < 2; i++)
        for (size_t at = 1; at < names[i].len && st == ST_OK; at += strlen(p->array) + 1) {
            p->array = p->args.reading.array = names[i].s + at;
            both = memmem(names[!i].s, names[!i].len, p->array - 1, strlen(p->array) + 2);
            st = both && i == 0 ? compare_pair(p, dg) : ST_OK; /* once */
            differ = differ || !both || st == ST_INVALID;
            st = st == ST_INVALID ? ST_OK : st;
            if (!both && json)
                json_format(&p->w, "\n  { array: %s equal: %d only: %s }", p->array, 0,
                            i ? "b" : "a");
            else if (!both)
                str_printf(&p->text, "%s: only in %s\n", p->array, i ? "B" : "A");
        }
    if (json)
        json_format(&p->w, "] equal: %d", !differ);
    if (st == ST_OK && !p->args.common.quiet)
        st = json ? print_json(&p->w, dg) : print_str(&p->text, dg);
    str_free(&names[0]);
    str_free(&names[1]);
    return st == ST_OK && differ ? ST_INVALID : st;
}

enum status cmd_compare(int argc, char **argv, struct diag *dg)
{
    struct pair p = { .path = NULL };
    bool archive[2] = { false, false };
    enum status st;

    if (!command_begin(compare_options, &p.args, &argc, &argv, &st, dg))
        return st;
    if (argc != 2)
        return usage_error(dg, "takes two tensor files, A and B");
    p.path = argv;
    p.w.out = &p.text;
    p.args.threads = execution_threads(p.args.threads, dg);
    st = reading_parse(&p.args.reading, dg);
    for (int i = 0; i < 2 && st == ST_OK && !p.args.reading.array && !p.args.reading.raw; i++)
        st = kind_is_npz(argv[i], &archive[i], dg);
    if (st == ST_OK)
        st = archive[0] && archive[1] ? compare_archives(&p, dg) : compare_pair(&p, dg);
    str_free(&p.text);
    return st;
}
