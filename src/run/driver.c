#include "run/driver.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "cli/progress.h"
#include "run/explain_element.h"
#include "run/part.h"
#include "run/results.h"
#include "run/stream.h"

/* Everything that a run owns: together more than a small stack holds. */
struct run {
    struct request request;
    struct inputs inputs;
    struct part_task part;
    struct results results;
    bool streamed; /* a slice that is made in parts: */
    struct slice_parts parts;
    uint64_t warmup;
    struct samples samples;
    struct timings times;
    struct outputs report; /* the file of --timings */
};

static uint64_t tensor_bytes(const struct desc *d, bool output)
{
    uint64_t bytes = 0, n;

    for (const struct field *f = op_schemas[d->op].fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && d->tensor[f->slot].present && f->output == output &&
            tensor_count(d->tensor[f->slot].rank, d->tensor[f->slot].sizes, &n))
            bytes += n * dtype_size(d->tensor[f->slot].type);
    return bytes;
}

static void step_done(void *progress)
{
    struct progress *p = progress;

    progress_add(p, p->step);
}

static enum status compute(struct run *r, struct progress *progress, struct diag *dg)
{
    const struct desc *d = &r->inputs.left;
    const struct input *first = &r->inputs.v[SLOT_IN].file.input;
    struct tensor *views[SLOT_COUNT] = { NULL };
    struct op_plan *plan = NULL;
    uint64_t start = clock_ns();
    enum status st;

    for (const struct field *f = op_schemas[d->op].fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && d->tensor[f->slot].present)
            views[f->slot] =
                f->output ? &r->results.v[f->slot].view : &r->inputs.v[f->slot].view;
    st = op_plan_new(&plan, d, views, &r->request.exec, dg);
    if (st)
        return st;
    request_note_kernel(d, op_plan_kernel(plan), op_plan_threads(plan), dg);
    if (op_schemas[d->op].scans && first->mapped)
        input_advise(first, 0, first->len, true);
    parallel_watch(progress_tick, progress);
    if (!op_plan_repeat(plan, r->warmup, &r->samples, step_done, progress))
        st = diag_nomem(dg);
    parallel_watch(NULL, NULL);
    r->times.compute = clock_ns() - start;
    r->times.kernel = op_plan_kernel(plan);
    r->times.threads = op_plan_threads(plan);
    r->times.operations = op_plan_operations(plan);
    op_plan_free(plan);
    return st;
}

/* A part of what copies a part of its input reads what it writes, however large the input is. */
static uint64_t bytes_read(const struct run *r)
{
    const struct desc *d = &r->inputs.desc;

    return tensor_bytes(d, r->part.on && op_schemas[d->op].copies_part);
}

static enum status report_times(struct run *r, struct diag *dg)
{
    const struct desc *d = &r->inputs.desc;
    struct timings *t = &r->times;

    t->command = r->request.oc->usage->name;
    t->operator_name = op_schemas[d->op].name;
    t->warmup = r->warmup;
    t->iterations = r->samples.n;
    t->samples = r->samples.v;
    t->bytes_in = bytes_read(r);
    t->bytes_out = tensor_bytes(d, true);
    return timings_report(t, &r->request.args->timing, &r->report, dg);
}

static enum status prepare_inputs(struct run *r, struct diag *dg)
{
    enum status st = inputs_load(&r->inputs, &r->request, &r->times, dg);

    if (st == ST_OK)
        st = part_take(&r->part, &r->request, &r->inputs, &r->times, dg);
    if (st || r->part.done)
        return st;
    r->streamed = stream_plan(&r->parts, &r->request, &r->inputs);
    return r->streamed ? ST_OK : inputs_finish(&r->inputs, &r->request, &r->times, dg);
}

static enum status prepare_outputs(struct run *r, struct diag *dg)
{
    const struct op_args *args = r->request.args;
    enum status st =
        results_prepare(&r->results, &r->request, &r->inputs.desc, r->streamed, dg);

    if (st == ST_OK)
        st = timings_prepare(&r->report, &args->timing, &args->writing, dg);
    if (st == ST_OK)
        st = outputs_check_apart(&r->results.files, &r->report, dg);
    return st ? st : part_begin(&r->part, &r->request, dg);
}

static enum status make_results(struct run *r, struct diag *dg)
{
    const struct op_args *args = r->request.args;
    const struct desc *d = &r->inputs.desc;
    struct progress progress = { .dg = NULL };
    uint64_t start = clock_ns();
    enum status st;

    if (!args->no_progress && args->timing.min_time < 0) /* counts what tells how much work it is */
        progress_start(&progress, dg, tensor_bytes(d, op_schemas[d->op].copies_part),
                       r->warmup + r->samples.repeat);
    st = r->streamed
             ? stream_run(&r->parts, &r->request, &r->inputs, &r->results, &progress, dg)
             : compute(r, &progress, dg);
    progress_stop(&progress);
    if (r->streamed)
        r->times.compute = clock_ns() - start;
    if (st == ST_OK)
        part_finish_indices(&r->part, &r->results);
    return st;
}

static enum status commit_part(struct run *r, struct diag *dg)
{
    const struct desc *d = &r->inputs.desc;
    struct record_times times = { r->times.load, r->times.validate, r->times.compute,
                                  r->times.store, bytes_read(r), tensor_bytes(d, true),
                                  r->times.operations };

    if (r->streamed) /* as a plan of the whole would count it */
        times.operations = times.bytes_out / dtype_size(d->tensor[SLOT_OUT].type);
    return part_commit(&r->part, &r->results, &r->inputs, &times, dg);
}

static enum status run_stages(struct run *r, struct diag *dg)
{
    const struct request *rq = &r->request;
    uint64_t start = clock_ns(), storing;
    enum status st = prepare_inputs(r, dg);

    if (st == ST_OK && rq->args->explain.n > 0)
        return explain_element(&r->inputs, &rq->args->explain, dg);
    if (st == ST_OK && r->part.done)
        return ST_OK;
    if (st == ST_OK)
        st = prepare_outputs(r, dg);
    if (st == ST_OK && !rq->emit_only)
        st = make_results(r, dg);
    storing = clock_ns();
    if (st == ST_OK)
        st = part_before_store(&r->part, dg);
    if (st == ST_OK)
        st = results_store(&r->results, rq, &r->inputs, dg);
    r->times.store = clock_ns() - storing;
    if (st == ST_OK)
        st = commit_part(r, dg);
    r->times.total = clock_ns() - start;
    return st == ST_OK && rq->args->timing.timings ? report_times(r, dg) : st;
}

enum status driver_run(const struct op_command *oc, const struct op_args *args, int operands,
                       char **operand, struct diag *dg)
{
    struct run *r = mem_zalloc(1, sizeof *r);
    enum status st;

    if (!r)
        return diag_nomem(dg);
    st = request_make(&r->request, oc, args, operands, operand, dg);
    timing_samples(&args->timing, &r->samples, &r->warmup);
    if (st == ST_OK)
        st = run_stages(r, dg);
    outputs_close(&r->report);
    samples_free(&r->samples);
    results_close(&r->results);
    part_close(&r->part);
    inputs_close(&r->inputs);
    free(r);
    return st;
}
