#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/path.h"
#include "cli/number_text.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "io/file.h"
#include "run/explain.h"
#include "run/many.h"
#include "run/operator.h"
#include "run/part.h"
#include "run/stream.h"
#include "run/timings.h"

/* The stages of a run; on the heap, as it is larger than a small stack. */
struct run {
    struct request request;
    struct inputs inputs;
    struct part_task part;
    struct plan plan;
    struct results results;
    struct timings times;
};

static void step_done(void *progress)
{
    struct progress *p = progress;

    progress_add(p, p->step);
}

/* Refuses results that do not fit their type; places are those of the whole job. */
static enum status check_fit(const struct run *r, const struct op_plan *plan, struct diag *dg)
{
    const struct op_misfits m = op_plan_misfits(plan);
    const struct share *share = r->part.on ? &r->part.record.share : NULL;
    const struct tensor_desc out = desc_result(&r->plan.desc, SLOT_C);
    uint64_t place[DML_MAX_RANK] = { 0 }, at = m.first, count;

    if (m.count == 0)
        return ST_OK;
    for (unsigned i = out.rank; i-- > 0; at /= out.sizes[i])
        place[i] = at % out.sizes[i] + (share ? share->place[i] : 0);
    tensor_count(out.rank, out.sizes, &count); /* fits: it is in memory */
    return diag_error(dg, ST_INPUT, NULL,
                      "%" PRIu64 " of the %" PRIu64
                      " sums%s %s not fit INT32; the first of them, at "
                      "%s, is %" PRId64 "; give scales, or split K",
                      m.count, count, share ? " of this part" : "", m.count == 1 ? "does" : "do",
                      tensor_sizes_text(out.rank, place).text, m.value);
}

static enum status compute(struct run *r, struct progress *progress, struct diag *dg)
{
    struct plan *p = &r->plan;
    const struct input *first = &r->inputs.v[SLOT_IN].file.input;
    struct tensor *views[SLOT_COUNT] = { NULL };
    struct op_plan *plan = NULL;
    enum status st;

    for (const struct field *f = op_schema(p->desc.op)->fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && p->desc.tensor[f->slot].present)
            views[f->slot] = f->output ? &r->results.v[f->slot].view : &p->view[f->slot];
    st = op_plan_new(&plan, &p->desc, views, &r->request.exec, dg);
    if (st)
        return st;
    plan_note_kernel(p, op_plan_kernel(plan), op_plan_threads(plan), dg);
    if (op_schema(p->desc.op)->run.scans && first->mapped)
        input_advise(first, 0, first->len, true);
    parallel_watch(progress_tick, progress);
    if (!op_plan_repeat(plan, r->times.warmup, &r->times.samples, step_done, progress))
        st = diag_nomem(dg);
    parallel_watch(NULL, NULL);
    if (st == ST_OK)
        st = check_fit(r, plan, dg);
    r->times.kernel = op_plan_kernel(plan);
    r->times.threads = op_plan_threads(plan);
    r->times.work.operations = op_plan_operations(plan);
    op_plan_free(plan);
    return st;
}

static enum status prepare_outputs(struct run *r, struct diag *dg)
{
    const struct op_args *args = r->request.args;
    const char *const *paths = r->part.on ? (const char *const *)r->part.out : r->request.out;
    enum status st =
        results_prepare(&r->results, &r->request, &r->plan.desc, paths, r->plan.streamed, dg);

    if (st == ST_OK)
        st = timings_prepare(&r->times, &args->timing, &args->writing, dg);
    if (st == ST_OK)
        st = outputs_check_apart(&r->results.files, &r->times.report, dg);
    return st ? st : part_begin(&r->part, &r->request, dg);
}

static enum status make_results(struct run *r, struct diag *dg)
{
    const struct op_args *args = r->request.args;
    struct tensor_file *first = &r->inputs.v[SLOT_IN].file;
    bool slice = op_schema(r->plan.desc.op)->run.copies_part;
    struct progress progress = { .dg = NULL };
    uint64_t start = clock_ns();
    enum status st;

    if (!args->no_progress && args->timing.min_time < 0) /* counts input bytes; of slices, output */
        progress_start(&progress, dg, slice ? r->times.work.bytes_out : r->times.work.bytes_in,
                       r->times.warmup + r->times.samples.repeat);
    st = r->plan.streamed
             ? stream_run(&r->plan, first, &r->request.exec, &r->results, &progress, dg)
             : compute(r, &progress, dg);
    progress_stop(&progress);
    r->times.phases.compute = clock_ns() - start;
    if (st == ST_OK)
        part_finish_indices(&r->part, &r->results);
    return st;
}

/* --explain: prints how the output element at coordinates `at` is computed. The inputs must be
 * complete, except for slices. */
static enum status explain_element(const struct inputs *in, const struct option_list *at,
                                   struct diag *dg)
{
    enum op op = in->desc.op;
    const struct tensor_desc *full = &in->desc.tensor[op_output(op, ROLE_DATA)->slot],
                             result = desc_result(&in->desc, op_output(op, ROLE_DATA)->slot),
                             *out = result.rank > 0 ? &result : full; /* a number is at 0,0 */
    unsigned least = op == OP_QMATMUL && out->rank == full->rank ? 2 : out->rank; /* row, column */
    uint64_t c[DML_MAX_RANK] = { 0 };
    struct str text = { 0 };
    enum status st = coordinates_read("--explain", at, out->rank, out->sizes, least, c, dg);

    if (st)
        return st;
    if (op == OP_QMATMUL)
        explain_qmatmul(&text, in, c);
    else if (op_output(op, ROLE_INDEX))
        explain_topk(&text, in, c);
    else
        explain_slice(&text, in, c);
    st = inputs_intact(in, dg);
    if (st == ST_OK)
        return print_str(&text, dg);
    str_free(&text);
    return st;
}

static enum status run_stages(struct run *r, struct diag *dg)
{
    const struct request *rq = &r->request;
    const struct share *share = NULL;
    uint64_t start = clock_ns(), computed;
    enum status st = inputs_load(&r->inputs, rq, &r->times.phases, dg);

    if (st == ST_OK && rq->args->explain.n > 0)
        return explain_element(&r->inputs, &rq->args->explain, dg);
    if (st == ST_OK)
        st = part_make(&r->part, rq, &r->inputs, dg);
    if (st || r->part.done)
        return st;
    if (r->part.on)
        share = &r->part.record.share;
    st = plan_make(&r->plan, rq, &r->inputs, share, &r->times, dg);
    if (st == ST_OK)
        st = prepare_outputs(r, dg);
    if (st == ST_OK && !rq->emit_only)
        st = make_results(r, dg);
    computed = clock_ns();
    if (st == ST_OK)
        st = part_before_store(&r->part, dg);
    if (st == ST_OK)
        st = results_store(&r->results, rq, &r->inputs, dg);
    r->times.phases.store = clock_ns() - computed;
    if (st == ST_OK)
        st = part_commit(&r->part, &r->results, &r->inputs.desc, &r->times, dg);
    r->times.total = clock_ns() - start;
    r->times.command = rq->oc->usage->name;
    r->times.operator_name = op_schema(r->inputs.desc.op)->name;
    return st ? st : timings_report(&r->times, &rq->args->timing, dg);
}

/* Runs the command on one set of operands. After an error, which has been reported, no output is
 * left. */
static enum status run_job(const struct op_args *args, int operands, char **operand,
                           struct diag *dg)
{
    struct run *r = mem_zalloc(1, sizeof *r);
    enum status st;

    if (!r)
        return diag_nomem(dg);
    st = request_make(&r->request, args, operands, operand, dg);
    timing_samples(&args->timing, &r->times.samples, &r->times.warmup);
    if (st == ST_OK)
        st = run_stages(r, dg);
    outputs_close(&r->times.report);
    samples_free(&r->times.samples);
    results_close(&r->results);
    part_close(&r->part);
    inputs_close(&r->inputs);
    free(r);
    return st;
}

static enum status run_one(void *context, char *input, const char *output, const char *indices,
                           struct diag *dg)
{
    struct op_args *args = context;

    args->files.output = output;
    args->topk.indices = indices;
    return run_job(args, 1, &input, dg);
}

static enum status run_many(struct op_args *args, int n, char **paths, struct diag *dg)
{
    const struct file_args *f = &args->files;
    const char *indices = args->topk.indices;
    struct many m = { .folder = f->output_dir,
                      .again = f->descriptor,
                      .format = f->format,
                      .run = run_one,
                      .context = args };

    if (f->descriptor && file_is_special(f->descriptor))
        return diag_error(
            dg, ST_USAGE, NULL,
            "--output-dir reads the descriptor again for every input; give a file to -d");
    if (indices && (strcmp(indices, "-") == 0 || *path_extension(path_base_name(indices))))
        return diag_error(dg, ST_USAGE, NULL,
                          "--indices %s: with --output-dir this is the folder for the "
                          "NAME.indices.npy of every input; without --indices it is '%s'",
                          indices, f->output_dir);
    if (op_output(args->oc->op, ROLE_INDEX))
        m.indices = indices ? indices : f->output_dir;
    return many_run(&m, n, paths, dg);
}

enum status operator_run(const struct op_command *oc, int argc, char **argv, struct diag *dg)
{
    struct op_args *args = mem_zalloc(1, sizeof *args); /* large: stacks may be small */
    enum status st;

    if (!args)
        return diag_nomem(dg);
    args->oc = oc;
    if (command_begin(oc->usage, args, &argc, &argv, &st, dg))
        st =
            args->files.output_dir ? run_many(args, argc, argv, dg) : run_job(args, argc, argv, dg);
    free(args);
    return st;
}
