#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#define EPILOGUE qmm_epilogue_avx2
#include "kernel/qmatmul/qmm_words_avx2.inc"

/* 8 registers of sums. The compiler must not add up products first: there are too few registers. */
#define NAME(what) what##_avx2
#define FUSED
#define EACH_ROW(F)  F(0) F(1) F(2) F(3)
#define EACH_PAIR(F) F(0, 1) F(2, 3)
enum { MR = QMM_AVX2_MR, UNROLL = 8 };

INLINE vec dot(vec sum, vec pair, vec columns)
{
    sum = plus(sum, _mm256_madd_epi16(pair, columns));
    __asm__("" : "+x"(sum));
    return sum;
}

#include "kernel/qmatmul/qmm_fours.inc"

#endif
