#include "kernel/arm/slice_arm.h"

#if defined(__aarch64__)

#include <arm_neon.h>

/* What slice_copy.inc asks for, in 128-bit registers. There is no store past the caches worth the name. */

#define INLINE static inline __attribute__((always_inline))

typedef uint8x16_t vec;

INLINE vec load(const void *p) { return vld1q_u8(p); }
INLINE void store(void *p, vec v) { vst1q_u8(p, v); }
INLINE void stream(void *p, vec v) { vst1q_u8(p, v); }
INLINE vec splat(const void *lane) { return vld1q_u8(lane); }
INLINE vec load_lanes(const char *p, ptrdiff_t step)
{
    (void)step;
    return vld1q_u8((const uint8_t *)p);
}
INLINE vec shuffle(vec v, vec places) { return vqtbl1q_u8(v, places); }
INLINE vec either(vec a, vec b) { return vorrq_u8(a, b); }

#define NAME slice_copy_neon
#include "kernel/slice_copy.inc"

#endif
