#include "cmd/driver.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "cmd/explain_element.h"
#include "cmd/progress.h"
#include "cmd/results.h"
#include "cmd/stream.h"

/* How often to compute, and what it took. */
struct measure {
    struct samples samples;
    uint64_t warmup;
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

/* Progress counts the output of what copies a part of its input, else the input. */
static uint64_t bytes_of_run(const struct desc *d)
{
    return tensor_bytes(d, op_schemas[d->op].copies_part);
}

static enum status run_plan(struct op_plan *plan, struct measure *m, struct progress *progress,
                            struct diag *dg)
{
    enum status st = ST_OK;

    parallel_watch(progress_tick, progress);
    for (uint64_t i = 0; st == ST_OK && (i < m->warmup || samples_wanted(&m->samples)); i++) {
        uint64_t start = clock_ns();

        op_plan_run(plan);
        if (i >= m->warmup && !samples_add(&m->samples, clock_ns() - start))
            st = diag_nomem(dg);
        progress_add(progress, progress->step);
    }
    parallel_watch(NULL, NULL);
    return st;
}

static enum status compute(const struct request *rq, struct inputs *in, struct results *out,
                           struct measure *m, struct progress *progress, struct diag *dg)
{
    const struct op_schema *schema = &op_schemas[in->desc.op];
    struct tensor *views[SLOT_COUNT] = { NULL };
    struct op_plan *plan = NULL;
    uint64_t start = clock_ns();
    enum status st;

    for (const struct field *f = schema->fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && in->desc.tensor[f->slot].present)
            views[f->slot] = f->output ? &out->v[f->slot].view : &in->v[f->slot].view;
    st = op_plan_new(&plan, &in->desc, views, &rq->exec, dg);
    if (st)
        return st;
    request_note_kernel(rq, &in->desc, plan, dg);
    if (schema->scans && in->v[SLOT_IN].file.input.mapped)
        input_advise(&in->v[SLOT_IN].file.input, 0, in->v[SLOT_IN].file.input.len, true);
    st = run_plan(plan, m, progress, dg);
    m->times.compute = clock_ns() - start;
    m->times.kernel = op_plan_kernel(plan);
    m->times.operations = op_plan_operations(plan);
    op_plan_free(plan);
    return st;
}

static enum status report_times(struct measure *m, const struct request *rq, const struct desc *d,
                                struct diag *dg)
{
    struct timings *t = &m->times;

    t->command = rq->oc->usage->name;
    t->operator_name = op_schemas[d->op].name;
    t->threads = rq->exec.threads;
    t->warmup = m->warmup;
    t->iterations = m->samples.n;
    t->samples = m->samples.v;
    t->bytes_in = tensor_bytes(d, false);
    t->bytes_out = tensor_bytes(d, true);
    return timings_report(t, &rq->args->timing, &m->report, dg);
}

/* Everything that a run owns: together more than a small stack holds. */
struct run {
    struct request request;
    struct inputs inputs;
    struct results results;
    struct measure measure;
};

static enum status run_stages(struct run *r, const struct op_command *oc,
                              const struct op_args *args, int operands, char **operand,
                              struct diag *dg)
{
    const struct request *rq = &r->request;
    struct inputs *in = &r->inputs;
    struct measure *m = &r->measure;
    uint64_t start = clock_ns();
    struct progress progress = { .dg = NULL };
    struct slice_parts parts;
    bool streamed;
    enum status st = request_make(&r->request, oc, args, operands, operand, dg);

    timing_samples(&args->timing, &m->samples, &m->warmup);
    if (st == ST_OK)
        st = inputs_load(in, rq, &m->times, dg);
    if (st)
        return st;
    streamed = stream_plan(&parts, rq, in);
    if (!streamed && !(rq->emit_only && !args->emit_model))
        st = inputs_finish(in, rq, &m->times, dg);
    if (st == ST_OK && args->qmatmul.explain)
        return explain_element(in, args->qmatmul.explain, dg);
    if (st == ST_OK)
        st = results_prepare(&r->results, rq, &in->desc, streamed, dg);
    if (st == ST_OK)
        st = timings_prepare(&m->report, &args->timing, &args->writing, dg);
    if (st == ST_OK)
        st = outputs_check_apart(&r->results.files, &m->report, dg);
    if (st)
        return st;
    if (!args->no_progress && args->timing.min_time < 0)
        progress_start(&progress, dg, bytes_of_run(&in->desc), m->warmup + m->samples.repeat);
    if (!rq->emit_only)
        st = streamed ? stream_run(&parts, rq, in, &r->results, &progress, dg)
                      : compute(rq, in, &r->results, m, &progress, dg);
    progress_stop(&progress);
    m->times.store = clock_ns();
    if (st == ST_OK)
        st = results_store(&r->results, rq, in, dg);
    m->times.store = clock_ns() - m->times.store;
    m->times.total = clock_ns() - start;
    if (st == ST_OK && args->timing.timings && !rq->emit_only)
        st = report_times(m, rq, &in->desc, dg);
    return st;
}

enum status driver_run(const struct op_command *oc, const struct op_args *args, int operands,
                       char **operand, struct diag *dg)
{
    struct run *r = mem_zalloc(1, sizeof *r);
    enum status st;

    if (!r)
        return diag_nomem(dg);
    st = run_stages(r, oc, args, operands, operand, dg);
    outputs_close(&r->measure.report);
    samples_free(&r->measure.samples);
    results_close(&r->results);
    inputs_close(&r->inputs);
    free(r);
    return st;
}
