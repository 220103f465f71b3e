#include "base/util.h"
#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#include <string.h>

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

/* ---- the proof ---- */

enum { MOST = 128 };

INLINE vec zero(void) { return _mm256_setzero_si256(); }

/* 32 bytes, of which `there` are read; the rest as 0. */
INLINE vec load_some(const char *p, size_t there)
{
    char some[32] = { 0 };

    if (there >= 32)
        return _mm256_loadu_si256((const void *)p);
    if (there == 16)
        return _mm256_zextsi128_si256(_mm_loadu_si128((const void *)p));
    memcpy(some, p, there);
    return _mm256_loadu_si256((const void *)some);
}

/* No unsigned byte is above MOST. */
INLINE bool within(vec most)
{
    vec over = _mm256_subs_epu8(most, _mm256_set1_epi8((char)MOST));

    return _mm256_testz_si256(over, over);
}

/* Positive values, and magnitudes of negative values; 0 for the others. */
INLINE vec above(vec v) { return _mm256_max_epi8(v, zero()); }
INLINE vec below(vec v) { return _mm256_sub_epi8(zero(), _mm256_min_epi8(v, zero())); }

/* The larger of the sums of positives and of negatives of pairs, saturated: of two rows, and of
 * neighbours. */
INLINE vec pairs_across(vec even, vec odd)
{
    return _mm256_max_epu8(_mm256_adds_epu8(above(even), above(odd)),
                           _mm256_adds_epu8(below(even), below(odd)));
}

INLINE vec pairs_along(vec v)
{
    vec ones = _mm256_set1_epi8(1);
    vec most = _mm256_max_epi16(_mm256_maddubs_epi16(above(v), ones),
                                _mm256_maddubs_epi16(below(v), ones));

    return _mm256_min_epi16(most, _mm256_set1_epi16(255));
}

INLINE bool rows_fit(const struct qmm_source *b, size_t lanes, size_t k)
{
    vec most = zero();

    for (size_t at = 0; at < k; at += 2) {
        const char *from = b->data + (ptrdiff_t)at * b->k_step;
        vec even = load_some(from, lanes),
            odd = at + 1 < k ? load_some(from + b->k_step, lanes) : zero();

        most = _mm256_max_epu8(most, pairs_across(even, odd));
    }
    return within(most);
}

INLINE bool lane_fits(const struct qmm_source *b, size_t lane, size_t k)
{
    vec most = zero();

    for (size_t at = 0; at < k; at += 32) {
        vec v = load_some(b->data + (ptrdiff_t)lane * b->lane_step + at, k - at);

        most = _mm256_max_epu8(most, pairs_along(v));
    }
    return within(most);
}

bool qmm_pair_fits_avx2(const struct qmm_source *b, size_t lanes, size_t k)
{
    if (!b->is_signed || (b->k_step != 1 && b->lane_step != 1))
        return false;
    if (b->k_step != 1)
        return rows_fit(b, lanes, k);
    for (size_t lane = 0; lane < lanes; lane++)
        if (!lane_fits(b, lane, k))
            return false;
    return true;
}

#endif
