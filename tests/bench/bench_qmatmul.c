/* qmatmul against the rate of the multiply-add instructions themselves: each case alternates a loop
 * of the kernel's own instruction on registers with a run of the operator, by the same number of
 * threads. Billions of multiply-adds a second, and the ratio to the loop (none but on x86). One row
 * of A multiplies each byte of B once: there the yardstick is the rate at which B is read. By
 * several threads the loop is disturbed more easily than the operator, which may come out faster.
 * Options: bench.h. */

#include "bench.h"

#include "base/mem.h"
#include "kernel/random.h"
#include "multiply_loops.h"
#include "op/op.h"
#include "reading.h"

static const struct qmatmul_shape {
    uint64_t batch, m, k, n;
} shapes[] = {
    { 1, 128, 128, 128 },   { 1, 512, 512, 512 },  { 1, 1024, 1024, 1024 }, { 1, 2048, 2048, 2048 },
    { 1, 1, 4096, 4096 },   { 1, 64, 768, 3072 },  { 1, 4096, 64, 4096 },   { 12, 128, 64, 128 },
    { 1, 2, 4096, 4096 },   { 1, 4, 4096, 4096 },  { 1, 8, 4096, 4096 },    { 1, 16, 4096, 4096 },
    { 1, 32, 4096, 4096 },  { 1, 64, 4096, 4096 }, { 1, 128, 4096, 4096 },  { 1, 16, 4096, 11008 },
    { 1, 16, 11008, 4096 }, { 1, 8, 256, 4096 },   { 1, 16, 768, 3072 },
};

static const struct {
    const char *name;
    enum dtype a, b;
} pairs[] = {
    { "u8*s8", DT_UINT8, DT_INT8 }, { "u8*u8", DT_UINT8, DT_UINT8 }, { "s8*s8", DT_INT8, DT_INT8 },
    { "s8*u8", DT_INT8, DT_UINT8 },
};

struct job {
    struct op_plan *plan;
    const struct multiply_loop *loop;
    int threads, sums[PARALLEL_MOST];
    struct reading b;
};

static void run(void *context) { op_plan_run(((struct job *)context)->plan); }

static void run_loop(void *context)
{
    struct job *w = context;

    parallel_for((size_t)w->threads, w->threads, w->loop->run, w->sums);
    __asm__ volatile("" : : "r"(w->sums) : "memory");
}

static void run_reading(void *context) { reading_run(&((struct job *)context)->b); }

static struct tensor matrices(enum dtype type, uint64_t batch, uint64_t rows, uint64_t columns)
{
    static uint64_t rng = 1; /* the same data in every run */
    struct tensor t = { .type = type, .rank = 4, .sizes = { 1, batch, rows, columns } };
    char *p = bench_must_have(mem_alloc_aligned(batch * rows * columns, 1));

    for (uint64_t i = 0; i < batch * rows * columns; i++)
        p[i] = (char)random_next(&rng);
    t.data = p;
    tensor_pack_strides(t.rank, t.sizes, t.strides);
    return t;
}

static void measure(struct bench_case *c, const struct qmatmul_shape *s, size_t pair,
                    const struct bench_options *o)
{
    float scales[] = { 0.02F, 0.01F, 0.5F };
    struct tensor scale = { .type = DT_FLOAT32, .rank = 1, .sizes = { 1 }, .strides = { 1 } };
    struct tensor a = matrices(pairs[pair].a, s->batch, s->m, s->k),
                  b = matrices(pairs[pair].b, s->batch, s->k, s->n);
    struct tensor out = matrices(DT_INT8, s->batch, s->m, s->n), sa = scale, sb = scale, sc = scale;
    struct tensor *t[SLOT_COUNT] = {
        [SLOT_A] = &a,        [SLOT_B] = &b,        [SLOT_C] = &out,
        [SLOT_A_SCALE] = &sa, [SLOT_B_SCALE] = &sb, [SLOT_C_SCALE] = &sc
    };
    struct desc d = { .op = OP_QMATMUL };
    struct diag dg = { .err = stderr, .command = "bench_qmatmul" };
    struct op_exec exec = { .threads = c->threads, .kernel = o->kernel, .prefetch = o->prefetch };
    struct job w = { .threads = c->threads,
                     .b = {
                         .data = b.data, .bytes = s->batch * s->k * s->n, .threads = c->threads } };

    sa.data = &scales[0];
    sb.data = &scales[1];
    sc.data = &scales[2];
    bench_must(op_plan_new(&w.plan, &d, t, &exec, &dg));
    c->kernel = w.plan->kernel;
    c->work = (double)w.plan->operations;
    c->context = &w;
    w.loop = multiply_loop_for(c->kernel);
    if (s->m == 1) {
        c->yardstick = "reading B";
        c->yardstick_run = run_reading;
        c->yardstick_work = c->work;
    } else if (w.loop) {
        c->yardstick = w.loop->instruction;
        c->yardstick_run = run_loop;
        c->yardstick_work = w.loop->multiply_adds * c->threads;
    }
    bench_measure(c);
    op_plan_free(w.plan);
    free(a.data);
    free(b.data);
    free(out.data);
}

static void bench(const struct qmatmul_shape *s, size_t pair, int threads,
                  const struct bench_options *o)
{
    struct bench_case c = {
        .type = pairs[pair].name, .what = "", .threads = threads, .run = run, .unit = "GMAC/s"
    };
    char shape[40];

    snprintf(shape, sizeof shape, "%llu x %llux%llux%llu", (unsigned long long)s->batch,
             (unsigned long long)s->m, (unsigned long long)s->k, (unsigned long long)s->n);
    c.shape = shape;
    if (bench_wants(&c))
        measure(&c, s, pair, o);
}

int main(int argc, char **argv)
{
    const struct bench_options *o = bench_begin(argc, argv, "qmatmul", 11);

    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        for (size_t pair = 0; pair < ARRAY_LEN(pairs); pair++)
            for (int threads = 0; (threads = bench_threads_next(threads)) > 0;)
                bench(&shapes[i], pair, threads, o);
    return bench_end();
}
