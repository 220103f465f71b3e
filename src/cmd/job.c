#include "cmd/job.h"

#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "cmd/bind.h"
#include "desc/schema.h"
#include "json/number.h"

static const char *const formats[] = { "npy", "json", NULL };       /* enum tensor_format */
static const char *const layouts[] = { "logical", "buffer", NULL }; /* enum output_layout */

const struct option_row driver_options[] = {
    OPT_PARAGRAPH,
    OPT_TEXT('d', "descriptor", struct op_args, descriptor, "FILE",
             "take the attributes from a descriptor, held to DirectML's rules"),
    OPT_LIST("bind", struct op_args, bind, "NAME=PATH", "bind a file to a tensor by its DirectML name"),
    OPT_TEXT('o', "output", struct op_args, output, "FILE",
             "write the result there, .npy or .json by its ending (default: standard output)"),
    OPT_CHOICE("format", struct op_args, format, formats, FORMAT_BY_NAME, "FORMAT",
               "write npy or json whatever the ending"),
    OPT_CHOICE("output-layout", struct op_args, layout, layouts, LAYOUT_LOGICAL, "LAYOUT",
               "logical tensor, or the flat buffer that the descriptor's Strides describe (default: logical)"),
    OPT_OPTIONAL("emit-descriptor", struct op_args, emit, "FILE",
                 "write the descriptor that the options amount to; without FILE to standard output, and nothing is "
                 "computed unless -o is given"),
    OPT_OPTIONAL("emit-model", struct op_args, emit_model, "FILE",
                 "write a model file with inputs, descriptor, dispatch and print, for 'dmlop run' and DxDispatch; "
                 "without FILE as above"),
    OPT_GROUP(json_type_options, struct op_args, json_type),
    OPT_GROUP(checking_options, struct op_args, checking),
    OPT_HELP("feature-level", "check the descriptor against this DirectML feature level (default: 6_4)"),
    OPT_GROUP(execution_options, struct op_args, execution),
    OPT_GROUP(timing_options, struct op_args, timing),
    OPT_GROUP(output_options, struct op_args, writing),
    OPT_FLAG(0, "no-progress", struct op_args, no_progress, "show no progress"),
    OPT_GROUP(color_options, struct op_args, common),
    OPT_END,
};

const char *job_field(const struct job *j, unsigned slot)
{
    return op_tensor_field(j->oc->op, slot)->name;
}

static enum status set_input(struct job *j, unsigned slot, const char *text, const char *option, struct diag *dg)
{
    struct binding *b = &j->in[slot];

    if (!text)
        return ST_OK;
    if (b->text)
        return diag_error(dg, ST_USAGE, NULL, "%s is bound twice, to '%s' and to '%s'", job_field(j, slot), b->text, text);
    b->text = text;
    b->option = option;
    return ST_OK;
}

static enum status set_output(struct job *j, unsigned slot, const char *path, struct diag *dg)
{
    if (j->out_path[slot])
        return diag_error(dg, ST_USAGE, NULL, "%s is bound twice, to '%s' and to '%s'", job_field(j, slot),
                          j->out_path[slot], path);
    j->out_path[slot] = path;
    return ST_OK;
}

/* NAME=PATH. */
static enum status bind_name(struct job *j, const char *text, struct diag *dg)
{
    const char *names[SCHEMA_MAX_FIELDS], *equals = strchr(text, '=');
    const struct field *fields = op_schemas[j->oc->op].fields;
    size_t n = 0, near;
    char name[64];

    if (!equals || equals == text || !equals[1] || (size_t)(equals - text) >= sizeof name)
        return diag_error(dg, ST_USAGE, NULL, "--bind: '%s' is not NAME=PATH", text);
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    for (const struct field *f = fields; f->name; f++) {
        if (f->kind != FIELD_TENSOR)
            continue;
        if (strcmp(f->name, name) == 0)
            return f->output ? set_output(j, f->slot, equals + 1, dg) : set_input(j, f->slot, equals + 1, "--bind", dg);
        names[n++] = f->name;
    }
    near = str_nearest(name, names, n);
    return diag_error(dg, ST_USAGE, NULL, "--bind: %s has no tensor '%s'%s%s", op_schemas[j->oc->op].name, name,
                      near < n ? "; did you mean " : "", near < n ? names[near] : "");
}

static enum status set_parameters(struct job *j, struct diag *dg)
{
    const struct qmatmul_args *a = &j->args.qmatmul;
    const struct {
        unsigned slot;
        const char *text, *option;
    } v[] = {
        { SLOT_A_SCALE, a->a_scale, "--a-scale" },      { SLOT_A_ZERO, a->a_zero, "--a-zero-point" },
        { SLOT_B_SCALE, a->b_scale, "--b-scale" },      { SLOT_B_ZERO, a->b_zero, "--b-zero-point" },
        { SLOT_C_SCALE, a->c_scale, "--output-scale" }, { SLOT_C_ZERO, a->c_zero, "--output-zero-point" },
    };
    enum status st = ST_OK;

    for (size_t i = 0; i < ARRAY_LEN(v) && st == ST_OK; i++)
        if (v[i].text) {
            st = set_input(j, v[i].slot, v[i].text, v[i].option, dg);
            j->in[v[i].slot].is_number = binding_is_number(v[i].text);
        }
    return st;
}

/* Whether an --emit option takes standard output. */
static bool goes_to_output(const char *emit)
{
    return emit && (*emit == '\0' || strcmp(emit, "-") == 0);
}

/* Operands, --bind and their shorthands, each to its slot. */
enum status job_assign(struct job *j, int argc, char **argv, int first, struct diag *dg)
{
    const struct op_args *a = &j->args;
    unsigned out = j->oc->op == OP_QMATMUL ? SLOT_C : SLOT_OUT;
    enum status st = ST_OK;

    for (size_t i = 0; i < a->bind.n && st == ST_OK; i++)
        st = bind_name(j, a->bind.v[i], dg);
    for (unsigned i = 0; i < j->oc->operands && st == ST_OK; i++) {
        unsigned slot = j->oc->operand_slot[i];

        if (!j->in[slot].text && first < argc)
            st = set_input(j, slot, argv[first++], "operand", dg);
    }
    if (st == ST_OK && first < argc) {
        diag_error(dg, ST_USAGE, NULL, "too many operands: '%s'%s", argv[first],
                   j->oc->operands == 1 ? "; many inputs need --output-dir" : "");
        return usage_hint(dg);
    }
    if (st == ST_OK && j->oc->op == OP_QMATMUL)
        st = set_parameters(j, dg);
    if (st == ST_OK && a->output)
        st = set_output(j, out, a->output, dg);
    if (st == ST_OK && a->topk.indices)
        st = set_output(j, SLOT_INDICES, a->topk.indices, dg);
    j->emit_only = !j->out_path[out] && (goes_to_output(a->emit) || goes_to_output(a->emit_model));
    if (st == ST_OK && j->emit_only && (j->out_path[SLOT_INDICES] || a->timing.timings))
        st = diag_error(dg, ST_USAGE, NULL, "%s alone computes nothing for %s; add -o FILE",
                        a->emit ? "--emit-descriptor" : "--emit-model",
                        j->out_path[SLOT_INDICES] ? "--indices" : "--timings");
    if (!j->out_path[out] && !j->emit_only)
        j->out_path[out] = "-";
    return st;
}

/* How a slot is given on the command line, for messages. */
static const char *how_to_give(const struct job *j, unsigned slot)
{
    static const char *const qmatmul[] = { "operand A", "--a-scale", "--a-zero-point", "operand B", "--b-scale",
                                           "--b-zero-point", "--output-scale", "--output-zero-point" };

    return j->oc->op == OP_QMATMUL ? qmatmul[slot] : "an input file";
}

/* Every tensor that the operator needs has a file, and no other. With a descriptor it says which are optional. */
enum status job_check_bound(const struct job *j, bool by_descriptor, struct diag *dg)
{
    for (const struct field *f = op_schemas[j->oc->op].fields; f->name; f++) {
        bool wanted = by_descriptor ? j->desc.tensor[f->slot].present : !f->optional;

        if (f->kind != FIELD_TENSOR || f->output)
            continue;
        if (wanted && !j->in[f->slot].text) {
            diag_error(dg, ST_USAGE, NULL, "%s is not bound; give %s or --bind %s=PATH", f->name,
                       how_to_give(j, f->slot), f->name);
            return usage_hint(dg);
        }
        if (by_descriptor && !wanted && j->in[f->slot].text)
            return diag_error(dg, ST_USAGE, NULL, "%s is bound, but the descriptor has no such tensor", f->name);
    }
    return ST_OK;
}

enum status job_read_options(struct job *j, struct diag *dg)
{
    const struct op_args *a = &j->args;

    j->exec = (struct op_exec){ .threads = execution_threads(a->execution.threads, dg), .kernel = a->execution.kernel };
    timing_samples(&a->timing, &j->samples, &j->warmup);
    j->rules = checking_rules(&a->checking, a->common.quiet);
    j->rules.command = j->oc->usage->name;
    if (a->layout == LAYOUT_BUFFER && !a->descriptor)
        return diag_error(dg, ST_USAGE, NULL, "--output-layout buffer needs -d: only a descriptor has output Strides");
    return ST_OK;
}

enum tensor_format job_output_format(const struct job *j, const char *path)
{
    if (j->args.format != FORMAT_BY_NAME)
        return (enum tensor_format)j->args.format;
    if (path_has_extension(path, ".npy"))
        return FORMAT_NPY;
    if (path_has_extension(path, ".json"))
        return FORMAT_JSON;
    if (strcmp(path, "-") == 0 && isatty(STDOUT_FILENO))
        return FORMAT_JSON;
    return j->in[j->oc->operand_slot[0]].file.format;
}

void job_note_kernel(const struct job *j, const struct op_plan *plan, struct diag *dg)
{
    diag_note(dg, NULL, "running DML_OPERATOR_%s with kernel %s on at most %d thread%s", op_schemas[j->desc.op].name,
              op_plan_kernel(plan), j->exec.threads, j->exec.threads == 1 ? "" : "s");
}
