#include "base/str.h"
#include "kernel/qmatmul/qmatmul.h"
#include "kernel/slice/slice.h"
#include "kernel/topk/topk.h"
#include "op/impl.h"

static const struct {
    const char *command;
    const void *rows;
    const unsigned *count;
    size_t row_bytes;
} lists[KERNEL_LISTS] = {
    [KERNELS_SLICE] = { "slice", slice_kernels, &slice_kernel_count, sizeof slice_kernels[0] },
    [KERNELS_TOPK] = { "topk", topk_kernels, &topk_kernel_count, sizeof topk_kernels[0] },
    [KERNELS_QMATMUL] = { "qmatmul", qmm_kernels, &qmm_kernel_count, sizeof qmm_kernels[0] },
};

const char *kernel_list_command(enum kernel_list list) { return lists[list].command; }

const struct kernel_row *kernel_list_row(enum kernel_list list, unsigned i)
{
    const char *rows = lists[list].rows;

    return i < *lists[list].count ? (const void *)(rows + i * lists[list].row_bytes) : NULL;
}

static enum status say_unknown(enum kernel_list list, const char *name, struct diag *dg)
{
    struct str names = { 0 };
    enum status st;

    for (unsigned i = 0; kernel_list_row(list, i); i++)
        str_printf(&names, ", %s", kernel_list_row(list, i)->name);
    st = diag_usage(dg, "this operator has no kernel '%s'; it has auto%s", name,
                    names.s ? names.s : "");
    str_free(&names);
    return st;
}

bool op_kernel_is_auto(const char *name) { return !name || strcmp(name, "auto") == 0; }

enum status op_select_kernel(enum kernel_list list, const char *name, unsigned *index,
                             struct diag *dg)
{
    bool any = op_kernel_is_auto(name), known = false, usable = false;
    const struct kernel_row *row;

    for (unsigned i = 0; (row = kernel_list_row(list, i)); i++) {
        if (!any && strcmp(name, row->name) != 0)
            continue;
        known = true;
        if (cpu_has(row->needs)) {
            *index = i;
            usable = true;
        }
    }
    if (usable)
        return ST_OK;
    if (!known)
        return say_unknown(list, name, dg);
    return diag_usage(dg, "this processor cannot run the kernel '%s'; use --kernel auto", name);
}
