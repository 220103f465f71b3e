#include "run/timings.h"

#include <inttypes.h>

#include "base/samples.h"
#include "json/write.h"
#include "run/output_format.h"

static void write_phases(struct json_writer *w, const struct timings *t)
{
    json_open(w, "phases_ns", "{ }");
    json_uint(w, "load", t->load);
    json_uint(w, "validate", t->validate);
    json_uint(w, "compute", t->compute);
    json_uint(w, "store", t->store);
    json_uint(w, "total", t->total);
    json_close(w);
}

static void write_samples(struct json_writer *w, const struct timings *t,
                          const struct samples_summary *s)
{
    char deviation[32];

    snprintf(deviation, sizeof deviation, "%.0f", s->deviation);
    json_open(w, "compute_ns", "{ }");
    json_uint(w, "min", s->min);
    json_uint(w, "median", s->median);
    json_uint(w, "mean", s->mean);
    json_uint(w, "max", s->max);
    json_line(w, 4);
    json_uint(w, "quartile_1", s->quartile_1);
    json_uint(w, "quartile_3", s->quartile_3);
    json_raw(w, "standard_deviation", deviation);
    json_uint(w, "outliers", s->outliers);
    json_line(w, 4);
    json_uints(w, "samples", t->samples, t->iterations);
    json_close(w);
}

static void add_json(const struct timings *t, const struct samples_summary *s, struct str *b)
{
    struct json_writer w = { .out = b };

    json_open(&w, NULL, "{ }");
    json_string(&w, "schema", "dmlop.timings/1");
    json_string(&w, "command", t->command);
    json_stringf(&w, "operator", "DML_OPERATOR_%s", t->operator_name);
    json_line(&w, 2);
    json_string(&w, "kernel", t->kernel);
    json_int(&w, "threads", t->threads);
    json_uint(&w, "warmup", t->warmup);
    json_uint(&w, "iterations", t->iterations);
    json_line(&w, 2);
    write_phases(&w, t);
    json_line(&w, 2);
    write_samples(&w, t, s);
    json_line(&w, 2);
    json_uint(&w, "bytes_in", t->bytes_in);
    json_uint(&w, "bytes_out", t->bytes_out);
    json_uint(&w, "operations", t->operations);
    if (t->parts)
        parts_times_write(&w, t->parts);
    json_close(&w);
    str_puts(b, "\n");
}

static void print_time(FILE *out, const char *name, uint64_t ns)
{
    fprintf(out, "  %-10s %14.6f ms\n", name, (double)ns / 1e6);
}

static void print_table(const struct timings *t, const struct samples_summary *s, bool all,
                        FILE *out)
{
    double seconds = (double)s->median / 1e9;

    fprintf(out, "%s (%s), kernel %s, %d thread%s\n", t->command, t->operator_name, t->kernel,
            t->threads, t->threads == 1 ? "" : "s");
    print_time(out, "load", t->load);
    print_time(out, "validate", t->validate);
    print_time(out, "compute", t->compute);
    print_time(out, "store", t->store);
    print_time(out, "total", t->total);
    fprintf(out, "one computation, of %" PRIu64 " measured after %" PRIu64 " not counted\n",
            t->iterations, t->warmup);
    print_time(out, "min", s->min);
    print_time(out, "quartile 1", s->quartile_1);
    print_time(out, "median", s->median);
    print_time(out, "quartile 3", s->quartile_3);
    print_time(out, "max", s->max);
    print_time(out, "mean", s->mean);
    print_time(out, "deviation", (uint64_t)s->deviation);
    if (s->outliers > 0)
        fprintf(out,
                "  %" PRIu64 " of %" PRIu64
                " times are far from the others; was the machine busy?\n",
                s->outliers, t->iterations);
    if (seconds > 0)
        fprintf(out, "  %.3f GB/s read and written, %.3f G operations/s\n",
                (double)(t->bytes_in + t->bytes_out) / seconds / 1e9,
                (double)t->operations / seconds / 1e9);
    if (t->parts)
        parts_times_print(out, t->parts);
    for (uint64_t i = 0; all && i < t->iterations; i++)
        fprintf(out, "  sample %-4" PRIu64 " %13.6f ms\n", i, (double)t->samples[i] / 1e6);
}

enum status timings_prepare(struct outputs *report, const struct timing_args *a,
                            const struct output_args *writing, struct diag *dg)
{
    enum status st;

    report->no_sync = writing->no_sync;
    report->no_clobber = writing->no_clobber;
    if (!a->timings || !*a->timings)
        return ST_OK;
    st = output_check_json("--timings", a->timings, dg);
    return st ? st : outputs_add(report, a->timings, dg);
}

enum status timings_report(const struct timings *t, const struct timing_args *a,
                           struct outputs *report, struct diag *dg)
{
    struct samples_summary summary;
    struct str b = { 0 };
    enum status st;

    if (!samples_summarize(t->samples, t->iterations, &summary))
        return diag_nomem(dg);
    if (!*a->timings) {
        print_table(t, &summary, a->samples, dg->err);
        return ST_OK;
    }
    add_json(t, &summary, &b);
    st = b.failed ? diag_nomem(dg) : outputs_write(report, 0, b.s, b.len, dg);
    str_free(&b);
    return st ? st : outputs_commit(report, dg);
}
