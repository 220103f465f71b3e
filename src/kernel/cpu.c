#include "kernel/cpu.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/auxv.h>
#include <sys/syscall.h>
#endif

#if defined(__x86_64__)
#include <cpuid.h>

/* Leaves of CPUID and their bits that <cpuid.h> of gcc 12 and clang 14 do not name alike, as in
 * Intel's manual. */
enum {
    LEAF_VENDOR = 0,
    LEAF_FEATURES = 1,
    LEAF_EXTENDED = 7,
    SUBLEAF_0 = 0,
    SUBLEAF_1 = 1,
    LEAF_7_0_ECX_AVX512VNNI = 1 << 11,
    LEAF_7_0_EDX_AMX_TILE = 1 << 24,
    LEAF_7_0_EDX_AMX_INT8 = 1 << 25,
    LEAF_7_1_EAX_AVXVNNI = 1 << 4,
};

/* Bits of XCR0: the registers that the OS saves for a thread. */
enum {
    XCR0_SSE = 1 << 1,
    XCR0_AVX = 1 << 2, /* the upper halves of ymm0 to ymm15 */
    XCR0_OPMASK = 1 << 5,
    XCR0_ZMM_HIGH = 1 << 6, /* the upper halves of zmm0 to zmm15 */
    XCR0_ZMM_16_31 = 1 << 7,
    XCR0_TILE_CONFIG = 1 << 17,
    XCR0_TILE_DATA = 1 << 18,
    XCR0_256 = XCR0_SSE | XCR0_AVX,
    XCR0_512 = XCR0_256 | XCR0_OPMASK | XCR0_ZMM_HIGH | XCR0_ZMM_16_31,
    XCR0_TILES = XCR0_TILE_CONFIG | XCR0_TILE_DATA,
};

/* What CPUID leaves in its four registers; zeros where the processor does not have the leaf. */
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

static uint64_t xcr0(void)
{
    uint32_t lo, hi;

    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

static bool all_of(uint64_t word, uint64_t bits) { return (word & bits) == bits; }

static unsigned detect(void)
{
    struct cpuid basic = cpuid(LEAF_FEATURES, 0), extended = cpuid(LEAF_EXTENDED, SUBLEAF_0);
    uint64_t saved = all_of(basic.ecx, bit_OSXSAVE) ? xcr0() : 0;
    unsigned features = 0;

    if (all_of(saved, XCR0_256) && all_of(basic.ecx, bit_FMA) &&
        all_of(extended.ebx, bit_AVX2 | bit_BMI2))
        features |= CPU_AVX2;
    if (all_of(saved, XCR0_512) &&
        all_of(extended.ebx,
               (unsigned)bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | (unsigned)bit_AVX512VL)) {
        features |= CPU_AVX512;
        if (all_of(extended.ecx, LEAF_7_0_ECX_AVX512VNNI))
            features |= CPU_AVX512VNNI;
    }
    if ((features & CPU_AVX2) && all_of(cpuid(LEAF_EXTENDED, SUBLEAF_1).eax, LEAF_7_1_EAX_AVXVNNI))
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

/* Asks Linux for the tile registers, which it grants to a whole process on request. */
static unsigned request_tiles(void)
{
#ifdef __linux__
    enum {
        REQUEST = 0x1023, /* ARCH_REQ_XCOMP_PERM */
        TILE_DATA = 18,   /* the number of XCR0's bit */
    };

    if (all_of(xcr0(), XCR0_TILES) &&
        all_of(cpuid(LEAF_EXTENDED, SUBLEAF_0).edx,
               LEAF_7_0_EDX_AMX_TILE | LEAF_7_0_EDX_AMX_INT8) &&
        syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0)
        return CPU_AMX_INT8;
#endif
    return 0;
}

#elif defined(__aarch64__)

static unsigned detect(void)
{
    unsigned features = CPU_NEON; /* every 64-bit Arm has it */

#ifdef __linux__
    enum { DOTPROD = 1 << 20 /* HWCAP_ASIMDDP */, I8MM = 1 << 13 /* HWCAP2_I8MM */ };

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

/* What the OS says of a cache, or `otherwise` where it says nothing or less. */
static size_t cache_bytes(long said, size_t otherwise)
{
    return said > (long)otherwise ? (size_t)said : otherwise;
}

struct cpu_caches cpu_caches(void)
{
    enum { FIRST_LEAST = 32 << 10, SECOND_LEAST = 256 << 10 };
    long first = 0, second = 0;

#ifdef _SC_LEVEL1_DCACHE_SIZE
    first = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    second = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return (struct cpu_caches){ cache_bytes(first, FIRST_LEAST),
                                cache_bytes(second, SECOND_LEAST) };
}
