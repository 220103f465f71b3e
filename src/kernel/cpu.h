#ifndef DMLOP_KERNEL_CPU_H
#define DMLOP_KERNEL_CPU_H

#include <stdbool.h>
#include <stddef.h>

/* What a kernel may need of the processor and the operating system. */
enum cpu_feature {
    CPU_AVX2 = 1 << 0,       /* with BMI2, FMA; the OS saves the 256-bit registers */
    CPU_AVXVNNI = 1 << 1,
    CPU_AVX512 = 1 << 2,     /* F, BW, DQ, VL; the OS saves the 512-bit registers */
    CPU_AVX512VNNI = 1 << 3,
    CPU_AVX512VBMI = 1 << 4,
    CPU_AMX_INT8 = 1 << 5,   /* the kernel granted the tile registers to this process */
    CPU_NEON = 1 << 6,
    CPU_DOTPROD = 1 << 7,
    CPU_I8MM = 1 << 8,
};

/* Whether this processor and the operating system have all of these features, cpu_feature bits. Detected at the first
 * call, tile registers at the first one that names them; call it once before threads start. */
bool cpu_has(unsigned features);

/* Bytes of a core's first data cache and of its second; where the system does not say, small ones are assumed. */
struct cpu_caches {
    size_t first, second;
};

struct cpu_caches cpu_caches(void);

/*
 * The row of a kernel table to use. Tables are arrays of rows that begin with
 * struct kernel_row, slowest first; row 0 is the reference and needs nothing.
 * Returns the index of the last row whose needs are met, or of the row called
 * `name` (NULL or "auto": the best), or -1 where there is none of that name, -2
 * where this processor cannot run it.
 */
struct kernel_row {
    const char *name; /* "reference", "avx2", ... the same instruction set has one name in all tables */
    unsigned needs;   /* cpu_feature bits, every one required */
};

int kernel_select(const void *table, unsigned rows, unsigned row_bytes, const char *name);

#endif
