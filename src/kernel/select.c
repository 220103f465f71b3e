#include <string.h>

#include "kernel/cpu.h"

int kernel_select(const void *table, unsigned rows, unsigned row_bytes, const char *name)
{
    int best = -1;

    for (unsigned i = 0; i < rows; i++) {
        const struct kernel_row *row = (const void *)((const char *)table + (size_t)i * row_bytes);

        if (name && strcmp(name, "auto") != 0) {
            if (strcmp(name, row->name) == 0)
                return cpu_has(row->needs) ? (int)i : -2;
        } else if (cpu_has(row->needs)) {
            best = (int)i;
        }
    }
    return best;
}
