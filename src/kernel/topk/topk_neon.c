#include "kernel/topk/topk_scan.h"

#if defined(__aarch64__)

#include <arm_neon.h>

/* The vector operations of topk_scan.inc for NEON. In a mask every bit of a lane is equal. */

typedef uint8x16_t vec;
typedef uint8x16_t mask_8, mask_16, mask_32, mask_64;
#define VECTOR_BITS 128

INLINE vec load(const void *p) { return vld1q_u8(p); }
INLINE void store(void *p, vec v) { vst1q_u8(p, v); }
#define vreinterpretq_u8_u8(v) (v)

#define DEFINE_LIMITING(name, width, lanes) \
    INLINE vec name##_##width(vec a, vec b) \
    { \
        return (vec)v##name##q_s##width((int##width##x##lanes##_t)a, (int##width##x##lanes##_t)b); \
    }

DEFINE_LIMITING(min, 8, 16)
DEFINE_LIMITING(min, 16, 8)
DEFINE_LIMITING(min, 32, 4)
DEFINE_LIMITING(max, 8, 16)
DEFINE_LIMITING(max, 16, 8)
DEFINE_LIMITING(max, 32, 4)

INLINE bool any(vec m) { return vmaxvq_u8(m) != 0; }

/* Wider masks are narrowed, then each lane keeps the bit of its index and pairs are added. Without
 * the unrolling gcc 12 miscompiles the loop over several words. */
INLINE uint64_t word_8(const mask_8 *m)
{
    static const uint8_t weights[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    vec w = vld1q_u8(weights);
    vec low = vpaddq_u8(vandq_u8(m[0], w), vandq_u8(m[1], w));
    vec sum = vpaddq_u8(low, vpaddq_u8(vandq_u8(m[2], w), vandq_u8(m[3], w)));

    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
}
#define DEFINE_WORD(width, half_width) \
    INLINE uint64_t word_##width(const mask_##width *m) \
    { \
        mask_##half_width half[width / 4]; \
\
        _Pragma("GCC unroll 16") for (unsigned i = 0; i < width / 4; i++) half[i] = \
            vreinterpretq_u8_u##half_width( \
                vuzp1q_u##half_width(vreinterpretq_u##half_width##_u8(m[2 * i]), \
                                     vreinterpretq_u##half_width##_u8(m[2 * i + 1]))); \
        return word_##half_width(half); \
    }

DEFINE_WORD(16, 8)
DEFINE_WORD(32, 16)
DEFINE_WORD(64, 32)

#define ISA neon
#include "kernel/topk/topk_loops.inc"

#endif
