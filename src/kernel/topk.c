#include "kernel/topk.h"

#include "base/util.h"
#include "kernel/ref/topk_ref.h"

const struct topk_kernel topk_kernels[] = {
    { { "reference", 0 }, topk_scratch_ref, topk_begin_ref, topk_feed_ref, topk_finish_ref },
};

const unsigned topk_kernel_count = ARRAY_LEN(topk_kernels);

/* Bits of a width: the sign alone, all, those of +infinity. */
static uint64_t sign_bit(unsigned width_log2) { return UINT64_C(1) << ((8u << width_log2) - 1); }
static uint64_t all_bits(unsigned width_log2) { return sign_bit(width_log2) | (sign_bit(width_log2) - 1); }

static uint64_t infinity(unsigned width_log2)
{
    static const uint64_t bits[4] = { 0, 0x7c00, 0x7f800000, 0x7ff0000000000000 };

    return bits[width_log2];
}

/* The key of a float such that smaller values have smaller keys. */
static uint64_t float_key(uint64_t bits, unsigned width_log2)
{
    uint64_t sign = sign_bit(width_log2), magnitude = bits & (sign - 1);

    if (magnitude > infinity(width_log2))
        return all_bits(width_log2);
    if (magnitude == 0)
        return sign;
    return bits & sign ? ~bits & all_bits(width_log2) : bits | sign;
}

uint64_t topk_key(uint64_t bits, unsigned width_log2, struct topk_order order)
{
    uint64_t key = bits & all_bits(width_log2);

    if (order.kind == KIND_FLOAT)
        key = float_key(key, width_log2);
    else if (order.kind == KIND_SIGNED)
        key ^= sign_bit(width_log2);
    return order.largest ? key ^ all_bits(width_log2) : key;
}

bool topk_unkey(uint64_t key, unsigned width_log2, struct topk_order order, uint64_t *bits)
{
    uint64_t sign = sign_bit(width_log2), ones = all_bits(width_log2);

    if (order.largest)
        key ^= ones;
    if (order.kind == KIND_FLOAT) {
        *bits = key & sign ? key ^ sign : key ^ ones;
        return key != sign && key != ones;
    }
    *bits = order.kind == KIND_SIGNED ? key ^ sign : key;
    return true;
}
