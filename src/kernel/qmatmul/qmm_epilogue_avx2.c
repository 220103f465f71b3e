#include "base/util.h"
#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#include "kernel/qmatmul/qmm_words_avx2.inc"

/* sum * sa * sb / so within a relative 2^-50; beyond 1024 only the clamp is at stake. */
INLINE __m256d estimate(__m128i sum, __m256d ratio, __m256d sb)
{
    __m256d real = _mm256_mul_pd(_mm256_cvtepi32_pd(sum), _mm256_mul_pd(ratio, sb));

    return _mm256_min_pd(_mm256_max_pd(real, _mm256_set1_pd(-1024)), _mm256_set1_pd(1024));
}

/* Where the estimate lies so near a tie that its rounding may be wrong. */
INLINE __m256d near_tie(__m256d real, __m128i rounded)
{
    __m256d off = _mm256_sub_pd(real, _mm256_cvtepi32_pd(rounded)); /* exact */

    return _mm256_cmp_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), off), _mm256_set1_pd(0.5 - 1e-9),
                         _CMP_GT_OQ);
}

/*
 * Rounds exactly. sum * sa * sb, as high + low, is compared with tie * so: all four are exact (31 +
 * 48 and 12 + 24 bits), and so is high - tie * so where the two are near, so that the sign of the
 * difference is right.
 */
INLINE __m128i round_ties(__m128i sum, __m256d real, __m256d sa, __m256d sb, __m256d so)
{
    __m256d tie = _mm256_add_pd(_mm256_floor_pd(real), _mm256_set1_pd(0.5)),
            half = _mm256_set1_pd(0.5);
    __m256d whole = _mm256_cvtepi32_pd(sum), scale = _mm256_mul_pd(sa, sb),
            high = _mm256_mul_pd(whole, scale);
    __m256d low = _mm256_fmsub_pd(whole, scale, high);
    __m256d above = _mm256_add_pd(_mm256_sub_pd(high, _mm256_mul_pd(tie, so)), low);
    __m256d zero = _mm256_setzero_pd(), r = tie;

    above = _mm256_xor_pd(above, _mm256_and_pd(so, _mm256_set1_pd(-0.0)));
    r = _mm256_blendv_pd(r, _mm256_add_pd(tie, half), _mm256_cmp_pd(above, zero, _CMP_GT_OQ));
    r = _mm256_blendv_pd(r, _mm256_sub_pd(tie, half), _mm256_cmp_pd(above, zero, _CMP_LT_OQ));
    return _mm256_cvtpd_epi32(_mm256_blendv_pd(real, r, near_tie(real, _mm256_cvtpd_epi32(real))));
}

INLINE __m128i round_four(const int32_t *sums, const struct qmm_row *row, const float *scales)
{
    __m128i sum = _mm_loadu_si128((const void *)sums), rounded;
    __m256d sb = _mm256_cvtps_pd(_mm_loadu_ps(scales));
    __m256d real = estimate(sum, _mm256_set1_pd(row->ratio), sb);

    rounded = _mm256_cvtpd_epi32(real);
    if (_mm256_movemask_pd(near_tie(real, rounded)))
        return round_ties(sum, real, _mm256_set1_pd((double)row->sa), sb,
                          _mm256_set1_pd((double)row->so));
    return rounded;
}

void qmm_round_avx2(int32_t x[16], const int32_t sums[16], const struct qmm_row *row,
                    const float scales[16])
{
    for (int i = 0; i < 16; i += 4) {
        __m128i v = _mm_subs_epu16(_mm_set1_epi32(QMM_IN_DOUBT), _mm_loadu_si128((void *)(x + i)));

        if (_mm_testz_si128(v, v))
            continue;
        v = _mm_add_epi32(round_four(sums + i, row, scales + i), _mm_set1_epi32(row->zero));
        _mm_storeu_si128((void *)(x + i), _mm_slli_epi32(v, QMM_FRACTION));
    }
}

void qmm_epilogue_avx2(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                       const struct qmm_row *rows, const struct qmm_columns *columns)
{
    epilogue(out, step, sums, rows, columns);
}

#endif
