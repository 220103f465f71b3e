/*
 * Compares topk, the operator, with a sort that shares nothing with it: random shapes at the edges
 * of blocks, types, layouts, axes, K, directions and numbers of threads, every kernel, half of the
 * cases with data that are bad for samples and limits (topk_recipes.h).
 * `check_topk_cases [--seed SEED] [--cases CASES]`. Case i of a run is case 0 of seed SEED + i, and
 * a failure names that seed. A case that crashes is printed, too.
 */
#include <signal.h>

#include "base/parallel.h"
#include "base/str.h"
#include "check.h"
#include "kernel/cpu.h"
#include "kernel/topk/topk.h"
#include "op/op.h"
#include "topk_recipes.h"

enum { CASES = 2000, RUNS = 2 /* of each kernel */ };

struct problem {
    struct desc d;
    struct check_tensor in, out[2]; /* values, indices */
    char *want[2];                  /* what the pages of out must hold */
    char what[200];                 /* the data */
};

/* ---- the oracle: values are compared as numbers, and sorted with their indices ---- */

struct entry {
    long double value; /* of any type, exactly */
    uint64_t index;
};

static bool largest, nan_last; /* for by_order */

static int by_order(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = isnan(x->value) || isnan(y->value) ? !!isnan(x->value) - !!isnan(y->value)
                                                   : (x->value > y->value) - (x->value < y->value);

    if (largest && !(nan_last && (isnan(x->value) || isnan(y->value))))
        order = -order;
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* The number that the bits of an element are. */
static long double number_of(enum dtype type, uint64_t bits)
{
    float f;
    double d;
    uint32_t low = (uint32_t)bits;
    int exponent = (int)(bits >> 10 & 31), mantissa = (int)(bits & 1023);

    switch (type) {
    case DT_FLOAT64: memcpy(&d, &bits, 8); return (long double)d;
    case DT_FLOAT32: memcpy(&f, &low, 4); return (long double)f;
    case DT_FLOAT16:
        d = exponent == 31  ? (mantissa ? (double)NAN : (double)INFINITY)
            : exponent == 0 ? ldexp(mantissa, -24)
                            : ldexp(mantissa + 1024, exponent - 25);
        return (long double)(bits >> 15 & 1 ? -d : d);
    case DT_INT8: return (int8_t)bits;
    case DT_INT16: return (int16_t)bits;
    case DT_INT32: return (int32_t)bits;
    case DT_INT64: return (long double)(int64_t)bits;
    default: return (long double)bits;
    }
}

/* An element's bits; swapped: the high byte is first. */
static uint64_t bits_at(const char *p, size_t size, bool swapped)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)(unsigned char)p[i] << 8 * (swapped ? size - 1 - i : i);
    return bits;
}

static void put_bits(char *p, size_t size, uint64_t bits)
{
    for (size_t i = 0; i < size; i++)
        p[i] = (char)(bits >> 8 * i);
}

/* The offset in bytes of a sequence, by its coordinates other than the axis. */
static int64_t offset_of(const struct tensor *t, unsigned axis, const uint64_t *at)
{
    int64_t offset = 0;

    for (unsigned i = 0; i < t->rank; i++)
        offset += i == axis ? 0 : (int64_t)at[i] * t->strides[i];
    return offset * (int64_t)dtype_size(t->type);
}

/* Where an output's element is among what is wanted. */
static char *want_at(const struct problem *p, unsigned out, const uint64_t *at, uint64_t rank)
{
    const struct tensor *t = &p->out[out].t;

    return p->want[out] + ((char *)t->data - p->out[out].g.base) +
           offset_of(t, (unsigned)p->d.axis, at) +
           (int64_t)rank * t->strides[p->d.axis] * (int64_t)dtype_size(t->type);
}

/* Sorts a sequence and writes the first k elements to what is wanted. */
static void expect_sequence(struct problem *p, const uint64_t *at, struct entry *entries)
{
    const struct tensor *in = &p->in.t;
    size_t size = dtype_size(in->type);
    const char *first = (const char *)in->data + offset_of(in, (unsigned)p->d.axis, at);
    int64_t step = in->strides[p->d.axis] * (int64_t)size;
    uint64_t n = in->sizes[p->d.axis];

    for (uint64_t i = 0; i < n; i++)
        entries[i] = (struct entry){
            number_of(in->type, bits_at(first + (int64_t)i * step, size, in->swapped)), i
        };
    qsort(entries, n, sizeof entries[0], by_order);
    for (uint64_t i = 0; i < p->d.k; i++) {
        const char *element = first + (int64_t)entries[i].index * step;

        put_bits(want_at(p, 0, at, i), size, bits_at(element, size, in->swapped));
        put_bits(want_at(p, 1, at, i), dtype_size(p->out[1].t.type), entries[i].index);
    }
}

static void expect(struct problem *p)
{
    const struct tensor *in = &p->in.t;
    struct entry *entries = check_alloc(in->sizes[p->d.axis] * sizeof entries[0]);
    uint64_t at[DML_MAX_RANK] = { 0 };
    unsigned i = 0;

    largest = p->d.direction == AXIS_DECREASING;
    nan_last = p->d.nan_last;
    for (unsigned out = 0; out < 2; out++) {
        p->want[out] = check_alloc(p->out[out].g.bytes);
        memset(p->want[out], 0xa5, p->out[out].g.bytes);
    }
    while (i < in->rank) {
        expect_sequence(p, at, entries);
        for (i = 0; i < in->rank; at[i++] = 0) /* the next coordinates, or the end */
            if (i != p->d.axis && ++at[i] < in->sizes[i])
                break;
    }
    free(entries);
}

/* ---- what is drawn ---- */

/* A size near a multiple of what the code divides, or any small one. */
static uint64_t draw_size(uint64_t most)
{
    static const uint64_t units[] = { 16, 64, 64, 512, 4096 };
    uint64_t unit = units[check_below(ARRAY_LEN(units))], size = 1 + check_below(70);

    if (unit <= most && check_below(4))
        size = unit * (1 + check_below(most / unit)) + check_below(5) - 2;
    return u64_max(1, u64_min(size, most));
}

/* K of which ways differ: the best kept in order, a limit that pays, parts shorter than 2 K. */
static uint64_t draw_k(uint64_t n)
{
    double root = sqrt((double)n / 4 + 2) - 2; /* K + 4 sqrt K + 2 = n / 4 */
    uint64_t any = 1 + check_below(n), pays = root > 1 ? (uint64_t)(root * root) : 1;
    const uint64_t ks[] = { 1,    2,  3,     8,     10,    11,    12,     13,
                            16,   17, 50,    100,   300,   1000,  any,    any,
                            pays, n,  n - 1, n / 2, n / 4, n / 8, n / 16, n / 32 };
    uint64_t k = ks[check_below(ARRAY_LEN(ks))];

    k += k == pays ? check_below(5) - 2 : 0;
    return k - 1 < n ? k : 1;
}

/* Elements of any bits, or of few special values. */
static void fill_bits(enum dtype type, char *data, uint64_t count)
{
    unsigned bits = 8 * (unsigned)dtype_size(type), mantissa = bits == 16   ? 10
                                                               : bits == 32 ? 23
                                                                            : 52;
    uint64_t sign = UINT64_C(1) << (bits - 1), infinity = (sign - 1) >> mantissa << mantissa;
    uint64_t special[] = { 0,
                           sign,
                           1,
                           sign | 1,
                           sign - 1,
                           infinity,
                           sign | infinity,
                           infinity + 1,
                           infinity - 1,
                           ~UINT64_C(0),
                           check_random() };
    uint64_t among = check_below(3) ? ARRAY_LEN(special) : 0, rare = check_below(2) ? 1 : 300;

    for (uint64_t i = 0; i < count; i++)
        put_bits(data + i * (bits / 8), bits / 8,
                 among && check_below(rare) == 0 ? special[check_below(among)] : check_random());
}

static void fill(struct problem *p, const uint64_t sizes[3], bool contiguous)
{
    struct check_tensor *in = &p->in;
    size_t size = dtype_size(in->t.type);
    uint64_t count = in->g.bytes / size;
    struct recipe r = { .seed = 1 };

    if (check_below(2)) {
        strcpy(p->what, "any bits");
        fill_bits(in->t.type, in->g.base, count);
    } else {
        for (unsigned i = 0; i < RECIPE_PARTS; i++)
            recipe_draw(&r, i, &check.rng);
        recipe_text(&r, p->what, sizeof p->what);
        recipe_fill(&r, in->t.type, contiguous ? sizes : (uint64_t[]){ 1, count, 1 },
                    contiguous ? in->t.data : in->g.base);
    }
    for (char *at = in->g.base; in->t.swapped && at + size <= in->g.base + in->g.bytes; at += size)
        put_bits(at, size, bits_at(at, size, true));
}

/* {outer, n, inner} in any order, or columns beside each other that threads share by rows. */
static void draw_shape(uint64_t part[3])
{
    uint64_t left = UINT64_C(1) << (check_below(60) ? check_between(7, 16) : 19);
    unsigned first = (unsigned)check_below(3);

    for (unsigned i = first; i < first + 3; i++) {
        part[i % 3] = check_below(3) || i % 3 == 1 ? draw_size(left) : 1;
        left = u64_max(1, left / part[i % 3]);
    }
    if (check_below(50) > 0)
        return;
    part[0] = 1;
    part[2] = 62 + check_below(70);
    part[1] = (1 << 19) / part[2] - check_below(4000);
}

static struct problem problem_new(void)
{
    struct problem p = { .d = { .op = OP_TOP_K1, .nan_last = check_below(3) == 0 } };
    uint64_t part[3], sizes[4], out[4];
    unsigned rank = 0;
    enum dtype type = (enum dtype)check_between(DT_NONE + 1, DT_COUNT - 1);
    enum layout layout = check_below(6)   ? LAYOUT_ROW_MAJOR
                         : check_below(2) ? LAYOUT_COLUMN_MAJOR
                                          : LAYOUT_RANDOM;

    draw_shape(part);
    if (part[0] > 1 || check_below(2))
        sizes[rank++] = part[0];
    p.d.axis = rank;
    sizes[rank++] = part[1];
    if (part[2] % 2 == 0 && check_below(3) == 0) { /* two axes that are one in memory */
        sizes[rank++] = part[2] / 2;
        sizes[rank++] = 2;
    } else if (part[2] > 1 || check_below(2)) {
        sizes[rank++] = part[2];
    }
    p.d.k = draw_k(part[1]);
    p.d.direction = check_below(2) ? AXIS_INCREASING : AXIS_DECREASING;
    memcpy(out, sizes, sizeof out);
    out[p.d.axis] = p.d.k;
    p.in = check_tensor_new(type, rank, sizes, layout, layout == LAYOUT_RANDOM ? 8 : 0);
    p.in.t.swapped = layout != LAYOUT_COLUMN_MAJOR && check_below(8) == 0;
    p.out[0] = check_tensor_new(type, rank, out, layout, 0);
    p.out[1] = check_tensor_new(check_below(2) ? DT_UINT32 : DT_UINT64, rank, out, layout, 0);
    fill(&p, part, layout == LAYOUT_ROW_MAJOR);
    return p;
}

/* ---- runs ---- */

static struct str running; /* the case, for a message if it crashes */

static void describe(const struct problem *p, const char *kernel, int threads)
{
    const struct tensor *t = &p->in.t;

    running.len = 0;
    str_printf(&running, "%s, %d threads, %s", kernel, threads, dtype_name(t->type));
    for (unsigned i = 0; i < t->rank; i++)
        str_printf(&running, " %llu:%lld", (unsigned long long)t->sizes[i],
                   (long long)t->strides[i]);
    str_printf(&running, "%s, axis %d, K %llu, %s%s; data: %s", t->swapped ? " swapped" : "",
               (int)p->d.axis, (unsigned long long)p->d.k,
               p->d.direction == AXIS_DECREASING ? "largest" : "smallest",
               p->d.nan_last ? ", NaN last" : "", p->what);
}

static void report_crash(int number)
{
    fprintf(stderr, "check_topk_cases: signal %d: %s (seed %llu)\n", number, running.s,
            (unsigned long long)check.seed);
    signal(number, SIG_DFL);
    raise(number);
}

static void run_plan(void *plan) { op_plan_run(plan); }

/* Runs a kernel, planned for `threads`, seldom on so many, and compares all bytes of the pages. */
static void compare(struct problem *p, const char *kernel, int threads)
{
    struct op_exec exec = { .threads = threads,
                            .kernel = kernel,
                            .prefetch = (enum prefetch_policy)check_below(PREFETCH_COUNT) };
    struct tensor *t[SLOT_COUNT] = {
        [SLOT_IN] = &p->in.t, [SLOT_VALUES] = &p->out[0].t, [SLOT_INDICES] = &p->out[1].t
    };
    struct diag dg = { .err = stderr };
    struct op_plan *plan;
    bool same = true;

    describe(p, kernel, threads);
    for (unsigned i = 0; i < 2; i++)
        memset(p->out[i].g.base, 0xa5, p->out[i].g.bytes);
    if (op_plan_new(&plan, &p->d, t, &exec, &dg) != ST_OK) {
        check_fail("no plan: %s", running.s);
        return;
    }
    parallel_region(check_below(16) ? 1 : threads, run_plan, plan);
    op_plan_free(plan);
    for (unsigned i = 0; i < 2; i++)
        same = same && memcmp(p->want[i], p->out[i].g.base, p->out[i].g.bytes) == 0;
    if (same)
        check.passed++;
    else
        check_fail("other bytes: %s", running.s);
}

static void check_case(void)
{
    struct problem p = problem_new();

    expect(&p);
    for (unsigned row = 0; row < topk_kernel_count; row++)
        for (int i = 0; i < RUNS && cpu_has(topk_kernels[row].row.needs); i++)
            compare(&p, topk_kernels[row].row.name,
                    (int)(i == 0 ? 1 : check_between(2, check_below(4) ? 6 : 16)));
    guarded_free(&p.in.g);
    for (unsigned i = 0; i < 2; i++) {
        guarded_free(&p.out[i].g);
        free(p.want[i]);
    }
}

/* Adjacent sequences with states too large for 64 in one strip, after reserved addresses: nothing
 * before the first row is read. */
static void check_large_states(void)
{
    const uint64_t n = 400000, k = 95000, columns = 64;
    struct guarded in = guarded_new(n * columns);
    struct tensor x = { .type = DT_UINT8, .rank = 2, .sizes = { n, columns }, .data = in.base };
    struct tensor values = x, indices = x, *t[SLOT_COUNT] = { &x, &values, &indices };
    struct desc d = { .op = OP_TOP_K1, .axis = 0, .k = k };
    struct op_exec exec = { .threads = 1, .kernel = "auto" };
    struct diag dg = { .err = stderr };
    struct op_plan *plan;
    uint64_t wrong = 0;

    indices.type = DT_UINT32;
    values.sizes[0] = indices.sizes[0] = k;
    values.data = check_alloc(k * columns);
    indices.data = check_alloc(k * columns * sizeof(uint32_t));
    for (int i = 0; i < 3; i++)
        tensor_pack_strides(2, t[i]->sizes, t[i]->strides);
    running.len = 0;
    str_printf(&running, "large states");
    if (op_plan_new(&plan, &d, t, &exec, &dg) == ST_OK) {
        op_plan_run(plan);
        op_plan_free(plan);
    }
    for (uint64_t i = 0; i < k * columns; i++) /* all elements are 0 */
        wrong += ((uint32_t *)indices.data)[i] != i / columns;
    if (wrong == 0)
        check.passed++;
    else
        check_fail("large states: %llu wrong indices", (unsigned long long)wrong);
    free(values.data);
    free(indices.data);
    guarded_free(&in);
}

int main(int argc, char **argv)
{
    static const int numbers[] = { SIGSEGV, SIGABRT, SIGFPE, SIGILL };
    bool counted = argc > 2 && strcmp(argv[argc - 2], "--cases") == 0;
    unsigned long cases = counted ? strtoul(argv[argc - 1], NULL, 10) : random_cases(CASES);

    check_begin("check_topk_cases", argc - (counted ? 2 : 0), argv);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        void (*before)(int) = signal(numbers[i], report_crash);

        if (before != SIG_DFL) /* a sanitizer reports by itself */
            signal(numbers[i], before);
    }
    check_large_states();
    for (unsigned long i = 0; i < cases; i++, check.seed++) {
        check.rng = random_start(check.seed);
        check_case();
    }
    return check_end();
}
