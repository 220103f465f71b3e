#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#include "kernel/qmatmul/qmm_words_avx2.inc"

/* 12 registers of sums. */
#define NAME(what) what##_avxvnni
#define FUSED
#define EACH_ROW(F)  F(0) F(1) F(2) F(3) F(4) F(5)
#define EACH_PAIR(F) F(0, 1) F(2, 3) F(4, 5)
enum { MR = QMM_AVXVNNI_MR, UNROLL = 8 };

INLINE vec dot(vec sum, vec four, vec columns)
{
    return _mm256_dpbusd_avx_epi32(sum, four, columns);
}

#include "kernel/qmatmul/qmm_fours.inc"

#endif
