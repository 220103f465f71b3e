#include "cmd/driver.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/str.h"
#include "cmd/bind.h"
#include "cmd/findings.h"
#include "cmd/preload.h"
#include "cmd/timings.h"
#include "desc/emit.h"
#include "desc/schema.h"
#include "json/number.h"
#include "op/op.h"

#define AT(member) offsetof(struct op_args, member)

const struct option_row common_options[] = {
    { "descriptor", 'd', OPTION_STRING, AT(descriptor), "FILE", "take the attributes from a descriptor, held to DirectML's rules" },
    { "bind", 0, OPTION_LIST, AT(bind), "NAME=PATH", "bind a file to a tensor by its DirectML name" },
    { "output", 'o', OPTION_STRING, AT(output), "FILE", "write the result there, .npy or .json by its ending (default: standard output)" },
    { "format", 0, OPTION_STRING, AT(format), "FORMAT", "write npy or json whatever the ending" },
    { "output-layout", 0, OPTION_STRING, AT(layout), "LAYOUT", "logical tensor, or the flat buffer that the descriptor's Strides describe (default: logical)" },
    { "emit-descriptor", 0, OPTION_OPTIONAL, AT(emit), "FILE", "write the descriptor that the options amount to; without FILE to standard output, and nothing is computed unless -o is given" },
    { "dtype", 0, OPTION_STRING, AT(dtype), "TYPE", "type of JSON tensors that name none (default: float32)" },
    { "feature-level", 0, OPTION_STRING, AT(level), "L", "check the descriptor against this DirectML feature level (default: 6_4)" },
    { "relaxed", 0, OPTION_FLAG, AT(relaxed), NULL, "rules that document DirectML's limits, not safety, only warn" },
    { "threads", 0, OPTION_STRING, AT(threads), "N", "threads (default: OMP_NUM_THREADS, else the processors there are)" },
    { "kernel", 0, OPTION_STRING, AT(kernel), "NAME", "auto, reference, or a kernel that 'dmlop --version' lists" },
    { "repeat", 0, OPTION_STRING, AT(repeat), "N", "compute N times (default: 1)" },
    { "warmup", 0, OPTION_STRING, AT(warmup), "N", "after N times that are not counted (default: 0)" },
    { "timings", 0, OPTION_OPTIONAL, AT(timings), "FILE", "print a table of times on standard error, or write JSON to FILE" },
    { "no-sync", 0, OPTION_FLAG, AT(no_sync), NULL, "do not wait until outputs are on the disk" },
    { "no-clobber", 0, OPTION_FLAG, AT(no_clobber), NULL, "refuse to replace a file" },
    { "no-progress", 0, OPTION_FLAG, AT(no_progress), NULL, "show no progress" },
    { "color", 0, OPTION_STRING, AT(color), "WHEN", "auto, always or never (default: auto)" },
    { "quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "no warnings" },
    { "verbose", 'v', OPTION_FLAG, AT(verbose), NULL, "say more on standard error" },
    { "help", 'h', OPTION_FLAG, AT(help), NULL, "show this help" },
    { NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

enum { FORMAT_BY_NAME = -1 };

/* A command at work. */
struct job {
    const struct op_command *oc;
    struct op_args args;
    struct desc_options rules;
    struct op_exec exec;
    long repeat, warmup;
    int format;                       /* enum tensor_format, or FORMAT_BY_NAME */
    bool buffer;                      /* --output-layout buffer */
    enum dtype json_type;
    struct binding in[SLOT_COUNT];
    const char *out_path[SLOT_COUNT]; /* NULL: not written */
    size_t out_index[SLOT_COUNT];     /* in outs */
    void *out_data[SLOT_COUNT];       /* owned */
    uint64_t out_elements[SLOT_COUNT];
    struct tensor out[SLOT_COUNT];
    struct desc desc;
    struct outputs outs, reports;     /* results and descriptor; timings */
    bool emit_only;
    size_t emit_index;
    struct timings times;
};

void describe_tensor(struct desc *d, unsigned slot, enum dtype type, unsigned rank, const uint64_t *sizes)
{
    struct tensor_desc *t = &d->tensor[slot];

    *t = (struct tensor_desc){ .present = true, .type = type, .rank = rank };
    memcpy(t->sizes, sizes, rank * sizeof *sizes);
}

static const char *field_name(const struct job *j, unsigned slot)
{
    return op_tensor_field(j->oc->op, slot)->name;
}

static enum status read_numbers(struct job *j, struct diag *dg)
{
    const struct op_args *a = &j->args;
    long threads = 0;
    enum status st = ST_OK;

    j->repeat = 1;
    if (a->threads)
        st = option_number("--threads", a->threads, 1, 1024, &threads, dg);
    if (st == ST_OK && a->repeat)
        st = option_number("--repeat", a->repeat, 1, 1000000, &j->repeat, dg);
    if (st == ST_OK && a->warmup)
        st = option_number("--warmup", a->warmup, 0, 1000000, &j->warmup, dg);
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
    j->rules = (struct desc_options){ .command = j->oc->usage->name, .level = LEVEL_NEWEST, .relaxed = a->relaxed };
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
        return diag_error(dg, ST_USAGE, NULL, "%s is bound twice, to '%s' and to '%s'", field_name(j, slot), b->text, text);
    b->text = text;
    b->option = option;
    return ST_OK;
}

static enum status set_output(struct job *j, unsigned slot, const char *path, struct diag *dg)
{
    if (j->out_path[slot])
        return diag_error(dg, ST_USAGE, NULL, "%s is bound twice, to '%s' and to '%s'", field_name(j, slot),
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

/* A number in JSON's grammar; anything else is a path. */
static bool is_number(const char *text)
{
    double d;

    return number_double(text, strlen(text), &d) != NUMBER_SYNTAX;
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
            j->in[v[i].slot].is_number = is_number(v[i].text);
        }
    return st;
}

/* Operands, --bind and their shorthands, each to its slot. */
static enum status assign(struct job *j, int argc, char **argv, int first, struct diag *dg)
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
        diag_error(dg, ST_USAGE, NULL, "too many operands: '%s'", argv[first]);
        return usage_hint(dg);
    }
    if (st == ST_OK && j->oc->op == OP_QMATMUL)
        st = set_parameters(j, dg);
    if (st == ST_OK && a->output)
        st = set_output(j, out, a->output, dg);
    if (st == ST_OK && a->indices)
        st = set_output(j, SLOT_INDICES, a->indices, dg);
    j->emit_only = a->emit && (*a->emit == '\0' || strcmp(a->emit, "-") == 0) && !j->out_path[out];
    if (st == ST_OK && j->emit_only && (j->out_path[SLOT_INDICES] || a->timings))
        st = diag_error(dg, ST_USAGE, NULL, "--emit-descriptor alone computes nothing for %s; add -o FILE",
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
static enum status check_bound(const struct job *j, bool by_descriptor, struct diag *dg)
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

static enum status load_descriptor(struct job *j, struct diag *dg)
{
    struct desc_file f = { 0 };
    enum status st = descriptor_load(&f, j->args.descriptor, &j->rules, dg);

    if (st)
        return st;
    findings_text(&f.findings, j->args.descriptor, !dg->quiet, dg->color, dg->err);
    if (f.findings.errors > 0)
        st = diag_error(dg, ST_INVALID, j->args.descriptor, "the descriptor has %zu error%s", f.findings.errors,
                        f.findings.errors == 1 ? "" : "s");
    j->desc = f.desc;
    desc_file_free(&f);
    return st;
}

/* -v: "x.npy: InputTensor is FLOAT32 {3,4}". */
static void note_tensor(const struct job *j, unsigned slot, const char *path, const struct tensor *t, struct diag *dg)
{
    char text[TENSOR_SIZES_TEXT];

    diag_note(dg, path, "%s is %s %s", field_name(j, slot), dtype_name(t->type), tensor_sizes_text(text, t->rank, t->sizes));
}

static enum status load_inputs(struct job *j, struct diag *dg)
{
    enum status st = ST_OK;

    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++) {
        enum dtype type = j->args.descriptor ? j->desc.tensor[s].type : DT_NONE;
        bool operand = s == j->oc->operand_slot[0] || (j->oc->operands > 1 && s == j->oc->operand_slot[1]);

        if (!j->in[s].text)
            continue;
        st = binding_load(&j->in[s], type != DT_NONE ? type : operand ? j->json_type : DT_NONE, dg);
        if (st == ST_OK && operand && !j->args.descriptor)
            st = binding_check_operand(&j->in[s], dg);
        if (st == ST_OK && !j->in[s].is_number)
            note_tensor(j, s, j->in[s].text, &j->in[s].file.tensor, dg);
    }
    return st;
}

static enum status match_inputs(struct job *j, struct diag *dg)
{
    enum status st = ST_OK;

    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++)
        if (j->in[s].text)
            st = binding_match(&j->in[s], field_name(j, s), &j->desc.tensor[s], dg);
    return st;
}

/* Reads the descriptor or builds it; afterwards every input has a view in its shape. */
static enum status prepare_inputs(struct job *j, struct diag *dg)
{
    uint64_t start = clock_ns(), loaded;
    bool by_descriptor = j->args.descriptor != NULL;
    enum status st = by_descriptor ? load_descriptor(j, dg) : ST_OK;

    j->times.validate = clock_ns() - start;
    if (st == ST_OK)
        st = check_bound(j, by_descriptor, dg);
    start = clock_ns();
    if (st == ST_OK)
        st = load_inputs(j, dg);
    loaded = clock_ns();
    j->times.load = loaded - start;
    if (st)
        return st;
    if (by_descriptor)
        st = match_inputs(j, dg);
    else {
        j->desc.op = j->oc->op;
        st = j->oc->describe(&j->args, j->in, &j->desc, dg);
    }
    start = clock_ns();
    j->times.validate += start - loaded;
    if (st == ST_OK && j->args.timings) {
        preload_inputs(&j->desc, j->in);
        j->times.load += clock_ns() - start;
    }
    return st;
}

/* Elements of the flat buffer that td describes, up to a multiple of 4 bytes; false on overflow. */
static bool buffer_elements(const struct tensor_desc *td, uint64_t *n)
{
    uint64_t bytes;

    if (!tensor_desc_bytes(td, &bytes))
        return false;
    *n = u64_max(bytes, td->total_size) / dtype_size(td->type);
    return true;
}

/* Memory and view of one output. */
static enum status prepare_output(struct job *j, unsigned slot, struct diag *dg)
{
    struct tensor_desc td = j->desc.tensor[slot];
    bool fits;

    if (!j->buffer)
        td.has_strides = false;
    fits = j->buffer ? buffer_elements(&td, &j->out_elements[slot]) : tensor_count(td.rank, td.sizes, &j->out_elements[slot]);
    if (!fits || !tensor_desc_view(&td, NULL, &j->out[slot]))
        return diag_error(dg, ST_SYSTEM, NULL, "%s is larger than memory can be", field_name(j, slot));
    j->out_data[slot] = j->buffer ? mem_zalloc(j->out_elements[slot], dtype_size(td.type))
                                  : mem_alloc_aligned(j->out_elements[slot], dtype_size(td.type));
    if (!j->out_data[slot])
        return diag_nomem(dg);
    if (j->args.timings)
        preload_output(j->out_data[slot], j->out_elements[slot] * dtype_size(td.type));
    j->out[slot].data = j->out_data[slot];
    return ST_OK;
}

static enum status prepare_outputs(struct job *j, struct diag *dg)
{
    enum status st = ST_OK;

    j->outs.no_sync = j->reports.no_sync = j->args.no_sync;
    j->outs.no_clobber = j->reports.no_clobber = j->args.no_clobber;
    if (j->args.emit) {
        j->emit_index = j->outs.n;
        st = outputs_add(&j->outs, *j->args.emit ? j->args.emit : "-", dg);
    }
    for (const struct field *f = op_schemas[j->oc->op].fields; f->name && st == ST_OK && !j->emit_only; f++) {
        if (f->kind != FIELD_TENSOR || !f->output)
            continue;
        if (j->out_path[f->slot]) {
            j->out_index[f->slot] = j->outs.n;
            st = outputs_add(&j->outs, j->out_path[f->slot], dg);
        }
        if (st == ST_OK)
            st = prepare_output(j, f->slot, dg);
    }
    if (st == ST_OK && j->args.timings && *j->args.timings)
        st = outputs_add(&j->reports, j->args.timings, dg);
    return st ? st : outputs_check_apart(&j->outs, &j->reports, dg);
}

static enum status compute(struct job *j, struct diag *dg)
{
    struct tensor *t[SLOT_COUNT] = { NULL };
    struct op_plan *plan = NULL;
    uint64_t start;
    enum status st;

    j->times.samples = mem_alloc((uint64_t)j->repeat, sizeof *j->times.samples);
    if (!j->times.samples)
        return diag_nomem(dg);
    for (const struct field *f = op_schemas[j->desc.op].fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && j->desc.tensor[f->slot].present)
            t[f->slot] = f->output ? &j->out[f->slot] : &j->in[f->slot].view;
    start = clock_ns();
    st = op_plan_new(&plan, &j->desc, t, &j->exec, dg);
    if (st)
        return st;
    diag_note(dg, NULL, "running DML_OPERATOR_%s with kernel %s on at most %d thread%s", op_schemas[j->desc.op].name,
              op_plan_kernel(plan), j->exec.threads, j->exec.threads == 1 ? "" : "s");
    for (long i = -j->warmup; i < j->repeat; i++) {
        uint64_t before = clock_ns();

        op_plan_run(plan);
        if (i >= 0)
            j->times.samples[i] = clock_ns() - before;
    }
    j->times.compute = clock_ns() - start;
    j->times.kernel = op_plan_kernel(plan);
    j->times.operations = op_plan_operations(plan);
    op_plan_free(plan);
    return ST_OK;
}

/* By --format; by the path's ending; as the input; JSON for people. */
static enum tensor_format output_format(const struct job *j, const char *path)
{
    size_t n = strlen(path);

    if (j->format != FORMAT_BY_NAME)
        return (enum tensor_format)j->format;
    if (n > 4 && strcmp(path + n - 4, ".npy") == 0)
        return FORMAT_NPY;
    if (n > 5 && strcmp(path + n - 5, ".json") == 0)
        return FORMAT_JSON;
    if (strcmp(path, "-") == 0 && isatty(STDOUT_FILENO))
        return FORMAT_JSON;
    return j->in[j->oc->operand_slot[0]].file.format;
}

/* Options may describe what DirectML does not take; the descriptor written then says so when it is checked. */
static enum status warn_of_rules(const struct job *j, struct str *text, struct diag *dg)
{
    struct desc_file f = { 0 };
    size_t len = text->len;
    enum status st = desc_file_parse(&f, str_take(text), len, &j->rules, dg);

    for (size_t i = 0; st == ST_OK && i < f.findings.n; i++)
        diag_warn(dg, NULL, "DirectML does not take this descriptor: %s [%s]", f.findings.v[i].message,
                  rule_table[f.findings.v[i].rule].id);
    desc_file_free(&f);
    return st;
}

static enum status write_descriptor(struct job *j, struct diag *dg)
{
    struct str b = { 0 };
    enum status st;

    desc_emit(&j->desc, &b);
    st = b.failed ? diag_nomem(dg) : outputs_write(&j->outs, j->emit_index, b.s, b.len, dg);
    if (st == ST_OK)
        st = warn_of_rules(j, &b, dg);
    str_free(&b);
    return st;
}

static enum status store(struct job *j, struct diag *dg)
{
    uint64_t start = clock_ns();
    enum status st = j->args.emit ? write_descriptor(j, dg) : ST_OK;

    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++) {
        struct tensor t = j->out[s];

        if (!j->out_path[s] || !j->out_data[s])
            continue;
        if (j->buffer) {
            t.rank = 1;
            t.sizes[0] = j->out_elements[s];
            t.strides[0] = 1;
        }
        st = tensor_file_write(&j->outs, j->out_index[s], &t, output_format(j, j->out_path[s]), dg);
    }
    if (st == ST_OK)
        st = outputs_commit(&j->outs, dg);
    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++)
        if (j->out_path[s] && j->out_data[s])
            note_tensor(j, s, strcmp(j->out_path[s], "-") == 0 ? "standard output" : j->out_path[s], &j->out[s], dg);
    j->times.store = clock_ns() - start;
    return st;
}

static void count_bytes(struct job *j)
{
    for (const struct field *f = op_schemas[j->desc.op].fields; f->name; f++) {
        const struct tensor_desc *t = &j->desc.tensor[f->slot];
        uint64_t n;

        if (f->kind == FIELD_TENSOR && t->present && tensor_count(t->rank, t->sizes, &n))
            *(f->output ? &j->times.bytes_out : &j->times.bytes_in) += n * dtype_size(t->type);
    }
}

static enum status report_times(struct job *j, struct diag *dg)
{
    struct str b = { 0 };
    enum status st;

    j->times.command = j->oc->usage->name;
    j->times.operator_name = op_schemas[j->desc.op].name;
    j->times.threads = j->exec.threads;
    j->times.warmup = (uint64_t)j->warmup;
    j->times.iterations = (uint64_t)j->repeat;
    count_bytes(j);
    if (*j->args.timings == '\0') {
        timings_table(&j->times, dg->err);
        return ST_OK;
    }
    timings_json(&j->times, &b);
    st = b.failed ? diag_nomem(dg) : outputs_write(&j->reports, 0, b.s, b.len, dg);
    str_free(&b);
    return st ? st : outputs_commit(&j->reports, dg);
}

static void job_free(struct job *j)
{
    outputs_close(&j->reports);
    outputs_close(&j->outs);
    free(j->times.samples);
    for (unsigned s = 0; s < SLOT_COUNT; s++) {
        free(j->out_data[s]);
        binding_close(&j->in[s]);
    }
}

static enum status run_job(struct job *j, int argc, char **argv, int first, struct diag *dg)
{
    uint64_t start = clock_ns();
    enum status st = read_numbers(j, dg);

    if (st == ST_OK)
        st = read_choices(j, dg);
    if (st == ST_OK)
        st = assign(j, argc, argv, first, dg);
    if (st == ST_OK)
        st = prepare_inputs(j, dg);
    if (st == ST_OK)
        st = prepare_outputs(j, dg);
    if (st == ST_OK && !j->emit_only)
        st = compute(j, dg);
    if (st == ST_OK)
        st = store(j, dg);
    j->times.total = clock_ns() - start;
    if (st == ST_OK && j->args.timings && !j->emit_only)
        st = report_times(j, dg);
    return st;
}

enum status op_command_run(const struct op_command *oc, int argc, char **argv, struct diag *dg)
{
    struct job j = { .oc = oc };
    int first;
    enum status st = options_parse(oc->usage, &j.args, argc, argv, &first, dg);

    if (st)
        return st;
    if (j.args.help) {
        usage_print(oc->usage, stdout);
        return ST_OK;
    }
    dg->quiet = j.args.quiet;
    dg->verbose = j.args.verbose;
    st = run_job(&j, argc, argv, first, dg);
    job_free(&j);
    return st;
}
