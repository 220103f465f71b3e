#include "base/util.h"
#include "kernel/arm/qmatmul_arm.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#define EACH_ROW(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)

INLINE void keep(int32_t *acc, int32x4_t sum, bool add)
{
    vst1q_s32(acc, add ? vaddq_s32(vld1q_s32(acc), sum) : sum);
}

/* 16 registers of sums: eight values of A, each against eight of B. */
void qmm_tile_neon(size_t steps, const void *a, const void *b, int32_t *acc, size_t step, bool add)
{
    const int16_t *pa = a, *pb = b;
#define START(i) int32x4_t l##i = vdupq_n_s32(0), r##i = l##i;
    EACH_ROW(START)

    for (; steps > 0; steps--, pa += 8, pb += 8) {
        int16x8_t rows = vld1q_s16(pa), columns = vld1q_s16(pb);
#define STEP(i) \
        l##i = vmlal_laneq_s16(l##i, vget_low_s16(columns), rows, i); \
        r##i = vmlal_high_laneq_s16(r##i, columns, rows, i);
        EACH_ROW(STEP)
    }
#define KEEP(i) \
    keep(acc + step * i, l##i, add); \
    keep(acc + step * i + 4, r##i, add);
    EACH_ROW(KEEP)
}

#endif
