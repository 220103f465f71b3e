#include "kernel/topk.h"

#include "base/util.h"
#include "kernel/arm/topk_arm.h"
#include "kernel/ref/topk_ref.h"
#include "kernel/topk_scan.h"
#include "kernel/x86/topk_x86.h"

/* What the rows of vector kernels have in common but for begin, which knows the instruction set's loops. */
#define SCAN_ROW(name, needs, begin) \
    { { name, needs }, topk_scan_scratch, begin, topk_scan_feed, topk_scan_finish, \
      topk_scan_feed_rows, topk_scan_rows_scratch }

const struct topk_kernel topk_kernels[] = {
    { { "reference", 0 }, topk_scratch_ref, topk_begin_ref, topk_feed_ref, topk_finish_ref, NULL, NULL },
#if defined(__x86_64__)
    SCAN_ROW("avx2", CPU_AVX2, topk_begin_avx2),
    SCAN_ROW("avx512", CPU_AVX512, topk_begin_avx512),
#elif defined(__aarch64__)
    SCAN_ROW("neon", CPU_NEON, topk_begin_neon),
#endif
};

const unsigned topk_kernel_count = ARRAY_LEN(topk_kernels);

/* The key of a float such that smaller values have smaller keys. */
static uint64_t float_key(uint64_t bits, unsigned width_log2)
{
    uint64_t sign = topk_sign(width_log2), infinity = topk_infinity(width_log2), magnitude = bits & (sign - 1);

    if (magnitude > infinity)
        return 2 * infinity + 1;
    return bits & sign ? infinity - magnitude : infinity + magnitude;
}

uint64_t topk_key(uint64_t bits, unsigned width_log2, struct topk_order order)
{
    uint64_t key = bits & topk_ones(width_log2);

    if (order.kind == KIND_FLOAT)
        key = float_key(key, width_log2);
    else if (order.kind == KIND_SIGNED)
        key ^= topk_sign(width_log2);
    return order.largest ? key ^ topk_ones(width_log2) : key;
}
