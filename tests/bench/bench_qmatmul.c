/*
 * qmatmul against the rate of the multiply-add instructions themselves. Every case alternates a loop of vpmaddwd and
 * vpaddd on registers, 16 products a pair, with a run of the operator, by the same number of threads, and gives the
 * medians: billions of multiply-adds a second, and the ratio to the loop (none but on x86).
 * `bench_qmatmul [-k KERNEL] [-r ROUNDS] [TEXT]` runs the cases whose line holds TEXT.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/clock.h"
#include "base/parallel.h"
#include "base/util.h"
#include "kernel/cpu.h"
#include "kernel/random.h"
#include "op/op.h"

static const struct qmatmul_shape {
    uint64_t batch, m, k, n;
} shapes[] = {
    { 1, 128, 128, 128 }, { 1, 512, 512, 512 }, { 1, 1024, 1024, 1024 }, { 1, 2048, 2048, 2048 },
    { 1, 1, 4096, 4096 }, { 1, 64, 768, 3072 }, { 1, 4096, 64, 4096 }, { 12, 128, 64, 128 },
};

static const struct {
    const char *name;
    enum dtype a, b;
} pairs[] = {
    { "u8*s8", DT_UINT8, DT_INT8 },
    { "u8*u8", DT_UINT8, DT_UINT8 },
    { "s8*s8", DT_INT8, DT_INT8 },
    { "s8*u8", DT_INT8, DT_UINT8 },
};

enum { ROUNDS_MAX = 101, LOOP_STEPS = 100000, LOOP_MACS = LOOP_STEPS * 8 * 16 };

static const char *kernel = "auto", *wanted = "";
static int rounds = 11;

#if defined(__x86_64__)
/* Eight sums, by name, for compilers keep them in registers then; x passes through asm, so that no product leaves
 * the loop. */
#define EIGHT(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#define START(i) __m256i s##i = _mm256_setzero_si256();
#define STEP(i) __asm__("" : "+x"(x)); s##i = _mm256_add_epi32(s##i, _mm256_madd_epi16(x, y));
#define GATHER(i) y = _mm256_add_epi32(y, s##i);

__attribute__((target("avx2"))) static void multiply_add_loop(void *context, size_t chunk, int thread)
{
    __m256i x = _mm256_set1_epi32((int)chunk), y = _mm256_set1_epi32(3);
    EIGHT(START)

    (void)thread;
    for (int step = 0; step < LOOP_STEPS; step++) {
        EIGHT(STEP)
    }
    EIGHT(GATHER)
    ((int *)context)[chunk] = _mm256_extract_epi32(y, 0);
}

/* Nanoseconds that the loop takes for LOOP_MACS multiply-adds a thread; 0 where it cannot run. */
static uint64_t time_loop(int threads)
{
    int sums[2];
    uint64_t start = clock_ns();

    if (!cpu_has(CPU_AVX2))
        return 0;
    parallel_for((size_t)threads, threads, multiply_add_loop, sums);
    start = clock_ns() - start;
    __asm__ volatile("" : : "r"(sums) : "memory");
    return start;
}
#else
static uint64_t time_loop(int threads)
{
    (void)threads;
    return 0;
}
#endif

static int by_time(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double median(uint64_t *times)
{
    qsort(times, (size_t)rounds, sizeof times[0], by_time);
    return (double)times[rounds / 2];
}

static void *random_bytes(uint64_t bytes)
{
    static uint64_t rng = 1; /* the same data in every run */
    char *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

    if (!p) {
        fputs("bench_qmatmul: memory is short\n", stderr);
        exit(4);
    }
    for (uint64_t i = 0; i < bytes; i++)
        p[i] = (char)random_next(&rng);
    return p;
}

static struct tensor matrices(enum dtype type, uint64_t batch, uint64_t rows, uint64_t columns)
{
    struct tensor t = { .type = type, .rank = 4, .sizes = { 1, batch, rows, columns } };

    t.data = random_bytes(batch * rows * columns * dtype_size(type));
    tensor_pack_strides(t.rank, t.sizes, t.strides);
    return t;
}

/* Small products are repeated, so that what is timed takes a tenth of a millisecond or more. */
static void measure(const char *line, struct op_plan *plan, int threads)
{
    double macs = (double)op_plan_operations(plan), rate, loop;
    uint64_t times[ROUNDS_MAX], loops[ROUNDS_MAX];
    int repeat = 1 + (int)(1e7 / macs);

    for (int i = -1; i < rounds; i++) { /* one untimed */
        uint64_t start;

        loops[i < 0 ? 0 : i] = time_loop(threads);
        start = clock_ns();
        for (int j = 0; j < repeat; j++)
            op_plan_run(plan);
        times[i < 0 ? 0 : i] = clock_ns() - start;
    }
    rate = macs * repeat / median(times);
    loop = (double)LOOP_MACS * threads / median(loops);
    printf("%s  %8.2f GMAC/s  %10.1f us", line, rate, median(times) / 1000 / repeat);
    if (loops[0])
        printf("  %5.2f of the loop's %.1f", rate / loop, loop);
    putchar('\n');
    fflush(stdout);
}

static void bench(const struct qmatmul_shape *s, size_t pair)
{
    float scales[] = { 0.02F, 0.01F, 0.5F };
    struct tensor scale = { .type = DT_FLOAT32, .rank = 1, .sizes = { 1 }, .strides = { 1 } };
    struct tensor a = matrices(pairs[pair].a, s->batch, s->m, s->k), b = matrices(pairs[pair].b, s->batch, s->k, s->n);
    struct tensor c = matrices(DT_INT8, s->batch, s->m, s->n), sa = scale, sb = scale, sc = scale;
    struct tensor *t[SLOT_COUNT] = { [SLOT_A] = &a, [SLOT_B] = &b, [SLOT_C] = &c,
                                     [SLOT_A_SCALE] = &sa, [SLOT_B_SCALE] = &sb, [SLOT_C_SCALE] = &sc };
    struct desc d = { .op = OP_QMATMUL };
    struct diag dg = { .err = stderr, .command = "bench_qmatmul" };

    sa.data = &scales[0];
    sb.data = &scales[1];
    sc.data = &scales[2];
    for (int threads = 1; threads <= 2; threads++) {
        struct op_exec exec = { .threads = threads, .kernel = kernel };
        struct op_plan *plan;
        char line[80];

        snprintf(line, sizeof line, "%s %3llu x %4llux%4llux%-4llu %d", pairs[pair].name, (unsigned long long)s->batch,
                 (unsigned long long)s->m, (unsigned long long)s->k, (unsigned long long)s->n, threads);
        if (!strstr(line, wanted))
            continue;
        if (op_plan_new(&plan, &d, t, &exec, &dg))
            exit(2);
        measure(line, plan, threads);
        op_plan_free(plan);
    }
    free(a.data);
    free(b.data);
    free(c.data);
}

int main(int argc, char **argv)
{
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
    puts("batch x MxKxN threads");
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        for (size_t pair = 0; pair < ARRAY_LEN(pairs); pair++)
            bench(&shapes[i], pair);
    return 0;
}
