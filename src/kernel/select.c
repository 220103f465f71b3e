#include "kernel/select.h"

#include <string.h>

#include "kernel/cpu.h"

bool kernel_is_auto(const char *name) { return !name || strcmp(name, "auto") == 0; }

enum kernel_choice kernel_select(const void *table, unsigned rows, size_t row_bytes,
                                 const char *name, unsigned *index)
{
    bool any = kernel_is_auto(name);
    enum kernel_choice choice = KERNEL_UNKNOWN;

    for (unsigned i = rows; i-- > 0;) {
        const struct kernel_row *row = kernel_row_at(table, i, row_bytes);

        if (!any && strcmp(name, row->name) != 0)
            continue;
        *index = i;
        if (cpu_has(row->needs))
            return KERNEL_CHOSEN;
        choice = KERNEL_CANNOT_RUN;
    }
    return choice;
}
