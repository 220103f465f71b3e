/* slice against memcpy: each case alternates a memcpy of as many bytes as the output has with a run
 * of the operator, by the same number of threads. GB/s of output, and the ratio to memcpy, once of
 * the output's bytes and once of those that memory moves: the cache lines that the slice touches,
 * of the source and of the output, which is contiguous. For both of memcpy's sides these are its
 * bytes. memcpy is a yardstick, no limit: a slice may be faster. Options: bench.h. */

#include "bench.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "op/op.h"

enum { PAGE = 4096 };

struct slice_shape {
    const char *name;
    unsigned rank;
    uint64_t sizes[4];
};

static const struct slice_shape shapes[] = {
    { "{64,64,128,128}", 4, { 64, 64, 128, 128 } },
    { "{8192,8192}", 2, { 8192, 8192 } },
};

/* What happens on the first axis, on the last and on those between. */
struct slicing {
    const char *name;
    int64_t first, middle, last; /* steps; 0: the whole axis except a margin of 1/8 on both sides */
    uint64_t offset;             /* on the last axis */
    bool fortran;
};

static const struct slicing slicings[] = {
    { "block", 0, 0, 0, 0, false },         { "axis 0 ::2", 2, 1, 1, 0, false },
    { "last axis ::2", 1, 1, 2, 0, false }, { "last axis 1::3", 1, 1, 3, 1, false },
    { "last axis ::4", 1, 1, 4, 0, false }, { "last axis ::-1", 1, 1, -1, 0, false },
    { "all ::-1", -1, -1, -1, 0, false },   { "Fortran order", 1, 1, 1, 0, true },
};

struct job {
    struct op_plan *plan;
    char *src, *dst;
    size_t bytes, chunk; /* of a copy, and of each call for it */
    int threads;
};

static void run(void *context) { op_plan_run(((struct job *)context)->plan); }

static void copy_chunk(void *context, size_t chunk, int thread)
{
    const struct job *w = context;
    size_t from = chunk * w->chunk;

    (void)thread;
    memcpy(w->dst + from, w->src + from, u64_min(w->chunk, w->bytes - from));
}

static void run_copy(void *context)
{
    struct job *w = context;

    parallel_for((size_t)u64_ceil_div(w->bytes, w->chunk), w->threads, copy_chunk, w);
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

/* Bytes of the source's cache lines that hold elements of the output. In both shapes, lines hold
 * elements that differ in the axis of step 1 alone. */
static double bytes_read(const struct tensor *in, const struct tensor *out, const struct desc *d,
                         size_t elem)
{
    uint64_t count, lines = 0, apart, last = UINT64_MAX;
    unsigned i = 0;

    while (in->strides[i] != 1)
        i++;
    apart = i64_magnitude(d->strides[i]);
    for (uint64_t k = 0; k < out->sizes[i]; k++) {
        uint64_t line = (d->offsets[i] + k * apart) * elem / CACHE_LINE;

        lines += line != last;
        last = line;
    }
    tensor_count(out->rank, out->sizes, &count);
    return (double)(count / out->sizes[i] * lines * CACHE_LINE);
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
        cut(d, out, i, in->sizes[i],
            i == 0              ? s->first
            : i + 1 == in->rank ? s->last
                                : s->middle,
            i + 1 == in->rank ? s->offset : 0);
    tensor_pack_strides(out->rank, out->sizes, out->strides);
}

static void measure(struct bench_case *c, const struct slice_shape *shape, const struct slicing *s,
                    enum dtype type, struct job *w, const struct bench_options *o)
{
    struct tensor in = { .type = type, .data = w->src }, out = { .type = type, .data = w->dst };
    struct tensor *t[SLOT_COUNT] = { [SLOT_IN] = &in, [SLOT_OUT] = &out };
    struct desc d = { .op = OP_SLICE1 };
    struct op_exec exec = { .threads = c->threads, .kernel = o->kernel, .prefetch = o->prefetch };
    struct diag dg = { .err = stderr, .command = "bench_slice" };
    uint64_t count;

    describe(shape, s, &in, &out, &d);
    tensor_count(out.rank, out.sizes, &count);
    bench_must(op_plan_new(&w->plan, &d, t, &exec, &dg));
    w->bytes = count * dtype_size(type);
    w->chunk = (size_t)u64_round_up(w->bytes / (size_t)c->threads, PAGE);
    w->threads = c->threads;
    c->kernel = w->plan->kernel;
    c->work = c->yardstick_work = (double)w->bytes;
    c->moved = c->work + bytes_read(&in, &out, &d, dtype_size(type));
    c->context = w;
    bench_measure(c);
    op_plan_free(w->plan);
}

/* Memory as dmlop allocates it, and NumPy: in large pages where there are such. */
static char *touched(size_t bytes, int value)
{
    return memset(bench_must_have(mem_alloc_aligned(bytes, 1)), value, bytes);
}

static void bench(enum dtype type, const struct slice_shape *shape, const struct slicing *s,
                  struct job *w, const struct bench_options *o)
{
    for (int threads = 0; (threads = bench_threads_next(threads)) > 0;) {
        struct bench_case c = { .type = dtype_name(type),
                                .shape = shape->name,
                                .what = s->name,
                                .threads = threads,
                                .run = run,
                                .unit = "GB/s",
                                .yardstick = "memcpy",
                                .yardstick_run = run_copy };

        if (!bench_wants(&c))
            continue;
        if (!w->src) {
            w->src = touched(((size_t)64 << 20) * dtype_size(type), 1); /* of both shapes */
            w->dst = touched(((size_t)64 << 20) * dtype_size(type), 2);
        }
        measure(&c, shape, s, type, w, o);
    }
}

int main(int argc, char **argv)
{
    static const enum dtype types[] = { DT_FLOAT32, DT_UINT8, DT_FLOAT16, DT_FLOAT64 };
    const struct bench_options *o = bench_begin(argc, argv, "slice", 9);

    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        struct job w = { 0 };

        for (size_t j = 0; j < ARRAY_LEN(shapes); j++)
            for (size_t k = 0; k < ARRAY_LEN(slicings); k++)
                bench(types[i], &shapes[j], &slicings[k], &w, o);
        free(w.src);
        free(w.dst);
    }
    return bench_end();
}
