#include "kernel/slice/slice.h"

#if defined(__aarch64__)

#include <arm_neon.h>

/* The vectors of slice_copy.inc: 128-bit registers. Arm has no profitable store past the caches. */

typedef uint8x16_t vec;

INLINE void stream(void *p, vec v) { vst1q_u8(p, v); }
INLINE void store_lane(void *p, vec v) { vst1q_u8(p, v); }
INLINE vec splat(const void *lane) { return vld1q_u8(lane); }
INLINE vec load_lanes(const char *p, ptrdiff_t step)
{
    (void)step;
    return vld1q_u8((const uint8_t *)p);
}
INLINE vec shuffle(vec v, vec indices) { return vqtbl1q_u8(v, indices); }

#define NAME slice_copy_neon
#include "kernel/slice/slice_copy.inc"

#endif
