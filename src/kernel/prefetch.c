#include "kernel/prefetch.h"

/* Vendors as CPUID names them. */
#define INTEL "GenuineIntel"
#define AMD "AuthenticAMD"

/*
 * Policies by family and model, measured with bench_slice and bench_topk, one thread, by turns:
 *
 *   Sapphire Rapids  slice 1.3 to 1.5 times as fast by pages. Emerald Rapids has the same cores; it
 *                    was not measured.
 *   Zen 4            by pages slice has 0.5 to 0.9 of its rate, topk 0.5 to 0.9. Without
 *                    prefetching, slice reads rows of 512 bytes backwards at 0.35 of its rate, rows
 *                    of 96 bytes at 0.8.
 *   Zen 5            by pages slice has 0.6 to 1 of its rate; without prefetching, rows of 512
 *                    bytes backwards 0.44, rows of 96 bytes 0.33. topk needs 0.6 to 0.8 of its time
 *                    with runs prefetched two pages ahead, as candidates wait for memory; not tried
 *                    on a Zen 4.
 *   Zen 3            not measured again; ROW_AHEAD of slice_prefetch.inc was chosen there.
 */
static const struct {
    const char *vendor;
    unsigned family, first, last; /* models */
    struct prefetch_choice choice;
} processors[] = {
    { INTEL, 6, 143, 143, { PREFETCH_PAGES, "it is faster with several pages at once" } },
    { INTEL, 6, 207, 207, { PREFETCH_PAGES, "it has the same cores as model 143" } },
    { AMD, 25, 0, 255, { PREFETCH_LINES, "it reads ahead in consecutive memory by itself" } },
    { AMD, 26, 0, 255, { PREFETCH_AHEAD, "it reads ahead by itself, but not across pages" } },
};

/* For all others: few prefetches, and none that a processor's own prefetchers could make. */
static const struct prefetch_choice otherwise = { PREFETCH_LINES, "the default: not measured" };

struct prefetch_choice prefetch_choose(const struct cpu_model *cpu)
{
    for (size_t i = 0; i < ARRAY_LEN(processors); i++)
        if (strcmp(cpu->vendor, processors[i].vendor) == 0 &&
            cpu->family == processors[i].family && cpu->model >= processors[i].first &&
            cpu->model <= processors[i].last)
            return processors[i].choice;
    return otherwise;
}

void prefetch_why(const struct cpu_model *cpu, char *text, size_t bytes)
{
    const char *vendor = strcmp(cpu->vendor, INTEL) == 0 ? "Intel"
                         : strcmp(cpu->vendor, AMD) == 0 ? "AMD"
                                                         : cpu->vendor;
    const char *why = prefetch_choose(cpu).why;

    if (*vendor)
        snprintf(text, bytes, "%s family %u, model %u: %s", vendor, cpu->family, cpu->model, why);
    else
        snprintf(text, bytes, "%s", why);
}

enum prefetch_policy prefetch_resolve(enum prefetch_policy policy)
{
    return policy == PREFETCH_AUTO ? prefetch_choose(cpu_model()).policy : policy;
}

/* MEMORY_BYTES: bench_slice, one thread of an Emerald Rapids, by pages against by lines: 256 MB of
 * FLOAT32 take 0.68 to 1.05 of the time, 64 MB of UINT8, which the last cache holds, 1.03 to 1.4.
 *
 * CACHED_BYTES: dmlop qmatmul --repeat, one thread of a Zen 5, with prefetching against without:
 * 1x16384x4096, 64 MB, 0.7 of the time, 1x4096x4096, which the last cache holds, 1.2 to 1.3; with 2
 * rows and more 0.9 to 1. */
enum { MEMORY_BYTES = 128 << 20, CACHED_BYTES = 32 << 20 };

enum prefetch_policy prefetch_for_copy(enum prefetch_policy policy, uint64_t bytes)
{
    enum prefetch_policy gains = prefetch_resolve(policy);
    bool cached = policy == PREFETCH_AUTO && bytes < MEMORY_BYTES;

    return gains == PREFETCH_AHEAD || (gains == PREFETCH_PAGES && cached) ? PREFETCH_LINES : gains;
}

bool prefetch_for_product(enum prefetch_policy policy, uint64_t rows, uint64_t bytes)
{
    enum prefetch_policy gains = prefetch_resolve(policy);
    bool cached = policy == PREFETCH_AUTO && rows == 1 && bytes < CACHED_BYTES;

    return (gains == PREFETCH_LINES || gains == PREFETCH_AHEAD) && !cached;
}

static const char *const names[PREFETCH_COUNT] = { "auto", "none", "lines", "ahead", "pages" };

const char *prefetch_name(enum prefetch_policy policy) { return names[policy]; }

enum prefetch_policy prefetch_named(const char *name)
{
    enum prefetch_policy policy = PREFETCH_AUTO;

    while (policy < PREFETCH_COUNT && strcmp(name, names[policy]) != 0)
        policy++;
    return policy;
}
