#include "kernel/topk/topk_scan.h"

#if defined(__aarch64__)

#include <arm_neon.h>

/* The vector operations of topk_scan.inc for NEON. In a mask every bit of a lane is equal. */

typedef uint8x16_t vec;
typedef uint8x16_t mask_8, mask_16, mask_32, mask_64;
#define VECTOR_BITS 128

INLINE vec load(const void *p) { return vld1q_u8(p); }
INLINE void store(void *p, vec v) { vst1q_u8(p, v); }
INLINE vec flip(vec a, vec b) { return veorq_u8(a, b); }

#define S8(v)                  vreinterpretq_s8_u8(v)
#define S16(v)                 vreinterpretq_s16_u8(v)
#define S32(v)                 vreinterpretq_s32_u8(v)
#define S64(v)                 vreinterpretq_s64_u8(v)
#define vreinterpretq_u8_u8(v) (v)

#define DEFINE_COMPARING(width) \
    INLINE vec splat_##width(int64_t x) \
    { \
        return vreinterpretq_u8_s##width(vdupq_n_s##width((int##width##_t)x)); \
    } \
    INLINE vec lt_##width(vec a, vec b) \
    { \
        return vreinterpretq_u8_u##width(vcltq_s##width(S##width(a), S##width(b))); \
    }
#define DEFINE_LIMITING(name, width) \
    INLINE vec name##_##width(vec a, vec b) \
    { \
        return vreinterpretq_u8_s##width(v##name##q_s##width(S##width(a), S##width(b))); \
    }

DEFINE_COMPARING(8)
DEFINE_COMPARING(16)
DEFINE_COMPARING(32)
DEFINE_COMPARING(64)
DEFINE_LIMITING(min, 8)
DEFINE_LIMITING(min, 16)
DEFINE_LIMITING(min, 32)
DEFINE_LIMITING(max, 8)
DEFINE_LIMITING(max, 16)
DEFINE_LIMITING(max, 32)

INLINE vec min_64(vec a, vec b) { return vbslq_u8(lt_64(b, a), b, a); }
INLINE vec max_64(vec a, vec b) { return vbslq_u8(lt_64(b, a), a, b); }
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

/* The magnitude of floats with another vector's sign, plus a shift. */
#define DEFINE_ORDER(width, lanes) \
    INLINE vec order_##width(vec x, vec sign, vec shift) \
    { \
        int##width##x##lanes##_t minus = vshrq_n_s##width(S##width(sign), width - 1); \
        int##width##x##lanes##_t magnitude = vbicq_s##width( \
            S##width(x), vdupq_n_s##width((int##width##_t) - (INT64_C(1) << (width - 2)) * 2)); \
        int##width##x##lanes##_t value = vsubq_s##width(veorq_s##width(magnitude, minus), minus); \
\
        return vreinterpretq_u8_s##width(vaddq_s##width(value, S##width(shift))); \
    }

DEFINE_ORDER(16, 8)
DEFINE_ORDER(32, 4)
DEFINE_ORDER(64, 2)

#define ISA neon
#include "kernel/topk/topk_loops.inc"

#endif
