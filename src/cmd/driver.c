#include "cmd/driver.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/str.h"
#include "cmd/bind.h"
#include "cmd/emit_model.h"
#include "cmd/explain_element.h"
#include "cmd/findings.h"
#include "cmd/job.h"
#include "cmd/many.h"
#include "cmd/preload.h"
#include "cmd/through.h"
#include "desc/bind.h"
#include "desc/emit.h"
#include "desc/schema.h"

void describe_tensor(struct desc *d, unsigned slot, enum dtype type, unsigned rank, const uint64_t *sizes)
{
    struct tensor_desc *t = &d->tensor[slot];

    *t = (struct tensor_desc){ .present = true, .type = type, .rank = rank };
    memcpy(t->sizes, sizes, rank * sizeof *sizes);
}

static enum status load_descriptor(struct job *j, struct diag *dg)
{
    struct desc_file f = { 0 };
    enum status st = descriptor_load(&f, j->args.descriptor, &j->rules, dg);

    if (st)
        return st;
    st = findings_text(&f.document, j->args.descriptor, dg->err, dg);
    if (st == ST_OK && f.document.findings.errors > 0)
        st = diag_error(dg, ST_INVALID, j->args.descriptor, "the descriptor has %zu error%s", f.document.findings.errors,
                        f.document.findings.errors == 1 ? "" : "s");
    j->desc = f.desc;
    desc_file_free(&f);
    return st;
}

/* -v: "x.npy: InputTensor is FLOAT32 {3,4}". */
static void note_tensor(const struct job *j, unsigned slot, const char *path, const struct tensor *t, struct diag *dg)
{
    char text[TENSOR_SIZES_TEXT];

    diag_note(dg, path, "%s is %s %s", job_field(j, slot), dtype_name(t->type), tensor_sizes_text(text, t->rank, t->sizes));
}

static enum status load_inputs(struct job *j, struct diag *dg)
{
    enum status st = ST_OK;

    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++) {
        enum dtype type = j->args.descriptor ? j->desc.tensor[s].type : DT_NONE;
        bool operand = s == j->oc->operand_slot[0] || (j->oc->operands > 1 && s == j->oc->operand_slot[1]);

        if (!j->in[s].text)
            continue;
        if (type == DT_NONE && operand)
            type = j->args.json_type;
        st = binding_load(&j->in[s], through_allowed(j), type, dg);
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
            st = binding_match(&j->in[s], job_field(j, s), &j->desc.tensor[s], dg);
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
        st = job_check_bound(j, by_descriptor, dg);
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
    if (st == ST_OK && (!j->emit_only || j->args.emit_model))
        st = through_plan(j, dg);
    start = clock_ns();
    j->times.validate += start - loaded;
    if (st == ST_OK && j->args.timing.timings) {
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
    bool buffer = j->args.layout == LAYOUT_BUFFER, fits;

    if (!buffer)
        td.has_strides = false;
    fits = buffer ? buffer_elements(&td, &j->out_elements[slot])
                  : tensor_count(td.rank, td.sizes, &j->out_elements[slot]);
    if (!fits || !tensor_desc_view(&td, NULL, &j->out[slot]))
        return diag_error(dg, ST_SYSTEM, NULL, "%s is larger than memory can be", job_field(j, slot));
    if (j->through)
        return ST_OK;
    j->out_data[slot] = buffer ? mem_zalloc(j->out_elements[slot], dtype_size(td.type))
                               : mem_alloc_aligned(j->out_elements[slot], dtype_size(td.type));
    if (!j->out_data[slot])
        return diag_nomem(dg);
    if (j->args.timing.timings)
        preload_output(j->out_data[slot], j->out_elements[slot] * dtype_size(td.type));
    j->out[slot].data = j->out_data[slot];
    return ST_OK;
}

static enum status prepare_outputs(struct job *j, struct diag *dg)
{
    enum status st = ST_OK;

    j->outs.no_sync = j->reports.no_sync = j->args.writing.no_sync;
    j->outs.no_clobber = j->reports.no_clobber = j->args.writing.no_clobber;
    if (j->args.emit) {
        j->emit_index = j->outs.n;
        st = outputs_add(&j->outs, *j->args.emit ? j->args.emit : "-", dg);
    }
    if (st == ST_OK && j->args.emit_model) {
        j->model_index = j->outs.n;
        st = outputs_add(&j->outs, *j->args.emit_model ? j->args.emit_model : "-", dg);
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
    if (st == ST_OK && j->args.timing.timings && *j->args.timing.timings)
        st = outputs_add(&j->reports, j->args.timing.timings, dg);
    return st ? st : outputs_check_apart(&j->outs, &j->reports, dg);
}

static uint64_t total_bytes(const struct desc *d, bool output)
{
    uint64_t bytes = 0, n;

    for (const struct field *f = op_schemas[d->op].fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && d->tensor[f->slot].present && f->output == output &&
            tensor_count(d->tensor[f->slot].rank, d->tensor[f->slot].sizes, &n))
            bytes += n * dtype_size(d->tensor[f->slot].type);
    return bytes;
}

/* What an operator has done is told by its output for slice, which may skip most of its input, else by its input. */
static uint64_t bytes_of_run(const struct job *j) { return total_bytes(&j->desc, j->oc->op == OP_SLICE1); }

static enum status compute(struct job *j, struct diag *dg)
{
    struct tensor *t[SLOT_COUNT] = { NULL };
    const struct input *in = &j->in[SLOT_IN].file.input;
    struct op_plan *plan = NULL;
    uint64_t start;
    enum status st;

    for (const struct field *f = op_schemas[j->desc.op].fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && j->desc.tensor[f->slot].present)
            t[f->slot] = f->output ? &j->out[f->slot] : &j->in[f->slot].view;
    start = clock_ns();
    st = bind_check_scales(&j->desc, t, dg);
    if (st == ST_OK)
        st = op_plan_new(&plan, &j->desc, t, &j->exec, dg);
    if (st)
        return st;
    job_note_kernel(j, plan, dg);
    if (j->oc->op == OP_TOP_K1 && in->mapped)
        input_advise(in, 0, in->len, true); /* once, from front to back */
    parallel_watch(progress_tick, &j->progress);
    for (uint64_t i = 0; st == ST_OK && (i < j->warmup || samples_wanted(&j->samples)); i++) {
        uint64_t before = clock_ns();

        op_plan_run(plan);
        if (i >= j->warmup && !samples_add(&j->samples, clock_ns() - before))
            st = diag_nomem(dg);
        progress_add(&j->progress, j->progress.step);
    }
    parallel_watch(NULL, NULL);
    j->times.compute = clock_ns() - start;
    j->times.kernel = op_plan_kernel(plan);
    j->times.operations = op_plan_operations(plan);
    op_plan_free(plan);
    return st;
}

/* Options may describe what DirectML does not take; what is written then says so when it is checked. */
static enum status warn_of_rules(const struct job *j, struct str *text, struct diag *dg)
{
    struct desc_file f = { 0 };
    size_t len = text->len;
    enum status st = desc_file_parse(&f, str_detach(text), len, &j->rules, dg);

    for (size_t i = 0; st == ST_OK && i < f.document.findings.n; i++)
        diag_warn(dg, NULL, "DirectML does not take this: %s [%s]", f.document.findings.v[i].message,
                  rule_table[f.document.findings.v[i].rule].id);
    desc_file_free(&f);
    return st;
}

/* --emit-descriptor, --emit-model. */
static enum status write_description(struct job *j, struct diag *dg)
{
    struct str b = { 0 };
    enum status st;

    desc_emit(&j->desc, &b);
    st = b.failed ? diag_nomem(dg) : ST_OK;
    if (st == ST_OK && j->args.emit)
        st = outputs_write(&j->outs, j->emit_index, b.s, b.len, dg);
    if (st == ST_OK && j->args.emit_model)
        st = emit_model(j, j->model_index, dg);
    if (st == ST_OK && !j->args.descriptor) /* whose findings were told */
        st = warn_of_rules(j, &b, dg);
    str_free(&b);
    return st;
}

static enum status store(struct job *j, struct diag *dg)
{
    uint64_t start = clock_ns();
    enum status st = ST_OK;

    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++)
        st = input_intact(&j->in[s].file.input, dg);
    if (st == ST_OK && (j->args.emit || j->args.emit_model))
        st = write_description(j, dg);
    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++) {
        struct tensor t = j->out[s];

        if (!j->out_path[s] || !j->out_data[s])
            continue;
        if (j->args.layout == LAYOUT_BUFFER) {
            t.rank = 1;
            t.sizes[0] = j->out_elements[s];
            t.strides[0] = 1;
        }
        st = tensor_file_write(&j->outs, j->out_index[s], &t, job_output_format(j, j->out_path[s]), dg);
    }
    if (st == ST_OK)
        st = outputs_commit(&j->outs, dg);
    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++)
        if (j->out_path[s] && (j->out_data[s] || j->through))
            note_tensor(j, s, strcmp(j->out_path[s], "-") == 0 ? "standard output" : j->out_path[s], &j->out[s], dg);
    j->times.store = clock_ns() - start;
    return st;
}

static enum status report_times(struct job *j, struct diag *dg)
{
    struct str b = { 0 };
    enum status st;

    j->times.command = j->oc->usage->name;
    j->times.operator_name = op_schemas[j->desc.op].name;
    j->times.threads = j->exec.threads;
    j->times.warmup = j->warmup;
    j->times.iterations = j->samples.n;
    j->times.samples = j->samples.v;
    j->times.bytes_in = total_bytes(&j->desc, false);
    j->times.bytes_out = total_bytes(&j->desc, true);
    if (*j->args.timing.timings == '\0')
        return timings_table(&j->times, j->args.timing.samples, dg->err, dg);
    timings_json(&j->times, &b);
    st = b.failed ? diag_nomem(dg) : outputs_write(&j->reports, 0, b.s, b.len, dg);
    str_free(&b);
    return st ? st : outputs_commit(&j->reports, dg);
}

static void job_free(struct job *j)
{
    outputs_close(&j->reports);
    outputs_close(&j->outs);
    samples_free(&j->samples);
    for (unsigned s = 0; s < SLOT_COUNT; s++) {
        free(j->out_data[s]);
        binding_close(&j->in[s]);
    }
    free(j);
}

static enum status run_job(struct job *j, int argc, char **argv, int first, struct diag *dg)
{
    uint64_t start = clock_ns();
    enum status st = job_read_options(j, dg);

    if (st == ST_OK)
        st = job_assign(j, argc, argv, first, dg);
    if (st == ST_OK)
        st = prepare_inputs(j, dg);
    if (st == ST_OK && j->args.qmatmul.explain)
        return explain_element(j, j->args.qmatmul.explain, dg);
    if (st == ST_OK)
        st = prepare_outputs(j, dg);
    if (st == ST_OK && !j->args.no_progress && j->args.timing.min_time < 0)
        progress_start(&j->progress, dg, bytes_of_run(j), j->warmup + j->samples.repeat);
    if (st == ST_OK && !j->emit_only)
        st = j->through ? through_run(j, dg) : compute(j, dg);
    progress_stop(&j->progress);
    if (st == ST_OK)
        st = store(j, dg);
    j->times.total = clock_ns() - start;
    if (st == ST_OK && j->args.timing.timings && !j->emit_only)
        st = report_times(j, dg);
    return st;
}

enum status op_job_run(const struct op_command *oc, const struct op_args *args, int operands, char **operand,
                       struct diag *dg)
{
    struct job *j = mem_zalloc(1, sizeof *j); /* a third of a small stack */
    enum status st;

    if (!j)
        return diag_nomem(dg);
    j->oc = oc;
    j->args = *args;
    st = run_job(j, operands, operand, 0, dg);
    job_free(j);
    return st;
}

enum status op_command_run(const struct op_command *oc, int argc, char **argv, struct diag *dg)
{
    struct op_args args = { .descriptor = NULL };
    enum status st;

    if (!command_begin(oc->usage, &args, &argc, &argv, &st, dg))
        return st;
    return (args.output_dir ? many_run : op_job_run)(oc, &args, argc, argv, dg);
}
