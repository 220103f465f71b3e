#pragma once

#include <stddef.h>

/* The first member of a row of every kernel table. */
struct kernel_row {
    const char *name; /* "reference", "avx2", ...: an instruction set has one name in all tables */
    unsigned needs;   /* cpu_feature bits, every one required */
};

/* Row i of a table: an array of rows of row_bytes each, slowest first, of which row 0 needs
 * nothing. */
static inline const struct kernel_row *kernel_row_at(const void *table, unsigned i,
                                                     size_t row_bytes)
{
    return (const void *)((const char *)table + i * row_bytes);
}
