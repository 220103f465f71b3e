#include "kernel/slice.h"

#include "base/util.h"
#include "kernel/ref/slice_ref.h"

const struct slice_kernel slice_kernels[] = {
    { { "reference", 0 }, { slice_row_ref_8, slice_row_ref_16, slice_row_ref_32, slice_row_ref_64 } },
};

const unsigned slice_kernel_count = ARRAY_LEN(slice_kernels);
