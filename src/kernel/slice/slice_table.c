#include "kernel/slice/slice.h"

const struct slice_kernel slice_kernels[] = {
    { { "reference", 0 }, slice_copy_ref, transpose, NULL },
#if defined(__x86_64__)
    { { "avx2", CPU_AVX2 }, slice_copy_avx2, transpose_avx2, slice_finish_x86 },
    { { "avx512", CPU_AVX512 }, slice_copy_avx512, transpose_avx2, slice_finish_x86 },
#elif defined(__aarch64__)
    { { "neon", CPU_NEON }, slice_copy_neon, transpose, NULL },
#endif
};

const unsigned slice_kernel_count = ARRAY_LEN(slice_kernels);
