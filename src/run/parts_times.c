#include "run/parts_times.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* v has room for all parts. */
static void sum_times(struct parts_times *t, const struct part_set *s, uint64_t *v)
{
    uint64_t n = t->count;

    for (uint64_t i = 0; i < n; i++) {
        v[i] = s->v[i].compute_ns;
        if (v[i] > s->v[t->slowest].compute_ns)
            t->slowest = i;
        if (!u64_add(t->sum, v[i], &t->sum))
            t->sum = UINT64_MAX;
    }
    qsort(v, n, sizeof *v, by_number);
    t->min = v[0];
    t->max = v[n - 1];
    t->median = n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
}

static void count_hosts(struct parts_times *t, const struct part_set *s, uint64_t *v)
{
    for (uint64_t i = 0; i < t->count; i++)
        v[i] = s->v[i].host;
    qsort(v, t->count, sizeof *v, by_number);
    for (uint64_t i = 0; i < t->count; i++)
        t->hosts += i == 0 || v[i] != v[i - 1];
}

bool parts_times_sum(struct parts_times *t, const struct part_set *s)
{
    uint64_t *v = mem_alloc(s->first.parts, sizeof *v);

    *t = (struct parts_times){ .count = s->first.parts, .bytes_in = s->bytes_in,
                               .bytes_out = s->bytes_out, .operations = s->operations };
    if (!v)
        return false;
    sum_times(t, s, v);
    count_hosts(t, s, v);
    free(v);
    return true;
}

void parts_times_write(struct json_writer *w, const struct parts_times *t)
{
    json_line(w, 2);
    json_open(w, "parts", "{ }");
    json_uint(w, "count", t->count);
    json_open(w, "compute_ns", "{ }");
    json_uint(w, "min", t->min);
    json_uint(w, "median", t->median);
    json_uint(w, "max", t->max);
    json_uint(w, "sum", t->sum);
    json_close(w);
    json_line(w, 4);
    json_uint(w, "slowest", t->slowest);
    json_uint(w, "hosts", t->hosts);
    json_uint(w, "bytes_in", t->bytes_in);
    json_uint(w, "bytes_out", t->bytes_out);
    json_uint(w, "operations", t->operations);
    json_close(w);
}

static void print_time(FILE *out, const char *name, uint64_t ns)
{
    fprintf(out, "  %-10s %14.6f ms\n", name, (double)ns / 1e6);
}

void parts_times_print(FILE *out, const struct parts_times *t)
{
    fprintf(out, "computing %" PRIu64 " part%s on %" PRIu64 " host%s\n", t->count,
            t->count == 1 ? "" : "s", t->hosts, t->hosts == 1 ? "" : "s");
    print_time(out, "min", t->min);
    print_time(out, "median", t->median);
    print_time(out, "max", t->max);
    print_time(out, "sum", t->sum);
    fprintf(out, "  part %" PRIu64 " took longest\n", t->slowest);
}
