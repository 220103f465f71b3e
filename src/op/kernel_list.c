#include "op/kernel_list.h"

#include "kernel/qmatmul/qmatmul_table.h"
#include "kernel/slice/slice_table.h"
#include "kernel/topk/topk.h"

static const struct {
    const char *command;
    const void *rows;
    const unsigned *count;
    size_t row_bytes;
} lists[KERNEL_LISTS] = {
    { "slice", slice_kernels, &slice_kernel_count, sizeof slice_kernels[0] },
    { "topk", topk_kernels, &topk_kernel_count, sizeof topk_kernels[0] },
    { "qmatmul", qmm_kernels, &qmm_kernel_count, sizeof qmm_kernels[0] },
};

const char *kernel_list_command(size_t t)
{
    return lists[t].command;
}

const struct kernel_row *kernel_list_row(size_t t, unsigned i)
{
    return i < *lists[t].count ? kernel_row_at(lists[t].rows, i, lists[t].row_bytes) : NULL;
}
