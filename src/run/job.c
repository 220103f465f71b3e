#include "run/job.h"

#include <unistd.h>

enum status job_load(struct job *j, struct diag *dg)
{
    const struct op_args *args = j->request.args;

    j->start = clock_ns();
    j->results.files = args->writing;
    timing_samples(&args->timing, &j->times.samples, &j->times.warmup);
    return inputs_load(&j->inputs, &j->request, &j->times.phases, dg);
}

enum status job_prepare(struct job *j, struct diag *dg)
{
    const struct op_args *args = j->request.args;
    enum status st = plan_make(&j->plan, &j->request, &j->inputs, &j->times, dg);

    st = st ? st : results_prepare(&j->results, &j->request, &j->plan.desc, j->plan.streamed, dg);
    if (st == ST_OK && args->timing.timings)
        st = timings_prepare(&j->times, &args->timing, &args->writing, dg);
    return st ? st : outputs_check_apart(&j->results.files, &j->times.report, dg);
}

static void step_done(void *progress)
{
    struct progress *p = progress;

    if (p)
        progress_add(p, p->step);
}

static enum status check_fit(const struct job *j, const struct op_plan *plan, struct diag *dg)
{
    const struct op_misfits m = op_plan_misfits(plan);
    const uint64_t *whole = j->plan.place;
    const struct tensor_desc out = desc_result(&j->plan.desc, SLOT_C);
    uint64_t place[DML_MAX_RANK] = { 0 }, at = m.first, count;

    if (m.count == 0)
        return ST_OK;
    for (unsigned i = out.rank; i-- > 0; at /= out.sizes[i])
        place[i] = at % out.sizes[i] + (whole ? whole[i] : 0);
    tensor_count(out.rank, out.sizes, &count); /* fits: it is in memory */
    return diag_input(dg, NULL,
                      "%ju of the %ju sums%s %s not fit INT32; the first of them, at %s, is %jd; "
                      "give scales, or split K",
                      m.count, count, whole ? " of this part" : "", m.count == 1 ? "does" : "do",
                      tensor_sizes_text(out.rank, place).text, m.value);
}

static enum status compute_in_memory(struct job *j, struct progress *progress, struct diag *dg)
{
    struct plan *p = &j->plan;
    const struct input *first = &j->inputs.v[SLOT_IN].file.input;
    struct tensor *views[SLOT_COUNT] = { NULL };
    struct op_plan *plan = NULL;
    enum status st;

    for (const struct field *f = op_schema(p->desc.op)->fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && p->desc.tensor[f->slot].present)
            views[f->slot] = f->output ? &j->results.v[f->slot].view : &p->view[f->slot];
    st = op_plan_new(&plan, &p->desc, views, &j->request.exec, dg);
    if (st)
        return st;
    plan_note_kernel(p, plan->kernel, plan->threads, dg);
    if (op_schema(p->desc.op)->run.scans && first->mapped)
        input_advise(first, 0, first->len, true);
    parallel_watch(progress ? progress_tick : NULL, progress);
    if (!op_plan_repeat(plan, j->times.warmup, &j->times.samples, step_done, progress))
        st = diag_nomem(dg);
    parallel_watch(NULL, NULL);
    st = st ? st : check_fit(j, plan, dg);
    j->times.kernel = plan->kernel;
    j->times.threads = plan->threads;
    j->times.work.operations = plan->operations;
    op_plan_free(plan);
    return st;
}

enum status job_compute(struct job *j, struct diag *dg)
{
    const struct op_args *args = j->request.args;
    struct tensor_file *first = &j->inputs.v[SLOT_IN].file;
    bool slice = op_schema(j->plan.desc.op)->run.copies_part;
    bool shows = !args->no_progress && args->timing.min_time < 0 && isatty(fileno(dg->err));
    struct progress progress = { .dg = NULL }, *shown = shows ? &progress : NULL;
    uint64_t start = clock_ns();
    enum status st;

    if (shown) /* counts input bytes; of slices, output */
        progress_start(&progress, dg, slice ? j->times.work.bytes_out : j->times.work.bytes_in,
                       j->times.warmup + j->times.samples.repeat);
    st = j->plan.streamed ? stream_run(&j->plan, first, &j->request.exec, &j->results, shown, dg)
                          : compute_in_memory(j, shown, dg);
    if (shown)
        progress_stop(shown);
    j->times.phases.compute = clock_ns() - start;
    return st;
}

enum status job_store(struct job *j, struct diag *dg)
{
    uint64_t start = clock_ns();
    enum status st = results_store(&j->results, &j->request, &j->inputs, dg);

    j->times.phases.store = clock_ns() - start;
    return st;
}

enum status job_report(struct job *j, struct diag *dg)
{
    j->times.total = clock_ns() - j->start;
    j->times.command = op_schema(j->request.oc->op)->run.command;
    j->times.operator_name = op_schema(j->inputs.desc.op)->name;
    return j->request.args->timing.timings ? timings_report(&j->times, &j->request.args->timing, dg)
                                           : ST_OK;
}

void job_close(struct job *j)
{
    outputs_close(&j->times.report);
    free(j->times.samples.v);
    outputs_close(&j->results.files);
    for (unsigned s = 0; s < SLOT_COUNT; s++)
        free(j->results.v[s].data);
    inputs_close(&j->inputs);
}
