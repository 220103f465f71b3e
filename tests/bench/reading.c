#include "reading.h"

#include "kernel/cpu.h"

enum { PAGE = 4096 };

/* In the widest registers that compilers agree on. */
typedef uint64_t vec __attribute__((vector_size(32)));

__attribute__((always_inline)) static inline uint64_t read_vectors(const char *p, size_t bytes)
{
    const vec *v = (const vec *)p;
    vec a = { 0 }, b = a, c = a, d = a;

    for (size_t i = 0; i + 4 <= bytes / sizeof(vec); i += 4) {
        a |= v[i];
        b |= v[i + 1];
        c |= v[i + 2];
        d |= v[i + 3];
    }
    a |= b | c | d;
    return a[0] | a[1] | a[2] | a[3];
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static uint64_t read_avx2(const char *p, size_t bytes)
{
    return read_vectors(p, bytes);
}
#endif

static uint64_t read_all(const char *p, size_t bytes)
{
#if defined(__x86_64__)
    if (cpu_has(CPU_AVX2))
        return read_avx2(p, bytes);
#endif
    return read_vectors(p, bytes);
}

static size_t chunk_bytes(const struct reading *r)
{
    return (size_t)u64_round_up(u64_ceil_div(r->bytes, (uint64_t)r->threads), PAGE);
}

static void read_chunk(void *context, size_t chunk, int thread)
{
    struct reading *r = context;
    size_t from = chunk * chunk_bytes(r);

    (void)thread;
    r->sums[chunk] = read_all(r->data + from, u64_min(chunk_bytes(r), r->bytes - from));
}

void reading_run(struct reading *r)
{
    parallel_for((size_t)u64_ceil_div(r->bytes, chunk_bytes(r)), r->threads, read_chunk, r);
    __asm__ volatile("" : : "r"(r->sums) : "memory");
}
