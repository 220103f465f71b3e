#include "kernel/qmatmul/qmatmul_arm.h"

#if defined(__aarch64__)

#include "kernel/qmatmul/qmm_words_neon.inc"

/* 16 registers of sums: fours of bytes of eight rows against those of eight columns. */
#define NAME(what) what##_dotprod
enum { MR = QMM_ARM_LANES };
#define EACH_ROW(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#define STEP(i) \
        l##i = vdotq_laneq_s32(l##i, left, i < 4 ? low : high, i % 4); \
        r##i = vdotq_laneq_s32(r##i, right, i < 4 ? low : high, i % 4);
#define MULTIPLY(lies, a_step) \
    for (const int8_t *pa = a, *pb = b; steps > 0; steps--, pa += 32, pb += 32) { \
        int8x16_t low = vld1q_s8(pa), high = vld1q_s8(pa + 16), left = vld1q_s8(pb), \
                  right = vld1q_s8(pb + 16); \
        EACH_ROW(STEP) \
    }

#include "kernel/qmatmul/qmm_ukernel.inc"

#endif
