#include <string.h>

#include "base/str.h"
#include "kernel/cpu.h"
#include "kernel/select.h"
#include "op/impl.h"

static enum status say_unknown(const void *table, unsigned rows, size_t row_bytes, const char *name,
                               struct diag *dg)
{
    struct str names = { 0 };
    enum status st;

    for (unsigned i = 0; i < rows; i++)
        str_printf(&names, ", %s", kernel_row_at(table, i, row_bytes)->name);
    st = diag_error(dg, ST_USAGE, NULL, "this operator has no kernel '%s'; it has auto%s", name,
                    names.s ? names.s : "");
    str_free(&names);
    return st;
}

bool op_kernel_is_auto(const char *name) { return !name || strcmp(name, "auto") == 0; }

enum status op_select_kernel(const void *table, unsigned rows, size_t row_bytes, const char *name,
                             unsigned *index, struct diag *dg)
{
    bool any = op_kernel_is_auto(name), known = false;

    for (unsigned i = rows; i-- > 0;) {
        const struct kernel_row *row = kernel_row_at(table, i, row_bytes);

        if (!any && strcmp(name, row->name) != 0)
            continue;
        *index = i;
        if (cpu_has(row->needs))
            return ST_OK;
        known = true;
    }
    if (!known)
        return say_unknown(table, rows, row_bytes, name, dg);
    return diag_error(dg, ST_USAGE, NULL,
                      "this processor cannot run the kernel '%s'; use --kernel auto", name);
}
