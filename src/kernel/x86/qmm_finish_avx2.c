#include "base/util.h"
#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <assert.h>
#include <immintrin.h>

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

    return _mm256_cmp_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), off), _mm256_set1_pd(0.5 - 1e-9),
                         _CMP_GT_OQ);
}

/*
 * Rounds exactly. sum * sa * sb, as high + low, is compared with tie * so: all four are exact (31 +
 * 48 and 12 + 24 bits), and so is high - tie * so where the two are near, so that the sign of the
 * difference is right.
 */
INLINE __m128i round_exactly(__m128i sum, __m256d real, __m256d sa, __m256d sb, __m256d so)
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

void qmm_round_avx2(int32_t out[16], const int32_t sums[16], const struct qmm_row *row,
                    const float scales[16])
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

/*
 * Fast rounding in floats. A value is scaled by 2^16, a half and the output's zero point added, and
 * made whole: x, whose upper bits are the output and whose lower bits say how near to a tie the
 * value is. Where the output is not clamped, x is off by at most 7.5: by 384 * 2^16 times 2^-22
 * (four roundings of 2^-24: the sum, the ratio, the scale and their product), by 1 as the rest is
 * added, by a half as it is made whole. So only values within 8 of a tie are in doubt; 8 more are
 * added to x, so that their lower bits are 0 to 16.
 */
enum { FRACTION = 16, MARGIN = 8, IN_DOUBT = 2 * MARGIN + 1 };

/* x of a value that is clamped whatever the zero point, and not in doubt. */
#define BEYOND 0x1.001p26F

/* What one row's values have in common. */
struct row_parts {
    __m256i a_sum, a_zero, bias;
    __m256 ratio, offset;
};

INLINE struct row_parts parts_of(const struct qmm_row *row)
{
    int32_t offset = row->zero * (1 << FRACTION) + (1 << (FRACTION - 1)) + MARGIN;

    return (struct row_parts){ _mm256_set1_epi32((int)row->a_sum),
                               _mm256_set1_epi32((int)row->a_zero),
                               _mm256_set1_epi32((int)row->bias),
                               _mm256_set1_ps(row->scale * (1 << FRACTION)),
                               _mm256_set1_ps((float)offset) };
}

/* Eight sums with the zero points' correction. */
INLINE __m256i sums_at(const int32_t *acc, const struct row_parts *row,
                       const struct qmm_columns *columns, size_t j, bool biased)
{
    __m256i sum = load(acc + j);

    if (biased)
        return _mm256_sub_epi32(_mm256_sub_epi32(sum, row->bias), load(columns->bias + j));
    sum = _mm256_sub_epi32(sum, _mm256_mullo_epi32(load(columns->zeros + j), row->a_sum));
    return _mm256_sub_epi32(sum, _mm256_mullo_epi32(load(columns->sums + j), row->a_zero));
}

/* x of eight values; *least becomes the least of the lower bits. Too large a value becomes BEYOND,
 * of either sign. */
INLINE __m256i round_fast(__m256i sum, const struct row_parts *row, __m256 sb, __m256i *least)
{
    __m256 real =
        _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum), _mm256_mul_ps(row->ratio, sb), row->offset);
    __m256i x;

    real = _mm256_max_ps(_mm256_min_ps(real, _mm256_set1_ps(BEYOND)), _mm256_set1_ps(-BEYOND));
    x = _mm256_cvtps_epi32(real);

    *least = _mm256_min_epu32(*least, _mm256_and_si256(x, _mm256_set1_epi32((1 << FRACTION) - 1)));
    return _mm256_srai_epi32(x, FRACTION);
}

/* Sixteen values of a row, as 16-bit numbers, columns 0-3, 8-11, 4-7, 12-15. */
INLINE __m256i round_row(const int32_t *acc, const struct row_parts *row,
                         const struct qmm_columns *columns, size_t j, bool biased, __m256i *least)
{
    __m256i low = round_fast(sums_at(acc, row, columns, j, biased), row,
                             _mm256_loadu_ps(columns->scales + j), least);
    __m256i high = round_fast(sums_at(acc, row, columns, j + 8, biased), row,
                              _mm256_loadu_ps(columns->scales + j + 8), least);

    return _mm256_packs_epi32(low, high);
}

/* The same where floats cannot decide. */
__attribute__((noinline)) static __m256i round_again(const int32_t *acc, const struct qmm_row *row,
                                                     const struct qmm_columns *columns, size_t j)
{
    struct row_parts parts = parts_of(row);
    int32_t sums[16], r[16];

    _mm256_storeu_si256((void *)sums, sums_at(acc, &parts, columns, j, columns->bias != NULL));
    _mm256_storeu_si256((void *)(sums + 8),
                        sums_at(acc, &parts, columns, j + 8, columns->bias != NULL));
    qmm_round_avx2(r, sums, row, columns->scales + j);
    return _mm256_adds_epi16(_mm256_packs_epi32(load(r), load(r + 8)),
                             _mm256_set1_epi16((short)row->zero));
}

/* Sixteen outputs of each of two rows. */
INLINE void finish_pair(uint8_t *const out[2], const int32_t *const acc[2],
                        const struct qmm_row *const rows[2], const struct row_parts parts[2],
                        const struct qmm_columns *columns, size_t j, bool biased)
{
    __m256i least = _mm256_set1_epi32(rows[0]->plain && rows[1]->plain ? -1 : 0);
    __m256i r0 = round_row(acc[0], &parts[0], columns, j, biased, &least);
    __m256i r1 = round_row(acc[1], &parts[1], columns, j, biased, &least);

    if (_mm256_movemask_epi8(_mm256_cmpgt_epi32(_mm256_set1_epi32(IN_DOUBT), least))) {
        r0 = round_again(acc[0], rows[0], columns, j);
        r1 = round_again(acc[1], rows[1], columns, j);
    }
    r0 = rows[0]->is_signed ? _mm256_packs_epi16(r0, r1) : _mm256_packus_epi16(r0, r1);
    r0 = _mm256_permutevar8x32_epi32(r0, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    _mm_storeu_si128((void *)(out[0] + j), _mm256_castsi256_si128(r0));
    _mm_storeu_si128((void *)(out[1] + j), _mm256_extracti128_si256(r0, 1));
}

/* By two rows; an odd one out goes with itself. */
INLINE void finish(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                   const struct qmm_row *rows, const struct qmm_columns *columns, bool biased)
{
    const int32_t *acc = sums->at;

    for (size_t i = 0; i < sums->rows; i += 2, out += 2 * step, acc += 2 * sums->step) {
        size_t other = i + 1 < sums->rows;
        uint8_t *outs[2] = { out, out + (ptrdiff_t)other * step };
        const int32_t *accs[2] = { acc, acc + other * sums->step };
        const struct qmm_row *pair[2] = { &rows[i], &rows[i + other] };
        struct row_parts parts[2] = { parts_of(pair[0]), parts_of(pair[1]) };

        for (size_t j = 0; j < sums->columns; j += 16)
            finish_pair(outs, accs, pair, parts, columns, j, biased);
    }
}

/* ---- the same where scales and zero points are in common, and no value can be too large ---- */

/* x of eight values. */
INLINE __m256i round_common(const int32_t *acc, __m256i row_bias, __m256i bias, __m256 ratio,
                            __m256 offset)
{
    __m256i sum = _mm256_sub_epi32(_mm256_sub_epi32(load(acc), row_bias), bias);

    return _mm256_cvtps_epi32(_mm256_fmadd_ps(_mm256_cvtepi32_ps(sum), ratio, offset));
}

/* Sixteen outputs of each of two rows, of 16 bits, columns 0-3, 8-11, 4-7, 12-15. */
INLINE void store_pair(uint8_t *const out[2], __m256i r0, __m256i r1, bool is_signed)
{
    r0 = is_signed ? _mm256_packs_epi16(r0, r1) : _mm256_packus_epi16(r0, r1);
    r0 = _mm256_permutevar8x32_epi32(r0, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    _mm_storeu_si128((void *)out[0], _mm256_castsi256_si128(r0));
    _mm_storeu_si128((void *)out[1], _mm256_extracti128_si256(r0, 1));
}

__attribute__((noinline)) static void put_again(uint8_t *const out[2], const int32_t *const acc[2],
                                                const struct qmm_row *const rows[2],
                                                const struct qmm_columns *columns, size_t j)
{
    store_pair(out, round_again(acc[0], rows[0], columns, j),
               round_again(acc[1], rows[1], columns, j), rows[0]->is_signed);
}

/* Upper and lower halves of x of columns 0-7 and 8-15, columns 0, 8, 1, 9, ... */
INLINE __m256i upper_halves(__m256i x0, __m256i x1)
{
    return _mm256_blend_epi16(_mm256_srli_epi32(x0, 16), x1, 0xaa);
}
INLINE __m256i lower_halves(__m256i x0, __m256i x1)
{
    return _mm256_blend_epi16(x0, _mm256_slli_epi32(x1, 16), 0xaa);
}

/* 16-bit values of four columns, and the four that are eight further on, in the order of columns;
 * of two rows. */
INLINE __m256i part_columns(__m256i v)
{
    const __m256i order = _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
                                           0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);

    return _mm256_shuffle_epi8(v, order);
}

INLINE void finish_common(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                          const struct qmm_row *rows, const struct qmm_columns *columns,
                          bool is_signed)
{
    const int32_t *bias = (const int32_t *)columns->bias, *acc = sums->at;
    const __m256 one = _mm256_set1_ps(1 << FRACTION);
    const __m256i in_doubt = _mm256_set1_epi16(IN_DOUBT);
    const float *ratios = columns->ratios;
    size_t count = sums->columns, height = sums->rows;

    for (size_t i = 0; i < height; i += 2, out += 2 * step, acc += 2 * sums->step) {
        size_t other = i + 1 < height;
        const int32_t *acc1 = acc + other * sums->step;
        uint8_t *out1 = out + (ptrdiff_t)other * step;
        struct row_parts r0 = parts_of(&rows[i]), r1 = parts_of(&rows[i + other]);

        for (size_t j = 0; j < count; j += 16) {
            __m256 low = _mm256_mul_ps(_mm256_loadu_ps(ratios + j), one);
            __m256 high = _mm256_mul_ps(_mm256_loadu_ps(ratios + j + 8), one);
            __m256i low_bias = load(bias + j), high_bias = load(bias + j + 8);
            __m256i x0 = round_common(acc + j, r0.bias, low_bias, low, r0.offset);
            __m256i x1 = round_common(acc + j + 8, r0.bias, high_bias, high, r0.offset);
            __m256i y0 = round_common(acc1 + j, r1.bias, low_bias, low, r1.offset);
            __m256i y1 = round_common(acc1 + j + 8, r1.bias, high_bias, high, r1.offset);
            __m256i least = _mm256_min_epu16(lower_halves(x0, x1), lower_halves(y0, y1));
            uint8_t *const outs[2] = { out + j, out1 + j };

            least = _mm256_subs_epu16(in_doubt, least);
            if (__builtin_expect(!_mm256_testz_si256(least, least), 0)) {
                const int32_t *const accs[2] = { acc, acc1 };
                const struct qmm_row *const pair[2] = { &rows[i], &rows[i + other] };

                put_again(outs, accs, pair, columns, j);
                continue;
            }
            store_pair(outs, part_columns(upper_halves(x0, x1)), part_columns(upper_halves(y0, y1)),
                       is_signed);
        }
    }
}

void qmm_finish_avx2(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                     const struct qmm_row *rows, const struct qmm_columns *columns)
{
    assert(sums->columns % 16 == 0);
    if (columns->ratios && rows->is_signed)
        finish_common(out, step, sums, rows, columns, true);
    else if (columns->ratios)
        finish_common(out, step, sums, rows, columns, false);
    else if (columns->bias)
        finish(out, step, sums, rows, columns, true);
    else
        finish(out, step, sums, rows, columns, false);
}

#endif
