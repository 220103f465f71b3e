/* What goes through whole tensors, besides the operators: statistics, comparison, conversion, other
 * orders. GB/s of the tensor, on one thread and on several, with files in TMPDIR; bench_json has
 * JSON. Options: bench.h; there is no kernel to choose. */
#include <unistd.h>

#include "bench.h"

#include "folder.h"
#include "kernel/random.h"
#include "read_tensor.h"
#include "tensor/compare.h"
#include "tensor/stats.h"

enum { ROWS = 5000, COLUMNS = 1000 };

static struct diag dg = { .command = "bench_data" };
static char npy_path[FOLDER_PATH + 16], out_path[FOLDER_PATH + 16];
static const uint64_t count = ROWS * COLUMNS;
static struct tensor t, near, fortran; /* FLOAT32; `near` differs from t everywhere by little */
static void *wide;

static void must(bool good) { bench_must(good ? ST_OK : ST_SYSTEM); }

static void make_tensors(void)
{
    uint64_t rng = 1;
    float *a, *b;

    t = (struct tensor){ .type = DT_FLOAT32, .rank = 2, .sizes = { ROWS, COLUMNS } };
    tensor_pack_strides(t.rank, t.sizes, t.strides);
    near = fortran = t;
    fortran.strides[0] = 1;
    fortran.strides[1] = ROWS;
    t.data = fortran.data = a = bench_must_have(malloc(count * 4));
    near.data = b = bench_must_have(malloc(count * 4));
    wide = bench_must_have(malloc(count * 8));
    for (uint64_t i = 0; i < count; i++) {
        a[i] = (float)((double)(random_next(&rng) >> 11) / 9007199254740992.0 - 0.5) * 6;
        b[i] = a[i] * 1.0001f;
    }
}

static void write_file(const struct tensor *what, const char *path, enum tensor_format format,
                       int threads)
{
    struct outputs outs = { .no_sync = true };

    bench_must(outputs_add(&outs, path, &dg));
    bench_must(tensor_file_write(outs.v[0], what, format, threads, &dg));
    bench_must(outputs_commit(&outs, &dg));
    outputs_close(&outs);
}

static void json_format(int threads) { write_file(&t, "/dev/null", FORMAT_JSON, threads); }
static void fortran_order(int threads) { write_file(&fortran, "/dev/null", FORMAT_RAW, threads); }

static void fortran_write(int threads)
{
    unlink(out_path); /* replacing a file takes long itself */
    write_file(&fortran, out_path, FORMAT_NPY, threads);
}

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

static const struct job {
    const char *name;
    void (*run)(int threads);
} jobs[] = {
    { "JSON to /dev/null", json_format }, { "statistics, histogram", stats_memory },
    { "statistics, mapped", stats_file }, { "compare, equal", compare_equal },
    { "compare, tolerance", compare_near }, { "convert to FLOAT64", cast_wide },
    { "convert to INT8", cast_int8 }, { "convert swapped", swap },
    { "Fortran order, file", fortran_write }, { "Fortran to /dev/null", fortran_order },
};

static int threads_now;

static void run_job(void *context) { ((const struct job *)context)->run(threads_now); }

int main(int argc, char **argv)
{
    char folder[FOLDER_PATH];

    bench_begin(argc, argv, "data", 5);
    if (!mkdtemp(folder_template(folder, "bench")))
        return ST_SYSTEM;
    snprintf(npy_path, sizeof npy_path, "%s/x.npy", folder);
    snprintf(out_path, sizeof out_path, "%s/y", folder);
    dg.err = stderr;
    make_tensors();
    write_file(&t, npy_path, FORMAT_NPY, 1);
    for (size_t i = 0; i < ARRAY_LEN(jobs); i++)
        for (threads_now = 0; (threads_now = bench_threads_next(threads_now)) > 0;) {
            struct bench_case c = { .type = "FLOAT32",
                                    .shape = "{5000,1000}",
                                    .what = jobs[i].name,
                                    .threads = threads_now,
                                    .run = run_job,
                                    .work = (double)count * 4,
                                    .unit = "GB/s",
                                    .context = (void *)(uintptr_t)&jobs[i] };

            if (bench_wants(&c))
                bench_measure(&c);
        }
    unlink(npy_path);
    unlink(out_path);
    rmdir(folder);
    free(wide);
    free(near.data);
    free(t.data);
    return bench_end();
}
