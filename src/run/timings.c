#include "run/timings.h"

#include "run/tensor_options.h"

static void add_json(const struct timings *t, const struct samples_summary *s, struct str *b)
{
    struct json_writer w = { .out = b };

    json_format(&w, "{ schema: %s command: %s", "dmlop.timings/1", t->command);
    json_stringf(&w, "operator", "DML_OPERATOR_%s", t->operator_name);
    json_format(&w,
                "\n  kernel: %s threads: %i warmup: %ju iterations: %zu \n"
                "  phases_ns: { load: %ju validate: %ju compute: %ju store: %ju total: %ju }",
                t->kernel, t->threads, t->warmup, t->samples.n, t->phases.load, t->phases.validate,
                t->phases.compute, t->phases.store, t->total);
    json_format(&w,
                "\n  compute_ns: { min: %ju median: %ju mean: %ju max: %ju \n    quartile_1: %ju "
                "quartile_3: %ju standard_deviation: %ju outliers: %ju \n    ",
                s->min, s->median, s->mean, s->max, s->quartile_1, s->quartile_3,
                (uint64_t)(s->deviation + 0.5), s->outliers);
    json_uints(&w, "samples", t->samples.v, t->samples.n);
    json_format(&w, "} \n  bytes_in: %ju bytes_out: %ju operations: %ju", t->work.bytes_in,
                t->work.bytes_out, t->work.operations);
    if (t->write_more)
        t->write_more(t->context, &w);
    json_close_to(&w, 0);
    str_puts(b, "\n");
}

void timings_print(FILE *out, const char *name, uint64_t ns)
{
    fprintf(out, "  %-10s %14.6f ms\n", name, (double)ns / 1e6);
}

static void print_table(const struct timings *t, const struct samples_summary *s, bool all,
                        FILE *out)
{
    double seconds = (double)s->median / 1e9;

    fprintf(out, "%s (%s), kernel %s, %d thread%s\n", t->command, t->operator_name, t->kernel,
            t->threads, t->threads == 1 ? "" : "s");
    timings_print(out, "load", t->phases.load);
    timings_print(out, "validate", t->phases.validate);
    timings_print(out, "compute", t->phases.compute);
    timings_print(out, "store", t->phases.store);
    timings_print(out, "total", t->total);
    fprintf(out, "one computation, of %zu measured after %ju not counted\n", t->samples.n,
            t->warmup);
    timings_print(out, "min", s->min);
    timings_print(out, "quartile 1", s->quartile_1);
    timings_print(out, "median", s->median);
    timings_print(out, "quartile 3", s->quartile_3);
    timings_print(out, "max", s->max);
    timings_print(out, "mean", s->mean);
    timings_print(out, "deviation", (uint64_t)s->deviation);
    if (s->outliers > 0)
        fprintf(out, "  %ju of %zu times are far from the others; was the machine busy?\n",
                s->outliers, t->samples.n);
    if (seconds > 0)
        fprintf(out, "  %.3f GB/s read and written, %.3f G operations/s\n",
                (double)(t->work.bytes_in + t->work.bytes_out) / seconds / 1e9,
                (double)t->work.operations / seconds / 1e9);
    if (t->print_more)
        t->print_more(t->context, out);
    for (size_t i = 0; all && i < t->samples.n; i++)
        fprintf(out, "  sample %-4zu %13.6f ms\n", i, (double)t->samples.v[i] / 1e6);
}

enum status timings_prepare(struct timings *t, const struct timing_args *a,
                            const struct outputs *writing, struct diag *dg)
{
    enum status st;

    t->report = *writing;
    if (!a->timings || !*a->timings)
        return ST_OK;
    st = output_check_json("--timings", a->timings, dg);
    return st ? st : outputs_add(&t->report, a->timings, dg);
}

enum status timings_report(struct timings *t, const struct timing_args *a, struct diag *dg)
{
    struct samples_summary summary;
    struct str b = { 0 };
    enum status st;

    if (!a->timings)
        return ST_OK;
    if (!samples_summarize(t->samples.v, t->samples.n, &summary))
        return diag_nomem(dg);
    if (!*a->timings) {
        print_table(t, &summary, a->samples, dg->err);
        return ST_OK;
    }
    add_json(t, &summary, &b);
    st = output_text(t->report.v[0], &b, dg);
    return st ? st : outputs_commit(&t->report, dg);
}
