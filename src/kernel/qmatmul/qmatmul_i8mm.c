#include "kernel/qmatmul/qmatmul_arm.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#define EACH_PAIR(F) F(0) F(1) F(2) F(3)

/* Stores sums of two rows and four columns, which come in squares of two by two. */
INLINE void keep(int32_t *acc, size_t step, int32x4_t left, int32x4_t right, bool add)
{
    int32x4_t upper = vcombine_s32(vget_low_s32(left), vget_low_s32(right));
    int32x4_t lower = vcombine_s32(vget_high_s32(left), vget_high_s32(right));

    vst1q_s32(acc, add ? vaddq_s32(vld1q_s32(acc), upper) : upper);
    vst1q_s32(acc + step, add ? vaddq_s32(vld1q_s32(acc + step), lower) : lower);
}

/* 16 registers of sums: eights of bytes of two rows each against those of two columns each. */
void qmm_ukernel_i8mm(size_t steps, const void *a, const void *b, int32_t *acc, size_t step,
                      bool add)
{
    const int8_t *pa = a, *pb = b;

#define START(i) \
    int32x4_t s##i##0 = vdupq_n_s32(0), s##i##1 = s##i##0, s##i##2 = s##i##0, s##i##3 = s##i##0;
    EACH_PAIR(START)

    for (; steps > 0; steps--, pa += 64, pb += 64) {
        int8x16_t b0 = vld1q_s8(pb), b1 = vld1q_s8(pb + 16), b2 = vld1q_s8(pb + 32),
                  b3 = vld1q_s8(pb + 48), two;
#define STEP(i) \
        two = vld1q_s8(pa + 16 * i); \
        s##i##0 = vmmlaq_s32(s##i##0, two, b0); \
        s##i##1 = vmmlaq_s32(s##i##1, two, b1); \
        s##i##2 = vmmlaq_s32(s##i##2, two, b2); \
        s##i##3 = vmmlaq_s32(s##i##3, two, b3);
        EACH_PAIR(STEP)
    }
#define KEEP(i) \
    keep(acc + 2 * step * i, step, s##i##0, s##i##1, add); \
    keep(acc + 2 * step * i + 4, step, s##i##2, s##i##3, add);
    EACH_PAIR(KEEP)
}

#endif
