#include "kernel/cpu.h"

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/auxv.h>
#include <sys/syscall.h>
#endif

#if defined(__x86_64__)
#include <cpuid.h>

static uint64_t xcr0(void)
{
    uint32_t lo, hi;

    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

static unsigned detect(void)
{
    unsigned a, b, c, d, features = 0;
    uint64_t os;
    bool fma;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return 0;
    fma = (c & bit_FMA) != 0;
    os = xcr0();
    if ((os & 6) != 6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return 0;
    if (fma && (b & bit_AVX2) && (b & bit_BMI2))
        features |= CPU_AVX2;
    if ((os & 0xe6) == 0xe6 && (b & bit_AVX512F) && (b & bit_AVX512BW) && (b & bit_AVX512DQ) && (b & bit_AVX512VL)) {
        features |= CPU_AVX512;
        if (c & (1u << 11))
            features |= CPU_AVX512VNNI;
        if (c & (1u << 1))
            features |= CPU_AVX512VBMI;
    }
    if ((features & CPU_AVX2) && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & (1u << 4)))
        features |= CPU_AVXVNNI;
    return features;
}

/* The tile registers, which Linux hands out on request, for the whole process. */
static unsigned request_tiles(void)
{
#ifdef __linux__
    enum { REQUEST = 0x1023 /* ARCH_REQ_XCOMP_PERM */, TILE_DATA = 18 };
    unsigned a, b, c, d;

    if ((xcr0() & 0x60000) == 0x60000 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & (1u << 24)) &&
        (d & (1u << 25)) && syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0)
        return CPU_AMX_INT8;
#endif
    return 0;
}

#elif defined(__aarch64__)

static unsigned detect(void)
{
    unsigned features = CPU_NEON; /* every 64-bit Arm has it */

#ifdef __linux__
    enum { DOTPROD = 1 << 20, I8MM = 1 << 13 }; /* HWCAP_ASIMDDP, HWCAP2_I8MM */

    if (getauxval(AT_HWCAP) & DOTPROD)
        features |= CPU_DOTPROD;
    if (getauxval(AT_HWCAP2) & I8MM)
        features |= CPU_I8MM;
#endif
    return features;
}

#else

static unsigned detect(void) { return 0; }

#endif

#ifndef __x86_64__
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

/* What the system says of a cache, or `otherwise` where it says nothing or less. */
static size_t cache_bytes(long said, size_t otherwise)
{
    return said > (long)otherwise ? (size_t)said : otherwise;
}

struct cpu_caches cpu_caches(void)
{
    long first = 0, second = 0;

#ifdef _SC_LEVEL1_DCACHE_SIZE
    first = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    second = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return (struct cpu_caches){ cache_bytes(first, 32 << 10), cache_bytes(second, 256 << 10) };
}
