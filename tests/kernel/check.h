#pragma once

#include <math.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layout.h"

/* What the kernel checkers share: seed, counts, report, memory with unmapped pages on both sides,
 * tensors in such memory. */

static struct {
    const char *name;
    uint64_t seed, rng;
    unsigned long passed, failed;
} check;

/* `NAME [[--seed] SEED]`: prints the seed, by default the clock's. */
static inline void check_begin(const char *name, int argc, char **argv)
{
    bool named = argc > 2 && strcmp(argv[1], "--seed") == 0;
    const char *seed = named ? argv[2] : argc > 1 ? argv[1] : NULL;

    check.name = name;
    check.seed = seed ? strtoull(seed, NULL, 0) : clock_ns();
    check.rng = random_start(check.seed);
    printf("%s: seed %llu\n", name, (unsigned long long)check.seed);
    fflush(stdout);
}

/* The exit status; the counts are the last line. */
static inline int check_end(void)
{
    printf("%lu passed, %lu failed\n", check.passed, check.failed);
    return check.failed != 0 || check.passed == 0;
}

static inline void check_fail(const char *format, ...) PRINTF_LIKE(1, 2);

/* Counts a failure and tells of the first twenty. */
static inline void check_fail(const char *format, ...)
{
    va_list args;

    if (++check.failed > 20)
        return;
    fprintf(stderr, "%s: ", check.name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, " (seed %llu)\n", (unsigned long long)check.seed);
}

static inline uint64_t check_random(void) { return random_next(&check.rng); }
static inline uint64_t check_below(uint64_t n) { return random_below(&check.rng, n); }

/* first to last, both included. */
static inline int64_t check_between(int64_t first, int64_t last)
{
    return first + (int64_t)check_below((uint64_t)(last - first) + 1);
}

/* Any bits that are a number, but not 0. */
static inline float check_float(void)
{
    for (;;) {
        uint32_t bits = (uint32_t)(check_random() >> 32);
        float f;

        memcpy(&f, &bits, sizeof f);
        if (isfinite(f) && f != 0)
            return f;
    }
}

/* Of magnitude 2^low to 2^high, any sign. */
static inline float check_float_between(int low, int high)
{
    float f = ldexpf(1 + (float)check_below(1 << 23) * 0x1p-23f, (int)check_between(low, high));

    return check_below(2) ? -f : f;
}

static inline void *check_alloc(size_t bytes)
{
    void *p = malloc(bytes > 0 ? bytes : 1);

    if (!p) {
        perror(check.name);
        exit(2);
    }
    return p;
}

/* Whole pages whose neighbours on both sides cannot be touched. */
struct guarded {
    char *base;
    size_t bytes;
    bool read_only;
};

/* Regions that are used again, for the system takes longer to make one than a kernel needs for most
 * cases. */
static struct {
    struct guarded v[32];
    size_t n;
} guarded_pool;

static inline void guarded_must(bool good)
{
    if (good)
        return;
    perror(check.name);
    exit(2);
}

/* At least so many bytes, of any content. */
static inline struct guarded guarded_new(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded g = { NULL, (bytes + page - 1) / page * page, false };
    char *all;

    for (size_t i = 0; i < guarded_pool.n; i++)
        if (guarded_pool.v[i].bytes == g.bytes) {
            g = guarded_pool.v[i];
            memmove(guarded_pool.v + i, guarded_pool.v + i + 1, (--guarded_pool.n - i) * sizeof g);
            return g;
        }
    all = mmap(NULL, g.bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    guarded_must(all != MAP_FAILED &&
                 (g.bytes == 0 || mprotect(all + page, g.bytes, PROT_READ | PROT_WRITE) == 0));
    g.base = all + page;
    return g;
}

static inline void guarded_read_only(struct guarded *g)
{
    guarded_must(mprotect(g->base, g->bytes, PROT_READ) == 0);
    g->read_only = true;
}

static inline void guarded_free(struct guarded *g)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    /* the one that waits longest goes */
    if (guarded_pool.n == sizeof guarded_pool.v / sizeof guarded_pool.v[0]) {
        munmap(guarded_pool.v[0].base - page, guarded_pool.v[0].bytes + 2 * page);
        memmove(guarded_pool.v, guarded_pool.v + 1, --guarded_pool.n * sizeof guarded_pool.v[0]);
    }
    guarded_must(!g->read_only || mprotect(g->base, g->bytes, PROT_READ | PROT_WRITE) == 0);
    g->read_only = false;
    guarded_pool.v[guarded_pool.n++] = *g;
}

/* A place for `bytes` at the region's front or at its end. */
static inline char *guarded_place(const struct guarded *g, size_t bytes, bool at_end)
{
    return at_end ? g->base + g->bytes - bytes : g->base;
}

static inline void check_fill(void *p, size_t bytes)
{
    char *at = p;

    for (; bytes >= 8; bytes -= 8, at += 8) {
        uint64_t r = check_random();

        memcpy(at, &r, 8);
    }
    for (; bytes > 0; bytes--)
        *at++ = (char)check_random();
}

/* A tensor within pages that it owns; its elements are not set. */
struct check_tensor {
    struct tensor t;
    struct guarded g;
};

/* `broadcast` is as layout_draw has it. Free .g. */
static inline struct check_tensor check_tensor_new(enum dtype type, unsigned rank,
                                                   const uint64_t *sizes, enum layout layout,
                                                   uint64_t broadcast)
{
    struct check_tensor c = { .t = { .type = type, .rank = rank } };
    size_t bytes;

    memcpy(c.t.sizes, sizes, rank * sizeof sizes[0]);
    bytes = layout_draw(&c.t, layout, broadcast, &check.rng) * dtype_size(type);
    c.g = guarded_new(bytes);
    c.t.data = guarded_place(&c.g, bytes, check_below(2));
    return c;
}
