#ifndef DMLOP_KERNEL_X86_QMM_ROUND_AVX512_H
#define DMLOP_KERNEL_X86_QMM_ROUND_AVX512_H

#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

/*
 * Rounding in floats by AVX-512, as in qmm_finish_avx2.c: x is the value times 2^16, plus a half
 * and the zero point, plus 8; its upper half is the output, and its lower half below IN_DOUBT where
 * floats cannot decide.
 */
enum { FRACTION = 16, MARGIN = 8, IN_DOUBT = 2 * MARGIN + 1 };

INLINE __m512 offset_of(const struct qmm_row *row)
{
    return _mm512_set1_ps((float)(row->zero * (1 << FRACTION) + (1 << (FRACTION - 1)) + MARGIN));
}

/* Where sums have been corrected for the zero points: rounded, with the output's zero point. */
__attribute__((noinline, unused)) static __m512i round_exactly(__m512i sum,
                                                               const struct qmm_row *row,
                                                               const float *scales)
{
    int32_t sums[16], rounded[16];

    _mm512_storeu_si512(sums, sum);
    qmm_round_avx2(rounded, sums, row, scales);
    return _mm512_add_epi32(_mm512_loadu_si512(rounded), _mm512_set1_epi32(row->zero));
}

INLINE __m128i narrowed(__m512i x, bool is_signed)
{
    return is_signed ? _mm512_cvtsepi32_epi8(x)
                     : _mm512_cvtusepi32_epi8(_mm512_max_epi32(x, _mm512_setzero_si512()));
}

/* 32 columns of which all rows have the same scale, and no sum is too large: struct qmm_columns'
 * ratios. */
struct common {
    __m512 left, right; /* ratios times 2^16 */
    __m512i upper;      /* words of two vectors of x that are outputs */
    __m512i in_doubt;
};

INLINE struct common common_of(const float *ratios)
{
    const __m512 one = _mm512_set1_ps(1 << FRACTION);
    const __m512i pairs = _mm512_set_epi32(
        0x3f003d, 0x3b0039, 0x370035, 0x330031, 0x2f002d, 0x2b0029, 0x270025, 0x230021, 0x1f001d,
        0x1b0019, 0x170015, 0x130011, 0x0f000d, 0x0b0009, 0x070005, 0x030001);

    return (struct common){ _mm512_mul_ps(_mm512_loadu_ps(ratios), one),
                            _mm512_mul_ps(_mm512_loadu_ps(ratios + 16), one), pairs,
                            _mm512_set1_epi16(IN_DOUBT) };
}

/* Outputs of 32 corrected sums; false, and nothing is stored, where floats cannot decide. */
INLINE bool put_common(uint8_t *out, const struct common *c, __m512i left, __m512i right,
                       __m512 offset, bool is_signed)
{
    const __mmask32 lower = 0x55555555;
    __m512i x = _mm512_cvtps_epi32(_mm512_fmadd_ps(_mm512_cvtepi32_ps(left), c->left, offset));
    __m512i y = _mm512_cvtps_epi32(_mm512_fmadd_ps(_mm512_cvtepi32_ps(right), c->right, offset));

    if (__builtin_expect(_mm512_mask_cmplt_epu16_mask(lower, x, c->in_doubt) |
                             _mm512_mask_cmplt_epu16_mask(lower, y, c->in_doubt), 0))
        return false;
    x = _mm512_permutex2var_epi16(x, c->upper, y);
    if (is_signed)
        _mm256_storeu_si256((void *)out, _mm512_cvtsepi16_epi8(x));
    else
        _mm256_storeu_si256((void *)out, _mm512_cvtusepi16_epi8(
                                             _mm512_max_epi16(x, _mm512_setzero_si512())));
    return true;
}

/* The same for any. */
INLINE void put_exactly(uint8_t *out, __m512i left, __m512i right, const struct qmm_row *row,
                        const float *scales)
{
    _mm_storeu_si128((void *)out, narrowed(round_exactly(left, row, scales), row->is_signed));
    _mm_storeu_si128((void *)(out + 16),
                     narrowed(round_exactly(right, row, scales + 16), row->is_signed));
}

#endif

#endif
