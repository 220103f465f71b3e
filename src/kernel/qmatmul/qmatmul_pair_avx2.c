#include "base/util.h"
#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#include "kernel/qmatmul/qmm_words_avx2.inc"

/* 8 registers of sums. */
#define NAME(what) what##_pair_avx2
#define FUSED
#define EACH_ROW(F)  F(0) F(1) F(2) F(3)
#define EACH_PAIR(F) F(0, 1) F(2, 3)
enum { MR = QMM_AVX2_MR, UNROLL = 8 };

/* Sums of pairs, which are proved to fit 16 bits, then of two of these. */
INLINE vec dot(vec sum, vec four, vec columns)
{
    return plus(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(four, columns), _mm256_set1_epi16(1)));
}

#include "kernel/qmatmul/qmm_fours.inc"

#endif
