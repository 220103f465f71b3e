#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { MR = QMM_AVX2_MR, NR = QMM_AVX2_NR };

INLINE void store(void *p, __m256i v) { _mm256_storeu_si256(p, v); }

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
        qmm_pack_plain(panel, &(struct qmm_panel){ QMM_S16, (uint16_t)width, 2, 2 }, src, lanes, k, sums);
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

#endif
