#include "kernel/topk/topk_table.h"

#include "base/util.h"
#include "kernel/cpu.h"
#include "kernel/topk/topk_arm.h"
#include "kernel/topk/topk_ref.h"
#include "kernel/topk/topk_scan.h"
#include "kernel/topk/topk_x86.h"

/* What the rows of vector kernels have in common but for what knows the instruction set's loops. */
#define SCAN_ROW(name, needs, ranks, by_width) \
    { { #name, needs }, topk_scan_scratch, topk_begin_##name, topk_scan_feed, \
      topk_scan_candidates, ranks, topk_scan_feed_rows, topk_scan_rows_scratch, by_width }

const struct topk_kernel topk_kernels[] = {
    { { "reference", 0 }, topk_scratch_ref, topk_begin_ref, topk_feed_ref, topk_candidates_ref,
      topk_ranks_ref, NULL, NULL, false },
#if defined(__x86_64__)
    SCAN_ROW(avx2, CPU_AVX2, topk_ranks_avx2, false),
    /* ranks by 256 bits: bench_topk, Zen 4, {1000,10000} K = 100, in cache 0.95 of the time */
    SCAN_ROW(avx512, CPU_AVX512, topk_ranks_avx2, true),
#elif defined(__aarch64__)
    SCAN_ROW(neon, CPU_NEON, topk_ranks_neon, false),
#endif
};

const unsigned topk_kernel_count = ARRAY_LEN(topk_kernels);
