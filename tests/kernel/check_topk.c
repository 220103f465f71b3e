/*
 * Holds every row of the table of topk kernels to an independent stable sort: all types, both
 * directions, every K of short sequences, every tail, hostile data, pieces of any length, with unmapped pages before
 * and after what a kernel may read and write. `check_topk [SEED]`.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "kernel/topk.h"
#include "topk_oracle.h"

static uint64_t seed, rng;
static unsigned long passed, failed;

/* A region whose neighbours on both sides cannot be touched. */
struct guarded {
    char *base;
    size_t bytes; /* whole pages */
};

static struct guarded guarded_new(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded g = { NULL, (bytes + page - 1) / page * page };
    char *all = mmap(NULL, g.bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (all == MAP_FAILED || mprotect(all + page, g.bytes, PROT_READ | PROT_WRITE) != 0) {
        perror("check_topk: mmap");
        exit(2);
    }
    g.base = all + page;
    return g;
}

static void guarded_free(struct guarded *g)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    munmap(g->base - page, g->bytes + 2 * page);
}

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
    struct sequence s = { type, largest, pattern, n, malloc(n * 8), malloc(n * 8), malloc(n * 8) };

    if (!s.elements || !s.index || !s.room)
        exit(2);
    oracle_fill(type, pattern, s.elements, n, &rng);
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
    if (++failed <= 20)
        fprintf(stderr, "check_topk: %s: %s n=%zu k=%zu %s, %s: %s at %zu (seed %llu)\n", kernel->row.name,
                dtype_name(s->type), s->n, k, s->largest ? "largest" : "smallest",
                oracle_pattern_name(s->pattern), what, at, (unsigned long long)seed);
}

/* Feeds s in random pieces, each alone at an end of its own region. */
static void feed_pieces(const struct topk_kernel *kernel, const struct sequence *s, void *scratch)
{
    size_t size = dtype_size(s->type);

    for (size_t at = 0, left = s->n; left > 0;) {
        size_t piece = oracle_below(&rng, 3) ? left : 1 + oracle_below(&rng, left);
        struct guarded g = guarded_new(piece * size);
        char *p = oracle_below(&rng, 2) ? g.base : g.base + g.bytes - piece * size;

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

static void check(const struct topk_kernel *kernel, const struct sequence *s, size_t k)
{
    unsigned width_log2 = dtype_table[s->type].width_log2;
    size_t size = dtype_size(s->type);
    struct topk_job job = { { dtype_table[s->type].kind, s->largest }, width_log2, s->n, k };
    struct guarded g = guarded_new((kernel->scratch(&job) + 63) & ~UINT64_C(63));
    char *scratch = g.base + g.bytes - ((kernel->scratch(&job) + 63) & ~UINT64_C(63));
    struct topk_list list;
    unsigned long before = failed;

    memset(g.base, (int)oracle_below(&rng, 256), g.bytes);
    kernel->begin(scratch, &job);
    feed_pieces(kernel, s, scratch);
    kernel->finish(scratch, &list);
    if (list.count != k)
        report(kernel, s, k, "wrong count", list.count);
    for (size_t i = 0; i < k && i < list.count && failed == before; i++) {
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
    passed += failed == before;
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
                check(kernel, &s, k);
            continue;
        }
        for (size_t k = 1; k <= n; k = k * 3 + oracle_below(&rng, 3))
            check(kernel, &s, k);
        check(kernel, &s, n - n / 7);
        check(kernel, &s, n);
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

        oracle_fill(type, i % 2 ? PATTERN_SPECIAL : PATTERN_BITS, drawn, 2, &rng);
        memcpy(&pair[0], drawn, size);
        memcpy(&pair[1], drawn + size, size);
        for (int j = 0; j < 2; j++)
            key[j] = topk_key(pair[j], width_log2, order);
        want = oracle_compare(type, &pair[0], &pair[1]);
        got = (key[0] > key[1]) - (key[0] < key[1]);
        same = topk_unkey(key[0], width_log2, order, &bits);
        if (got != (largest ? -want : want) || (same && bits != pair[0]) || key[0] > mask ||
            (!same && dtype_table[type].kind != KIND_FLOAT)) {
            failed++;
            fprintf(stderr, "check_topk: keys of %s are wrong: %llx %llx (seed %llu)\n", dtype_name(type),
                    (unsigned long long)pair[0], (unsigned long long)pair[1], (unsigned long long)seed);
            return;
        }
    }
    passed++;
}

int main(int argc, char **argv)
{
    static const size_t lengths[] = { 63, 64, 65, 127, 200, 255, 256, 257, 1000, 1023, 1025, 3001 };

    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : clock_ns();
    rng = seed | 1;
    printf("check_topk: seed %llu\n", (unsigned long long)seed);
    for (enum dtype type = DT_NONE + 1; type < DT_COUNT; type++) {
        for (int largest = 0; largest < 2; largest++) {
            check_keys(type, largest);
            for (enum oracle_pattern pattern = 0; pattern < PATTERN_COUNT; pattern++) {
                for (size_t n = 1; n <= 40; n += pattern < PATTERN_ASCENDING ? 1 : 7)
                    check_sequence(type, largest, pattern, n);
                for (size_t i = 0; i < ARRAY_LEN(lengths); i++)
                    check_sequence(type, largest, pattern, lengths[i]);
            }
            check_sequence(type, largest, (enum oracle_pattern)oracle_below(&rng, PATTERN_COUNT),
                           100000 + oracle_below(&rng, 100000));
        }
    }
    printf("check_topk: %lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
