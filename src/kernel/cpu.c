#include "kernel/cpu.h"

#include "os/processors.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Leaves of CPUID and bits for which <cpuid.h> of gcc 12 and of clang 14 have different names, as
 * in Intel's manual. */
enum {
    LEAF_VENDOR = 0,
    LEAF_FEATURES = 1,
    LEAF_EXTENDED = 7,
    LEAF_7_0_EDX_AMX_TILE = 1 << 24,
    LEAF_7_0_EDX_AMX_INT8 = 1 << 25,
    LEAF_7_1_EAX_AVXVNNI = 1 << 4,
};

/* The four registers that CPUID fills; zeros if the processor does not have the leaf. */
struct cpuid {
    unsigned eax, ebx, ecx, edx;
};

static struct cpuid cpuid(unsigned leaf, unsigned subleaf)
{
    struct cpuid r = { 0 };

    if (!__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx))
        return (struct cpuid){ 0 };
    return r;
}

/* __builtin_cpu_supports also checks that the OS saves the registers. */
static unsigned detect(void)
{
    unsigned features = 0;

    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma"))
        features |= CPU_AVX2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        features |= CPU_AVX512;
    if ((features & CPU_AVX512) && __builtin_cpu_supports("avx512vnni"))
        features |= CPU_AVX512VNNI;
    if ((features & CPU_AVX2) && (cpuid(LEAF_EXTENDED, 1).eax & LEAF_7_1_EAX_AVXVNNI))
        features |= CPU_AVXVNNI;
    return features;
}

static struct cpu_model identify(void)
{
    struct cpuid maker = cpuid(LEAF_VENDOR, 0), basic = cpuid(LEAF_FEATURES, 0);
    unsigned family = basic.eax >> 8 & 0xf, model = basic.eax >> 4 & 0xf;
    struct cpu_model m = { .family = family, .model = model };

    if (family == 15)
        m.family += basic.eax >> 20 & 0xff;
    if (family == 6 || family == 15)
        m.model += (basic.eax >> 16 & 0xf) << 4;
    memcpy(m.vendor, (unsigned[]){ maker.ebx, maker.edx, maker.ecx }, sizeof m.vendor - 1);
    return m;
}

static unsigned request_tiles(void)
{
    enum { AMX = LEAF_7_0_EDX_AMX_TILE | LEAF_7_0_EDX_AMX_INT8 };

    return (cpuid(LEAF_EXTENDED, 0).edx & AMX) == AMX && processors_grant_tiles() ? CPU_AMX_INT8
                                                                                  : 0;
}

#elif defined(__aarch64__)

static unsigned detect(void)
{
    enum { DOTPROD = 1 << 20 /* HWCAP_ASIMDDP */, I8MM = 1 << 13 /* HWCAP2_I8MM */ };
    unsigned features = CPU_NEON; /* every 64-bit Arm has it */
    unsigned long words[2];

    processors_words(words);
    if (words[0] & DOTPROD)
        features |= CPU_DOTPROD;
    if (words[1] & I8MM)
        features |= CPU_I8MM;
    return features;
}

#else

static unsigned detect(void) { return 0; }

#endif

#ifndef __x86_64__
static struct cpu_model identify(void) { return (struct cpu_model){ .family = 0 }; }

static unsigned request_tiles(void) { return 0; }
#endif

bool cpu_has(unsigned features)
{
    static unsigned found;
    static bool known, tiles_known;

    if (!known) {
        found = detect();
        known = true;
    }
    if ((features & CPU_AMX_INT8) && !tiles_known) {
        if (found & CPU_AVX512)
            found |= request_tiles();
        tiles_known = true;
    }
    return (features & ~found) == 0;
}

const struct cpu_model *cpu_model(void)
{
    static struct cpu_model found;
    static bool known;

    if (!known) {
        found = identify();
        known = true;
    }
    return &found;
}

/* The size that the OS reports, but at least `least`. */
static size_t cache_bytes(size_t reported, size_t least)
{
    return reported > least ? reported : least;
}

struct cpu_caches cpu_caches(void)
{
    size_t first, second;

    processors_caches(&first, &second);
    return (struct cpu_caches){ cache_bytes(first, 32 << 10), cache_bytes(second, 256 << 10) };
}
