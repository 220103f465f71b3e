#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

INLINE __m256i load(const void *p) { return _mm256_loadu_si256(p); }

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

    return _mm256_cmp_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), off), _mm256_set1_pd(0.5 - 1e-9), _CMP_GT_OQ);
}

/*
 * Rounds exactly. sum * sa * sb, as high + low, is compared with tie * so: all four are exact (31 + 48 and 12 + 24
 * bits), and so is high - tie * so where the two are near, so that the sign of the difference is right.
 */
INLINE __m128i round_exactly(__m128i sum, __m256d real, __m256d sa, __m256d sb, __m256d so)
{
    __m256d tie = _mm256_add_pd(_mm256_floor_pd(real), _mm256_set1_pd(0.5)), half = _mm256_set1_pd(0.5);
    __m256d whole = _mm256_cvtepi32_pd(sum), scale = _mm256_mul_pd(sa, sb), high = _mm256_mul_pd(whole, scale);
    __m256d low = _mm256_fmsub_pd(whole, scale, high);
    __m256d above = _mm256_add_pd(_mm256_sub_pd(high, _mm256_mul_pd(tie, so)), low);
    __m256d zero = _mm256_setzero_pd(), r = tie;

    above = _mm256_xor_pd(above, _mm256_and_pd(so, _mm256_set1_pd(-0.0)));
    r = _mm256_blendv_pd(r, _mm256_add_pd(tie, half), _mm256_cmp_pd(above, zero, _CMP_GT_OQ));
    r = _mm256_blendv_pd(r, _mm256_sub_pd(tie, half), _mm256_cmp_pd(above, zero, _CMP_LT_OQ));
    return _mm256_cvtpd_epi32(_mm256_blendv_pd(real, r, near_tie(real, _mm256_cvtpd_epi32(real))));
}

void qmm_round_avx2(int32_t out[16], const int32_t sums[16], const struct qmm_row *row, const float scales[16])
{
    __m256d sa = _mm256_set1_pd((double)row->sa), so = _mm256_set1_pd((double)row->so);
    __m256d ratio = _mm256_set1_pd(row->ratio);

    for (int q = 0; q < 4; q++) {
        __m128i sum = _mm_loadu_si128((const __m128i *)(const void *)sums + q), rounded;
        __m256d sb = _mm256_cvtps_pd(_mm_loadu_ps(scales + 4 * q)), real = estimate(sum, ratio, sb);

        rounded = _mm256_cvtpd_epi32(real);
        if (_mm256_movemask_pd(near_tie(real, rounded)))
            rounded = round_exactly(sum, real, sa, sb, so);
        _mm_storeu_si128((__m128i *)(void *)out + q, rounded);
    }
}

/* Where floats cannot decide. */
__attribute__((noinline)) static void round_again(__m256i r[2], const __m256i sums[2], const struct qmm_row *row,
                                                  const float *scales)
{
    int32_t rounded[16], whole[16];

    memcpy(whole, sums, sizeof whole);
    qmm_round_avx2(rounded, whole, row, scales);
    memcpy(r, rounded, sizeof rounded);
}

/* What one row's values have in common. */
struct row_parts {
    __m256i a_sum, a_zero, bias, zero;
    __m256 ratio;
};

INLINE struct row_parts parts_of(const struct qmm_row *row)
{
    return (struct row_parts){ _mm256_set1_epi32((int)row->a_sum), _mm256_set1_epi32((int)row->a_zero),
                               _mm256_set1_epi32((int)row->bias), _mm256_set1_epi16((short)row->zero),
                               _mm256_set1_ps((float)row->ratio) };
}

/* Eight sums less what zero points add to them. */
INLINE __m256i sums_at(const int32_t *acc, const struct row_parts *row, const struct qmm_columns *columns, size_t j,
                       bool biased)
{
    __m256i sum = load(acc + j);

    if (biased)
        return _mm256_sub_epi32(_mm256_sub_epi32(sum, row->bias), load(columns->bias + j));
    sum = _mm256_sub_epi32(sum, _mm256_mullo_epi32(load(columns->zeros + j), row->a_sum));
    return _mm256_sub_epi32(sum, _mm256_mullo_epi32(load(columns->sums + j), row->a_zero));
}

/*
 * Eight values in floats: the relative error is about 2^-22 (four roundings of 2^-24: the sum, ratio, scale and
 * product), so that within 512 only values within some 2^-13 of a tie may be rounded wrongly; all within 2^-12 are to
 * be marked, by `off`, the greatest distance of a value from what it is rounded to. Beyond 512 all are clamped;
 * the conversion turns those below -2^31 into -2^31.
 */
INLINE __m256i round_fast(__m256i sum, __m256 ratio, __m256 sb, __m256 *off)
{
    __m256 real = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_mul_ps(ratio, sb));
    __m256i rounded;

    real = _mm256_min_ps(real, _mm256_set1_ps(512));
    rounded = _mm256_cvtps_epi32(real);
    real = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), _mm256_sub_ps(real, _mm256_cvtepi32_ps(rounded)));
    *off = _mm256_max_ps(*off, real);
    return rounded;
}

/* Sixteen outputs. */
INLINE void finish_some(uint8_t *out, const int32_t *acc, const struct qmm_row *row, const struct row_parts *parts,
                        const struct qmm_columns *columns, size_t j, bool biased)
{
    __m256i sums[2] = { sums_at(acc, parts, columns, j, biased), sums_at(acc, parts, columns, j + 8, biased) }, r[2];
    __m256 off = _mm256_setzero_ps();
    __m256i wide;
    __m128i low, high;

    r[0] = round_fast(sums[0], parts->ratio, _mm256_loadu_ps(columns->scales + j), &off);
    r[1] = round_fast(sums[1], parts->ratio, _mm256_loadu_ps(columns->scales + j + 8), &off);
    if (!row->plain || _mm256_movemask_ps(_mm256_cmp_ps(off, _mm256_set1_ps(0.5F - 0x1p-12F), _CMP_GT_OQ)))
        round_again(r, sums, row, columns->scales + j);
    wide = _mm256_adds_epi16(_mm256_packs_epi32(r[0], r[1]), parts->zero); /* columns 0-3, 8-11, 4-7, 12-15 */
    low = _mm256_castsi256_si128(wide);
    high = _mm256_extracti128_si256(wide, 1);
    low = row->is_signed ? _mm_packs_epi16(low, high) : _mm_packus_epi16(low, high);
    _mm_storeu_si128((void *)(out + j), _mm_shuffle_epi32(low, 0xd8));
}

INLINE void finish(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums, const struct qmm_row *rows,
                   const struct qmm_columns *columns, bool biased)
{
    const int32_t *acc = sums->at;

    for (size_t i = 0; i < sums->rows; i++, out += step, acc += sums->step) {
        struct row_parts parts = parts_of(&rows[i]);

        for (size_t j = 0; j < sums->columns; j += 16)
            finish_some(out, acc, &rows[i], &parts, columns, j, biased);
    }
}

void qmm_finish_avx2(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums, const struct qmm_row *rows,
                     const struct qmm_columns *columns)
{
    if (columns->bias)
        finish(out, step, sums, rows, columns, true);
    else
        finish(out, step, sums, rows, columns, false);
}

#endif
