#include "cmd/timings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct summary {
    uint64_t min, median, mean, max;
};

static int ascending(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static struct summary summarize(uint64_t *sorted, uint64_t n)
{
    struct summary s = { 0 };
    uint64_t sum = 0;

    if (n == 0)
        return s;
    qsort(sorted, n, sizeof *sorted, ascending);
    for (uint64_t i = 0; i < n; i++)
        sum += sorted[i];
    s.min = sorted[0];
    s.max = sorted[n - 1];
    s.mean = sum / n;
    s.median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    return s;
}

void timings_json(const struct timings *t, struct str *b)
{
    uint64_t *sorted = mem_alloc(t->iterations, sizeof *sorted);
    struct summary s;

    if (!sorted) {
        b->failed = true;
        return;
    }
    memcpy(sorted, t->samples, t->iterations * sizeof *sorted);
    s = summarize(sorted, t->iterations);
    free(sorted);
    str_printf(b, "{ \"schema\": \"dmlop.timings/1\", \"command\": \"%s\", \"operator\": \"DML_OPERATOR_%s\",\n",
               t->command, t->operator_name);
    str_printf(b, "  \"kernel\": \"%s\", \"threads\": %d, \"warmup\": %" PRIu64 ", \"iterations\": %" PRIu64 ",\n",
               t->kernel, t->threads, t->warmup, t->iterations);
    str_printf(b,
               "  \"phases_ns\": { \"load\": %" PRIu64 ", \"validate\": %" PRIu64 ", \"compute\": %" PRIu64
               ", \"store\": %" PRIu64 ", \"total\": %" PRIu64 " },\n",
               t->load, t->validate, t->compute, t->store, t->total);
    str_printf(b,
               "  \"compute_ns\": { \"min\": %" PRIu64 ", \"median\": %" PRIu64 ", \"mean\": %" PRIu64
               ", \"max\": %" PRIu64 ", \"samples\": [", s.min, s.median, s.mean, s.max);
    for (uint64_t i = 0; i < t->iterations; i++)
        str_printf(b, "%s%" PRIu64, i ? ", " : "", t->samples[i]);
    str_printf(b, "] },\n  \"bytes_in\": %" PRIu64 ", \"bytes_out\": %" PRIu64 ", \"operations\": %" PRIu64 " }\n",
               t->bytes_in, t->bytes_out, t->operations);
}

static void line(FILE *out, const char *name, uint64_t ns)
{
    fprintf(out, "  %-10s %12.3f ms\n", name, (double)ns / 1e6);
}

void timings_table(struct timings *t, FILE *out)
{
    struct summary s = summarize(t->samples, t->iterations);
    double seconds = (double)s.median / 1e9;

    fprintf(out, "%s (%s), kernel %s, %d thread%s\n", t->command, t->operator_name, t->kernel, t->threads,
            t->threads == 1 ? "" : "s");
    line(out, "load", t->load);
    line(out, "validate", t->validate);
    line(out, "compute", t->compute);
    line(out, "store", t->store);
    line(out, "total", t->total);
    fprintf(out, "one computation, of %" PRIu64 " after %" PRIu64 " not counted\n", t->iterations, t->warmup);
    line(out, "min", s.min);
    line(out, "median", s.median);
    line(out, "mean", s.mean);
    line(out, "max", s.max);
    if (seconds > 0)
        fprintf(out, "  %.3f GB/s read and written, %.3f G operations/s\n",
                (double)(t->bytes_in + t->bytes_out) / seconds / 1e9, (double)t->operations / seconds / 1e9);
}
