/*
 * topk against the rate at which memory can be read. Every case alternates a plain read of its input with a run of
 * the operator and gives the medians: GB/s of input, and the ratio to the read rate by the same number
 * of threads. `bench_topk [-k KERNEL] [-r ROUNDS] [TEXT]` runs the cases whose line holds TEXT.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/util.h"
#include "kernel/topk_oracle.h"
#include "op/op.h"

struct topk_shape {
    const char *name;
    uint64_t outer, n, inner; /* the axis is the middle one */
    enum dtype type;
    uint64_t k[6];
};

static const struct topk_shape shapes[] = {
    { "{1,10000000}", 1, 10000000, 1, DT_FLOAT32, { 1, 10, 100, 1000, 100000, 10000000 } },
    { "{1000,10000}", 1000, 10000, 1, DT_FLOAT32, { 10, 100 } },
    { "{10000,1000} axis 0", 1, 10000, 1000, DT_FLOAT32, { 10 } },
    { "{512,128000}", 512, 128000, 1, DT_FLOAT32, { 50 } },
    { "{1,10000000}", 1, 10000000, 1, DT_INT8, { 100 } },
    { "{1,10000000}", 1, 10000000, 1, DT_FLOAT16, { 100 } },
    { "{1,10000000}", 1, 10000000, 1, DT_FLOAT64, { 100 } },
};

static const enum oracle_pattern patterns[] = { PATTERN_UNIFORM, PATTERN_ASCENDING, PATTERN_DESCENDING,
                                                PATTERN_EQUAL };

enum { ROUNDS_MAX = 101 };

static const char *kernel = "auto", *wanted = "";
static int rounds = 15;

/* Reads memory, a chunk a call; sums[chunk] keeps the compiler from dropping it. */
struct reading {
    const char *data;
    size_t bytes, chunk_bytes;
    uint64_t sums[256];
};

/* In the widest registers that compilers agree on; clones for newer processors where that can be had. */
typedef uint64_t vec __attribute__((vector_size(32)));

#if defined(__x86_64__)
__attribute__((target_clones("avx2", "default")))
#endif
static uint64_t
read_all(const char *p, size_t bytes)
{
    const vec *v = (const vec *)p;
    vec a = { 0 }, b = a, c = a, d = a;

    for (size_t i = 0; i + 4 <= bytes / sizeof(vec); i += 4) {
        a |= v[i];
        b |= v[i + 1];
        c |= v[i + 2];
        d |= v[i + 3];
    }
    a |= b | c | d;
    return a[0] | a[1] | a[2] | a[3];
}

static void read_chunk(void *context, size_t chunk, int thread)
{
    struct reading *r = context;
    size_t from = chunk * r->chunk_bytes;

    (void)thread;
    r->sums[chunk] = read_all(r->data + from, u64_min(r->chunk_bytes, r->bytes - from));
}

static uint64_t time_read(const char *data, size_t bytes, int threads)
{
    struct reading r = { .data = data, .bytes = bytes };
    uint64_t start;

    r.chunk_bytes = (bytes / (size_t)threads + 4095) / 4096 * 4096;
    start = clock_ns();
    parallel_for((bytes + r.chunk_bytes - 1) / r.chunk_bytes, threads, read_chunk, &r);
    start = clock_ns() - start;
    __asm__ volatile("" : : "r"(r.sums) : "memory");
    return start;
}

static int by_time(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static uint64_t median(uint64_t *times, int n)
{
    qsort(times, (size_t)n, sizeof times[0], by_time);
    return times[n / 2];
}

static void *must(void *p)
{
    if (!p) {
        fputs("bench_topk: memory is short\n", stderr);
        exit(4);
    }
    return p;
}

static void bench(const struct topk_shape *shape, uint64_t k, enum oracle_pattern pattern, char *data, int threads)
{
    uint64_t count = shape->outer * k * shape->inner, times[ROUNDS_MAX], reads[ROUNDS_MAX];
    size_t bytes = (size_t)(shape->outer * shape->n * shape->inner) * dtype_size(shape->type);
    struct tensor in = { .type = shape->type, .rank = 3, .sizes = { shape->outer, shape->n, shape->inner },
                         .data = data };
    struct tensor values = in, indices = in, *t[SLOT_COUNT] = { &in, &values, &indices };
    struct desc d = { .op = OP_TOP_K1, .axis = 1, .k = k, .direction = AXIS_DECREASING };
    struct op_exec exec = { .threads = threads, .kernel = kernel };
    struct diag dg = { .err = stderr, .command = "bench_topk" };
    int n = k > 1000000 ? (rounds + 2) / 3 : rounds;
    struct op_plan *plan;
    char line[160];
    double gbps, ratio;

    snprintf(line, sizeof line, "%-8s %-20s k=%-9llu %-11s %d", dtype_name(shape->type), shape->name,
             (unsigned long long)k, oracle_pattern_name(pattern), threads);
    if (!strstr(line, wanted))
        return;
    values.sizes[1] = indices.sizes[1] = k;
    indices.type = DT_UINT32;
    values.data = must(mem_alloc_aligned(count, dtype_size(shape->type)));
    indices.data = must(mem_alloc_aligned(count, sizeof(uint32_t)));
    for (int i = 0; i < 3; i++)
        tensor_pack_strides(3, t[i]->sizes, t[i]->strides);
    if (op_plan_new(&plan, &d, t, &exec, &dg))
        exit(2);
    for (int i = -1; i < n; i++) { /* one untimed */
        uint64_t start;

        reads[i < 0 ? 0 : i] = time_read(data, bytes, threads);
        start = clock_ns();
        op_plan_run(plan);
        times[i < 0 ? 0 : i] = clock_ns() - start;
    }
    gbps = (double)bytes / (double)median(times, n);
    ratio = gbps / ((double)bytes / (double)median(reads, n));
    printf("%s  %8.2f GB/s  %8.1f us  %5.2f of reading\n", line, gbps, (double)times[n / 2] / 1000, ratio);
    fflush(stdout);
    op_plan_free(plan);
    free(values.data);
    free(indices.data);
}

int main(int argc, char **argv)
{
    uint64_t rng = 1; /* the same data in every run */
    int option;

    while ((option = getopt(argc, argv, "k:r:")) != -1) {
        if (option == 'k')
            kernel = optarg;
        else if (option == 'r')
            rounds = atoi(optarg);
        else
            return 2;
    }
    if (rounds < 1 || rounds > ROUNDS_MAX)
        return 2;
    wanted = optind < argc ? argv[optind] : "";
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        const struct topk_shape *shape = &shapes[i];
        size_t count = (size_t)(shape->outer * shape->n * shape->inner);
        char *data = must(mem_alloc_aligned(count, dtype_size(shape->type)));

        for (size_t j = 0; j < ARRAY_LEN(patterns); j++) {
            oracle_fill(shape->type, patterns[j], data, count, &rng);
            for (size_t k = 0; k < ARRAY_LEN(shape->k) && shape->k[k]; k++)
                for (int threads = 1; threads <= 2; threads++)
                    bench(shape, shape->k[k], patterns[j], data, threads);
        }
        free(data);
    }
    return 0;
}
