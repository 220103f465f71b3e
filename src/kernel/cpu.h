#pragma once

#include "base/util.h"

/* Features of the processor and the operating system. */
enum cpu_feature {
    CPU_AVX2 = 1 << 0,       /* with BMI2 and FMA; the OS saves the 256-bit registers */
    CPU_AVXVNNI = 1 << 1,
    CPU_AVX512 = 1 << 2,     /* F, BW, DQ, VL; the OS saves the 512-bit registers */
    CPU_AVX512VNNI = 1 << 3,
    CPU_AMX_INT8 = 1 << 4,   /* the OS granted the tile registers to this process */
    CPU_NEON = 1 << 5,
    CPU_DOTPROD = 1 << 6,
    CPU_I8MM = 1 << 7,
};

/* True if all of these features, cpu_feature bits, are available. They are detected at the first
 * call; tile registers are requested from the OS at the first call that names them. Call it once
 * before threads start. */
bool cpu_has(unsigned features);

/* The processor as CPUID names it; "" and zeros without CPUID. Read at the first call. */
struct cpu_model {
    char vendor[13];        /* "GenuineIntel", "AuthenticAMD", ... */
    unsigned family, model; /* with their extensions: 6 and 143, 25 and 17, ... */
};

const struct cpu_model *cpu_model(void);

/* Bytes of a core's first and second data cache: at least 32 KB and 256 KB, also if the OS reports
 * less or nothing. */
struct cpu_caches {
    size_t first, second;
};

struct cpu_caches cpu_caches(void);

/* The first member of a row of each kernel table, slowest row first; row 0 needs nothing. */
struct kernel_row {
    const char *name; /* "reference", "avx2", ...: an instruction set has one name in all tables */
    unsigned needs;   /* cpu_feature bits, every one required */
};
