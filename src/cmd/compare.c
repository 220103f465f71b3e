#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cmd/command.h"
#include "cmd/findings.h"
#include "cmd/option_groups.h"
#include "io/element.h"
#include "io/tensor_file.h"
#include "json/number.h"
#include "tensor/compare.h"
#include "tensor/scalar.h"

struct compare_args {
    struct common_args common;
    double atol, rtol;
    bool equal_nan;
    enum report_format format;
    enum dtype json_type;
};

static const struct option_row rows[] = {
    OPT_TOLERANCE("atol", struct compare_args, atol, "X", "absolute tolerance (default: 0)"),
    OPT_TOLERANCE("rtol", struct compare_args, rtol, "X", "tolerance relative to B (default: 0)"),
    OPT_FLAG(0, "equal-nan", struct compare_args, equal_nan, "NaN equals NaN"),
    OPT_GROUP(report_options, struct compare_args, format),
    OPT_GROUP(json_type_options, struct compare_args, json_type),
    OPT_HELP("dtype", "type of JSON tensors that name none (default: the other's)"),
    OPT_GROUP(common_options, struct compare_args, common),
    OPT_HELP("quiet", "print nothing; the exit status tells"),
    OPT_END,
};

static const struct usage usage = {
    "compare", "[OPTIONS] A B",
    "Compares two tensors by value. An element passes when abs(a - b) <= atol + rtol * abs(b).", rows,
    "Exit status: 0 all pass, 1 some do not or the sizes differ, 3 a file cannot be read.\n",
};

/* Two files side by side. */
struct pair {
    struct compare_args args;
    struct compare_options opt;
    const char *path[2];
    struct tensor_file file[2];
};

static void add_index(struct str *b, unsigned rank, const uint64_t *index)
{
    str_puts(b, "[");
    for (unsigned i = 0; i < rank; i++)
        str_printf(b, "%s%" PRIu64, i ? ", " : "", index[i]);
    str_puts(b, "]");
}

/* The element's value as its own type prints it. */
static void add_element(struct str *b, const struct tensor *t, const uint64_t *index, bool quoted)
{
    struct scalar s = scalar_load(t->type, t->swapped, tensor_at(t, index));
    char text[NUMBER_TEXT], at[8];

    scalar_store(&s, t->type, at);
    element_text(t->type, at, quoted, text);
    str_puts(b, text);
}

static void add_double(struct str *b, double v, bool quoted)
{
    char text[NUMBER_TEXT];

    element_text(DT_FLOAT64, &v, quoted, text);
    str_puts(b, text);
}

static void add_place(struct str *b, const struct pair *p, const uint64_t *index)
{
    add_index(b, p->file[0].tensor.rank, index);
    str_puts(b, ": ");
    add_element(b, &p->file[0].tensor, index, false);
    str_puts(b, " and ");
    add_element(b, &p->file[1].tensor, index, false);
}

/* "axis 0: 3 of 10 indices: 0 (12), 4 (3), 5-9 (1)" for the first few. */
static void add_axis(struct str *b, const struct comparison *c, unsigned axis, uint64_t size)
{
    enum { SHOWN = 8 };
    const struct compare_axis *a = &c->axes[axis];
    uint64_t buckets = (size + a->width - 1) / a->width, hit = 0;

    for (uint64_t i = 0; i < buckets; i++)
        hit += a->differ[i] > 0;
    str_printf(b, "  axis %u: differences at %" PRIu64 " of %" PRIu64 " %s:", axis, hit, buckets,
               a->width == 1 ? "indices" : "ranges of indices");
    for (uint64_t i = 0, shown = 0; i < buckets && shown <= SHOWN; i++) {
        if (a->differ[i] == 0)
            continue;
        if (shown++ == SHOWN)
            str_puts(b, " ...");
        else if (a->width == 1)
            str_printf(b, " %" PRIu64 " (%" PRIu64 ")", i, a->differ[i]);
        else
            str_printf(b, " %" PRIu64 "-%" PRIu64 " (%" PRIu64 ")", i * a->width, u64_min(size, (i + 1) * a->width) - 1,
                       a->differ[i]);
    }
    str_puts(b, "\n");
}

static void add_counts(struct str *b, const struct comparison *c)
{
    if (c->nan_a || c->nan_b)
        str_printf(b, "  NaN: %" PRIu64 " in A, %" PRIu64 " in B, %" PRIu64 " in both at one place\n", c->nan_a, c->nan_b,
                   c->nan_both);
    if (c->inf_a || c->inf_b)
        str_printf(b, "  infinite: %" PRIu64 " in A, %" PRIu64 " in B\n", c->inf_a, c->inf_b);
}

static void add_largest(struct str *b, const struct pair *p, const struct comparison *c)
{
    if (c->unequal == 0)
        return;
    str_puts(b, "  largest absolute difference ");
    add_double(b, c->largest.difference, false);
    str_puts(b, " at ");
    add_place(b, p, c->largest.index);
    str_puts(b, "\n  largest relative difference ");
    add_double(b, c->worst_ratio.relative, false);
    str_puts(b, " at ");
    add_place(b, p, c->worst_ratio.index);
    str_puts(b, "\n");
    if (c->same_floats) {
        str_printf(b, "  largest distance %" PRIu64 " ULP at ", c->ulp);
        add_place(b, p, c->ulp_index);
        str_puts(b, "\n");
    }
    str_puts(b, "  would pass: --atol ");
    add_double(b, c->least_atol, false);
    if (isfinite(c->least_rtol)) {
        str_puts(b, ", or --rtol ");
        add_double(b, c->least_rtol, false);
    }
    if (c->finite_differ < c->differ)
        str_puts(b, ", but for NaN and infinities");
    str_puts(b, "\n");
}

static void add_text(struct str *b, const struct pair *p, const struct comparison *c)
{
    const struct tensor *a = &p->file[0].tensor, *o = &p->file[1].tensor;
    char sizes[TENSOR_SIZES_TEXT];

    if (c->differ == 0)
        str_printf(b, "equal: %" PRIu64 " elements of %s", c->count, tensor_sizes_text(sizes, a->rank, a->sizes));
    else
        str_printf(b, "%" PRIu64 " of %" PRIu64 " elements of %s differ", c->differ, c->count,
                   tensor_sizes_text(sizes, a->rank, a->sizes));
    if (a->type != o->type)
        str_printf(b, ", %s and %s by value", dtype_name(a->type), dtype_name(o->type));
    if (c->differ == 0 && c->unequal > 0)
        str_printf(b, ", %" PRIu64 " of them within tolerance only", c->unequal);
    str_puts(b, "\n");
    add_counts(b, c);
    add_largest(b, p, c);
    for (unsigned i = 0; i < a->rank && c->differ > 0; i++)
        add_axis(b, c, i, a->sizes[i]);
    for (uint64_t i = 0; i < c->differ && i < COMPARE_PLACES; i++) {
        str_puts(b, "  ");
        add_place(b, p, c->first[i].index);
        str_puts(b, "\n");
    }
    if (c->differ > COMPARE_PLACES)
        str_printf(b, "  ... and %" PRIu64 " more\n", c->differ - COMPARE_PLACES);
}

static void add_json_place(struct str *b, const struct pair *p, const struct compare_place *at)
{
    str_puts(b, "{ \"index\": ");
    add_index(b, p->file[0].tensor.rank, at->index);
    str_puts(b, ", \"a\": ");
    add_element(b, &p->file[0].tensor, at->index, true);
    str_puts(b, ", \"b\": ");
    add_element(b, &p->file[1].tensor, at->index, true);
    str_puts(b, ", \"difference\": ");
    add_double(b, at->difference, true);
    str_puts(b, ", \"relative\": ");
    add_double(b, at->relative, true);
    str_puts(b, " }");
}

static void add_json_axes(struct str *b, const struct tensor *t, const struct comparison *c)
{
    str_puts(b, ",\n  \"axes\": [");
    for (unsigned i = 0; i < t->rank; i++) {
        const struct compare_axis *a = &c->axes[i];
        const char *comma = "";

        str_printf(b, "%s{ \"width\": %" PRIu64 ", \"differ\": {", i ? ", " : "", a->width);
        for (uint64_t k = 0; k * a->width < t->sizes[i]; k++)
            if (a->differ[k]) {
                str_printf(b, "%s\"%" PRIu64 "\": %" PRIu64, comma, k * a->width, a->differ[k]);
                comma = ", ";
            }
        str_puts(b, "} }");
    }
    str_puts(b, "]");
}

static void add_json(struct str *b, const struct pair *p, const struct comparison *c)
{
    const struct tensor *t = &p->file[0].tensor;

    str_puts(b, "{ \"schema\": \"dmlop.compare/1\", \"equal\": ");
    str_printf(b, "%s, \"sizes\": ", c->differ == 0 ? "true" : "false");
    add_index(b, t->rank, t->sizes);
    str_printf(b, ", \"types\": [\"%s\", \"%s\"],\n", dtype_name(t->type), dtype_name(p->file[1].tensor.type));
    str_printf(b, "  \"count\": %" PRIu64 ", \"differ\": %" PRIu64 ", \"unequal\": %" PRIu64 ",\n", c->count, c->differ, c->unequal);
    str_printf(b, "  \"nan\": { \"a\": %" PRIu64 ", \"b\": %" PRIu64 ", \"both\": %" PRIu64 " }, \"inf\": { \"a\": %" PRIu64
                  ", \"b\": %" PRIu64 " }", c->nan_a, c->nan_b, c->nan_both, c->inf_a, c->inf_b);
    if (c->unequal > 0) {
        str_puts(b, ",\n  \"largest_difference\": ");
        add_json_place(b, p, &c->largest);
        str_puts(b, ",\n  \"largest_relative\": ");
        add_json_place(b, p, &c->worst_ratio);
        if (c->same_floats)
            str_printf(b, ",\n  \"largest_ulp\": %" PRIu64, c->ulp);
    }
    str_puts(b, ",\n  \"least_atol\": ");
    add_double(b, c->least_atol, true);
    str_puts(b, ", \"least_rtol\": ");
    add_double(b, c->least_rtol, true);
    add_json_axes(b, t, c);
    str_puts(b, ",\n  \"first\": [");
    for (uint64_t i = 0; i < c->differ && i < COMPARE_PLACES; i++) {
        str_puts(b, i ? ",\n    " : "\n    ");
        add_json_place(b, p, &c->first[i]);
    }
    str_puts(b, "] }\n");
}

static bool same_sizes(const struct pair *p)
{
    const struct tensor *a = &p->file[0].tensor, *b = &p->file[1].tensor;

    return a->rank == b->rank && memcmp(a->sizes, b->sizes, a->rank * sizeof *a->sizes) == 0;
}

static enum status tell_sizes(const struct pair *p)
{
    char a[TENSOR_SIZES_TEXT], b[TENSOR_SIZES_TEXT];
    struct str s = { 0 };

    if (p->args.common.quiet)
        return ST_INVALID;
    tensor_sizes_text(a, p->file[0].tensor.rank, p->file[0].tensor.sizes);
    tensor_sizes_text(b, p->file[1].tensor.rank, p->file[1].tensor.sizes);
    if (p->args.format == REPORT_TEXT) {
        printf("the sizes differ: %s and %s\n", a, b);
        return ST_INVALID;
    }
    str_puts(&s, "{ \"schema\": \"dmlop.compare/1\", \"equal\": false, \"sizes\": ");
    add_index(&s, p->file[0].tensor.rank, p->file[0].tensor.sizes);
    str_puts(&s, ", \"other_sizes\": ");
    add_index(&s, p->file[1].tensor.rank, p->file[1].tensor.sizes);
    printf("%s }\n", s.s ? s.s : "");
    str_free(&s);
    return ST_INVALID;
}

static enum status tell(const struct pair *p, struct diag *dg)
{
    struct comparison c;
    struct str b = { 0 };
    enum status st;

    if (!same_sizes(p))
        return tell_sizes(p);
    if (!comparison_make(&p->file[0].tensor, &p->file[1].tensor, &p->opt, &c))
        return diag_nomem(dg);
    st = input_intact(&p->file[0].input, dg);
    if (st == ST_OK)
        st = input_intact(&p->file[1].input, dg);
    if (st) {
        comparison_free(&c);
        return st;
    }
    st = c.differ ? ST_INVALID : ST_OK;
    if (!p->args.common.quiet) {
        if (p->args.format == REPORT_JSON)
            add_json(&b, p, &c);
        else
            add_text(&b, p, &c);
        if (b.failed)
            st = diag_nomem(dg);
        else
            fwrite(b.s, 1, b.len, stdout);
    }
    str_free(&b);
    comparison_free(&c);
    return st;
}

/* Both files; JSON without a type takes --dtype, else the type of the other. */
static enum status load(struct pair *p, struct diag *dg)
{
    enum dtype type = p->args.json_type;
    enum status st = tensor_file_read(&p->file[0], p->path[0], type, dg);

    if (st)
        return st;
    if (type == DT_NONE && p->file[0].typed)
        type = p->file[0].tensor.type;
    st = tensor_file_read(&p->file[1], p->path[1], type, dg);
    if (st == ST_OK && p->args.json_type == DT_NONE && !p->file[0].typed && p->file[1].typed && strcmp(p->path[0], "-") != 0) {
        tensor_file_close(&p->file[0]);
        st = tensor_file_read(&p->file[0], p->path[0], p->file[1].tensor.type, dg);
    }
    return st;
}

enum status cmd_compare(int argc, char **argv, struct diag *dg)
{
    struct pair p = { .path = { NULL } };
    enum status st;

    if (!command_begin(&usage, &p.args, &argc, &argv, &st, dg))
        return st;
    if (argc != 2) {
        diag_error(dg, ST_USAGE, NULL, "takes two tensors, A and B");
        return usage_hint(dg);
    }
    p.path[0] = argv[0];
    p.path[1] = argv[1];
    p.opt = (struct compare_options){ p.args.atol, p.args.rtol, p.args.equal_nan };
    st = load(&p, dg);
    if (st == ST_OK)
        st = tell(&p, dg);
    tensor_file_close(&p.file[0]);
    tensor_file_close(&p.file[1]);
    return st;
}
