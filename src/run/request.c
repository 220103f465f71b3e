#include "run/inputs.h"

#include <unistd.h>

#include "base/path.h"
#include "io/file.h"
#include "tensor/element.h"

/* Sets *was, which must be NULL. */
static enum status bind_once(const struct field *f, const char **was, const char *text,
                             struct diag *dg)
{
    if (*was)
        return diag_usage(dg, "%s is bound twice, to '%s' and to '%s'", f->name, *was, text);
    *was = text;
    return ST_OK;
}

static enum status set_input(struct request *rq, const struct field *f, const char *text,
                             const char *option, size_t numbers, struct diag *dg)
{
    struct tensor_argument *s = &rq->in[f->slot];

    s->option = option;
    s->numbers = numbers;
    return bind_once(f, &s->text, text, dg);
}

/* Binds NAME=PATH. */
static enum status set_by_name(struct request *rq, const char *text, struct diag *dg)
{
    const char *names[SCHEMA_MAX_FIELDS], *equals = strchr(text, '=');
    enum op op = rq->oc->op;
    size_t n = 0, near;
    char name[64];

    if (!equals || equals == text || !equals[1] || (size_t)(equals - text) >= sizeof name)
        return diag_usage(dg, "--bind: '%s' is not NAME=PATH", text);
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    for (const struct field *f = op_schema(op)->fields; f->name; f++) {
        if (f->kind != FIELD_TENSOR)
            continue;
        if (strcmp(f->name, name) == 0)
            return f->output ? bind_once(f, &rq->out[f->slot], equals + 1, dg)
                             : set_input(rq, f, equals + 1, "--bind", 0, dg);
        names[n++] = f->name;
    }
    near = str_nearest(name, names, n);
    return diag_usage(dg, "--bind: %s has no tensor '%s'%s%s", op_schema(op)->name, name,
                      near < n ? "; did you mean " : "", near < n ? names[near] : "");
}

/* Binds --bind first, then operands to the remaining operand tensors. */
static enum status set_operands(struct request *rq, int n, char **operand, struct diag *dg)
{
    int used = 0, most = 0;

    for (size_t i = 0; i < rq->args->files.bind.n; i++) {
        enum status st = set_by_name(rq, rq->args->files.bind.v[i], dg);

        if (st)
            return st;
    }
    for (const struct field *f = op_schema(rq->oc->op)->fields; f->name; f++) {
        if (!request_is_operand(f))
            continue;
        most++;
        if (!rq->in[f->slot].text && used < n)
            set_input(rq, f, operand[used++], "operand", 0, dg); /* cannot fail */
    }
    if (used == n)
        return ST_OK;
    return too_many_operands(&rq->args->common, operand[used],
                             most == 1 ? "; many inputs need --output-dir" : "", dg);
}

enum status parameter_argument(struct tensor_argument *s, const char *option,
                               const struct option_list *words, struct diag *dg)
{
    const char *text = words->v[0], *first = text + strspn(text, " \t[{(");
    bool exists = access(text, F_OK) == 0;
    bool file = exists && strpbrk(text, "/nNfFlLuU_"); /* not 1/2, nan */
    bool number = isdigit((unsigned char)first[strspn(first, "+-.")]);
    bool list = first > text || strchr(text, ',');

    *s = (struct tensor_argument){ text, option, words, file ? 0 : number_list_count(words) };
    number = number || !first[strspn(first, " \t,]})")]; /* or an empty list */
    number = number && (list || !text[strspn(text, "0123456789abcdefABCDEFxXpP+-./%_")]);
    if (s->numbers || (words->n == 1 && (!number || exists)))
        return ST_OK;
    return list_refuse(
        dg, ST_USAGE, option, words,
        "is neither a file, a number nor a list of at most %d numbers, such as 0.5,0.25",
        LIST_ENTRIES_MAX);
}

static enum status set_parameters(struct request *rq, struct diag *dg)
{
    for (const struct field *f = op_schema(rq->oc->op)->fields; f->name; f++) {
        const struct option_list *words = &rq->args->qmatmul.parameter[f->slot];
        struct tensor_argument s;
        enum status st;

        if (!field_is_parameter(f) || words->n == 0)
            continue;
        st = parameter_argument(&s, f->use.option, words, dg);
        st = st ? st : set_input(rq, f, s.text, s.option, s.numbers, dg);
        if (st)
            return st;
        rq->in[f->slot].list = words;
    }
    return ST_OK;
}

/* Refuses outputs whose extension contradicts their format. */
static enum status check_formats(const struct op_args *a, const char *output, const char *indices,
                                 struct diag *dg)
{
    enum tensor_format format;
    enum status st = ST_OK;

    if (output)
        st = output_format(a->files.output_dir ? "" : "-o", output, a->files.format, FORMAT_NPY,
                           &format, dg);
    if (st == ST_OK && indices)
        st = output_format(a->files.output_dir ? "" : "--indices", indices, a->files.format,
                           FORMAT_NPY, &format, dg);
    if (st == ST_OK && a->files.emit)
        st = output_check_json("--emit-descriptor", a->files.emit, dg);
    if (st == ST_OK && a->files.emit_model)
        st = output_check_json("--emit-model", a->files.emit_model, dg);
    return st;
}

static enum status set_outputs(struct request *rq, struct diag *dg)
{
    const struct op_args *a = rq->args;
    const struct field *main = op_output(rq->oc->op, ROLE_DATA),
                       *indices = op_output(rq->oc->op, ROLE_INDEX);
    const char **output = &rq->out[main->slot], *index_path, *idle;
    enum status st =
        a->files.output && a->explain.n == 0 ? bind_once(main, output, a->files.output, dg) : ST_OK;

    if (st == ST_OK && a->topk.indices)
        st = bind_once(indices, &rq->out[indices->slot], a->topk.indices, dg);
    if (indices && !rq->out[indices->slot] && *output && path_has_extension(*output, ".npz"))
        rq->out[indices->slot] = *output; /* an archive has both */
    index_path = indices ? rq->out[indices->slot] : NULL;
    if (st == ST_OK && a->explain.n > 0 && (*output || index_path))
        return diag_usage(dg, "--explain prints one element and writes no file; leave out '%s'",
                          index_path ? index_path : *output);
    rq->emit_only = !*output && (a->files.emit || a->files.emit_model);
    idle = index_path                          ? "--indices"
           : a->timing.timings                 ? "--timings"
           : a->timing.repeat                  ? "--repeat"
           : a->timing.min_time >= 0           ? "--min-time"
           : a->timing.warmup                  ? "--warmup"
           : a->execution.kernel               ? "--kernel"
           : a->files.format != FORMAT_BY_NAME ? "--format"
           : a->files.layout != LAYOUT_LOGICAL ? "--output-layout"
                                               : NULL;
    if (st == ST_OK && rq->emit_only && idle)
        st = diag_usage(dg, "%s alone computes nothing for %s; add -o FILE",
                        a->files.emit ? "--emit-descriptor" : "--emit-model", idle);
    if (!*output && !rq->emit_only)
        *output = "-";
    return st ? st : check_formats(a, *output, index_path, dg);
}

enum status request_make(struct request *rq, const struct op_args *args, int operands,
                         char **operand, struct diag *dg)
{
    enum status st;

    *rq = (struct request){
        .oc = args->oc,
        .args = args,
        .rules = checking_rules(&args->checking, args->common.quiet),
        .exec = { .threads = execution_threads(args->execution.threads, dg),
                  .kernel = args->execution.kernel },
    };
    rq->rules.command = op_schema(args->oc->op)->run.command;
    if (args->files.layout == LAYOUT_BUFFER && !args->files.descriptor)
        return diag_usage(dg,
                          "--output-layout buffer needs -d: only a descriptor has output Strides");
    st = set_operands(rq, operands, operand, dg);
    st = st ? st : set_parameters(rq, dg);
    st = st ? st : set_outputs(rq, dg);
    return st;
}

enum status request_check_given(const struct request *rq, const struct desc *d, struct diag *dg)
{
    const struct qmatmul_args *q = &rq->args->qmatmul;
    bool sums = q->output_dtype == OUTPUT_INT32 || q->output_type == OUTPUT_INT32;

    for (const struct field *f = op_schema(rq->oc->op)->fields; f->name; f++) {
        bool unscaled = sums && field_is_parameter(f) && (f->use.matrix == SLOT_C || !f->optional);
        bool wanted = d ? d->tensor[f->slot].present : !f->optional && !unscaled;
        const char *option = rq->in[f->slot].option;

        if (f->kind != FIELD_TENSOR || f->output)
            continue;
        if (unscaled && rq->in[f->slot].text)
            return diag_usage(dg,
                              "%s and --output-%s int32 cannot be used together: exact sums have "
                              "neither scales nor a zero point of the output",
                              strcmp(option, "--bind") == 0 ? f->name : option,
                              q->output_dtype < 0 ? "type" : "dtype");
        if (wanted && !rq->in[f->slot].text)
            return usage_error(dg, "%s is missing; give %s or --bind %s=PATH", f->name,
                               f->use.option, f->name);
        if (d && !wanted && rq->in[f->slot].text)
            return diag_usage(dg, "%s: the descriptor has no %s; add it, or leave out the option",
                              option, f->name);
    }
    return ST_OK;
}

enum status request_check_apart(const struct request *rq, struct diag *dg)
{
    const struct file_args *f = &rq->args->files;
    const char *outs[3 + SLOT_COUNT] = { f->emit, f->emit_model, rq->args->timing.timings };
    enum status st = ST_OK;

    memcpy(outs + 3, rq->out, sizeof rq->out);
    for (unsigned i = 1; i < ARRAY_LEN(outs) && f->descriptor && st == ST_OK; i++)
        st = file_check_apart(f->descriptor, outs[i], dg);
    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++)
        for (unsigned i = 0; i < 3 && rq->in[s].text && st == ST_OK; i++)
            st = file_check_apart(rq->in[s].text, outs[i], dg);
    return st;
}

enum tensor_format request_format(const struct request *rq, const char *path,
                                  enum tensor_format input)
{
    enum tensor_format format;

    (void)output_format("", path, rq->args->files.format, input, &format, NULL); /* was checked */
    return format;
}

bool request_may_stream(const struct request *rq, const struct desc *d)
{
    const struct op_args *a = rq->args;

    return !BIG_MACHINE && op_schema(rq->oc->op)->run.copies_part && !a->timing.timings &&
           !a->timing.repeat && a->timing.min_time < 0 && a->timing.warmup == 0 &&
           a->files.layout == LAYOUT_LOGICAL && !rq->emit_only && a->explain.n == 0 &&
           !a->files.emit_model && !(a->files.descriptor && d->tensor[SLOT_IN].has_strides);
}
