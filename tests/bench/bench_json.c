/*
 * JSON tensors: MB of text a second, written and read by one thread, medians of rounds. Values are random: of a normal
 * kind for floats, over the whole range for integers. `bench_json [-r ROUNDS] [TEXT]` runs the types whose line holds TEXT.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/tensor_file.h"
#include "kernel/random.h"

enum { ROUNDS_MAX = 101, ROWS = 2000, COLUMNS = 1000 };

static uint64_t rng = 1; /* the same data in every run */

static void fill(enum dtype type, unsigned char *p)
{
    size_t size = dtype_size(type);

    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++, p += size) {
        uint64_t bits = random_next(&rng);
        double d = ((double)(bits >> 11) / 9007199254740992.0 - 0.5) * 6;
        float f = (float)d;
        uint16_t half = half_from_double(d);

        memcpy(p, type == DT_FLOAT64 ? (void *)&d : type == DT_FLOAT32 ? (void *)&f
                  : type == DT_FLOAT16 ? (void *)&half : (void *)&bits, size);
    }
}

static int by_time(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double median(uint64_t *times, int n)
{
    qsort(times, (size_t)n, sizeof times[0], by_time);
    return (double)times[n / 2];
}

static void must(enum status st)
{
    if (st)
        exit((int)st);
}

static void write_text(const struct tensor *t, const char *path, struct diag *dg)
{
    struct outputs outs = { .no_sync = true };

    must(outputs_add(&outs, path, dg));
    must(tensor_file_write(&outs, 0, t, FORMAT_JSON, dg));
    must(outputs_commit(&outs, dg));
    outputs_close(&outs);
}

static void bench(enum dtype type, const char *path, int rounds, void *data)
{
    struct diag dg = { .err = stderr, .command = "bench_json" };
    struct tensor t = { .type = type, .rank = 2, .sizes = { ROWS, COLUMNS }, .data = data };
    uint64_t writes[ROUNDS_MAX], reads[ROUNDS_MAX];
    struct stat st;

    fill(type, data);
    tensor_pack_strides(t.rank, t.sizes, t.strides);
    for (int i = -1; i < rounds; i++) { /* one untimed */
        struct tensor_file f;
        uint64_t start = clock_ns();

        write_text(&t, path, &dg);
        writes[i < 0 ? 0 : i] = clock_ns() - start;
        start = clock_ns();
        must(tensor_file_read(&f, path, DT_NONE, &dg));
        reads[i < 0 ? 0 : i] = clock_ns() - start;
        tensor_file_close(&f);
    }
    if (stat(path, &st) != 0)
        exit(4);
    printf("%-8s %6.1f MB  write %6.0f MB/s  read %6.0f MB/s\n", dtype_name(type), (double)st.st_size / 1e6,
           (double)st.st_size * 1e3 / median(writes, rounds), (double)st.st_size * 1e3 / median(reads, rounds));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/bench-json-XXXXXX", path[64];
    void *data = malloc((size_t)ROWS * COLUMNS * 8);
    int option, rounds = 5;

    while ((option = getopt(argc, argv, "r:")) != -1)
        if (option == 'r')
            rounds = atoi(optarg);
        else
            return 2;
    if (rounds < 1 || rounds > ROUNDS_MAX || !data || !mkdtemp(folder))
        return 2;
    snprintf(path, sizeof path, "%s/x.json", folder);
    for (int type = DT_NONE + 1; type < DT_COUNT; type++)
        if (optind == argc || strstr(dtype_name((enum dtype)type), argv[optind]))
            bench((enum dtype)type, path, rounds, data);
    unlink(path);
    rmdir(folder);
    free(data);
    return 0;
}
