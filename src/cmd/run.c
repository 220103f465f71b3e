#include "check/findings.h"
#include "cmd/commands.h"
#include "io/kind.h"
#include "model/run.h"
#include "io/file.h"
#include "run/shared_options.h"
#include "run/timings.h"

/* A model that is run. */
struct run_job {
    struct common_args common;
    struct checking_args checking;
    struct execution_args execution;
    struct timing_args timing;
    struct model_options model_options;
    struct run_options run;
    /* Not options: */
    struct document document;
    struct model model;
    struct timings times;
};

#include "cmd/run_rows.h"

/* Reads the model and reports the findings. */
static enum status load_model(struct run_job *j, const char *path, struct diag *dg)
{
    char *text;
    size_t len;
    enum status st = text_load(path, JSON_MAX_TEXT, WANT_MODEL, &text, &len, NULL, dg), found;

    if (st)
        return st;
    st = document_scan(&j->document, text, len, &j->model_options.desc.findings, dg);
    if (st == ST_OK && document_is_readable(&j->document)) {
        if (json_doc_member(&j->document.doc, 0, "type") >= 0 ||
            json_doc_member(&j->document.doc, 0, "Type") >= 0)
            return diag_error(
                dg, ST_INVALID, path,
                "this is a descriptor, not a model file; use dmlop slice, topk or qmatmul with -d");
        j->model_options.path = path;
        model_read(&j->model, &j->document.doc, &j->model_options, &j->document.findings);
    }
    st = st ? st : document_finish(&j->document, dg);
    st = st ? st : findings_text(&j->document, path, dg->err, j->common.color, dg);
    if (st)
        return st;
    found = document_status(&j->document);
    if (found == ST_OK && model_can_run(&j->model, path, dg) != ST_OK)
        found = diag_error(dg, ST_UNSUPPORTED, path, "nothing was run");
    else if (found == ST_OK)
        diag_note(dg, path, "resources: %zu, dispatchables: %zu, commands: %zu, feature level %s",
                  j->model.resource_count, j->model.dispatchable_count, j->model.command_count,
                  level_names[j->model_options.desc.level]);
    else
        diag_error(dg, found, path, "the model has %zu error%s; nothing was run",
                   j->document.findings.errors, j->document.findings.errors == 1 ? "" : "s");
    return found;
}

static enum status run_file(struct run_job *j, const char *path, struct diag *dg)
{
    struct run_times t = { 0 };
    uint64_t start = clock_ns(), validate;
    enum status st = load_model(j, path, dg);

    validate = clock_ns() - start;
    st = st ? st : file_check_apart(path, j->timing.timings, dg);
    for (size_t i = 0; i < j->model.resource_count && st == ST_OK; i++)
        st = file_check_apart(j->model.resources[i].path, j->timing.timings, dg);
    j->run.path = path;
    j->run.timings = j->timing.timings;
    if (!j->run.output_folder)
        j->run.output_folder = ".";
    else if (st == ST_OK)
        st = folder_make(j->run.output_folder, dg);
    st = st ? st : timings_prepare(&j->times, &j->timing, &j->run.writing, dg);
    st = st ? st : model_run(&j->model, &j->document.doc, &j->run, stdout, &t, dg);
    j->times = (struct timings){
        .command = "run",
        .operator_name = t.operator_name ? t.operator_name : "none",
        .kernel = t.kernel ? t.kernel : "none",
        .threads = t.threads,
        .warmup = j->run.warmup,
        .samples = { .v = t.samples, .n = t.iterations },
        .phases = { t.load, validate, t.compute, t.store },
        .total = clock_ns() - start,
        .work = { t.bytes_in, t.bytes_out, t.operations },
        .report = j->times.report,
    };
    st = st ? st : timings_report(&j->times, &j->timing, dg);
    free(t.samples);
    return st;
}

enum status cmd_run(int argc, char **argv, struct diag *dg)
{
    struct run_job j = { .model_options = { .path = NULL } };
    enum status st;

    if (!command_begin(run_options, &j, &argc, &argv, &st, dg))
        return st;
    if (!input_given(&argc, &argv))
        return usage_error(dg, "no model file is given");
    if (argc > 1)
        return too_many_operands(&j.common, argv[1], "; one model file is run at a time", dg);
    j.model_options.desc = checking_rules(&j.checking, j.common.quiet);
    j.model_options.allow_outside = j.run.allow_outside;
    j.run.exec.threads = execution_threads(j.execution.threads, dg);
    j.run.exec.kernel = j.execution.kernel;
    timing_samples(&j.timing, &j.run.samples, &j.run.warmup);
    st = run_file(&j, argv[0], dg);
    model_free(&j.model);
    document_free(&j.document);
    outputs_close(&j.times.report);
    return st;
}
