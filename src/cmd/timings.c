#include "cmd/timings.h"

#include <inttypes.h>

void timings_json(const struct timings *t, struct str *b)
{
    struct samples_summary s;

    if (!samples_summarize(t->samples, t->iterations, &s)) {
        b->failed = true;
        return;
    }
    str_printf(b, "{ \"schema\": \"dmlop.timings/1\", \"command\": \"%s\", \"operator\": \"DML_OPERATOR_%s\",\n",
               t->command, t->operator_name);
    str_printf(b, "  \"kernel\": \"%s\", \"threads\": %d, \"warmup\": %" PRIu64 ", \"iterations\": %" PRIu64 ",\n",
               t->kernel, t->threads, t->warmup, t->iterations);
    str_printf(b,
               "  \"phases_ns\": { \"load\": %" PRIu64 ", \"validate\": %" PRIu64 ", \"compute\": %" PRIu64
               ", \"store\": %" PRIu64 ", \"total\": %" PRIu64 " },\n",
               t->load, t->validate, t->compute, t->store, t->total);
    str_printf(b,
               "  \"compute_ns\": { \"min\": %" PRIu64 ", \"median\": %" PRIu64 ", \"mean\": %" PRIu64 ", \"max\": %" PRIu64
               ",\n    \"quartile_1\": %" PRIu64 ", \"quartile_3\": %" PRIu64 ", \"standard_deviation\": %.0f, \"outliers\": %" PRIu64
               ",\n    \"samples\": [", s.min, s.median, s.mean, s.max, s.quartile_1, s.quartile_3, s.deviation, s.outliers);
    for (uint64_t i = 0; i < t->iterations; i++)
        str_printf(b, "%s%" PRIu64, i ? ", " : "", t->samples[i]);
    str_printf(b, "] },\n  \"bytes_in\": %" PRIu64 ", \"bytes_out\": %" PRIu64 ", \"operations\": %" PRIu64 " }\n",
               t->bytes_in, t->bytes_out, t->operations);
}

static void line(FILE *out, const char *name, uint64_t ns)
{
    fprintf(out, "  %-10s %14.6f ms\n", name, (double)ns / 1e6);
}

enum status timings_table(const struct timings *t, bool all, FILE *out, struct diag *dg)
{
    struct samples_summary s;
    double seconds;

    if (!samples_summarize(t->samples, t->iterations, &s))
        return diag_nomem(dg);
    seconds = (double)s.median / 1e9;
    fprintf(out, "%s (%s), kernel %s, %d thread%s\n", t->command, t->operator_name, t->kernel, t->threads,
            t->threads == 1 ? "" : "s");
    line(out, "load", t->load);
    line(out, "validate", t->validate);
    line(out, "compute", t->compute);
    line(out, "store", t->store);
    line(out, "total", t->total);
    fprintf(out, "one computation, of %" PRIu64 " after %" PRIu64 " not counted\n", t->iterations, t->warmup);
    line(out, "min", s.min);
    line(out, "quartile 1", s.quartile_1);
    line(out, "median", s.median);
    line(out, "quartile 3", s.quartile_3);
    line(out, "max", s.max);
    line(out, "mean", s.mean);
    line(out, "deviation", (uint64_t)s.deviation);
    if (s.outliers > 0)
        fprintf(out, "  %" PRIu64 " of %" PRIu64 " lie far from the others; was the machine busy?\n", s.outliers, t->iterations);
    if (seconds > 0)
        fprintf(out, "  %.3f GB/s read and written, %.3f G operations/s\n",
                (double)(t->bytes_in + t->bytes_out) / seconds / 1e9, (double)t->operations / seconds / 1e9);
    for (uint64_t i = 0; all && i < t->iterations; i++)
        fprintf(out, "  sample %-4" PRIu64 " %13.6f ms\n", i, (double)t->samples[i] / 1e6);
    return ST_OK;
}
