#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#define EPILOGUE qmm_epilogue_avx512
#include "kernel/qmatmul/qmm_words_avx512.inc"

/* 24 registers of sums. */
#define NAME(what) what##_avx512vnni
#define FUSED
#define EACH_ROW(F)  F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define EACH_PAIR(F) F(0, 1) F(2, 3) F(4, 5) F(6, 7) F(8, 9) F(10, 11)
enum { MR = QMM_AVX512VNNI_MR, UNROLL = 1 };

INLINE vec dot(vec sum, vec four, vec columns) { return _mm512_dpbusd_epi32(sum, four, columns); }

#include "kernel/qmatmul/qmm_fours.inc"

#endif
