#include "kernel/topk/topk_scan.h"

/* Vector kernels differ only in the loops of the instruction set. */
#define SCAN_ROW(name, needs) \
    { \
        { #name, needs }, topk_scan_scratch, topk_scan_begin, topk_scan_feed, topk_scan_look, \
            topk_scan_candidates, topk_scan_kth, topk_scan_select_rows, topk_scan_rows_scratch, \
            topk_loops_##name \
    }

const struct topk_kernel topk_kernels[] = {
    { .row = { "reference", 0 },
      .scratch = topk_scratch_ref,
      .begin = topk_begin_ref,
      .feed = topk_feed_ref,
      .candidates = topk_candidates_ref },
#if defined(__x86_64__)
    SCAN_ROW(avx2, CPU_AVX2),
    SCAN_ROW(avx512, CPU_AVX2 | CPU_AVX512),
#elif defined(__aarch64__)
    SCAN_ROW(neon, CPU_NEON),
#endif
};

const unsigned topk_kernel_count = ARRAY_LEN(topk_kernels);
