/*
 * Holds every row of the table of topk kernels to an independent stable sort: all types, both
 * directions, every K of short sequences, every tail, hostile data, pieces of any length, sequences
 * side by side, with unmapped pages before and after what a kernel may read and write.
 * `check_topk [--seed SEED]`; in one order of each type, drawn by the seed, or in all orders if
 * EXPENSIVE is set.
 */
#include "check.h"
#include "kernel/cpu.h"
#include "kernel/topk/topk_scan.h"
#include "tensor/element.h"
#include "topk_oracle.h"

/* What a kernel prefetches must not change a result. */
static enum prefetch_policy draw_policy(void)
{
    return (enum prefetch_policy)check_between(PREFETCH_NONE, PREFETCH_COUNT - 1);
}

static struct topk_order order_of(enum dtype type, struct oracle_order order)
{
    return (struct topk_order){ dtype_table[type].kind, order.largest, order.nan_last };
}

struct sequence {
    enum dtype type;
    struct oracle_order order;
    enum oracle_pattern pattern;
    size_t n;
    char *elements;
    uint64_t *index; /* the whole sequence, sorted */
};

static struct sequence sequence_new(enum dtype type, struct oracle_order order,
                                    enum oracle_pattern pattern, size_t n)
{
    struct sequence s = { type, order, pattern, n, check_alloc(n * 8), check_alloc(n * 8) };

    oracle_fill(type, pattern, s.elements, n, &check.rng);
    if (pattern == PATTERN_EQUAL && check_below(2)) { /* to the least of all, or the greatest */
        uint64_t end = oracle_ranked(type, check_below(2), 1);

        for (size_t i = 0; i < n; i++)
            element_store(s.elements + (i << dtype_table[type].width_log2),
                          dtype_table[type].width_log2, end);
    }
    oracle_sort(type, order, s.elements, n, s.index);
    return s;
}

static void sequence_free(struct sequence *s)
{
    free(s->elements);
    free(s->index);
}

static void report(const struct topk_kernel *kernel, const struct sequence *s, size_t k,
                   const char *what, size_t at)
{
    check_fail("%s: %s n=%zu k=%zu %s%s, %s: %s at %zu", kernel->row.name, dtype_name(s->type),
               s->n, k, s->order.largest ? "largest" : "smallest",
               s->order.nan_last ? ", NaN last" : "", oracle_pattern_name(s->pattern), what, at);
}

/* Feeds s in random pieces, each alone at an end of its own region. */
static void feed_pieces(const struct topk_kernel *kernel, const struct sequence *s, void *scratch)
{
    size_t size = dtype_size(s->type);

    for (size_t at = 0, left = s->n; left > 0;) {
        size_t piece = check_below(3) ? left : 1 + check_below(left);
        struct guarded g = guarded_new(piece * size);
        char *p = check_below(2) ? g.base : g.base + g.bytes - piece * size;

        memcpy(p, s->elements + at * size, piece * size);
        guarded_read_only(&g);
        kernel->feed(scratch, p, piece);
        guarded_free(&g);
        at += piece;
        left -= piece;
    }
}

/*
 * Work is linear for any data, with a constant that depends on the width alone: so many passes over
 * candidates does a search or a sort take. Where few of a long sequence are kept, little more than
 * one visit an element is left.
 */
static uint64_t most_work(const struct topk_kernel *kernel, const struct sequence *s, size_t k)
{
    uint64_t logarithm = 1;

    while (k >> logarithm)
        logarithm++;
    if (kernel->row.needs == 0)
        return 4 * s->n * logarithm; /* the reference: a heap */
    if (s->n >= 100000 && k <= s->n / 1000)
        return 4 * s->n;
    return (16 + 16 * dtype_size(s->type)) * s->n + 32768;
}

/* Whether a list is in the result's order, by key and equal ones by index. */
static bool is_sorted(const struct topk_list *list, unsigned width_log2)
{
    bool sorted = list->index != NULL;

    for (size_t i = 1; sorted && i < list->count; i++) {
        uint64_t key = topk_list_key(list, i, width_log2);
        uint64_t before = topk_list_key(list, i - 1, width_log2);

        sorted = before < key || (before == key && list->index[i - 1] < list->index[i]);
    }
    return sorted;
}

/* Holds a list to the sorted sequence, the first `want` of which it must have. */
static void check_list(const struct topk_kernel *kernel, const struct sequence *s,
                       const struct topk_job *job, size_t want, const struct topk_list *list)
{
    unsigned width_log2 = dtype_table[s->type].width_log2;
    size_t k = job->k;
    unsigned long before = check.failed;
    uint64_t next = 0;
    bool *have = calloc(s->n, sizeof *have), sorted = is_sorted(list, width_log2);

    if (list->count > topk_candidates(s->n, k))
        report(kernel, s, k, "too many candidates", list->count);
    for (size_t i = 0; i < list->count && check.failed == before; i++) {
        uint64_t key = element_get(list->keys, i, width_log2) ^ topk_sign(width_log2);
        uint64_t index = list->index ? list->index[i] : i;

        if (index >= s->n || have[index] || (index < next && !sorted))
            report(kernel, s, k, "wrong index", i);
        else if (key !=
                 topk_key(element_get(s->elements, index, width_log2), width_log2, job->order))
            report(kernel, s, k, "wrong key", i);
        else if (key > job->limit)
            report(kernel, s, k, "key above the limit", i);
        else
            have[index] = true;
        next = index + 1;
    }
    for (size_t i = 0; i < want && check.failed == before; i++)
        if (!have[s->index[i]])
            report(kernel, s, k, "no candidate for place", i);
    if (list->work > most_work(kernel, s, k))
        report(kernel, s, k, "too much work", list->work);
    check.passed += check.failed == before;
    free(have);
}

/* How many of the first k do not come after a key. */
static size_t count_within(const struct sequence *s, size_t k, uint64_t key)
{
    struct topk_order order = order_of(s->type, s->order);
    unsigned width_log2 = dtype_table[s->type].width_log2;
    size_t n = 0;

    while (n < k &&
           topk_key(element_get(s->elements, s->index[n], width_log2), width_log2, order) <= key)
        n++;
    return n;
}

/* The key of the k-th element, or a later one up to the next element's if there is one. */
static void check_kth(const struct topk_kernel *kernel, const struct sequence *s,
                      const struct topk_job *job)
{
    size_t bytes = s->n * dtype_size(s->type);
    struct guarded g = guarded_new(bytes);
    char *keys = g.base + g.bytes - bytes;
    uint64_t key = kernel->kth(job, keys, s->elements);

    if (count_within(s, job->k, key) != job->k ||
        (job->k < s->n &&
         key > topk_key(element_get(s->elements, s->index[job->k], job->width_log2),
                        job->width_log2, job->order)))
        report(kernel, s, job->k, "wrong key of the last", 0);
    else
        check.passed++;
    guarded_free(&g);
}

static void check_k(const struct topk_kernel *kernel, const struct sequence *s, size_t k)
{
    unsigned width_log2 = dtype_table[s->type].width_log2;
    struct topk_job job = { .kernel = kernel,
                            .order = order_of(s->type, s->order),
                            .width_log2 = width_log2,
                            .n = s->n,
                            .k = k,
                            .limit = check_below(3) ? UINT64_MAX : 0,
                            .prefetch = draw_policy() };
    size_t want = k;
    size_t bytes = (kernel->scratch(&job) + 63) & ~UINT64_C(63);
    struct guarded g = guarded_new(bytes);
    char *scratch = g.base + g.bytes - bytes;
    struct topk_list list;

    /* to the key of any element, or one beside it; seldom to the first or last of all */
    if (job.limit == 0) {
        job.limit = topk_key(element_get(s->elements, check_below(s->n), width_log2), width_log2,
                             job.order);
        job.limit = (job.limit + check_below(3) - 1) & topk_ones(width_log2);
        if (check_below(20) == 0)
            job.limit = check_below(2) ? topk_ones(width_log2) : 0;
        want = count_within(s, k, job.limit);
    }
    memset(g.base, (int)check_below(256), g.bytes);
    kernel->begin(scratch, &job);
    feed_pieces(kernel, s, scratch);
    kernel->candidates(scratch, &list);
    check_list(kernel, s, &job, want, &list);
    guarded_free(&g);
    if (kernel->kth)
        check_kth(kernel, s, &job);
}

/* Every K of a short sequence, a few of a long one. */
static void check_sequence(enum dtype type, struct oracle_order order, enum oracle_pattern pattern,
                           size_t n)
{
    struct sequence s = sequence_new(type, order, pattern, n);

    for (unsigned row = 0; row < topk_kernel_count; row++) {
        const struct topk_kernel *kernel = &topk_kernels[row];

        if (!cpu_has(kernel->row.needs))
            continue;
        if (n <= 40) {
            for (size_t k = 1; k <= n; k++)
                check_k(kernel, &s, k);
            continue;
        }
        for (size_t k = 1; k <= n; k = k * 3 + check_below(3))
            check_k(kernel, &s, k);
        check_k(kernel, &s, n - n / 7);
        check_k(kernel, &s, n);
    }
    sequence_free(&s);
}

/* A matrix whose columns are sequences, at an end of its region; padding between rows is random.
 * Few columns have others before them. */
static struct guarded matrix_new(const struct sequence *columns, size_t count, size_t row_step,
                                 const char **src)
{
    size_t size = dtype_size(columns[0].type), rows = columns[0].n;
    size_t before = count < TOPK_COLUMNS_MIN ? (TOPK_COLUMNS_MIN - count) * size : 0;
    size_t bytes = before + ((rows - 1) * row_step + count) * size;
    struct guarded g = guarded_new(bytes);
    char *p = guarded_place(&g, bytes, check_below(2)) + before;

    memset(p - before, (int)check_below(256), before);
    for (size_t i = 0; i + 1 < rows; i++)
        memset(p + (i * row_step + count) * size, (int)check_below(256), (row_step - count) * size);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < rows; i++)
            memcpy(p + (i * row_step + j) * size, columns[j].elements + i * size, size);
    guarded_read_only(&g);
    *src = p;
    return g;
}

/* Sequences side by side; one column of so many has a pattern of its own. Of small k every column
 * is complete; a larger k may leave some with too few candidates. */
static void check_rows(const struct topk_kernel *kernel, enum dtype type, struct oracle_order order,
                       size_t n, size_t count, size_t k, enum oracle_pattern pattern,
                       uint64_t strays)
{
    unsigned width_log2 = dtype_table[type].width_log2;
    bool complete = k <= (width_log2 < 2 && n >= 3072 ? 1U << 2 * width_log2 : 12);
    struct topk_rows rows = { .job = { .kernel = kernel,
                                       .order = order_of(type, order),
                                       .width_log2 = width_log2,
                                       .n = n,
                                       .k = k,
                                       .limit = UINT64_MAX,
                                       .prefetch = draw_policy() },
                              .columns = count,
                              .row_step = count + check_below(3) * check_below(20) };
    size_t bytes = (kernel->rows_scratch(&rows.job, count) + 63) & ~UINT64_C(63);
    struct sequence *columns = calloc(count, sizeof *columns);
    struct topk_list *lists = aligned_alloc(CACHE_LINE, count * sizeof *lists);
    struct guarded scratch = guarded_new(bytes), matrix;
    const char *src;

    for (size_t j = 0; j < count; j++) {
        enum oracle_pattern stray =
            check_below(4) ? PATTERN_EARLY : (enum oracle_pattern)check_below(PATTERN_COUNT);

        columns[j] = sequence_new(type, order, check_below(strays) ? pattern : stray, n);
    }
    matrix = matrix_new(columns, count, rows.row_step, &src);
    rows.src = src;
    rows.scratch = scratch.base + scratch.bytes - bytes;
    memset(scratch.base, (int)check_below(256), scratch.bytes);
    kernel->select_rows(&rows, lists);
    for (size_t j = 0; j < count; j++) {
        check_list(kernel, &columns[j], &rows.job, complete || lists[j].count >= k ? k : 0,
                   &lists[j]);
        sequence_free(&columns[j]);
    }
    free(lists);
    free(columns);
    guarded_free(&matrix);
    guarded_free(&scratch);
}

static void check_all_rows(enum dtype type, struct oracle_order order)
{
    static const size_t heights[] = { 1, 2, 40, 450, 1025, 1500, 3070, 9000 };

    for (unsigned row = 0; row < topk_kernel_count; row++) {
        const struct topk_kernel *kernel = &topk_kernels[row];
        size_t edge = TOPK_BLOCK / 2 * (1 + check_below(3)) + check_below(5) - 2;

        if (!kernel->select_rows || !cpu_has(kernel->row.needs))
            continue;
        for (unsigned i = 0; i < 3 * ARRAY_LEN(heights);
             i += random_all() ? 1 : 1 + (unsigned)check_below(4)) {
            static const uint64_t strays[] = { 1, 60, UINT32_MAX };
            size_t n = heights[i / 3] + (i / 3 == 6 ? check_below(5) : 0), most = n < 50 ? n : 50;
            size_t columns = 1 + check_below(n > 2000 ? 100 : 200);
            size_t k = check_below(4) ? 1 + check_below(most) : 1 + check_below(n);
            enum oracle_pattern pattern = (enum oracle_pattern)check_below(PATTERN_COUNT);

            check_rows(kernel, type, order, n, columns, k, pattern, strays[i % 3]);
        }
        check_rows(kernel, type, order, 400, edge, 1 + check_below(30), PATTERN_UNIFORM, 60);
        /* the last row of the last block, whose columns rise, is sampled, too */
        check_rows(kernel, type, order, 380 + check_below(5), TOPK_BLOCK + 1 + check_below(7),
                   1 + check_below(3), order.largest ? PATTERN_ASCENDING : PATTERN_DESCENDING,
                   UINT32_MAX);
        /* random ones */
        check_rows(kernel, type, order, 2500 + check_below(500), 70 + check_below(60),
                   8 + check_below(9), PATTERN_UNIFORM, 40 + check_below(200));
        check_rows(kernel, type, order, 1200 + check_below(500), 70 + check_below(60),
                   17 + check_below(20), PATTERN_UNIFORM,
                   check_below(2) ? 4 : 40 + check_below(200));
    }
}

/* topk_key keeps the order of values, and topk_unkey inverts it but for zeros and NaNs. */
static void check_keys(enum dtype type, struct oracle_order order)
{
    unsigned width_log2 = dtype_table[type].width_log2;
    struct topk_order by = order_of(type, order);
    size_t size = dtype_size(type);

    for (int i = 0; i < 20000; i++) {
        uint64_t bits = 0, mask = UINT64_MAX >> (64 - 8 * size), pair[2] = { 0 }, key[2];
        char drawn[2 * sizeof(uint64_t)];
        int want, got;
        bool same;

        oracle_fill(type, i % 2 ? PATTERN_SPECIAL : PATTERN_BITS, drawn, 2, &check.rng);
        for (int j = 0; j < 2; j++) {
            pair[j] = element_load(drawn + (size_t)j * size, width_log2);
            key[j] = topk_key(pair[j], width_log2, by);
        }
        want = oracle_order_of(type, order, drawn, drawn + size);
        got = (key[0] > key[1]) - (key[0] < key[1]);
        same = topk_unkey(key[0], width_log2, by, &bits) == 0;
        if (got != want || (same && bits != pair[0]) || key[0] > mask ||
            (!same && dtype_table[type].kind != KIND_FLOAT)) {
            check_fail("keys of %s are wrong: %llx %llx", dtype_name(type),
                       (unsigned long long)pair[0], (unsigned long long)pair[1]);
            return;
        }
    }
    check.passed++;
}

static void check_type(enum dtype type, struct oracle_order order)
{
    static const size_t lengths[] = { 63, 64, 65, 127, 200, 255, 256, 257, 1000, 1023, 1025, 3001 };

    check_keys(type, order);
    for (enum oracle_pattern pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        for (size_t n = 1; n <= 40; n += pattern < PATTERN_ASCENDING ? 1 : 7)
            check_sequence(type, order, pattern, n);
        for (size_t i = 0; i < ARRAY_LEN(lengths); i++)
            check_sequence(type, order, pattern, lengths[i]);
    }
    check_sequence(type, order, PATTERN_TEETH, 100000 + check_below(100000));
    check_sequence(type, order, (enum oracle_pattern)check_below(PATTERN_COUNT),
                   100000 + check_below(100000));
    check_all_rows(type, order);
}

/* A limit that accepts a row from its first elements on is loose, unless they equal it. */
static void check_loose(const struct topk_kernel *kernel, bool equal)
{
    enum { N = 10000 };
    struct topk_job job = { .kernel = kernel,
                            .order = { KIND_UNSIGNED, false, false },
                            .width_log2 = 2,
                            .n = N,
                            .k = 10,
                            .limit = N };
    size_t bytes = (kernel->scratch(&job) + 63) & ~UINT64_C(63);
    struct guarded g = guarded_new(bytes);
    char *scratch = g.base + g.bytes - bytes;
    static uint32_t elements[N];
    struct topk_list list;

    for (uint32_t i = 0; i < N; i++)
        elements[i] = equal ? N : N - 1 - i;
    kernel->begin(scratch, &job);
    kernel->feed(scratch, elements, N);
    kernel->candidates(scratch, &list);
    if (list.loose == equal)
        check_fail("kernel %s, %s elements: loose is %d", kernel->row.name,
                   equal ? "equal" : "falling", list.loose);
    else
        check.passed++;
    guarded_free(&g);
}

/* Where nothing more can be among the best, no key is below the bound, as wide as a key. */
static void check_closed(void)
{
    for (unsigned width_log2 = 0; width_log2 < 4; width_log2++) {
        const struct topk_state s = { .job.width_log2 = width_log2, .closed = true };
        unsigned unused = 64 - (8u << width_log2);

        if (topk_bound(&s) == INT64_MIN >> unused)
            check.passed++;
        else
            check_fail("a closed column's bound is %lld", (long long)topk_bound(&s));
    }
}

int main(int argc, char **argv)
{
    check_begin("check_topk", argc, argv);
    check_closed();
    for (unsigned row = 1; row < topk_kernel_count; row++) /* the reference knows no loose limits */
        for (int equal = 0; equal < 2 && cpu_has(topk_kernels[row].row.needs); equal++)
            check_loose(&topk_kernels[row], equal);
    for (enum dtype type = DT_NONE + 1; type < DT_COUNT; type++) {
        unsigned orders = dtype_table[type].kind == KIND_FLOAT ? 4 : 2;
        unsigned one = (unsigned)check_below(orders);

        for (unsigned i = 0; i < orders; i++)
            if (random_all() || i == one)
                check_type(type, (struct oracle_order){ i & 1, i & 2 });
    }
    return check_end();
}
