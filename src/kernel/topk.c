#include "kernel/topk.h"

#include "base/util.h"
#include "kernel/ref/topk_ref.h"

const struct topk_kernel topk_kernels[] = {
    { { "reference", 0 },
      { topk_select_ref_8, topk_select_ref_16, topk_select_ref_32, topk_select_ref_64 },
      topk_scratch_ref },
};

const unsigned topk_kernel_count = ARRAY_LEN(topk_kernels);

/* The key of a float such that smaller values have smaller keys. inf: the bits of +infinity; sign: the
 * sign bit alone; ones: all bits of the width. */
static uint64_t float_key(uint64_t bits, uint64_t inf, uint64_t sign, uint64_t ones)
{
    uint64_t magnitude = bits & (sign - 1);

    if (magnitude > inf)
        return ones;         /* every NaN is one value, above +infinity */
    if (magnitude == 0)
        return sign;         /* -0 is +0 */
    return bits & sign ? ~bits & ones : bits | sign;
}

uint64_t topk_key(uint64_t bits, unsigned width_log2, struct topk_order order)
{
    static const uint64_t infinity[4] = { 0, 0x7c00, 0x7f800000, 0x7ff0000000000000 };
    uint64_t sign = UINT64_C(1) << ((8u << width_log2) - 1);
    uint64_t ones = sign | (sign - 1);
    uint64_t key = bits & ones;

    if (order.kind == KIND_FLOAT)
        key = float_key(key, infinity[width_log2], sign, ones);
    else if (order.kind == KIND_SIGNED)
        key ^= sign;
    return order.largest ? key ^ ones : key;
}
