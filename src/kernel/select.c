#include <string.h>

#include "kernel/cpu.h"

int kernel_select(const void *table, unsigned rows, unsigned row_bytes, unsigned have, const char *name)
{
    int best = -1;

    for (unsigned i = 0; i < rows; i++) {
        const struct kernel_row *row = (const void *)((const char *)table + (size_t)i * row_bytes);
        int can = (row->needs & ~have) == 0;

        if (name && strcmp(name, "auto") != 0) {
            if (strcmp(name, row->name) == 0)
                return can ? (int)i : -2;
        } else if (can) {
            best = (int)i;
        }
    }
    return best;
}
