#include "base/util.h"
#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

enum { MOST = 128, SOME = 64 /* rows that are read before the next early end */ };

INLINE __m256i zero(void) { return _mm256_setzero_si256(); }

/* 32 bytes, of which `there` are read; the rest as 0. */
INLINE __m256i load_some(const char *p, size_t there)
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
INLINE bool within(__m256i most)
{
    __m256i over = _mm256_subs_epu8(most, _mm256_set1_epi8((char)MOST));

    return _mm256_testz_si256(over, over);
}

/* Positive values, and magnitudes of negative values; 0 for the others. */
INLINE __m256i above(__m256i v) { return _mm256_max_epi8(v, zero()); }
INLINE __m256i below(__m256i v) { return _mm256_sub_epi8(zero(), _mm256_min_epi8(v, zero())); }

/* The larger of the sums of positives and of negatives of pairs, saturated: of two rows, and of
 * neighbours. */
INLINE __m256i pairs_across(__m256i even, __m256i odd)
{
    return _mm256_max_epu8(_mm256_adds_epu8(above(even), above(odd)),
                           _mm256_adds_epu8(below(even), below(odd)));
}

INLINE __m256i pairs_along(__m256i v)
{
    __m256i ones = _mm256_set1_epi8(1);
    __m256i most = _mm256_max_epi16(_mm256_maddubs_epi16(above(v), ones),
                                    _mm256_maddubs_epi16(below(v), ones));

    return _mm256_min_epi16(most, _mm256_set1_epi16(255));
}

/* uint8 above 127 has its top bit set, and is too large as int8. */
INLINE __m256i too_large(__m256i any, bool is_signed)
{
    return is_signed ? zero() : _mm256_cmpgt_epi8(zero(), any);
}

INLINE bool rows_fit(const struct qmm_source *b, size_t lanes, size_t k)
{
    __m256i most = zero();

    for (size_t at = 0; at < k; at += 2) {
        const char *from = b->data + (ptrdiff_t)at * b->k_step;
        __m256i even = load_some(from, lanes),
                odd = at + 1 < k ? load_some(from + b->k_step, lanes) : zero();

        most = _mm256_max_epu8(most, pairs_across(even, odd));
        most = _mm256_max_epu8(most, too_large(_mm256_or_si256(even, odd), b->is_signed));
        if (at % SOME == 0 && !within(most))
            return false;
    }
    return within(most);
}

INLINE bool lane_fits(const struct qmm_source *b, size_t lane, size_t k)
{
    __m256i most = zero();

    for (size_t at = 0; at < k; at += 32) {
        __m256i v = load_some(b->data + (ptrdiff_t)lane * b->lane_step + at, k - at);

        most = _mm256_max_epu8(most, pairs_along(v));
        most = _mm256_max_epu8(most, too_large(v, b->is_signed));
    }
    return within(most);
}

bool qmm_pair_fits_avx2(const struct qmm_source *b, size_t lanes, size_t k)
{
    if (b->k_step != 1)
        return b->lane_step == 1 && rows_fit(b, lanes, k);
    for (size_t lane = 0; lane < lanes; lane++)
        if (!lane_fits(b, lane, k))
            return false;
    return true;
}

#endif
