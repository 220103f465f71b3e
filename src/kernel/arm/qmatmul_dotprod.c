#include "base/util.h"
#include "kernel/arm/qmatmul_arm.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#define EACH_ROW(F) \
    F(0, low, 0) \
    F(1, low, 1) F(2, low, 2) F(3, low, 3) F(4, high, 0) F(5, high, 1) F(6, high, 2) F(7, high, 3)

INLINE void keep(int32_t *acc, int32x4_t sum, bool add)
{
    vst1q_s32(acc, add ? vaddq_s32(vld1q_s32(acc), sum) : sum);
}

/* 16 registers of sums: fours of bytes of eight rows against those of eight columns. */
void qmm_tile_dotprod(size_t steps, const void *a, const void *b, int32_t *acc, size_t step,
                      bool add)
{
    const int8_t *pa = a, *pb = b;
#define START(i, half, lane) int32x4_t l##i = vdupq_n_s32(0), r##i = l##i;
    EACH_ROW(START)

    for (; steps > 0; steps--, pa += 32, pb += 32) {
        int8x16_t low = vld1q_s8(pa), high = vld1q_s8(pa + 16), left = vld1q_s8(pb),
                  right = vld1q_s8(pb + 16);
#define STEP(i, half, lane) \
        l##i = vdotq_laneq_s32(l##i, left, half, lane); \
        r##i = vdotq_laneq_s32(r##i, right, half, lane);
        EACH_ROW(STEP)
    }
#define KEEP(i, half, lane) \
    keep(acc + step * i, l##i, add); \
    keep(acc + step * i + 4, r##i, add);
    EACH_ROW(KEEP)
}

#endif
