#include "kernel/slice/slice_arm.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#include "base/util.h"

/* What slice_copy.inc needs, in 128-bit registers. Arm has no store past the caches that gains. */

typedef uint8x16_t vec, vec_lane;

INLINE vec load(const void *p) { return vld1q_u8(p); }
INLINE void store(void *p, vec v) { vst1q_u8(p, v); }
INLINE void stream(void *p, vec v) { vst1q_u8(p, v); }
INLINE vec splat(const void *lane) { return vld1q_u8(lane); }
INLINE vec_lane load_lane(const char *p) { return vld1q_u8((const uint8_t *)p); }
INLINE void store_lane(char *p, vec_lane v) { vst1q_u8((uint8_t *)p, v); }
INLINE vec load_lanes(const char *p, ptrdiff_t step)
{
    (void)step;
    return load_lane(p);
}
INLINE vec shuffle(vec v, vec indices) { return vqtbl1q_u8(v, indices); }
INLINE vec bit_or(vec a, vec b) { return vorrq_u8(a, b); }
#define shuffle_lane shuffle
#define bit_or_lane bit_or

#define NAME slice_copy_neon
#include "kernel/slice/slice_copy.inc"

#endif
