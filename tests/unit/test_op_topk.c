#include "message.h"

#include <sys/mman.h>

#include "kernel/expect_topk.h"
#include "kernel/layout.h"
#include "kernel/topk/topk.h"
#include "op/op.h"
#include "op/topk/topk_plan.h"

/* The operator against a stable sort of every sequence: random ranks, axes, strides of all three
 * tensors, byte orders, types, threads. Every byte of the outputs' buffers is compared, so that
 * gaps must stay untouched. */

static uint64_t rng;

static uint64_t below(uint64_t n) { return random_below(&rng, n); }

/* A view with random strides over a buffer that it owns: permuted, padded, an input perhaps
 * broadcast. */
struct owned {
    struct tensor t;
    uint64_t bytes;
};

static struct owned owned_new(enum dtype type, unsigned rank, const uint64_t *sizes, bool input,
                              bool plain)
{
    struct owned o = { .t = { .type = type, .rank = rank } };

    memcpy(o.t.sizes, sizes, rank * sizeof sizes[0]);
    o.bytes = dtype_size(type) * layout_draw(&o.t, plain ? LAYOUT_ROW_MAJOR : LAYOUT_RANDOM,
                                             input && !plain ? 8 : 0, &rng);
    o.t.data = malloc(o.bytes);
    assert_non_null(o.t.data);
    memset(o.t.data, 0xa5, o.bytes);
    return o;
}

struct problem {
    struct desc d;
    struct owned in, values, indices;
    unsigned char *want_values, *want_indices; /* the whole buffers */
};

static struct problem problem_new(enum dtype type, unsigned rank, const uint64_t *sizes,
                                  unsigned axis, uint64_t k, enum oracle_pattern pattern,
                                  bool plain)
{
    struct problem p = { .d = { .op = OP_TOP_K1, .axis = axis, .k = k } };
    uint64_t out[DML_MAX_RANK];

    memcpy(out, sizes, rank * sizeof out[0]);
    out[axis] = k;
    p.d.direction = below(2) ? AXIS_DECREASING : AXIS_INCREASING;
    p.d.nan_last = below(3) == 0;
    p.in = owned_new(type, rank, sizes, true, plain);
    oracle_fill(type, pattern, p.in.t.data, p.in.bytes / dtype_size(type), &rng);
    p.in.t.swapped = below(4) == 0;
    p.values = owned_new(type, rank, out, false, plain);
    p.indices = owned_new(below(2) ? DT_UINT32 : DT_UINT64, rank, out, false, plain);
    p.want_values = malloc(p.values.bytes);
    p.want_indices = malloc(p.indices.bytes);
    assert_true(p.want_values && p.want_indices);
    memcpy(p.want_values, p.values.t.data, p.values.bytes);
    memcpy(p.want_indices, p.indices.t.data, p.indices.bytes);
    return p;
}

static void problem_free(struct problem *p)
{
    free(p->in.t.data);
    free(p->values.t.data);
    free(p->indices.t.data);
    free(p->want_values);
    free(p->want_indices);
}

static void describe(const struct problem *p, const char *kernel, int threads)
{
    const struct owned *const tensors[] = { &p->in, &p->values, &p->indices };

    print_error("%s, %d threads, axis %u, k %llu, direction %d%s%s\n", kernel, threads,
                (unsigned)p->d.axis, (unsigned long long)p->d.k, (int)p->d.direction,
                p->d.nan_last ? ", NaN last" : "", p->in.t.swapped ? ", swapped" : "");
    for (unsigned i = 0; i < ARRAY_LEN(tensors); i++) {
        const struct tensor *t = &tensors[i]->t;

        print_error("  %s", dtype_name(t->type));
        for (unsigned d = 0; d < t->rank; d++)
            print_error(" %llu:%lld", (unsigned long long)t->sizes[d], (long long)t->strides[d]);
        print_error("\n");
    }
}

/* Runs the problem on every kernel that this processor has, twice on one plan. */
static void check(struct problem *p, int threads)
{
    struct tensor *t[SLOT_COUNT] = { &p->in.t, &p->values.t, &p->indices.t };
    struct diag dg = { .err = stderr, .command = "test" };
    uint64_t count;

    for (unsigned row = 0; row < topk_kernel_count; row++) {
        struct op_exec exec = { .threads = threads, .kernel = topk_kernels[row].row.name };
        struct op_plan *plan;

        if (!cpu_has(topk_kernels[row].row.needs))
            continue;
        assert_int_equal(op_plan_new(&plan, &p->d, t, &exec, &dg), ST_OK);
        assert_string_equal(plan->kernel, exec.kernel);
        assert_true(tensor_count(p->in.t.rank, p->in.t.sizes, &count));
        assert_int_equal(plan->operations, count);
        for (int again = 0; again < 2; again++) {
            memset(p->values.t.data, 0xa5, p->values.bytes);
            memset(p->indices.t.data, 0xa5, p->indices.bytes);
            op_plan_run(plan);
            if (memcmp(p->values.t.data, p->want_values, p->values.bytes) ||
                memcmp(p->indices.t.data, p->want_indices, p->indices.bytes))
                describe(p, exec.kernel, threads);
            assert_memory_equal(p->values.t.data, p->want_values, p->values.bytes);
            assert_memory_equal(p->indices.t.data, p->want_indices, p->indices.bytes);
        }
        op_plan_free(plan);
    }
}

/* Writes the expected results of all sequences, runs the problem and frees it. */
static void settle(struct problem *p, int threads)
{
    struct tensor values = p->values.t, indices = p->indices.t;

    values.data = p->want_values;
    indices.data = p->want_indices;
    expect_topk(&p->d, &p->in.t, &values, &indices);
    check(p, threads);
    problem_free(p);
}

/* A sequence of n elements, in order and in this machine's bytes; the caller writes its data. */
static struct problem sequence(enum dtype type, uint64_t n, uint64_t k)
{
    struct problem p = problem_new(type, 1, &n, 0, k, PATTERN_EQUAL, true);

    p.in.t.swapped = false;
    p.d.direction = AXIS_INCREASING;
    return p;
}

static enum dtype any_type(void)
{
    return (enum dtype)(DT_NONE + 1 + below(DT_COUNT - DT_NONE - 1));
}
static enum oracle_pattern any_pattern(void) { return (enum oracle_pattern)below(PATTERN_COUNT); }

TEST(random_layouts)
{
    for (unsigned i = 0; i < random_cases(3000); i++) {
        unsigned rank = 1 + (unsigned)below(DML_MAX_RANK), axis = (unsigned)below(rank);
        uint64_t sizes[DML_MAX_RANK], left = 1 + below(3000);
        struct problem p;

        for (unsigned d = 0; d < rank; d++) {
            sizes[d] = 1 + below(left < 40 ? left : 40);
            left = left / sizes[d] ? left / sizes[d] : 1;
        }
        p = problem_new(any_type(), rank, sizes, axis, 1 + below(sizes[axis]), any_pattern(),
                        below(3) == 0);
        settle(&p, 1 + (int)below(3));
    }
}

/* Long sequences: strips, tiles and parts of every kind. */
TEST(long_sequences)
{
    static const uint64_t shapes[][3] = {
        /* axis 1 */
        { 1, 300000, 1 }, { 1, 140000, 3 }, { 2, 20000, 17 }, { 1, 4000, 150 },
        { 3, 70000, 1 },  { 5, 30000, 1 },  { 1, 999, 400 },  { 700, 33, 40 },
        { 30000, 7, 1 },  { 1, 5, 30000 },  { 150, 3000, 1 },
    };

    for (unsigned i = 0; i < ARRAY_LEN(shapes) * random_cases(4); i++) {
        const uint64_t *sizes = shapes[i % ARRAY_LEN(shapes)];
        uint64_t n = sizes[1], k = below(2)   ? 1 + below(n)
                                   : below(2) ? 1 + below(n < 100 ? n : 100)
                                              : n;
        struct problem p = problem_new(any_type(), 3, sizes, 1, k, any_pattern(), below(2));

        settle(&p, 1 + (int)below(5));
    }
}

/* Rows that follow each other, wider than a piece of them and so many that they are read as one
 * run. */
TEST(rows_as_one_run)
{
    static const uint64_t sizes[] = { 4096, 1100 };

    for (unsigned i = 0; i < 3; i++) {
        struct problem p =
            problem_new(DT_FLOAT32, 2, sizes, 0, 1 + below(i == 0 ? 100 : 12), any_pattern(), true);

        p.in.t.swapped = false;
        settle(&p, 1 + (int)below(2));
    }
}

/* Rows in order, of which a sample is taken twice; the last strip has few columns. Or K about where
 * half as many columns are looked ahead at once, or one needs more room than a tile. */
TEST(rows_in_order)
{
    static const uint64_t sizes[][2] = { { 17000, 150 }, { 40000, 16 }, { 300000, 3 } };
    static const uint64_t edges[] = { 0, 816, 1638, 4365, 13110 };

    for (unsigned i = 0; i < 14; i++) {
        unsigned edge = i < 6 ? 0 : i / 2 - 2;
        uint64_t k = edge ? edges[edge] - 2 + below(5) : 1 + below(20);
        struct problem p = problem_new(edge ? DT_FLOAT32 : any_type(), 2, sizes[(edge + 1) / 2], 0,
                                       k, i % 2 ? PATTERN_ASCENDING : PATTERN_DESCENDING, true);

        settle(&p, 1 + (int)below(4));
    }
}

/* Sequences long enough for batches, that come alike for a while and then otherwise, so that
 * guesses are right and wrong by turns. */
TEST(sequences_that_differ)
{
    static const uint64_t sizes[] = { 260, 2500 };

    for (unsigned i = 0; i < 6; i++) {
        struct problem p =
            problem_new(DT_UINT32, 2, sizes, 1, 1 + below(100), PATTERN_UNIFORM, true);
        uint32_t *data = p.in.t.data;

        p.in.t.swapped = false;
        for (uint32_t row = 0; row < sizes[0]; row++)
            for (uint64_t j = 0; j < sizes[1]; j++, data++)
                *data =
                    (*data >> 4) + (row / (1 + 30 * (i % 3)) % 3 << 30) + (i == 5 ? row << 20 : 0);
        settle(&p, 1 + (int)below(2));
    }
}

/* Candidates of all parts after a run. */
static uint64_t candidates(const struct topk_plan *plan)
{
    uint64_t sum = 0;

    for (uint64_t part = 0; part < plan->cut.parts; part++)
        sum += plan->room.lists[part].count;
    return sum;
}

/* Runs the problem on the kernel that is chosen by itself; the caller frees the plan. */
static struct topk_plan *run_once(struct problem *p, int threads)
{
    struct tensor *t[SLOT_COUNT] = { &p->in.t, &p->values.t, &p->indices.t };
    struct op_exec exec = { .threads = threads, .kernel = "auto" };
    struct diag dg = { .err = stderr, .command = "test" };
    struct op_plan *plan;

    assert_int_equal(op_plan_new(&plan, &p->d, t, &exec, &dg), ST_OK);
    op_plan_run(plan);
    return (struct topk_plan *)plan;
}

/* Wide rows are cut into strips of as many columns as keep the threads equally busy, never into
 * parts of few rows. */
TEST(wide_rows_for_all_threads)
{
    static const uint64_t sizes[] = { 512, 6000 };

    for (int threads = 1; threads <= 5; threads += random_all() ? 1 : 2) {
        struct problem p = problem_new(DT_FLOAT32, 2, sizes, 0, 1 + below(12), any_pattern(), true);
        struct topk_plan *plan;

        p.in.t.swapped = false;
        plan = run_once(&p, threads);
        if (plan->cut.by_rows) {
            uint64_t used = (uint64_t)plan->base.threads;

            assert_int_equal(plan->cut.parts, 1);
            assert_true(plan->cut.strips % used == 0 || plan->cut.strips >= 4 * used);
        }
        op_plan_free(&plan->base);
        settle(&p, threads);
    }
}

/* Narrow rows are shared out where columns would be too few for each thread. */
TEST(narrow_rows_for_all_threads)
{
    static const struct {
        uint64_t sizes[3], k, strips, parts;
        int threads;
    } cases[] = {
        { { 1, 20000, 100 }, 3, 1, 2, 2 },   { { 1, 20000, 100 }, 3, 1, 5, 5 },
        { { 1, 20000, 100 }, 200, 1, 2, 2 }, { { 1, 8000, 150 }, 32, 1, 16, 16 },
        { { 1, 5000, 500 }, 5, 8, 1, 16 },   { { 1, 5000, 500 }, 5, 4, 1, 4 },
        { { 2, 10000, 100 }, 3, 2, 1, 2 },   { { 2, 10000, 100 }, 3, 2, 4, 4 },
        { { 1, 500, 4000 }, 5, 63, 1, 128 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const uint64_t *sizes = cases[i].sizes;
        struct problem p = problem_new(DT_FLOAT32, 3, sizes, 1, cases[i].k, any_pattern(), true);
        struct topk_plan *plan;

        p.in.t.swapped = false;
        plan = run_once(&p, cases[i].threads);
        if (plan->cut.by_rows) {
            assert_int_equal(plan->cut.strips, cases[i].strips);
            assert_int_equal(plan->cut.parts, cases[i].parts);
        }
        op_plan_free(&plan->base);
        settle(&p, cases[i].threads);
    }
}

/* The entries that sorting visits are bounded by their number, whatever the data: no time is
 * measured. A pass visits each twice, and 64 bits take eight passes at most. */
TEST(sorting_is_linear)
{
    static const enum dtype types[] = { DT_FLOAT32, DT_FLOAT64, DT_UINT64,
                                        DT_INT32,   DT_FLOAT16, DT_INT8 };
    uint64_t n = 150000, most = 0;

    for (unsigned i = 0; i < ARRAY_LEN(types) * PATTERN_COUNT * 2; i++) {
        enum dtype type = types[i % ARRAY_LEN(types)];
        enum oracle_pattern pattern = i / ARRAY_LEN(types) % PATTERN_COUNT;
        uint64_t k = i < ARRAY_LEN(types) * PATTERN_COUNT ? n : 20000, entries = 0, work = 0;
        struct problem p = problem_new(type, 1, &n, 0, k, pattern, true);
        struct topk_plan *plan = run_once(&p, 2);

        if (plan->cut.shared) {
            for (unsigned b = 0; b < plan->sorter->buckets; b++)
                work += plan->sorter->bucket[b].work;
            for (uint64_t part = 0; part < plan->cut.parts; part++)
                assert_true(plan->room.lists[part].work <= 100 * plan->cut.part_rows + 32768);
            entries = candidates(plan);
            assert_true(entries <= plan->sorter->most);
            assert_true(work <= 2 * 8 * entries);
            most = u64_max(most, work);
        }
        op_plan_free(&plan->base);
        problem_free(&p);
    }
    print_message("at most %llu visits\n", (unsigned long long)most);
}

/* Long sequences of which a sample tells where the first k end: right results, from few
 * candidates. */
TEST(limits_from_samples)
{
    uint64_t n = 400000, k = 20000;

    for (unsigned i = 0; i < random_cases(5) * PATTERN_COUNT; i++) {
        enum oracle_pattern pattern = i % PATTERN_COUNT;
        struct problem p = problem_new(any_type(), 1, &n, 0, k, pattern, true);
        struct topk_plan *plan;

        p.in.t.swapped = false;
        plan = run_once(&p, 4);
        if (plan->limits.sampled > 0 && (pattern == PATTERN_EQUAL || pattern == PATTERN_ASCENDING ||
                                         pattern == PATTERN_DESCENDING))
            assert_between(candidates(plan), k,
                           (pattern == PATTERN_EQUAL ? plan->cut.parts + 1 : 2) * k);
        op_plan_free(&plan->base);
        settle(&p, 1 + (int)(i / PATTERN_COUNT));
    }
}

/* The same where the sample holds what comes first, or last, and nothing else does: elements that
 * tell their own places give away which are in it. */
TEST(samples_that_mislead)
{
    uint64_t n = 600000;

    for (unsigned i = 0; i < 12; i++) {
        struct problem p = problem_new(DT_UINT32, 1, &n, 0, 20000, PATTERN_EQUAL, true);
        bool largest = p.d.direction == AXIS_DECREASING, first = i % 2;
        int threads = 1 + (int)(i / 2 % 3);
        uint32_t *data = p.in.t.data;
        struct topk_plan *plan;

        p.in.t.swapped = false;
        for (uint32_t at = 0; at < n; at++)
            data[at] = at;
        plan = run_once(&p, threads);
        for (uint64_t at = 0; at < n; at++)
            data[at] = 1000 + (uint32_t)below(i < 6 ? 1000000 : 3);
        for (uint64_t s = 0; s < plan->limits.sampled; s++) {
            uint64_t at = element_get(plan->room.tiles, s, 2);

            assert_between(at, 0, n - 1);
            data[at] = first != largest ? 0 : UINT32_MAX;
        }
        op_plan_free(&plan->base);
        settle(&p, threads);
    }
}

/* Where two parts meet: the first key of the second one equals the last that matters of the first,
 * so that a strictly falling sequence is none there, or what else the second part holds is out; or
 * the first part has nothing but one element that equals the last of the second one's, and comes
 * before it. */
TEST(parts_that_meet)
{
    uint64_t n = 300000;

    for (unsigned i = 0; i < 3; i++) {
        struct problem p = sequence(DT_UINT32, n, i ? 40000 : n);
        uint32_t *data = p.in.t.data;
        struct topk_plan *plan;
        uint64_t rows;

        plan = run_once(&p, 2);
        rows = plan->cut.part_rows;
        op_plan_free(&plan->base);
        for (uint32_t at = 0; at < n; at++) { /* ^ 1: not in order, or there were nothing to sort */
            uint32_t in_part = at < rows ? at : at - (uint32_t)rows;

            data[at] = i == 0                    ? (uint32_t)n - at + (at >= rows)
                       : (at < rows) == (i == 1) ? in_part ^ 1
                                                 : at * 77777 | 1u << 31;
        }
        if (i > 0)
            data[i == 1 ? rows : 5] = (uint32_t)p.d.k - 1;
        settle(&p, 2);
    }
}

/* Few elements that come first, in order or in strictly reverse order, so that they need no
 * sorting; or all but one of them, within a part or where two meet, perhaps with a part between
 * that has none. */
TEST(candidates_in_order)
{
    enum { APART = 20, FIRSTS = 42000, PARTS = 3 };
    uint64_t n = FIRSTS * APART;

    for (unsigned i = 0; i < 48; i += random_all() ? 1 : 7) {
        struct problem p = sequence(DT_UINT32, n, 17000);
        uint32_t *data = p.in.t.data;
        bool falling = i % 2, gap = i / 2 % 2;
        unsigned none = FIRSTS, within = falling ? FIRSTS - 100 : 100,
                 meet = (falling || gap ? 2u : 1u) * FIRSTS / PARTS;
        unsigned fault = i / 4 % 3 == 0 ? none : i / 4 % 3 == 1 ? within : meet;
        struct topk_plan *plan;

        for (uint64_t at = 0; at < n; at++)
            data[at] = 1u << 31;
        for (unsigned j = 0; j < FIRSTS; j++)
            if (!gap || j * PARTS / FIRSTS != 1)
                data[(uint64_t)j * APART] = falling      ? FIRSTS - j + (j >= fault)
                                            : j == fault ? 0
                                                         : 1 + j / 2;
        if (fault == meet && gap && falling) /* equal to the last one of the first part */
            data[(uint64_t)fault * APART] = 1 + FIRSTS - FIRSTS / PARTS;
        plan = run_once(&p, PARTS);
        if (plan->limits.sampled > 0)
            assert_int_equal(plan->sorter->buckets == 0, fault == none && !falling);
        op_plan_free(&plan->base);
        settle(&p, 1 + (int)i / 12);
    }
}

/* Candidates whose last bucket is a small one of few keys, each several times: equal ones stay in
 * their order. */
TEST(ties_in_a_small_bucket)
{
    enum { GROUPS = 8, OF_GROUP = 6000, LAST = 20 };
    uint64_t n = GROUPS * OF_GROUP + LAST;

    for (unsigned i = 0; i < 6; i++) {
        enum dtype type = i % 2 ? DT_UINT64 : DT_UINT32;
        struct problem p = sequence(type, n, n);

        for (uint64_t at = 0; at < n; at++) { /* neighbours are of different groups */
            bool last = at % (n / LAST) == 7 && at / (n / LAST) < LAST;
            uint64_t key =
                last ? (uint64_t)GROUPS << 28 | below(3) : at % GROUPS << 28 | below(1 << 16);

            element_set(p.in.t.data, at, type == DT_UINT64 ? 3 : 2, key);
        }
        settle(&p, 1 + (int)i / 2);
    }
}

/* All elements of a sequence: evenly, in buckets of about equal size; or nearly all within one
 * bucket. Keys come several times, among them zeros and NaNs of many bits. */
TEST(all_in_order)
{
    for (unsigned i = 0; i < 24; i += random_all() ? 1 : 5) {
        static const enum dtype types[] = { DT_FLOAT32, DT_FLOAT64, DT_INT32 };
        enum dtype type = types[i % ARRAY_LEN(types)];
        unsigned width_log2 = dtype_table[type].width_log2, spare = (8u << width_log2) - 16;
        uint64_t n = 200000 + below(2), sign = UINT64_C(1) << ((8u << width_log2) - 1), largest;
        bool even = i / 3 % 2, plain = i % 8 > 0;
        struct problem p =
            problem_new(type, 1, &n, 0, i / 12 % 2 ? n - 700 : n, PATTERN_EQUAL, plain);
        int threads = 1 + (int)(i / 6 % 2) * 2;
        struct topk_plan *plan;

        p.in.t.swapped = false;
        /* else they would be far from all others, and make the prefix coarse */
        p.d.nan_last = true;
        for (uint64_t at = 0; at < p.in.bytes >> width_log2; at++) {
            uint64_t bits =
                below(100) ? even ? below(1 << 15) << spare | below(5) : (sign >> 2) + below(9000)
                           : sign | below(2) * (sign - 1 - below(30));

            element_set(p.in.t.data, at, width_log2, bits);
        }
        plan = run_once(&p, threads);
        assert_int_equal(plan->sorter->threads, threads);
        largest = 0;
        for (unsigned b = 0; b < plan->sorter->buckets; b++)
            largest =
                u64_max(largest, plan->sorter->bucket[b + 1].start - plan->sorter->bucket[b].start);
        if (plain) /* else all may be one element */
            assert_int_equal(2 * (uint64_t)threads * largest <= plan->sorter->most, even);
        op_plan_free(&plan->base);
        settle(&p, threads);
    }
}

/* A key of half of the elements, the first or after others, and k ends within it: all threads write
 * its bucket, in runs of which there are four for each thread. */
TEST(key_of_many)
{
    enum { PIECE = 1 << 16, RUN = 7001 };

    for (unsigned i = 0; i < 15; i += random_all() ? 1 : 4) {
        int threads = 2 + (int)(i / 5);
        uint64_t n = (uint64_t)threads * PIECE, k = 4 * (uint64_t)threads * RUN + i % 5 - 2;
        struct problem p = sequence(DT_UINT32, n, k);
        struct topk_plan *plan;

        for (uint64_t at = 0; at < n; at++)
            ((uint32_t *)p.in.t.data)[at] =
                at % 2 ? (1u << 30) * (i % 3) : (uint32_t)below(UINT32_MAX);
        plan = run_once(&p, threads);
        assert_int_equal(plan->sorter->threads, threads);
        assert_true(plan->sorter->largest * (uint64_t)threads > plan->sorter->most);
        op_plan_free(&plan->base);
        settle(&p, threads);
    }
}

/* Whole sequences in order and in strictly reverse order, which are copied. */
TEST(runs_of_all)
{
    for (unsigned i = 0; i < 32; i++) {
        enum dtype type = i % 2 ? DT_UINT64 : DT_UINT32;
        uint64_t n = 1500, k = i / 2 % 2 ? n : n - 200;
        struct problem p = sequence(type, n, k);

        p.in.t.swapped = i / 16 % 2;
        p.d.direction = i / 4 % 2 ? AXIS_INCREASING : AXIS_DECREASING;
        for (uint64_t at = 0; at < n; at++)
            element_set(p.in.t.data, at, type == DT_UINT64 ? 3 : 2,
                        7 + 3 * (i / 8 % 2 ? at : n - at));
        if (p.in.t.swapped)
            tensor_swap_bytes(p.in.t.data, dtype_size(type), n);
        settle(&p, 1 + (int)(i % 3));
    }
}

/* Few candidates, of which some come long before the others: in 16 bits many are alike. */
TEST(candidates_far_apart)
{
    for (unsigned i = 0; i < 200; i++) {
        enum dtype type = i % 2 ? DT_UINT64 : DT_UINT32;
        uint64_t n = i % 3 ? 400 : TOPK_FEW - 2 + i / 3 % 5, k = i % 3 ? 20 + below(280) : n;
        uint64_t shapes[] = { 3, n }, before = below(4) ? 1 + below(30) : 200;
        struct problem p = problem_new(type, 2, shapes, 1, k, PATTERN_EQUAL, true);

        p.in.t.swapped = false;
        p.d.direction = AXIS_INCREASING;
        for (uint64_t at = 0; at < 3 * n; at++)
            element_set(p.in.t.data, at, type == DT_UINT64 ? 3 : 2,
                        below(n) < before ? below(1000)
                                          : (1u << 31) + below(UINT64_C(1) << (1 + i % 24)));
        settle(&p, 1 + (int)(i % 2));
    }
}

/* More elements than 32 bits can count, mostly pages that were never written: the few other values
 * lie on both sides of the 2^32nd element. */
TEST(beyond_32_bits)
{
    static const uint64_t marks[] = { (UINT64_C(1) << 32) + 900, 17, UINT32_MAX,
                                      UINT64_C(1) << 32 };
    static const uint8_t marked[] = { 9, 7, 7, 7 };
    uint64_t n = (UINT64_C(1) << 32) + 1000, index[6] = { 0 };
    uint8_t value[6] = { 0 };
    bool fits = sizeof(size_t) > sizeof(uint32_t);
    void *data = fits ? mmap(NULL, (size_t)n, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                      : MAP_FAILED;
    struct desc d = { .op = OP_TOP_K1, .k = 6, .direction = AXIS_DECREASING };
    struct tensor in = {
        .type = DT_UINT8, .rank = 1, .sizes = { n }, .strides = { 1 }, .data = data
    };
    struct tensor values = {
        .type = DT_UINT8, .rank = 1, .sizes = { 6 }, .strides = { 1 }, .data = value
    };
    struct tensor indices = {
        .type = DT_UINT64, .rank = 1, .sizes = { 6 }, .strides = { 1 }, .data = index
    };
    struct tensor *t[SLOT_COUNT] = { &in, &values, &indices };
    struct op_exec exec = { .threads = 3 };
    struct diag dg = { .err = stderr, .command = "test" };
    struct op_plan *plan;

    if (data == MAP_FAILED)
        skip();
    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        ((uint8_t *)data)[marks[i]] = marked[i];
    assert_int_equal(op_plan_new(&plan, &d, t, &exec, &dg), ST_OK);
    op_plan_run(plan);
    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        assert_int_equal(index[i], marks[i]);
        assert_int_equal(value[i], marked[i]);
    }
    assert_int_equal(index[4], 0);
    assert_int_equal(index[5], 1);
    assert_int_equal(value[5], 0);
    op_plan_free(plan);
    munmap(data, (size_t)n);
}

/* Plans, expecting a status; whether the message holds `text`. */
static bool refused(const struct desc *d, const struct tensor *in, struct tensor *values,
                    struct tensor *indices, const char *kernel, enum status want, const char *text)
{
    struct tensor input = *in, *t[SLOT_COUNT] = { &input, values, indices };
    struct op_exec exec = { .threads = 2, .kernel = kernel };
    struct op_plan *plan = NULL;
    char *message = NULL;
    struct diag dg = message_begin(&message);
    enum status st = op_plan_new(&plan, d, t, &exec, &dg);
    bool found;

    message_end(&dg);
    found = st == want && strstr(message, text) != NULL;
    if (!found)
        print_error("status %d, message: %s\n", (int)st, message);
    free(message);
    op_plan_free(plan);
    return found;
}

TEST(refusals)
{
    uint64_t room[4] = { 0 };
    struct desc d = { .op = OP_TOP_K1, .k = 1 };
    struct tensor in = {
        .type = DT_UINT8, .rank = 1, .sizes = { (UINT64_C(1) << 32) + 1 }, .data = room
    };
    struct tensor values = {
        .type = DT_UINT8, .rank = 1, .sizes = { 1 }, .strides = { 1 }, .data = room + 1
    };
    struct tensor indices = {
        .type = DT_UINT32, .rank = 1, .sizes = { 1 }, .strides = { 1 }, .data = room + 2
    };

    assert_true(
        refused(&d, &in, &values, &indices, NULL, ST_INPUT, "axis 0 has 4294967297 elements"));
    indices.type = DT_UINT64;
    assert_true(refused(&d, &in, &values, &indices, NULL, ST_OK, ""));
    assert_true(refused(&d, &in, &values, &indices, "none such", ST_USAGE, "none such"));
    /* Asked for more than memory can hold: an error, not a wrapped size. */
    for (unsigned bits = 60; bits < 63; bits++) {
        d.k = in.sizes[0] = values.sizes[0] = indices.sizes[0] = UINT64_C(1) << bits;
        assert_true(refused(&d, &in, &values, &indices, "reference", ST_SYSTEM, ""));
    }
}

int main(void)
{
    const char *given = getenv("CHECK_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : clock_ns();

    rng = seed | 1;
    printf("test_op_topk: seed %llu (CHECK_SEED)\n", (unsigned long long)seed);
    return RUN_TESTS(NULL, NULL);
}
