#include "base/mem.h"

#include "os/memory.h"

enum { HUGE_PAGE = 1 << 21, HUGE_MIN = 4 * HUGE_PAGE };

/* count * size, 0 on overflow. An empty request gets a byte, so that NULL always means failure. */
static size_t total(uint64_t count, uint64_t size)
{
    uint64_t n;

    if (!u64_mul(count, size, &n) || n > PTRDIFF_MAX)
        return 0;
    return n ? (size_t)n : 1;
}

void *mem_alloc(uint64_t count, uint64_t size)
{
    size_t n = total(count, size);

    return n ? malloc(n) : NULL;
}

void *mem_zalloc(uint64_t count, uint64_t size)
{
    size_t n = total(count, size);

    return n ? calloc(1, n) : NULL;
}

void *mem_alloc_aligned(uint64_t count, uint64_t size)
{
    size_t n = total(count, size);
    size_t unit = n >= HUGE_MIN ? HUGE_PAGE : 64; /* scattering misses fewer translations */
    void *p = NULL;

    if (n > 0 && n <= (size_t)PTRDIFF_MAX - HUGE_PAGE)
        p = aligned_alloc(unit, (size_t)u64_round_up(n, unit));
    if (p && unit == HUGE_PAGE)
        os_pages_large(p, (size_t)u64_round_up(n, unit));
    return p;
}

void *mem_realloc(void *p, uint64_t count, uint64_t size)
{
    size_t n = total(count, size);

    return n ? realloc(p, n) : NULL;
}

bool mem_reserve(void *array, size_t n, size_t *cap, size_t size)
{
    size_t want = (size_t)u64_max(*cap ? *cap * 2 : 8, (uint64_t)n + 1);
    void *old, *grown;

    if (n < *cap)
        return true;
    memcpy(&old, array, sizeof old); /* array is the address of any pointer type */
    grown = mem_realloc(old, want, size);
    if (!grown)
        return false;
    memcpy(array, &grown, sizeof grown);
    *cap = want;
    return true;
}

char *mem_strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = mem_alloc(n, 1);

    return copy ? memcpy(copy, s, n) : NULL;
}
