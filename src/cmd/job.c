#include "cmd/job.h"

#include <string.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/path.h"
#include "base/str.h"
#include "cmd/bind.h"
#include "desc/schema.h"
#include "json/number.h"

#define AT(member) offsetof(struct op_args, member)

const struct option_row common_options[] = {
    { "descriptor", 'd', OPTION_STRING, AT(descriptor), "FILE", "take the attributes from a descriptor, held to DirectML's rules" },
    { "bind", 0, OPTION_LIST, AT(bind), "NAME=PATH", "bind a file to a tensor by its DirectML name" },
    { "output", 'o', OPTION_STRING, AT(output), "FILE", "write the result there, .npy or .json by its ending (default: standard output)" },
    { "format", 0, OPTION_STRING, AT(format), "FORMAT", "write npy or json whatever the ending" },
    { "output-layout", 0, OPTION_STRING, AT(layout), "LAYOUT", "logical tensor, or the flat buffer that the descriptor's Strides describe (default: logical)" },
    { "emit-descriptor", 0, OPTION_OPTIONAL, AT(emit), "FILE", "write the descriptor that the options amount to; without FILE to standard output, and nothing is computed unless -o is given" },
    { "emit-model", 0, OPTION_OPTIONAL, AT(emit_model), "FILE", "write a model file with inputs, descriptor, dispatch and print, for 'dmlop run' and DxDispatch; without FILE as above" },
    { "dtype", 0, OPTION_STRING, AT(dtype), "TYPE", "type of JSON tensors that name none (default: float32)" },
    { "feature-level", 0, OPTION_STRING, AT(level), "L", "check the descriptor against this DirectML feature level (default: 6_4)" },
    { "relaxed", 0, OPTION_FLAG, AT(relaxed), NULL, "rules that document DirectML's limits, not safety, only warn" },
    { "threads", 0, OPTION_STRING, AT(threads), "N", "threads (default: OMP_NUM_THREADS, else the processors there are)" },
    { "kernel", 0, OPTION_STRING, AT(kernel), "NAME", "auto, reference, or a kernel that 'dmlop --version' lists" },
    { "repeat", 0, OPTION_STRING, AT(repeat), "N", "compute N times (default: 1)" },
    { "min-time", 0, OPTION_STRING, AT(min_time), "SECONDS", "compute until the times add up to this, instead of --repeat" },
    { "warmup", 0, OPTION_STRING, AT(warmup), "N", "after N times that are not counted (default: 0)" },
    { "timings", 0, OPTION_OPTIONAL, AT(timings), "FILE", "print a table of times on standard error, or write JSON to FILE" },
    { "samples", 0, OPTION_FLAG, AT(samples), NULL, "with the time of every computation in the table" },
    { "no-sync", 0, OPTION_FLAG, AT(no_sync), NULL, "do not wait until outputs are on the disk" },
    { "no-clobber", 0, OPTION_FLAG, AT(no_clobber), NULL, "refuse to replace a file" },
    { "no-progress", 0, OPTION_FLAG, AT(no_progress), NULL, "show no progress" },
    { "color", 0, OPTION_STRING, AT(color), "WHEN", "auto, always or never (default: auto)" },
    { "quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "no warnings" },
    { "verbose", 'v', OPTION_FLAG, AT(verbose), NULL, "say more on standard error" },
    { "help", 'h', OPTION_FLAG, AT(help), NULL, "show this help" },
    { NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

const char *job_field(const struct job *j, unsigned slot)
{
    return op_tensor_field(j->oc->op, slot)->name;
}

static enum status read_numbers(struct job *j, struct diag *dg)
{
    const struct op_args *a = &j->args;
    long threads = 0;
    enum status st = ST_OK;

    if (a->threads)
        st = option_number("--threads", a->threads, 1, PARALLEL_MOST, &threads, dg);
    if (st == ST_OK)
        st = timings_options(a->repeat, a->min_time, a->warmup, &j->samples, &j->warmup, dg);
    if (st)
        return st;
    if (threads > 1 && !parallel_available()) {
        diag_warn(dg, NULL, "--threads %ld: this build has no OpenMP and runs on one thread", threads);
        threads = 1;
    }
    j->exec.threads = threads ? (int)threads : parallel_default_threads();
    j->exec.kernel = a->kernel;
    return ST_OK;
}

static enum status read_choices(struct job *j, struct diag *dg)
{
    static const char *const formats[] = { "npy", "json", NULL }, *const layouts[] = { "logical", "buffer", NULL };
    const struct op_args *a = &j->args;
    int layout = 0;
    enum status st = ST_OK;

    j->format = FORMAT_BY_NAME;
    if (a->format)
        st = option_choice("--format", a->format, formats, &j->format, dg);
    if (st == ST_OK && a->layout)
        st = option_choice("--output-layout", a->layout, layouts, &layout, dg);
    if (st == ST_OK)
        st = option_color(a->color, dg->err, &dg->color, dg);
    j->buffer = layout == 1;
    if (st == ST_OK && a->dtype && (j->json_type = dtype_from_name(a->dtype, true)) == DT_NONE)
        st = diag_error(dg, ST_USAGE, NULL, "--dtype: there is no type '%s'; use float32, int8 and so on", a->dtype);
    j->rules = (struct desc_options){
        .command = j->oc->usage->name,
        .level = LEVEL_NEWEST,
        .findings = { .relaxed = a->relaxed, .errors_only = a->quiet, .max_findings = MAX_FINDINGS },
    };
    if (st == ST_OK && a->level && (j->rules.level = level_from_name(a->level)) == LEVEL_COUNT)
        st = diag_error(dg, ST_USAGE, NULL, "--feature-level: '%s' is none of 1_0 to 6_4", a->level);
    if (st == ST_OK && a->descriptor && j->oc->attribute(a))
        st = diag_error(dg, ST_USAGE, NULL, "%s and -d exclude each other: the descriptor has the attributes",
                        j->oc->attribute(a));
    if (st == ST_OK && j->buffer && !a->descriptor)
        st = diag_error(dg, ST_USAGE, NULL, "--output-layout buffer needs -d: only a descriptor has output Strides");
    return st;
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
    const struct op_args *a = &j->args;
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
    if (st == ST_OK && a->indices)
        st = set_output(j, SLOT_INDICES, a->indices, dg);
    j->emit_only = !j->out_path[out] && (goes_to_output(a->emit) || goes_to_output(a->emit_model));
    if (st == ST_OK && j->emit_only && (j->out_path[SLOT_INDICES] || a->timings))
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
    enum status st = read_numbers(j, dg);

    return st ? st : read_choices(j, dg);
}

enum tensor_format job_output_format(const struct job *j, const char *path)
{
    if (j->format != FORMAT_BY_NAME)
        return (enum tensor_format)j->format;
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
