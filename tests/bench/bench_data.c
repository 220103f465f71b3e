/*
 * What goes through whole tensors, besides the operators: statistics, comparison, conversion, JSON.
 * Medians of one thread and of several, by turns, and their ratio: `bench_data [-t THREADS] [-r
 * ROUNDS] [-m MB] [TEXT]` runs the cases whose line holds TEXT, on tensors of about so many
 * megabytes, with files in TMPDIR.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "read_tensor.h"
#include "kernel/random.h"
#include "tensor/cast.h"
#include "tensor/compare.h"
#include "tensor/stats.h"

enum { ROUNDS_MAX = 101, COLUMNS = 1000 };

static struct diag dg;
static char folder[200], json_path[240], npy_path[240], out_path[240];
static uint64_t count;
static struct tensor t, near, fortran; /* FLOAT32; `near` differs from t everywhere by little */
static void *wide;

static void must(bool good)
{
    if (!good) {
        fprintf(stderr, "bench_data: failed\n");
        exit(4);
    }
}

static void make_tensors(uint64_t bytes)
{
    uint64_t rng = 1, rows = bytes / 4 / COLUMNS;
    float *a, *b;

    count = rows * COLUMNS;
    t = (struct tensor){ .type = DT_FLOAT32, .rank = 2, .sizes = { rows, COLUMNS } };
    tensor_pack_strides(t.rank, t.sizes, t.strides);
    near = fortran = t;
    fortran.strides[0] = 1;
    fortran.strides[1] = (int64_t)rows;
    t.data = fortran.data = a = mem_alloc_aligned(count, 4);
    near.data = b = mem_alloc_aligned(count, 4);
    wide = mem_alloc_aligned(count, 8);
    must(a && b && wide);
    for (uint64_t i = 0; i < count; i++) {
        a[i] = (float)((double)(random_next(&rng) >> 11) / 9007199254740992.0 - 0.5) * 6;
        b[i] = a[i] * 1.0001f;
    }
}

static void write_file(const struct tensor *what, const char *path, enum tensor_format format,
                       int threads)
{
    struct outputs outs = { .no_sync = true };

    must(outputs_add(&outs, path, &dg) == ST_OK &&
         tensor_file_write(outs.v[0], what, format, threads, &dg) == ST_OK &&
         outputs_commit(&outs, &dg) == ST_OK);
    outputs_close(&outs);
}

static void json_read(int threads)
{
    struct tensor_file f;

    must(tensor_file_read(&f, json_path, DT_NONE, threads, &dg) == ST_OK);
    tensor_file_close(&f);
}

static void json_write(int threads) { write_file(&t, out_path, FORMAT_JSON, threads); }
static void json_format(int threads) { write_file(&t, "/dev/null", FORMAT_JSON, threads); }
static void fortran_write(int threads) { write_file(&fortran, out_path, FORMAT_NPY, threads); }
static void fortran_order(int threads) { write_file(&fortran, "/dev/null", FORMAT_RAW, threads); }

static void stats_of(const struct tensor *what, int threads)
{
    struct stats s;
    struct histogram h = { .n = HISTOGRAM_BINS };

    must(stats_compute(what, count, threads, &s) && stats_histogram(what, threads, &s, &h));
    free(h.bins);
}

static void stats_memory(int threads) { stats_of(&t, threads); }

static void stats_file(int threads)
{
    struct tensor_file f;
    struct stats s;

    must(tensor_file_read(&f, npy_path, DT_NONE, threads, &dg) == ST_OK &&
         stats_compute(&f.tensor, f.count, threads, &s));
    tensor_file_close(&f);
}

static void compare_with(const struct tensor *other, int threads)
{
    struct compare_options opt = { .rtol = 1e-3 };
    struct comparison c;

    must(comparison_make(&t, other, &opt, threads, &c));
    comparison_free(&c);
}

static void compare_equal(int threads) { compare_with(&t, threads); }
static void compare_near(int threads) { compare_with(&near, threads); }

static const struct cast_rules strict, clamping = { .clamp = true };

static void cast_wide(int threads) { tensor_cast(&t, count, DT_FLOAT64, &strict, threads, wide); }
static void cast_int8(int threads) { tensor_cast(&t, count, DT_INT8, &clamping, threads, wide); }

static void swap(int threads)
{
    struct tensor swapped = t;

    swapped.swapped = true;
    tensor_cast(&swapped, count, DT_FLOAT64, &clamping, threads, wide);
}

static const struct {
    const char *name;
    void (*run)(int threads);
} cases[] = {
    { "JSON, read a file", json_read }, { "JSON, write a file", json_write },
    { "JSON, write to /dev/null", json_format }, { "statistics and histogram", stats_memory },
    { "statistics of a mapped file", stats_file }, { "compare, equal", compare_equal },
    { "compare, within tolerance", compare_near }, { "convert FLOAT32 to FLOAT64", cast_wide },
    { "convert FLOAT32 to INT8", cast_int8 }, { "convert swapped to FLOAT64", swap },
    { "Fortran order, to a file", fortran_write }, { "Fortran order, to /dev/null", fortran_order },
};

static int by_time(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double median_ms(uint64_t *times, int n)
{
    qsort(times, (size_t)n, sizeof times[0], by_time);
    return (double)times[n / 2] / 1e6;
}

static void bench(size_t which, int threads, int rounds)
{
    uint64_t one[ROUNDS_MAX], all[ROUNDS_MAX], start;
    double a, b;

    for (int i = -1; i < rounds; i++) { /* one untimed */
        unlink(out_path); /* replacing a file takes long itself */
        start = clock_ns();
        cases[which].run(1);
        one[i < 0 ? 0 : i] = clock_ns() - start;
        unlink(out_path);
        start = clock_ns();
        cases[which].run(threads);
        all[i < 0 ? 0 : i] = clock_ns() - start;
    }
    a = median_ms(one, rounds);
    b = median_ms(all, rounds);
    printf("%-28s 1 thread %8.2f ms  %2d threads %8.2f ms  %5.2fx  %6.2f GB/s of the tensor\n",
           cases[which].name, a, threads, b, a / b, (double)count * 4 / 1e6 / b);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *tmp = getenv("TMPDIR");
    int option, rounds = 5, threads = parallel_default_threads(), mb = 20;

    while ((option = getopt(argc, argv, "r:t:m:")) != -1)
        switch (option) {
        case 'r': rounds = atoi(optarg); break;
        case 't': threads = atoi(optarg); break;
        case 'm': mb = atoi(optarg); break;
        default:  return 2;
        }
    snprintf(folder, sizeof folder, "%.150s/bench-data-XXXXXX", tmp ? tmp : "/tmp");
    if (rounds < 1 || rounds > ROUNDS_MAX || threads < 1 || mb < 1 || !mkdtemp(folder))
        return 2;
    dg = (struct diag){ .err = stderr, .command = "bench_data" };
    snprintf(json_path, sizeof json_path, "%s/x.json", folder);
    snprintf(npy_path, sizeof npy_path, "%s/x.npy", folder);
    snprintf(out_path, sizeof out_path, "%s/y", folder);
    make_tensors((uint64_t)mb << 20);
    write_file(&t, json_path, FORMAT_JSON, threads);
    write_file(&t, npy_path, FORMAT_NPY, threads);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (optind == argc || strstr(cases[i].name, argv[optind]))
            bench(i, threads, rounds);
    unlink(json_path);
    unlink(npy_path);
    unlink(out_path);
    rmdir(folder);
    free(wide);
    free(near.data);
    free(t.data);
    return 0;
}
