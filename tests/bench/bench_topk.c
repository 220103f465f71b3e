/* topk against the rate at which memory can be read: each case alternates a plain read of its input
 * with a run of the operator, by the same number of threads. GB/s of input, and the ratio to
 * reading. Options: bench.h. */

#include "bench.h"

#include "base/mem.h"
#include "kernel/topk_oracle.h"
#include "op/op.h"
#include "reading.h"

static const struct topk_shape {
    const char *name;
    uint64_t outer, n, inner; /* the axis is the middle one */
    enum dtype type;
    uint64_t k[6];
} shapes[] = {
    { "{1,10000000}", 1, 10000000, 1, DT_FLOAT32, { 1, 10, 100, 1000, 100000, 10000000 } },
    { "{1000,10000}", 1000, 10000, 1, DT_FLOAT32, { 10, 100 } },
    { "{10000,1000}", 10000, 1000, 1, DT_FLOAT32, { 10, 100 } },
    { "{10000,1000} axis 0", 1, 10000, 1000, DT_FLOAT32, { 10 } },
    { "{10000,2000} axis 0", 1, 10000, 2000, DT_FLOAT32, { 10 } },
    { "{10000,4000} axis 0", 1, 10000, 4000, DT_FLOAT32, { 10 } },
    { "{100000,100} axis 0", 1, 100000, 100, DT_FLOAT32, { 10 } },
    { "{1000,40000} axis 0", 1, 1000, 40000, DT_FLOAT32, { 1, 10 } },
    { "{400,80000} axis 0", 1, 400, 80000, DT_FLOAT32, { 1 } },
    { "{512,128000}", 512, 128000, 1, DT_FLOAT32, { 50 } },
    { "{1,10000000}", 1, 10000000, 1, DT_INT8, { 100 } },
    { "{1,10000000}", 1, 10000000, 1, DT_FLOAT16, { 100 } },
    { "{1,10000000}", 1, 10000000, 1, DT_FLOAT64, { 100 } },
    { "{1,10000000}", 1, 10000000, 1, DT_INT64, { 100 } },
};

static const enum oracle_pattern patterns[] = { PATTERN_UNIFORM, PATTERN_ASCENDING,
                                                PATTERN_DESCENDING, PATTERN_EQUAL };

struct job {
    struct op_plan *plan;
    struct reading reading;
};

static void run_reading(void *context) { reading_run(&((struct job *)context)->reading); }

static void run(void *context) { op_plan_run(((struct job *)context)->plan); }

static void measure(struct bench_case *c, const struct topk_shape *shape, uint64_t k, void *data,
                    const struct bench_options *o)
{
    uint64_t count = shape->outer * k * shape->inner;
    struct tensor in = { .type = shape->type,
                         .rank = 3,
                         .sizes = { shape->outer, shape->n, shape->inner },
                         .data = data };
    struct tensor values = in, indices = in, *t[SLOT_COUNT] = { &in, &values, &indices };
    struct desc d = { .op = OP_TOP_K1, .axis = 1, .k = k, .direction = AXIS_DECREASING };
    struct op_exec exec = { .threads = c->threads, .kernel = o->kernel, .prefetch = o->prefetch };
    struct diag dg = { .err = stderr, .command = "bench_topk" };
    struct job w = { .reading = { .data = data, .threads = c->threads } };

    values.sizes[1] = indices.sizes[1] = k;
    indices.type = DT_UINT32;
    values.data = bench_must_have(mem_alloc_aligned(count, dtype_size(shape->type)));
    indices.data = bench_must_have(mem_alloc_aligned(count, sizeof(uint32_t)));
    for (int i = 0; i < 3; i++)
        tensor_pack_strides(3, t[i]->sizes, t[i]->strides);
    bench_must(op_plan_new(&w.plan, &d, t, &exec, &dg));
    w.reading.bytes = (size_t)(shape->outer * shape->n * shape->inner) * dtype_size(shape->type);
    c->kernel = w.plan->kernel;
    c->work = c->yardstick_work = (double)w.reading.bytes;
    c->context = &w;
    bench_measure(c);
    op_plan_free(w.plan);
    free(values.data);
    free(indices.data);
}

static void *elements(const struct topk_shape *shape, enum oracle_pattern pattern)
{
    size_t count = (size_t)(shape->outer * shape->n * shape->inner);
    uint64_t rng = 1; /* the same data in every run */
    void *data = bench_must_have(mem_alloc_aligned(count, dtype_size(shape->type)));

    oracle_fill(shape->type, pattern, data, count, &rng);
    return data;
}

/* One order of the elements, for each K. */
static void bench(const struct topk_shape *shape, enum oracle_pattern pattern,
                  const struct bench_options *o)
{
    void *data = NULL;

    for (size_t i = 0; i < ARRAY_LEN(shape->k) && shape->k[i]; i++)
        for (int threads = 0; (threads = bench_threads_next(threads)) > 0;) {
            char what[60];
            struct bench_case c = { .type = dtype_name(shape->type),
                                    .shape = shape->name,
                                    .what = what,
                                    .threads = threads,
                                    .run = run,
                                    .unit = "GB/s",
                                    .yardstick = "reading",
                                    .yardstick_run = run_reading };

            snprintf(what, sizeof what, "k=%llu %s", (unsigned long long)shape->k[i],
                     oracle_pattern_name(pattern));
            if (!bench_wants(&c))
                continue;
            if (!data)
                data = elements(shape, pattern);
            measure(&c, shape, shape->k[i], data, o);
        }
    free(data);
}

int main(int argc, char **argv)
{
    const struct bench_options *o = bench_begin(argc, argv, "topk", 15);

    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        for (size_t j = 0; j < ARRAY_LEN(patterns); j++)
            bench(&shapes[i], patterns[j], o);
    return bench_end();
}
