#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { MR = QMM_AVX2_MR, NR = QMM_AVX2_NR };

/* ---- the tile: 8 registers of sums, pairs of A broadcast against pairs of B ---- */

INLINE __m256i pair_of(const int16_t *a)
{
    int32_t both;

    memcpy(&both, a, sizeof both);
    return _mm256_set1_epi32(both);
}

INLINE __m256i load(const void *p) { return _mm256_loadu_si256(p); }
INLINE void store(void *p, __m256i v) { _mm256_storeu_si256(p, v); }

INLINE __m256i multiply_add(__m256i sum, __m256i a, __m256i b)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
}

void qmm_tile_avx2(size_t groups, const void *a, const void *b, int32_t *acc)
{
    const int16_t *pa = a, *pb = b;
    __m256i zero = _mm256_setzero_si256();
    __m256i s00 = zero, s01 = zero, s10 = zero, s11 = zero, s20 = zero, s21 = zero, s30 = zero, s31 = zero;

    for (; groups > 0; groups--, pa += 2 * MR, pb += 2 * NR) {
        __m256i left = load(pb), right = load(pb + NR), p;

        p = pair_of(pa);
        s00 = multiply_add(s00, p, left);
        s01 = multiply_add(s01, p, right);
        p = pair_of(pa + 2);
        s10 = multiply_add(s10, p, left);
        s11 = multiply_add(s11, p, right);
        p = pair_of(pa + 4);
        s20 = multiply_add(s20, p, left);
        s21 = multiply_add(s21, p, right);
        p = pair_of(pa + 6);
        s30 = multiply_add(s30, p, left);
        s31 = multiply_add(s31, p, right);
    }
    store(acc, s00);
    store(acc + 8, s01);
    store(acc + 16, s10);
    store(acc + 24, s11);
    store(acc + 32, s20);
    store(acc + 40, s21);
    store(acc + 48, s30);
    store(acc + 56, s31);
}

/* ---- packing ---- */

INLINE __m256i widen(__m128i v, bool is_signed)
{
    return is_signed ? _mm256_cvtepi8_epi16(v) : _mm256_cvtepu8_epi16(v);
}

INLINE __m256i pair_sums(__m256i v) { return _mm256_madd_epi16(v, _mm256_set1_epi16(1)); }

INLINE int32_t add_up(__m256i v)
{
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));

    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}

/* count values, at most 16, then zeros. */
INLINE __m128i load_some(const char *p, size_t count)
{
    char some[16] = { 0 };

    if (count == 16)
        return _mm_loadu_si128((const void *)p);
    memcpy(some, p, count);
    return _mm_loadu_si128((const void *)some);
}

/* Four lanes that run along K, 16 values at a time turned into 8 groups; a group of the panel has group_bytes. */
INLINE void pack_quad(char *dst, size_t group_bytes, const struct qmm_source *src, size_t first, size_t lanes,
                      size_t k, int64_t *sums, bool is_signed)
{
    __m256i total[4] = { _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                         _mm256_setzero_si256() };

    for (size_t at = 0; at < k; at += 16) {
        size_t there = k - at < 16 ? k - at : 16, groups = (there + 1) / 2;
        __m256i r[4], t[4], g[4];

        for (size_t l = 0; l < 4; l++) {
            const char *from = src->data + (ptrdiff_t)(first + l) * src->lane_step + at;

            r[l] = first + l < lanes ? widen(load_some(from, there), is_signed) : _mm256_setzero_si256();
            total[l] = _mm256_add_epi32(total[l], pair_sums(r[l]));
        }
        t[0] = _mm256_unpacklo_epi32(r[0], r[1]);
        t[1] = _mm256_unpackhi_epi32(r[0], r[1]);
        t[2] = _mm256_unpacklo_epi32(r[2], r[3]);
        t[3] = _mm256_unpackhi_epi32(r[2], r[3]);
        g[0] = _mm256_unpacklo_epi64(t[0], t[2]); /* groups 0 and 4, then 1 and 5, ... */
        g[1] = _mm256_unpackhi_epi64(t[0], t[2]);
        g[2] = _mm256_unpacklo_epi64(t[1], t[3]);
        g[3] = _mm256_unpackhi_epi64(t[1], t[3]);
        for (size_t i = 0; i < groups; i++, dst += group_bytes)
            _mm_storeu_si128((void *)dst,
                             i < 4 ? _mm256_castsi256_si128(g[i]) : _mm256_extracti128_si256(g[i - 4], 1));
    }
    for (size_t l = 0; l < 4; l++)
        sums[first + l] += add_up(total[l]);
}

INLINE void pack_along_k(void *panel, size_t width, const struct qmm_source *src, size_t lanes, size_t k,
                         int64_t *sums)
{
    for (size_t first = 0; first < width; first += 4) {
        char *dst = (char *)panel + first * 4;

        if (src->is_signed)
            pack_quad(dst, width * 4, src, first, lanes, k, sums, true);
        else
            pack_quad(dst, width * 4, src, first, lanes, k, sums, false);
    }
}

/* Lanes side by side: two rows of K interleaved give a group. */
INLINE void pack_across(int16_t *dst, size_t width, const struct qmm_source *src, size_t lanes, size_t k,
                        int64_t *sums, bool is_signed)
{
    __m256i total[2] = { _mm256_setzero_si256(), _mm256_setzero_si256() };
    int32_t sum[16];

    for (size_t at = 0; at < k; at += 2, dst += 2 * width) {
        const char *from = src->data + (ptrdiff_t)at * src->k_step;
        __m128i even = load_some(from, lanes);
        __m128i odd = at + 1 < k ? load_some(from + src->k_step, lanes) : _mm_setzero_si128();
        __m256i v = widen(_mm_unpacklo_epi8(even, odd), is_signed);

        total[0] = _mm256_add_epi32(total[0], pair_sums(v));
        if (width == MR) {
            _mm_storeu_si128((void *)dst, _mm256_castsi256_si128(v));
            continue;
        }
        store(dst, v);
        v = widen(_mm_unpackhi_epi8(even, odd), is_signed);
        total[1] = _mm256_add_epi32(total[1], pair_sums(v));
        store(dst + 16, v);
    }
    store(sum, total[0]);
    store(sum + 8, total[1]);
    for (size_t l = 0; l < width; l++)
        sums[l] += sum[l];
}

INLINE void pack(void *panel, size_t width, const struct qmm_source *src, size_t lanes, size_t k, int64_t *sums)
{
    if (src->k_step == 1)
        pack_along_k(panel, width, src, lanes, k, sums);
    else if (src->lane_step != 1)
        qmm_pack_plain(panel, &(struct qmm_panel){ QMM_S16, (uint16_t)width, 2 }, src, lanes, k, sums);
    else if (src->is_signed)
        pack_across(panel, width, src, lanes, k, sums, true);
    else
        pack_across(panel, width, src, lanes, k, sums, false);
}

void qmm_pack_a_avx2(void *panel, const struct qmm_source *src, size_t lanes, size_t k, int64_t *sums)
{
    pack(panel, MR, src, lanes, k, sums);
}

void qmm_pack_b_avx2(void *panel, const struct qmm_source *src, size_t lanes, size_t k, int64_t *sums)
{
    pack(panel, NR, src, lanes, k, sums);
}

/* ---- requantization ---- */

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

/* What it takes where floats cannot decide: doubles, and where those cannot, exact products. */
__attribute__((noinline)) static void round_row(__m256i out[2], const __m256i sums[2], const struct qmm_row *row,
                                                const struct qmm_columns *columns)
{
    __m256d sa = _mm256_set1_pd((double)row->sa), so = _mm256_set1_pd((double)row->so);
    __m256d ratio = _mm256_set1_pd(row->ratio);

    for (int q = 0; q < 4; q++) {
        __m128i sum = _mm_loadu_si128((const __m128i *)sums + q), rounded;
        __m256d sb = _mm256_cvtps_pd(_mm_loadu_ps(columns->scales + 4 * q)), real = estimate(sum, ratio, sb);

        rounded = _mm256_cvtpd_epi32(real);
        if (_mm256_movemask_pd(near_tie(real, rounded)))
            rounded = round_exactly(sum, real, sa, sb, so);
        _mm_storeu_si128((__m128i *)out + q, rounded);
    }
}

/*
 * Eight values in floats: the relative error is about 2^-22 (four roundings of 2^-24: the sum, ratio, scale and
 * product), so that below 512 only values within some 2^-13 of a tie may be rounded wrongly; all within 2^-12 are
 * marked. From 512 on all are clamped.
 */
INLINE __m256i round_fast(__m256i sum, __m256 ratio, __m256 sb, __m256 *near)
{
    __m256 real = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_mul_ps(ratio, sb)), off;
    __m256i rounded;

    real = _mm256_min_ps(_mm256_max_ps(real, _mm256_set1_ps(-512)), _mm256_set1_ps(512));
    rounded = _mm256_cvtps_epi32(real);
    off = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), _mm256_sub_ps(real, _mm256_cvtepi32_ps(rounded)));
    *near = _mm256_or_ps(*near, _mm256_cmp_ps(off, _mm256_set1_ps(0.5F - 0x1p-12F), _CMP_GT_OQ));
    return rounded;
}

INLINE void finish_row(uint8_t *out, const int32_t *acc, const struct qmm_row *row, const struct qmm_columns *columns)
{
    __m256i a_sum = _mm256_set1_epi32((int)row->a_sum), a_zero = _mm256_set1_epi32((int)row->a_zero), sums[2], r[2];
    __m256 ratio = _mm256_set1_ps((float)row->ratio), near = _mm256_setzero_ps();
    __m256i zero = _mm256_set1_epi16((short)row->zero), wide;
    __m128i low, high;

    for (int h = 0; h < 2; h++) {
        __m256i sum = _mm256_sub_epi32(load(acc + 8 * h), _mm256_mullo_epi32(load(columns->zeros + 8 * h), a_sum));

        sums[h] = _mm256_sub_epi32(sum, _mm256_mullo_epi32(load(columns->sums + 8 * h), a_zero));
        r[h] = round_fast(sums[h], ratio, _mm256_loadu_ps(columns->scales + 8 * h), &near);
    }
    if (!row->plain || _mm256_movemask_ps(near))
        round_row(r, sums, row, columns);
    wide = _mm256_add_epi16(_mm256_packs_epi32(r[0], r[1]), zero); /* columns 0-3, 8-11, 4-7, 12-15 */
    low = _mm256_castsi256_si128(wide);
    high = _mm256_extracti128_si256(wide, 1);
    low = row->is_signed ? _mm_packs_epi16(low, high) : _mm_packus_epi16(low, high);
    _mm_storeu_si128((void *)out, _mm_shuffle_epi32(low, 0xd8));
}

void qmm_finish_avx2(uint8_t *out, ptrdiff_t step, const int32_t *acc, const struct qmm_row *rows, size_t count,
                     const struct qmm_columns *columns)
{
    for (; count > 0; count--, out += step, acc += NR, rows++)
        finish_row(out, acc, rows, columns);
}

#endif
