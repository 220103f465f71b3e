#include "run/timings.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/samples.h"
#include "json/write.h"
#include "run/output_format.h"

/* Statistics of a set's records. */
struct parts_summary {
    struct samples_summary compute;
    uint64_t sum, slowest, hosts; /* slowest: a part; the first one of several */
};

/* False if memory is short. */
static bool summarize_parts(const struct part_set *s, struct parts_summary *p)
{
    uint64_t n = s->job.parts, *v = mem_alloc(n, sizeof *v);
    bool done = false;

    *p = (struct parts_summary){ .sum = 0 };
    for (uint64_t i = 0; v && i < n; i++) {
        v[i] = s->v[i].compute_ns;
        if (v[i] > s->v[p->slowest].compute_ns)
            p->slowest = i;
        p->sum = u64_add_most(p->sum, v[i]);
    }
    if (v && samples_summarize(v, n, &p->compute)) {
        for (uint64_t i = 0; i < n; i++)
            v[i] = s->v[i].host;
        qsort(v, n, sizeof *v, samples_ascending);
        for (uint64_t i = 0; i < n; i++)
            p->hosts += i == 0 || v[i] != v[i - 1];
        done = true;
    }
    free(v);
    return done;
}

static void add_json(const struct timings *t, const struct samples_summary *s,
                     const struct parts_summary *p, struct str *b)
{
    struct json_writer w = { .out = b };
    char deviation[32];

    json_format(&w, "{ schema: %s command: %s", "dmlop.timings/1", t->command);
    json_stringf(&w, "operator", "DML_OPERATOR_%s", t->operator_name);
    json_format(&w,
                "\n  kernel: %s threads: %i warmup: %" PRIu64 " iterations: %zu \n"
                "  phases_ns: { load: %" PRIu64 " validate: %" PRIu64 " compute: %" PRIu64
                " store: %" PRIu64 " total: %" PRIu64 " }",
                t->kernel, t->threads, t->warmup, t->samples.n, t->phases.load, t->phases.validate,
                t->phases.compute, t->phases.store, t->total);
    json_format(&w,
                "\n  compute_ns: { min: %" PRIu64 " median: %" PRIu64 " mean: %" PRIu64
                " max: %" PRIu64 " \n    quartile_1: %" PRIu64 " quartile_3: %" PRIu64,
                s->min, s->median, s->mean, s->max, s->quartile_1, s->quartile_3);
    snprintf(deviation, sizeof deviation, "%.0f", s->deviation);
    json_raw(&w, "standard_deviation", deviation);
    json_format(&w, "outliers: %" PRIu64 " \n    ", s->outliers);
    json_uints(&w, "samples", t->samples.v, t->samples.n);
    json_format(&w, "} \n  ");
    work_write(&w, &t->work);
    if (t->parts) {
        json_format(&w,
                    "\n  parts: { count: %" PRIu64 " compute_ns: { min: %" PRIu64
                    " median: %" PRIu64 " max: %" PRIu64 " sum: %" PRIu64
                    " } \n    slowest: %" PRIu64 " hosts: %" PRIu64,
                    t->parts->job.parts, p->compute.min, p->compute.median, p->compute.max, p->sum,
                    p->slowest, p->hosts);
        work_write(&w, &t->parts->work);
    }
    json_close_to(&w, 0);
    str_puts(b, "\n");
}

static void print_time(FILE *out, const char *name, uint64_t ns)
{
    fprintf(out, "  %-10s %14.6f ms\n", name, (double)ns / 1e6);
}

static void print_parts(FILE *out, const struct part_set *s, const struct parts_summary *p)
{
    fprintf(out, "computing %" PRIu64 " part%s on %" PRIu64 " host%s\n", s->job.parts,
            s->job.parts == 1 ? "" : "s", p->hosts, p->hosts == 1 ? "" : "s");
    print_time(out, "min", p->compute.min);
    print_time(out, "median", p->compute.median);
    print_time(out, "max", p->compute.max);
    print_time(out, "sum", p->sum);
    fprintf(out, "  part %" PRIu64 " took longest\n", p->slowest);
}

static void print_table(const struct timings *t, const struct samples_summary *s,
                        const struct parts_summary *p, bool all, FILE *out)
{
    double seconds = (double)s->median / 1e9;

    fprintf(out, "%s (%s), kernel %s, %d thread%s\n", t->command, t->operator_name, t->kernel,
            t->threads, t->threads == 1 ? "" : "s");
    print_time(out, "load", t->phases.load);
    print_time(out, "validate", t->phases.validate);
    print_time(out, "compute", t->phases.compute);
    print_time(out, "store", t->phases.store);
    print_time(out, "total", t->total);
    fprintf(out, "one computation, of %zu measured after %" PRIu64 " not counted\n", t->samples.n,
            t->warmup);
    print_time(out, "min", s->min);
    print_time(out, "quartile 1", s->quartile_1);
    print_time(out, "median", s->median);
    print_time(out, "quartile 3", s->quartile_3);
    print_time(out, "max", s->max);
    print_time(out, "mean", s->mean);
    print_time(out, "deviation", (uint64_t)s->deviation);
    if (s->outliers > 0)
        fprintf(out, "  %" PRIu64 " of %zu times are far from the others; was the machine busy?\n",
                s->outliers, t->samples.n);
    if (seconds > 0)
        fprintf(out, "  %.3f GB/s read and written, %.3f G operations/s\n",
                (double)(t->work.bytes_in + t->work.bytes_out) / seconds / 1e9,
                (double)t->work.operations / seconds / 1e9);
    if (t->parts)
        print_parts(out, t->parts, p);
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
    struct parts_summary parts;
    struct str b = { 0 };
    enum status st;

    if (!a->timings)
        return ST_OK;
    if ((t->parts && !summarize_parts(t->parts, &parts)) ||
        !samples_summarize(t->samples.v, t->samples.n, &summary))
        return diag_nomem(dg);
    if (!*a->timings) {
        print_table(t, &summary, &parts, a->samples, dg->err);
        return ST_OK;
    }
    add_json(t, &summary, &parts, &b);
    st = b.failed ? diag_nomem(dg) : output_write(t->report.v[0], b.s, b.len, dg);
    str_free(&b);
    return st ? st : outputs_commit(&t->report, dg);
}
