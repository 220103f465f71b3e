#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "cmd/command.h"
#include "cmd/findings.h"
#include "cmd/options.h"
#include "cmd/timings.h"
#include "io/output.h"
#include "model/run.h"

struct run_args {
    const char *output_folder, *input_folder, *level, *threads, *kernel, *repeat, *min_time, *warmup, *timings, *color;
    bool relaxed, allow_outside, no_sync, no_clobber, samples, quiet, verbose, help;
};

#define AT(member) offsetof(struct run_args, member)

static const struct option_row rows[] = {
    { "output-folder", 'o', OPTION_STRING, AT(output_folder), "FOLDER", "writeFile writes below this folder (default: the current one)" },
    { "input-folder", 'I', OPTION_STRING, AT(input_folder), "FOLDER", "look files up there before the model's folder" },
    { "allow-outside", 0, OPTION_FLAG, AT(allow_outside), NULL, "let writeFile write anywhere" },
    { "feature-level", 0, OPTION_STRING, AT(level), "L", "check against this DirectML feature level (default: 6_4)" },
    { "relaxed", 0, OPTION_FLAG, AT(relaxed), NULL, "rules that document DirectML's limits, not safety, only warn" },
    { "threads", 0, OPTION_STRING, AT(threads), "N", "threads (default: OMP_NUM_THREADS, else the processors there are)" },
    { "kernel", 0, OPTION_STRING, AT(kernel), "NAME", "auto, reference, or a kernel that 'dmlop --version' lists" },
    { "repeat", 0, OPTION_STRING, AT(repeat), "N", "compute each dispatch N times (default: 1)" },
    { "min-time", 0, OPTION_STRING, AT(min_time), "SECONDS", "compute each until its times add up to this, instead of --repeat" },
    { "warmup", 0, OPTION_STRING, AT(warmup), "N", "after N times that are not counted (default: 0)" },
    { "timings", 0, OPTION_OPTIONAL, AT(timings), "FILE", "print a table of times on standard error, or write JSON to FILE" },
    { "samples", 0, OPTION_FLAG, AT(samples), NULL, "with the time of every computation in the table" },
    { "no-sync", 0, OPTION_FLAG, AT(no_sync), NULL, "do not wait until outputs are on the disk" },
    { "no-clobber", 0, OPTION_FLAG, AT(no_clobber), NULL, "refuse to replace a file" },
    { "color", 0, OPTION_STRING, AT(color), "WHEN", "auto, always or never (default: auto)" },
    { "quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "no warnings" },
    { "verbose", 'v', OPTION_FLAG, AT(verbose), NULL, "say more on standard error" },
    { "help", 'h', OPTION_FLAG, AT(help), NULL, "show this help" },
    { NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

static const struct option_row *const tables[] = { rows, NULL };

static const struct usage usage = {
    "run", "[OPTIONS] MODEL",
    "Runs a DxDispatch model file: checks all of it, then runs its commands in order. MODEL may be '-'.", tables,
    "Exit status: 0 done, 1 the model is invalid, 3 a file cannot be read, 4 one cannot be written.\n",
};

/* A model on its way. */
struct run_job {
    struct run_args a;
    struct model_options model_options;
    struct run_options run;
    struct document document;
    struct model model;
    struct timings times;
    struct outputs report;
};

static enum status read_options(struct run_job *j, struct diag *dg)
{
    const struct run_args *a = &j->a;
    long threads = 0;
    enum feature_level level = LEVEL_NEWEST;
    enum status st = option_color(a->color, dg->err, &dg->color, dg);

    if (st == ST_OK && a->threads)
        st = option_number("--threads", a->threads, 1, PARALLEL_MOST, &threads, dg);
    if (st == ST_OK)
        st = timings_options(a->repeat, a->min_time, a->warmup, &j->run.samples, &j->run.warmup, dg);
    if (st == ST_OK && a->level && (level = level_from_name(a->level)) == LEVEL_COUNT)
        st = diag_error(dg, ST_USAGE, NULL, "--feature-level: '%s' is none of 1_0 to 6_4", a->level);
    if (st == ST_OK && threads > 1 && !parallel_available()) {
        diag_warn(dg, NULL, "--threads %ld: this build has no OpenMP and runs on one thread", threads);
        threads = 1;
    }
    j->model_options.desc = (struct desc_options){
        .level = level,
        .findings = { .relaxed = a->relaxed, .errors_only = a->quiet, .max_findings = MAX_FINDINGS },
    };
    j->model_options.allow_outside = a->allow_outside;
    j->model_options.input_folder = a->input_folder;
    j->run.output_folder = a->output_folder ? a->output_folder : ".";
    j->run.allow_outside = a->allow_outside;
    j->run.no_sync = a->no_sync;
    j->run.no_clobber = a->no_clobber;
    j->run.exec.threads = threads ? (int)threads : parallel_default_threads();
    j->run.exec.kernel = a->kernel;
    return st;
}

/* Reads the model and reports what is wrong with it. */
static enum status load_model(struct run_job *j, const char *path, struct diag *dg)
{
    char *text;
    size_t len;
    enum status st = text_load(path, JSON_MAX_TEXT, "model file", &text, &len, dg), found;

    if (st)
        return st;
    st = document_scan(&j->document, text, len, &j->model_options.desc.findings, dg);
    if (st == ST_OK && document_is_json(&j->document)) {
        if (json_doc_member(&j->document.doc, 0, "type") >= 0 || json_doc_member(&j->document.doc, 0, "Type") >= 0)
            return diag_error(dg, ST_INVALID, path, "this is a descriptor and no model file; use dmlop slice, topk or qmatmul -d");
        j->model_options.path = path;
        model_read(&j->model, &j->document.doc, &j->model_options, &j->document.findings);
    }
    if (st == ST_OK)
        st = document_finish(&j->document, dg);
    if (st == ST_OK)
        st = findings_text(&j->document, path, dg->err, dg);
    if (st)
        return st;
    found = document_status(&j->document);
    if (found)
        diag_error(dg, found, path, "the model has %zu error%s; nothing was run", j->document.findings.errors,
                   j->document.findings.errors == 1 ? "" : "s");
    return found;
}

static enum status report_times(struct run_job *j, const struct run_times *t, uint64_t start, struct diag *dg)
{
    struct str b = { 0 };
    enum status st = ST_OK;

    if (!j->a.timings)
        return ST_OK;
    j->times.command = "run";
    j->times.operator_name = t->operator_name ? t->operator_name : "none";
    j->times.kernel = t->kernel ? t->kernel : "none";
    j->times.threads = j->run.exec.threads;
    j->times.warmup = j->run.warmup;
    j->times.iterations = t->iterations;
    j->times.load += t->load;
    j->times.compute = t->compute;
    j->times.store = t->store;
    j->times.samples = t->samples;
    j->times.bytes_in = t->bytes_in;
    j->times.bytes_out = t->bytes_out;
    j->times.operations = t->operations;
    j->times.total = clock_ns() - start;
    if (!*j->a.timings)
        return timings_table(&j->times, j->a.samples, dg->err, dg);
    timings_json(&j->times, &b);
    st = b.failed ? diag_nomem(dg) : outputs_write(&j->report, 0, b.s, b.len, dg);
    if (st == ST_OK)
        st = outputs_commit(&j->report, dg);
    str_free(&b);
    return st;
}

static enum status run_file(struct run_job *j, const char *path, struct diag *dg)
{
    struct run_times t = { 0 };
    uint64_t start = clock_ns();
    enum status st = load_model(j, path, dg);

    j->times.validate = clock_ns() - start;
    if (st == ST_OK && j->a.timings && *j->a.timings) {
        j->report.no_sync = j->a.no_sync;
        j->report.no_clobber = j->a.no_clobber;
        st = outputs_add(&j->report, j->a.timings, dg);
    }
    j->run.path = path;
    if (st == ST_OK)
        st = model_run(&j->model, &j->document.doc, &j->run, stdout, &t, dg);
    if (st == ST_OK)
        st = report_times(j, &t, start, dg);
    free(t.samples);
    return st;
}

enum status cmd_run(int argc, char **argv, struct diag *dg)
{
    struct run_job j = { .times = { 0 } };
    int first;
    enum status st = options_parse(&usage, &j.a, argc, argv, &first, dg);

    if (st)
        return st;
    if (j.a.help) {
        usage_print(&usage, stdout);
        return ST_OK;
    }
    dg->quiet = j.a.quiet;
    dg->verbose = j.a.verbose;
    if (argc - first != 1) {
        diag_error(dg, ST_USAGE, NULL, first == argc ? "no model file is given" : "takes one model file");
        return usage_hint(dg);
    }
    st = read_options(&j, dg);
    if (st == ST_OK)
        st = run_file(&j, argv[first], dg);
    model_free(&j.model);
    document_free(&j.document);
    outputs_close(&j.report);
    return st;
}
