/*
 * Holds every row of the table of topk kernels to an independent stable sort: all types, both
 * directions, every K of short sequences, every tail, hostile data, pieces of any length, sequences side
 * by side, with unmapped pages before and after what a kernel may read and write. `check_topk [--seed SEED]`.
 */
#include "check.h"
#include "kernel/cpu.h"
#include "kernel/topk_table.h"
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
    uint64_t *index, *room; /* index: the whole sequence, sorted */
};

static struct sequence sequence_new(enum dtype type, struct oracle_order order, enum oracle_pattern pattern, size_t n)
{
    struct sequence s = { type, order, pattern, n, check_alloc(n * 8), check_alloc(n * 8), check_alloc(n * 8) };

    oracle_fill(type, pattern, s.elements, n, &check.rng);
    oracle_sort(type, order, s.elements, n, s.index, s.room);
    return s;
}

static void sequence_free(struct sequence *s)
{
    free(s->elements);
    free(s->index);
    free(s->room);
}

static void report(const struct topk_kernel *kernel, const struct sequence *s, size_t k, const char *what,
                   size_t at)
{
    check_fail("%s: %s n=%zu k=%zu %s%s, %s: %s at %zu", kernel->row.name, dtype_name(s->type), s->n, k,
               s->order.largest ? "largest" : "smallest", s->order.nan_last ? ", NaN last" : "", oracle_pattern_name(s->pattern), what, at);
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
        mprotect(g.base, g.bytes, PROT_READ);
        kernel->feed(scratch, p, piece);
        guarded_free(&g);
        at += piece;
        left -= piece;
    }
}

/*
 * Work is linear for any data, with a constant that depends on the width alone: so many passes over candidates does
 * a search or a sort take. Where few of a long sequence are kept, little more than one visit an element is left.
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

/* Holds a list to the sorted sequence. */
static void check_list(const struct topk_kernel *kernel, const struct sequence *s, size_t k,
                       const struct topk_list *list)
{
    struct topk_order order = order_of(s->type, s->order);
    size_t size = dtype_size(s->type);
    unsigned long before = check.failed;

    if (list->count != k)
        report(kernel, s, k, "wrong count", list->count);
    for (size_t i = 0; i < k && i < list->count && check.failed == before; i++) {
        struct topk_entry e = topk_list_at(list, i);

        if (e.index != s->index[i])
            report(kernel, s, k, "wrong index", i);
        else if (e.key != topk_key(topk_load(s->elements + s->index[i] * size, 0, dtype_table[s->type].width_log2),
                                   dtype_table[s->type].width_log2, order))
            report(kernel, s, k, "wrong key", i);
    }
    if (list->work > most_work(kernel, s, k))
        report(kernel, s, k, "too much work", list->work);
    check.passed += check.failed == before;
}

/* Holds a loose list to the sorted sequence, the first `want` of which it must have. */
static void check_loose(const struct topk_kernel *kernel, const struct sequence *s, size_t k, size_t want,
                        const struct topk_list *list)
{
    struct topk_order order = order_of(s->type, s->order);
    unsigned width_log2 = dtype_table[s->type].width_log2;
    unsigned long before = check.failed;
    uint64_t next = 0, last = 0;
    bool *have = calloc(s->n, sizeof *have), up = false, down = false;

    if (list->form != TOPK_LOOSE || list->count > topk_candidates(s->n, k))
        report(kernel, s, k, "wrong form or count", list->count);
    for (size_t i = 0; i < list->count && check.failed == before; i++) {
        uint64_t key = topk_load(list->entries, i, width_log2) ^ topk_sign(width_log2);
        uint64_t index = list->index ? list->index[i] : i;

        if (index < next || index >= s->n)
            report(kernel, s, k, "wrong index of a loose entry", i);
        else if (key != topk_key(topk_load(s->elements, index, width_log2), width_log2, order) ||
                 key < list->least || key > list->most)
            report(kernel, s, k, "wrong key of a loose entry", i);
        else
            have[index] = true;
        down = down || (i > 0 && key < last);
        up = up || (i > 0 && key >= last);
        last = key;
        next = index + 1;
    }
    for (size_t i = 0; i < want && check.failed == before; i++)
        if (!have[s->index[i]])
            report(kernel, s, k, "no loose entry for place", i);
    if (check.failed == before && (list->run != !(up && down) || list->reversed != (down && !up)))
        report(kernel, s, k, "wrong about a run", list->run);
    if (list->work > most_work(kernel, s, k))
        report(kernel, s, k, "too much work", list->work);
    check.passed += check.failed == before;
    free(have);
}

/* How many of the first n elements do not come after a key. */
static size_t count_within(const struct sequence *s, size_t n, uint64_t key)
{
    struct topk_order order = order_of(s->type, s->order);
    unsigned width_log2 = dtype_table[s->type].width_log2;
    size_t within = 0;

    for (size_t i = 0; i < n; i++)
        within += topk_key(topk_load(s->elements, i, width_log2), width_log2, order) <= key;
    return within;
}

/* Whether the rank-th of the first n elements is the last of them that does not come after a key. */
static bool is_rank(const struct sequence *s, size_t n, size_t rank, uint64_t key)
{
    struct topk_order order = order_of(s->type, s->order);
    unsigned width_log2 = dtype_table[s->type].width_log2;
    uint64_t last = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t at = topk_key(topk_load(s->elements, i, width_log2), width_log2, order);

        if (at <= key && at > last)
            last = at;
    }
    return count_within(s, n, key) >= rank && (last == 0 || count_within(s, n, last - 1) < rank);
}

/* Holds the rank-th of a few elements at the front, and how many do not come after it, to the elements themselves, and may
 * make that the limit. Returns how many of the whole sequence do not come after the limit, k at most. */
static size_t check_limit(const struct topk_kernel *kernel, const struct sequence *s, size_t k, void *scratch)
{
    unsigned width_log2 = dtype_table[s->type].width_log2;
    size_t front = 1 + check_below(topk_candidates(s->n, k)), rank = 1 + check_below(front), within;
    size_t whole = front - front % ((size_t)TOPK_PAD_BYTES >> width_log2), bytes = front << width_log2;
    char *keys = check_alloc(bytes + TOPK_PAD_BYTES);
    bool equal = check_below(2);
    uint64_t key;

    memcpy(keys, s->elements, bytes);
    kernel->make_keys(scratch, keys, front);
    key = kernel->rank(scratch, keys, front, rank);
    if (!is_rank(s, front, rank, key))
        report(kernel, s, k, "wrong key of rank", rank);
    if (kernel->within(scratch, keys, whole, key) != count_within(s, whole, key))
        report(kernel, s, k, "wrong number within the key of rank", rank);
    free(keys);
    if (check_below(3) == 0)
        return k;
    kernel->limit(scratch, key, equal);
    within = equal ? count_within(s, s->n, key) : key > 0 ? count_within(s, s->n, key - 1) : 0;
    return within < k ? within : k;
}

static void check_k(const struct topk_kernel *kernel, const struct sequence *s, size_t k)
{
    bool loose = kernel->loose && check_below(3) == 0, limited = loose && check_below(3);
    struct topk_job job = { order_of(s->type, s->order), dtype_table[s->type].width_log2, s->n, k, loose,
                            limited, draw_policy() };
    size_t want = k;
    size_t bytes = (kernel->scratch(&job) + 63) & ~UINT64_C(63);
    struct guarded g = guarded_new(bytes);
    char *scratch = g.base + g.bytes - bytes;
    struct topk_list list;

    memset(g.base, (int)check_below(256), g.bytes);
    kernel->begin(scratch, &job);
    if (limited)
        want = check_limit(kernel, s, k, scratch);
    feed_pieces(kernel, s, scratch);
    kernel->finish(scratch, &list);
    if (loose)
        check_loose(kernel, s, k, want, &list);
    else
        check_list(kernel, s, k, &list);
    guarded_free(&g);
}

/* Every K of a short sequence, a few of a long one. */
static void check_sequence(enum dtype type, struct oracle_order order, enum oracle_pattern pattern, size_t n)
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

/* A matrix whose columns are sequences, at an end of its region; padding between rows is random. */
static struct guarded matrix_new(const struct sequence *columns, size_t count, size_t row_step, const char **src)
{
    size_t size = dtype_size(columns[0].type), rows = columns[0].n;
    size_t bytes = ((rows - 1) * row_step + count) * size;
    struct guarded g = guarded_new(bytes);
    char *p = guarded_place(&g, bytes, check_below(2));

    for (size_t i = 0; i + 1 < rows; i++)
        memset(p + (i * row_step + count) * size, (int)check_below(256), (row_step - count) * size);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < rows; i++)
            memcpy(p + (i * row_step + j) * size, columns[j].elements + i * size, size);
    mprotect(g.base, g.bytes, PROT_READ);
    *src = p;
    return g;
}

/* Sequences side by side, fed by rows in one or two pieces; mixed: each column has a pattern of its own. */
static void check_rows(const struct topk_kernel *kernel, enum dtype type, struct oracle_order order, size_t n, size_t count,
                       size_t k, enum oracle_pattern pattern, bool mixed)
{
    unsigned width_log2 = dtype_table[type].width_log2;
    struct topk_job job = { order_of(type, order), width_log2, n, k, false, false,
                            draw_policy() };
    size_t state_bytes = (kernel->scratch(&job) + 63) & ~UINT64_C(63);
    size_t bytes = (kernel->rows_scratch(width_log2, count) + 63) & ~UINT64_C(63);
    size_t row_step = count + check_below(3) * check_below(20);
    size_t cut = check_below(2) ? n : 1 + check_below(n);
    struct sequence *columns = calloc(count, sizeof *columns);
    struct guarded states = guarded_new(count * state_bytes), scratch = guarded_new(bytes), matrix;
    struct topk_rows rows = { .states = states.base, .state_bytes = state_bytes, .columns = count,
                              .row_step = row_step, .scratch = scratch.base + scratch.bytes - bytes };
    struct topk_list list;
    const char *src;

    for (size_t j = 0; j < count; j++) {
        columns[j] = sequence_new(type, order,
                                  mixed ? (enum oracle_pattern)check_below(PATTERN_COUNT) : pattern, n);
        kernel->begin(states.base + j * state_bytes, &job);
    }
    matrix = matrix_new(columns, count, row_step, &src);
    for (size_t at = 0; at < n; at += rows.rows) {
        rows.src = src + at * row_step * dtype_size(type);
        rows.rows = at < cut ? cut - at : n - at;
        kernel->feed_rows(&rows);
    }
    for (size_t j = 0; j < count; j++) {
        kernel->finish(states.base + j * state_bytes, &list);
        check_list(kernel, &columns[j], k, &list);
        sequence_free(&columns[j]);
    }
    free(columns);
    guarded_free(&matrix);
    guarded_free(&scratch);
    guarded_free(&states);
}

static void check_all_rows(enum dtype type, struct oracle_order order)
{
    static const size_t heights[] = { 1, 2, 40, 1025, 1500, 9000 };

    for (unsigned row = 0; row < topk_kernel_count; row++) {
        const struct topk_kernel *kernel = &topk_kernels[row];

        if (!kernel->feed_rows || !cpu_has(kernel->row.needs))
            continue;
        for (unsigned i = 0; i < 2 * ARRAY_LEN(heights); i++) {
            size_t n = heights[i / 2], most = n < 50 ? n : 50;
            size_t columns = 1 + check_below(n > 2000 ? 40 : 150);
            size_t k = check_below(4) ? 1 + check_below(most) : 1 + check_below(n);
            enum oracle_pattern pattern = (enum oracle_pattern)check_below(PATTERN_COUNT);

            check_rows(kernel, type, order, n, columns, k, pattern, i % 2);
        }
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
        same = topk_unkey(key[0], width_log2, by, &bits);
        if (got != want || (same && bits != pair[0]) || key[0] > mask ||
            (!same && dtype_table[type].kind != KIND_FLOAT)) {
            check_fail("keys of %s are wrong: %llx %llx", dtype_name(type), (unsigned long long)pair[0],
                       (unsigned long long)pair[1]);
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
    check_sequence(type, order, (enum oracle_pattern)check_below(PATTERN_COUNT), 100000 + check_below(100000));
    check_all_rows(type, order);
}

int main(int argc, char **argv)
{
    check_begin("check_topk", argc, argv);
    for (enum dtype type = DT_NONE + 1; type < DT_COUNT; type++)
        for (unsigned i = 0; i < (dtype_table[type].kind == KIND_FLOAT ? 4 : 2); i++)
            check_type(type, (struct oracle_order){ i & 1, i & 2 });
    return check_end();
}
