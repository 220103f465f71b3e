/*
 * slice against memcpy. Every case alternates a memcpy of as many bytes as the output has with a
 * run of the operator and gives the medians: GB/s of output, and the ratio to memcpy by the same
 * number of threads, once of the output's bytes and once of those that are read plus written: all
 * lines of the source that the slice touches count as read.
 * `bench_slice [-k KERNEL] [-r ROUNDS] [TEXT]` runs the cases whose line holds TEXT.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/util.h"
#include "op/op.h"

enum { ROUNDS_MAX = 101, PAGE = 4096 };

struct slice_shape {
    const char *name;
    unsigned rank;
    uint64_t sizes[4];
};

static const struct slice_shape shapes[] = {
    { "{64,64,128,128}", 4, { 64, 64, 128, 128 } },
    { "{8192,8192}", 2, { 8192, 8192 } },
};

/* What happens on the first axis, on the last and on those between; share: of the source's bytes
 * that the lines of one output's element take up, at least. */
struct slicing {
    const char *name;
    int64_t first, middle, last; /* steps; 0: the whole axis except a margin of 1/8 on both sides */
    uint64_t offset;             /* on the last axis */
    bool fortran;
};

static const struct slicing slicings[] = {
    { "block", 0, 0, 0, 0, false },
    { "axis 0 half", 2, 1, 1, 0, false },
    { "last axis ::2", 1, 1, 2, 0, false },
    { "last axis 1::3", 1, 1, 3, 1, false },
    { "last axis ::4", 1, 1, 4, 0, false },
    { "last axis ::-1", 1, 1, -1, 0, false },
    { "all ::-1", -1, -1, -1, 0, false },
    { "Fortran order", 1, 1, 1, 0, true },
};

static const char *kernel = "auto", *wanted = "";
static int rounds = 9;

struct copying {
    char *dst;
    const char *src;
    size_t bytes, chunk;
};

static void copy_chunk(void *context, size_t chunk, int thread)
{
    const struct copying *c = context;
    size_t from = chunk * c->chunk;

    (void)thread;
    memcpy(c->dst + from, c->src + from, u64_min(c->chunk, c->bytes - from));
}

static uint64_t time_copy(char *dst, const char *src, size_t bytes, int threads)
{
    struct copying c = { dst, src, bytes, (size_t)u64_round_up(bytes / (size_t)threads, PAGE) };
    uint64_t start = clock_ns();

    parallel_for((size_t)u64_ceil_div(bytes, c.chunk), threads, copy_chunk, &c);
    return clock_ns() - start;
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

/* Window and output of one axis. */
static void cut(struct desc *d, struct tensor *out, unsigned i, uint64_t size, int64_t step,
                uint64_t offset)
{
    uint64_t margin = step == 0 ? size / 8 : 0, apart = step == 0 ? 1 : i64_magnitude(step);

    d->offsets[i] = margin + offset;
    d->sizes[i] = size - 2 * margin - offset;
    d->strides[i] = step == 0 ? 1 : step;
    out->sizes[i] = 1 + (d->sizes[i] - 1) / apart;
}

/* Bytes of the source's lines that hold elements of the output. */
static double bytes_read(const struct slicing *s, const struct tensor *out, size_t elem)
{
    uint64_t count, apart = s->last == 0 ? 1 : i64_magnitude(s->last);

    tensor_count(out->rank, out->sizes, &count);
    return (double)count * (double)u64_min(apart * elem, CACHE_LINE);
}

static void describe(const struct slice_shape *shape, const struct slicing *s, struct tensor *in,
                     struct tensor *out, struct desc *d)
{
    int64_t step = 1;

    in->rank = out->rank = shape->rank;
    memcpy(in->sizes, shape->sizes, sizeof shape->sizes);
    tensor_pack_strides(in->rank, in->sizes, in->strides);
    for (unsigned i = 0; s->fortran && i < in->rank; i++, step *= (int64_t)in->sizes[i - 1])
        in->strides[i] = step;
    for (unsigned i = 0; i < in->rank; i++)
        cut(d, out, i, in->sizes[i], i == 0 ? s->first : i + 1 == in->rank ? s->last : s->middle,
            i + 1 == in->rank ? s->offset : 0);
    tensor_pack_strides(out->rank, out->sizes, out->strides);
}

static void bench(const struct slice_shape *shape, const struct slicing *s, enum dtype type,
                  char *src, char *dst, int threads)
{
    struct tensor in = { .type = type, .data = src }, out = { .type = type, .data = dst };
    struct tensor *t[SLOT_COUNT] = { [SLOT_IN] = &in, [SLOT_OUT] = &out };
    struct desc d = { .op = OP_SLICE1 };
    struct op_exec exec = { .threads = threads, .kernel = kernel };
    struct diag dg = { .err = stderr, .command = "bench_slice" };
    uint64_t times[ROUNDS_MAX], copies[ROUNDS_MAX], count;
    size_t elem = dtype_size(type);
    struct op_plan *plan;
    double bytes, time, copy;
    char line[120];

    snprintf(line, sizeof line, "%-8s %-16s %-15s %d", dtype_name(type), shape->name, s->name,
             threads);
    if (!strstr(line, wanted))
        return;
    describe(shape, s, &in, &out, &d);
    tensor_count(out.rank, out.sizes, &count);
    bytes = (double)(count * elem);
    if (op_plan_new(&plan, &d, t, &exec, &dg))
        exit(2);
    for (int i = -1; i < rounds; i++) { /* one untimed */
        uint64_t start;

        copies[i < 0 ? 0 : i] = time_copy(dst, src, count * elem, threads);
        start = clock_ns();
        op_plan_run(plan);
        times[i < 0 ? 0 : i] = clock_ns() - start;
    }
    time = median(times, rounds);
    copy = median(copies, rounds);
    printf("%s  %7.2f GB/s  %5.2f of memcpy  %5.2f by bytes read and written\n", line, bytes / time,
           copy / time, copy / time * (bytes + bytes_read(s, &out, elem)) / (2 * bytes));
    fflush(stdout);
    op_plan_free(plan);
}

/* Memory as dmlop allocates it, and NumPy: in large pages where there are such. */
static char *touched(size_t bytes, int value)
{
    char *p = mem_alloc_aligned(bytes, 1);

    if (!p) {
        fputs("bench_slice: memory is short\n", stderr);
        exit(4);
    }
    return memset(p, value, bytes);
}

int main(int argc, char **argv)
{
    static const enum dtype types[] = { DT_FLOAT32, DT_UINT8, DT_FLOAT16, DT_FLOAT64 };
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
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        size_t bytes = ((size_t)64 << 20) * dtype_size(types[i]); /* of both shapes */
        char *src = touched(bytes, 1), *dst = touched(bytes, 2);

        for (size_t j = 0; j < ARRAY_LEN(shapes); j++)
            for (size_t k = 0; k < ARRAY_LEN(slicings); k++)
                for (int threads = 1; threads <= 2; threads++)
                    bench(&shapes[j], &slicings[k], types[i], src, dst, threads);
        free(src);
        free(dst);
    }
    return 0;
}
