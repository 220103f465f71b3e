#ifndef DMLOP_KERNEL_SELECT_H
#define DMLOP_KERNEL_SELECT_H

#include <stdbool.h>
#include <stddef.h>

/* The first member of a row of every kernel table. */
struct kernel_row {
    const char *name; /* "reference", "avx2", ...: an instruction set has one name in all tables */
    unsigned needs;   /* cpu_feature bits, every one required */
};

enum kernel_choice {
    KERNEL_CHOSEN,
    KERNEL_UNKNOWN,    /* no row has the name */
    KERNEL_CANNOT_RUN, /* this processor, or the operating system, lacks what the row needs */
};

/*
 * Chooses a row of a table: an array of `rows` rows of row_bytes each, slowest first, of which row
 * 0 needs nothing. name: the row's; NULL or "auto" chooses the last row whose needs are met. *index
 * is the row where one is chosen, else unspecified.
 */
enum kernel_choice kernel_select(const void *table, unsigned rows, size_t row_bytes,
                                 const char *name, unsigned *index);

/* True if the program chooses: the name is NULL or "auto". */
bool kernel_is_auto(const char *name);

/* Row i of such a table. */
static inline const struct kernel_row *kernel_row_at(const void *table, unsigned i,
                                                     size_t row_bytes)
{
    return (const void *)((const char *)table + i * row_bytes);
}

#endif
