#include "kernel/qmatmul/qmatmul_arm.h"

#if defined(__aarch64__)

#define EPILOGUE qmm_epilogue_neon
#include "kernel/qmatmul/qmm_words_neon.inc"

/* 16 registers of sums: eight values of A, each against eight of B. */
#define NAME(what) what##_neon
enum { MR = QMM_ARM_LANES };
#define EACH_ROW(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#define STEP(i) \
        l##i = vmlal_laneq_s16(l##i, vget_low_s16(columns), rows, i); \
        r##i = vmlal_high_laneq_s16(r##i, columns, rows, i);
#define MULTIPLY(lies, a_step) \
    for (const int16_t *pa = a, *pb = b; steps > 0; steps--, pa += 8, pb += 8) { \
        int16x8_t rows = vld1q_s16(pa), columns = vld1q_s16(pb); \
        EACH_ROW(STEP) \
    }

#include "kernel/qmatmul/qmm_ukernel.inc"

#endif
