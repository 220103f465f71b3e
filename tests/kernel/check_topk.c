/*
 * Holds every row of the table of topk kernels to an independent stable sort: all types, both
 * directions, every K of short sequences, every tail, hostile data, pieces of any length, with unmapped pages before
 * and after what a kernel may read and write. `check_topk [--seed SEED]`.
 */
#include "check.h"
#include "kernel/topk.h"
#include "topk_oracle.h"

struct sequence {
    enum dtype type;
    bool largest;
    enum oracle_pattern pattern;
    size_t n;
    char *elements;
    uint64_t *index, *room; /* index: the whole sequence, sorted */
};

static struct sequence sequence_new(enum dtype type, bool largest, enum oracle_pattern pattern, size_t n)
{
    struct sequence s = { type, largest, pattern, n, check_alloc(n * 8), check_alloc(n * 8), check_alloc(n * 8) };

    oracle_fill(type, pattern, s.elements, n, &check.rng);
    oracle_sort(type, largest, s.elements, n, s.index, s.room);
    return s;
}

static void sequence_free(struct sequence *s)
{
    free(s->elements);
    free(s->index);
    free(s->room);
}

static void report(const struct topk_kernel *kernel, const struct sequence *s, size_t k, const char *what, size_t at)
{
    check_fail("%s: %s n=%zu k=%zu %s, %s: %s at %zu", kernel->row.name, dtype_name(s->type), s->n, k,
               s->largest ? "largest" : "smallest", oracle_pattern_name(s->pattern), what, at);
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

/* The linear bound on work, for any data: several visits an element, and a sort of the k kept. */
static uint64_t most_work(const struct sequence *s, size_t k)
{
    uint64_t logarithm = 1;

    while (k >> logarithm)
        logarithm++;
    return 24 * s->n * logarithm;
}

static void check_k(const struct topk_kernel *kernel, const struct sequence *s, size_t k)
{
    unsigned width_log2 = dtype_table[s->type].width_log2;
    size_t size = dtype_size(s->type);
    struct topk_job job = { { dtype_table[s->type].kind, s->largest }, width_log2, s->n, k };
    struct guarded g = guarded_new((kernel->scratch(&job) + 63) & ~UINT64_C(63));
    char *scratch = g.base + g.bytes - ((kernel->scratch(&job) + 63) & ~UINT64_C(63));
    struct topk_list list;
    unsigned long before = check.failed;

    memset(g.base, (int)check_below(256), g.bytes);
    kernel->begin(scratch, &job);
    feed_pieces(kernel, s, scratch);
    kernel->finish(scratch, &list);
    if (list.count != k)
        report(kernel, s, k, "wrong count", list.count);
    for (size_t i = 0; i < k && i < list.count && check.failed == before; i++) {
        struct topk_entry e = topk_list_at(&list, i);
        uint64_t bits = 0;

        memcpy(&bits, s->elements + s->index[i] * size, size);
        if (e.index != s->index[i])
            report(kernel, s, k, "wrong index", i);
        else if (e.key != topk_key(bits, width_log2, job.order))
            report(kernel, s, k, "wrong key", i);
    }
    if (list.work > most_work(s, k))
        report(kernel, s, k, "too much work", list.work);
    check.passed += check.failed == before;
    guarded_free(&g);
}

/* Every K of a short sequence, a few of a long one. */
static void check_sequence(enum dtype type, bool largest, enum oracle_pattern pattern, size_t n)
{
    struct sequence s = sequence_new(type, largest, pattern, n);

    for (unsigned row = 0; row < topk_kernel_count; row++) {
        const struct topk_kernel *kernel = &topk_kernels[row];

        if (kernel->row.needs & ~cpu_features())
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

/* topk_key keeps the order of values, and topk_unkey inverts it but for zeros and NaNs. */
static void check_keys(enum dtype type, bool largest)
{
    unsigned width_log2 = dtype_table[type].width_log2;
    struct topk_order order = { dtype_table[type].kind, largest };
    size_t size = dtype_size(type);

    for (int i = 0; i < 20000; i++) {
        uint64_t bits = 0, mask = UINT64_MAX >> (64 - 8 * size), pair[2] = { 0 }, key[2];
        char drawn[2 * sizeof(uint64_t)];
        int want, got;
        bool same;

        oracle_fill(type, i % 2 ? PATTERN_SPECIAL : PATTERN_BITS, drawn, 2, &check.rng);
        memcpy(&pair[0], drawn, size);
        memcpy(&pair[1], drawn + size, size);
        for (int j = 0; j < 2; j++)
            key[j] = topk_key(pair[j], width_log2, order);
        want = oracle_compare(type, &pair[0], &pair[1]);
        got = (key[0] > key[1]) - (key[0] < key[1]);
        same = topk_unkey(key[0], width_log2, order, &bits);
        if (got != (largest ? -want : want) || (same && bits != pair[0]) || key[0] > mask ||
            (!same && dtype_table[type].kind != KIND_FLOAT)) {
            check_fail("keys of %s are wrong: %llx %llx", dtype_name(type), (unsigned long long)pair[0],
                       (unsigned long long)pair[1]);
            return;
        }
    }
    check.passed++;
}

int main(int argc, char **argv)
{
    static const size_t lengths[] = { 63, 64, 65, 127, 200, 255, 256, 257, 1000, 1023, 1025, 3001 };

    check_begin("check_topk", argc, argv);
    for (enum dtype type = DT_NONE + 1; type < DT_COUNT; type++) {
        for (int largest = 0; largest < 2; largest++) {
            check_keys(type, largest);
            for (enum oracle_pattern pattern = 0; pattern < PATTERN_COUNT; pattern++) {
                for (size_t n = 1; n <= 40; n += pattern < PATTERN_ASCENDING ? 1 : 7)
                    check_sequence(type, largest, pattern, n);
                for (size_t i = 0; i < ARRAY_LEN(lengths); i++)
                    check_sequence(type, largest, pattern, lengths[i]);
            }
            check_sequence(type, largest, (enum oracle_pattern)check_below(PATTERN_COUNT),
                           100000 + check_below(100000));
        }
    }
    return check_end();
}
