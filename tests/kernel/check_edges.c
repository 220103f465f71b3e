/*
 * Runs slices, topk's and products whose sizes are at the edges of blocks, with 1 to 16 threads,
 * and compares every kernel with the reference kernel on one thread. First all widths near a
 * multiple of a strip of topk, for some numbers of rows and some K, what is divided for some data
 * alone, and products of few rows; then random cases.
 * `check_edges [--seed SEED] [--seconds SECONDS | --all]`; SECONDS replaces the number of random
 * cases; --all tries all rows and all K. A case that crashes is printed, too.
 */
#include <signal.h>

#include "base/parallel.h"
#include "base/str.h"
#include "check.h"
#include "kernel/cpu.h"
#include "kernel/qmatmul/qmatmul.h"
#include "kernel/slice/slice.h"
#include "kernel/topk/topk.h"
#include "op/op.h"
#include "op/topk/topk_plan.h"
#include "topk_oracle.h"

enum {
    THREADS_MOST = 16,
    K_MOST = 16,
    ROWS_LEAST = 32, /* of strips: 32 to 320 */
    ROWS_MOST = 320,
    STRIPS_MOST = 7,
    DENSE_ROWS = 64 + TOPK_TILE_ROWS,
    CASES = 1200,
};

/* An operator, its tensors, and the pages of its outputs as the reference kernel fills them. */
struct problem {
    struct desc d;
    struct check_tensor t[SLOT_COUNT]; /* one that is not present has no memory */
    char *want[SLOT_COUNT];            /* of the outputs */
};

/* The case that runs, for a message if it crashes. */
static struct str running;

static void describe(const struct problem *p, const char *kernel, int threads, int real)
{
    static const char *const names[OP_COUNT] = {
        [OP_SLICE1] = "slice", [OP_TOP_K1] = "topk", [OP_QMATMUL] = "qmatmul"
    };

    running.len = 0;
    str_printf(&running, "%s, %s, %d threads of %d started", names[p->d.op], kernel, threads, real);
    if (p->d.op == OP_TOP_K1)
        str_printf(&running, ", axis %u, K %u, %s%s", (unsigned)p->d.axis, (unsigned)p->d.k,
                   p->d.direction == AXIS_DECREASING ? "largest" : "smallest",
                   p->d.nan_last ? ", NaN last" : "");
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
        const struct tensor *t = &p->t[slot].t;

        if (!p->t[slot].g.base)
            continue;
        str_printf(&running, "; %s", dtype_name(t->type));
        for (unsigned i = 0; i < t->rank; i++)
            str_printf(&running, " %llu", (unsigned long long)t->sizes[i]);
    }
}

static void report_crash(int number)
{
    fprintf(stderr, "check_edges: signal %d: %s (seed %llu)\n", number, running.s,
            (unsigned long long)check.seed);
    signal(number, SIG_DFL);
    raise(number);
}

/* Sanitizers have reports of their own. */
static void report_crashes(void)
{
    static const int numbers[] = { SIGSEGV, SIGABRT, SIGFPE, SIGILL };

    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        void (*before)(int) = signal(numbers[i], report_crash);

        if (before != SIG_DFL)
            signal(numbers[i], before);
    }
}

static bool is_output(const struct problem *p, unsigned slot)
{
    return p->d.op == OP_QMATMUL ? slot == SLOT_C : slot != SLOT_IN && p->t[slot].g.base;
}

static void run_plan(void *plan) { op_plan_run(plan); }

/* Plans for `threads`, and runs on at most `real`. False without a plan. */
static bool run(struct problem *p, const char *kernel, int threads, int real)
{
    struct op_exec exec = { .threads = threads, .kernel = kernel };
    struct tensor *t[SLOT_COUNT];
    struct diag dg = { .err = stderr };
    struct op_plan *plan;

    describe(p, kernel, threads, real);
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
        t[slot] = p->t[slot].g.base ? &p->t[slot].t : NULL;
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
        if (is_output(p, slot))
            memset(p->t[slot].g.base, 0xa5, p->t[slot].g.bytes);
    if (op_plan_new(&plan, &p->d, t, &exec, &dg) != ST_OK)
        return false;
    parallel_region(real, run_plan, plan);
    op_plan_free(plan);
    return true;
}

/* Computes the wanted results. */
static void want(struct problem *p)
{
    if (!run(p, "reference", 1, 1)) {
        check_fail("no plan: %s", running.s);
        exit(check_end());
    }
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
        if (is_output(p, slot)) {
            p->want[slot] = check_alloc(p->t[slot].g.bytes);
            memcpy(p->want[slot], p->t[slot].g.base, p->t[slot].g.bytes);
        }
}

/* Compares one run with what is wanted. */
static void compare(struct problem *p, const char *kernel, int threads, int real)
{
    bool same = run(p, kernel, threads, real);

    for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
        if (is_output(p, slot))
            same = same && memcmp(p->want[slot], p->t[slot].g.base, p->t[slot].g.bytes) == 0;
    if (same)
        check.passed++;
    else
        check_fail("other bytes, or no plan: %s", running.s);
}

static void problem_free(struct problem *p)
{
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
        if (p->t[slot].g.base)
            guarded_free(&p->t[slot].g);
        free(p->want[slot]);
    }
}

/* The name of kernel `row` of the operator's table: NULL beyond its end, "" if it cannot run here.
 */
static const char *kernel_name(enum op op, unsigned row)
{
    const struct kernel_row *k =
        op == OP_QMATMUL  ? (row < qmm_kernel_count ? &qmm_kernels[row].row : NULL)
        : op == OP_SLICE1 ? (row < slice_kernel_count ? &slice_kernels[row].row : NULL)
                          : (row < topk_kernel_count ? &topk_kernels[row].row : NULL);

    return !k ? NULL : cpu_has(k->needs) ? k->name : "";
}

/* Runs every kernel with five numbers of threads, sometimes of that many real ones. */
static void check_problem(struct problem *p)
{
    const char *kernel;

    want(p);
    for (unsigned row = 0; (kernel = kernel_name(p->d.op, row)); row++)
        for (int times = 0; *kernel && times < 5; times++) {
            int threads = (int)(times < 4 ? check_between(1, 8) : check_between(9, THREADS_MOST));

            compare(p, kernel, threads, check_below(8) ? 1 : threads);
        }
    problem_free(p);
}

/* A size near a multiple of a power of two, or any small one. */
static uint64_t draw_size(uint64_t most)
{
    uint64_t unit = UINT64_C(1) << check_between(3, 10);
    int64_t size;

    if (check_below(4) == 0)
        return 1 + check_below(u64_min(most, 70));
    size = (int64_t)(unit * (1 + check_below(u64_max(1, most / unit)))) + check_between(-2, 2);
    return u64_min(most, (uint64_t)(size < 1 ? 1 : size));
}

/* Sizes of at most so many elements, the last axis drawn first or last. */
static unsigned draw_sizes(uint64_t *sizes)
{
    unsigned rank = (unsigned)check_between(1, 4), first = (unsigned)check_below(rank);
    uint64_t left = UINT64_C(1) << (check_below(50) ? check_between(8, 17) : 20);

    for (unsigned i = 0; i < rank; i++) {
        uint64_t *size = &sizes[(first + i) % rank];

        *size = draw_size(u64_max(left, 1));
        left /= *size;
    }
    return rank;
}

static enum layout draw_layout(void)
{
    return check_below(6) ? LAYOUT_ROW_MAJOR : check_below(2) ? LAYOUT_COLUMN_MAJOR : LAYOUT_RANDOM;
}

/* The input; pages of tensors that are drawn later are not affected. */
static void add_input(struct problem *p, enum dtype type, unsigned rank, const uint64_t *sizes,
                      enum layout layout)
{
    struct check_tensor *in = &p->t[SLOT_IN];

    *in = check_tensor_new(type, rank, sizes, layout, 0);
    oracle_fill(type, (enum oracle_pattern)check_below(PATTERN_COUNT), in->g.base,
                in->g.bytes / dtype_size(type), &check.rng);
    if (layout == LAYOUT_RANDOM)
        in->t.swapped = check_below(2);
}

static enum dtype draw_type(void) { return (enum dtype)check_between(DT_NONE + 1, DT_COUNT - 1); }

static struct problem topk_new(enum dtype type, unsigned rank, const uint64_t *sizes, unsigned axis,
                               uint64_t k, enum layout layout)
{
    struct problem p = { .d = { .op = OP_TOP_K1, .axis = axis, .k = k } };
    uint64_t out[DML_MAX_RANK];

    memcpy(out, sizes, rank * sizeof out[0]);
    out[axis] = k;
    p.d.direction = check_below(5) < 2 ? AXIS_INCREASING : AXIS_DECREASING;
    p.d.nan_last = check_below(4) == 0;
    add_input(&p, type, rank, sizes, layout);
    p.t[SLOT_VALUES] = check_tensor_new(type, rank, out, layout, 0);
    p.t[SLOT_INDICES] =
        check_tensor_new(check_below(2) ? DT_UINT32 : DT_UINT64, rank, out, layout, 0);
    return p;
}

static void random_topk(void)
{
    uint64_t sizes[DML_MAX_RANK], ks[] = { 1, 2, 3, 8, 10, 16, 17, 100, 0, 0 };
    unsigned rank = draw_sizes(sizes), axis = (unsigned)check_below(rank);
    struct problem p;
    uint64_t n;

    if (check_below(5) < 3 && rank > 1) /* rows read in place are where most blocks are */
        axis = (unsigned)check_below(rank - 1);
    n = ks[8] = sizes[axis];
    ks[9] = u64_max(1, n / 2);
    p = topk_new(draw_type(), rank, sizes, axis, u64_min(n, ks[check_below(ARRAY_LEN(ks))]),
                 draw_layout());
    check_problem(&p);
}

static void random_slice(void)
{
    static const int64_t steps[] = { 1, 1, 2, 3, 7, -1, -2 };
    struct problem p = { .d = { .op = OP_SLICE1 } };
    uint64_t sizes[DML_MAX_RANK], out[DML_MAX_RANK];
    unsigned rank = draw_sizes(sizes);
    enum dtype type = draw_type();

    for (unsigned i = 0; i < rank; i++) {
        uint64_t a = check_below(sizes[i]), b = check_below(sizes[i]);

        p.d.strides[i] = steps[check_below(ARRAY_LEN(steps))];
        p.d.offsets[i] = u64_min(a, b);
        p.d.sizes[i] = u64_max(a, b) + 1 - p.d.offsets[i];
        out[i] = 1 + (p.d.sizes[i] - 1) / (uint64_t)llabs(p.d.strides[i]);
    }
    add_input(&p, type, rank, sizes, draw_layout());
    p.t[SLOT_OUT] = check_tensor_new(type, rank, out, draw_layout(), 0);
    check_problem(&p);
}

static void add_matrix(struct problem *p, unsigned slot, enum dtype type, uint64_t rows,
                       uint64_t columns)
{
    p->t[slot] = check_tensor_new(type, 2, (uint64_t[]){ rows, columns }, draw_layout(), 0);
    check_fill(p->t[slot].g.base, p->t[slot].g.bytes);
    if (type == DT_FLOAT32) /* scales that bring many sums into the output's range */
        for (size_t i = 0; i < p->t[slot].g.bytes / sizeof(float); i++)
            ((float *)(void *)p->t[slot].g.base)[i] = check_float_between(-2, 2);
}

static struct problem product_new(uint64_t m, uint64_t k, uint64_t n)
{
    struct problem p = { .d = { .op = OP_QMATMUL } };
    enum dtype a = check_below(2) ? DT_INT8 : DT_UINT8, b = check_below(2) ? DT_INT8 : DT_UINT8;
    enum dtype c = check_below(2) ? DT_INT8 : DT_UINT8;

    add_matrix(&p, SLOT_A, a, m, k);
    add_matrix(&p, SLOT_B, b, k, n);
    add_matrix(&p, SLOT_C, c, m, n);
    add_matrix(&p, SLOT_A_SCALE, DT_FLOAT32, check_below(2) ? m : 1, 1);
    add_matrix(&p, SLOT_B_SCALE, DT_FLOAT32, 1, check_below(2) ? n : 1);
    add_matrix(&p, SLOT_C_SCALE, DT_FLOAT32, check_below(2) ? m : 1, 1);
    for (size_t i = 0; i < p.t[SLOT_C_SCALE].g.bytes / sizeof(float); i++)
        ((float *)(void *)p.t[SLOT_C_SCALE].g.base)[i] *= (float)(k * 64);
    if (check_below(2))
        add_matrix(&p, SLOT_A_ZERO, a, check_below(2) ? m : 1, 1);
    if (check_below(2))
        add_matrix(&p, SLOT_B_ZERO, b, 1, check_below(2) ? n : 1);
    if (check_below(2))
        add_matrix(&p, SLOT_C_ZERO, c, check_below(2) ? m : 1, 1);
    return p;
}

static void random_product(void)
{
    struct problem p =
        product_new(draw_size(check_below(3) ? 300 : 70), draw_size(300), draw_size(300));

    check_problem(&p);
}

/* Few rows by what is divided for them: strips of columns, blocks and ranges of K. */
static void check_few_rows(bool all)
{
    int step = all ? 1 : THREADS_MOST;

    for (uint64_t m = 2; m <= 66; m += all || m > 31 ? 1 + check_below(4) : 1 + check_below(16)) {
        uint64_t k = (UINT64_C(32) << check_below(6)) - 2 + check_below(5),
                 n = (UINT64_C(64) << check_below(6)) - 2 + check_below(5);
        struct problem p = product_new(m, k, n);
        const char *kernel;

        want(&p);
        for (unsigned row = 1; (kernel = kernel_name(OP_QMATMUL, row)); row++)
            for (int threads = (int)check_between(1, step); *kernel && threads <= THREADS_MOST;
                 threads += step)
                compare(&p, kernel, threads, 1);
        problem_free(&p);
    }
}

/* The first k rows of results for K_MOST are the results for k. */
static void check_strip(struct problem *most, uint64_t k, int threads)
{
    const char *kernel;
    struct problem p = *most;

    p.d.k = k;
    for (unsigned slot = SLOT_VALUES; slot <= SLOT_INDICES; slot++) {
        struct check_tensor *t = &p.t[slot];
        size_t bytes = k * t->t.sizes[1] * dtype_size(t->t.type);

        t->t.sizes[0] = k;
        t->g = guarded_new(bytes);
        t->t.data = t->g.base;
        p.want[slot] = check_alloc(t->g.bytes);
        memset(p.want[slot], 0xa5, t->g.bytes);
        memcpy(p.want[slot],
               most->want[slot] + ((char *)most->t[slot].t.data - most->t[slot].g.base), bytes);
    }
    for (unsigned row = 1; (kernel = kernel_name(OP_TOP_K1, row)); row++)
        if (*kernel)
            compare(&p, kernel, threads, 1);
    p.t[SLOT_IN].g.base = NULL; /* the caller's */
    problem_free(&p);
}

/* Columns that leave a last strip of any width, every number of threads, two K for each or all. */
static void check_columns(enum dtype type, uint64_t rows, uint64_t columns, bool all)
{
    struct problem p =
        topk_new(type, 2, (uint64_t[]){ rows, columns }, 0, K_MOST, LAYOUT_ROW_MAJOR);
    uint64_t step = all ? 1 : K_MOST / 2;

    want(&p);
    for (int threads = 1; threads <= THREADS_MOST; threads++)
        for (uint64_t k = 1 + check_below(step); k <= K_MOST; k += step)
            check_strip(&p, k, threads);
    problem_free(&p);
}

/* The number of columns of a strip. */
static uint64_t strip_of(enum dtype type) { return 256 / dtype_size(type); }

/* All numbers of columns around each multiple of a strip's. */
static void check_strips(uint64_t rows, bool all)
{
    enum dtype type = draw_type();

    for (uint64_t strips = 1; strips <= STRIPS_MOST; strips++)
        for (uint64_t i = 0; i < 5; i++)
            check_columns(type, rows, strips * strip_of(type) - 2 + i, all);
}

static void random_strips(void)
{
    enum dtype type = draw_type();

    check_columns(type, (uint64_t)check_between(ROWS_LEAST, ROWS_MOST),
                  (1 + check_below(STRIPS_MOST)) * strip_of(type) - 2 + check_below(5), false);
}

/* Compares all kernels on INT32 elements that `value` computes, with one number of threads or
 * every one. */
static void check_values(uint64_t rows, uint64_t columns, uint64_t k, bool all,
                         int32_t (*value)(uint64_t row, uint64_t column))
{
    int step = all ? 1 : THREADS_MOST;
    struct problem p = topk_new(DT_INT32, 2, (uint64_t[]){ rows, columns }, 0, k, LAYOUT_ROW_MAJOR);
    const char *kernel;

    p.d.direction = AXIS_DECREASING;
    for (uint64_t i = 0; i < rows * columns; i++)
        ((int32_t *)(void *)p.t[SLOT_IN].g.base)[i] = value(i / columns, i % columns);
    want(&p);
    for (unsigned row = 1; (kernel = kernel_name(OP_TOP_K1, row)); row++)
        for (int threads = (int)check_between(1, step); *kernel && threads <= THREADS_MOST;
             threads += step)
            compare(&p, kernel, threads, 1);
    problem_free(&p);
}

/* Twice the best come first, the second time after the rows that the first time has transposed. */
static int32_t best_first(uint64_t row, uint64_t column)
{
    uint64_t at = row < DENSE_ROWS ? row : row - DENSE_ROWS;
    int32_t least = row < DENSE_ROWS ? 1000 : 2000;

    return at < 200 ? least + (int32_t)(column - at) : (int32_t)check_below(500);
}

/* Better and better, so that thresholds come from rows far ahead. */
static int32_t rising(uint64_t row, uint64_t column)
{
    return (int32_t)(row + column + check_below(100));
}

/* Nearly all elements come last, so that selections begin without thresholds. */
static int32_t worst(uint64_t row, uint64_t column)
{
    return (row * 31 + column) % 1000 ? INT32_MIN : (int32_t)row;
}

static int32_t in_order(uint64_t row, uint64_t column) { return -(int32_t)(row + column) / 2; }

/* What is divided where the data ask for it: rows that are transposed or read ahead, entries in
 * order. */
static void check_divided(bool all)
{
    for (uint64_t i = 0; i < 5; i++) {
        for (uint64_t tiles = 1; tiles <= 3; tiles++) {
            uint64_t rows = tiles * TOPK_TILE_ROWS - 2 + i;

            check_values(rows + 64, 70, 100, all, best_first);
            check_values(rows + 128, 64, 65, all, best_first);
            check_values(rows, 70, 100, all, worst);
            check_values(3 * rows, 64, 600, all, worst);
        }
        check_values(10 * TOPK_TILE_ROWS - 2 + i, 40, 400, true, rising);
        for (uint64_t runs = 1; runs <= 2; runs++)
            check_values(runs * TOPK_LARGE - 2 + i, 1, runs * TOPK_LARGE - 2 + i, all, in_order);
    }
}

int main(int argc, char **argv)
{
    bool timed = argc > 2 && strcmp(argv[argc - 2], "--seconds") == 0;
    bool all = argc > 1 && strcmp(argv[argc - 1], "--all") == 0;
    uint64_t step = all ? 1 : random_all() ? 24 : timed ? 60 : 120;
    uint64_t end = clock_ns() + (timed ? strtoull(argv[argc - 1], NULL, 10) * 1000000000 : 0);

    check_begin("check_edges", argc - (timed ? 2 : all), argv);
    report_crashes();
    for (uint64_t rows = ROWS_LEAST; rows <= ROWS_MOST; rows += 1 + check_below(step))
        check_strips(rows, all);
    check_divided(all || timed);
    check_few_rows(all || timed);
    for (unsigned i = 0; timed ? clock_ns() < end : i < random_cases(CASES); i++) {
        uint64_t op = check_below(32);

        if (op < 1)
            random_strips();
        else if (op < 4)
            random_slice();
        else if (op < 8)
            random_product();
        else
            random_topk();
    }
    return check_end();
}
