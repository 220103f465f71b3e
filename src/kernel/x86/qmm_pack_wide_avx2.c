#include "base/util.h"
#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <assert.h>
#include <immintrin.h>
#include <string.h>

enum { MR = QMM_AVX2_MR, NR = QMM_AVX2_NR, RUN = QMM_AVX2_RUN };

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

INLINE __m128i load_all(const char *p) { return _mm_loadu_si128((const void *)p); }

/* count values, at most 16, then zeros. */
INLINE __m128i load_some(const char *p, size_t count)
{
    char some[16] = { 0 };

    if (count == 16)
        return _mm_loadu_si128((const void *)p);
    memcpy(some, p, count);
    return _mm_loadu_si128((const void *)some);
}

/* ---- A: runs of each lane ---- */

/* Steps of 16 values whose sums, of 255 at most, fit 16 bits. */
enum { STEPS_MOST = 128 };

INLINE void store_run(char *dst, __m128i values, __m256i *total, bool is_signed)
{
    __m256i v = widen(values, is_signed);

    store(dst, v);
    *total = _mm256_add_epi16(*total, v);
}

/* A lane that runs along K. Returns its sum. */
INLINE int64_t pack_lane(char *dst, const char *from, size_t k, bool is_signed)
{
    enum { STEP = MR * RUN * sizeof(int16_t) };
    int64_t sum = 0;

    for (size_t some; k > 0; k -= some, from += some) {
        __m256i total = _mm256_setzero_si256();
        size_t at = 0;

        some = k < STEPS_MOST * RUN ? k : STEPS_MOST * RUN;
        for (; at + RUN <= some; at += RUN, dst += STEP)
            store_run(dst, load_all(from + at), &total, is_signed);
        if (at < some)
            store_run(dst, load_some(from + at, some - at), &total, is_signed);
        sum += add_up(pair_sums(total));
    }
    return sum;
}

static void clear_lane(char *dst, size_t k)
{
    for (size_t at = 0; at < k; at += RUN, dst += MR * RUN * sizeof(int16_t))
        store(dst, _mm256_setzero_si256());
}

/* Four bytes, of which `lanes` are read; the rest as 0. */
INLINE int load_lanes(const char *from, size_t lanes)
{
    int four = 0;

    if (lanes == MR)
        memcpy(&four, from, MR);
    else
        memcpy(&four, from, lanes);
    return four;
}

/* The four lanes at some values of K, at most 4, as four groups of four. */
INLINE __m128i four_rows(const struct qmm_source *src, size_t lanes, size_t at, size_t k)
{
    const char *from = src->data + (ptrdiff_t)at * src->k_step;
    int rows[4] = { 0 };

    for (size_t i = 0; i < 4 && at + i < k; i++, from += src->k_step)
        rows[i] = load_lanes(from, lanes);
    return _mm_shuffle_epi8(_mm_setr_epi32(rows[0], rows[1], rows[2], rows[3]),
                            _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
}

/* Lanes side by side. */
INLINE void pack_lanes(char *dst, const struct qmm_source *src, size_t lanes, size_t k,
                       int64_t *sums, bool is_signed)
{
    for (size_t at = 0; at < k; at += RUN, dst += MR * RUN * sizeof(int16_t)) {
        __m128i r[4], t[4], lane[4];

        for (size_t i = 0; i < 4; i++)
            r[i] = four_rows(src, lanes, at + 4 * i, k);
        t[0] = _mm_unpacklo_epi32(r[0], r[1]);
        t[1] = _mm_unpackhi_epi32(r[0], r[1]);
        t[2] = _mm_unpacklo_epi32(r[2], r[3]);
        t[3] = _mm_unpackhi_epi32(r[2], r[3]);
        lane[0] = _mm_unpacklo_epi64(t[0], t[2]);
        lane[1] = _mm_unpackhi_epi64(t[0], t[2]);
        lane[2] = _mm_unpacklo_epi64(t[1], t[3]);
        lane[3] = _mm_unpackhi_epi64(t[1], t[3]);
        for (size_t l = 0; l < MR; l++) {
            __m256i v = widen(lane[l], is_signed);

            store(dst + l * RUN * sizeof(int16_t), v);
            sums[l] += add_up(pair_sums(v));
        }
    }
}

INLINE void pack_runs(char *dst, const struct qmm_source *src, size_t lanes, size_t k,
                      int64_t *sums, bool is_signed)
{
    if (src->k_step != 1) {
        pack_lanes(dst, src, lanes, k, sums, is_signed);
        return;
    }
    for (size_t l = 0; l < MR; l++, dst += RUN * sizeof(int16_t)) {
        if (l < lanes)
            sums[l] += pack_lane(dst, src->data + (ptrdiff_t)l * src->lane_step, k, is_signed);
        else
            clear_lane(dst, k);
    }
}

void qmm_pack_a_avx2(void *panel, const struct qmm_source *src, size_t lanes, size_t k,
                     int64_t *sums)
{
    assert(lanes <= MR);
    if (src->k_step != 1 && src->lane_step != 1)
        qmm_pack_plain(panel, &(struct qmm_panel){ QMM_S16, MR, RUN, 2 }, src, lanes, k, sums);
    else if (src->is_signed)
        pack_runs(panel, src, lanes, k, sums, true);
    else
        pack_runs(panel, src, lanes, k, sums, false);
}

/* ---- B: pairs of each lane ---- */

/* Four lanes that run along K, 16 values at a time turned into 8 pairs. */
INLINE void pack_quad(char *dst, const struct qmm_source *src, size_t first, size_t lanes, size_t k,
                      int64_t *sums, bool is_signed)
{
    __m256i total[4] = { _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                         _mm256_setzero_si256() };

    for (size_t at = 0; at < k; at += 16) {
        size_t there = k - at < 16 ? k - at : 16, pairs = (there + 1) / 2;
        __m256i r[4], t[4], g[4];

        for (size_t l = 0; l < 4; l++) {
            const char *from = src->data + (ptrdiff_t)(first + l) * src->lane_step + at;

            r[l] = first + l < lanes ? widen(load_some(from, there), is_signed)
                                     : _mm256_setzero_si256();
            total[l] = _mm256_add_epi32(total[l], pair_sums(r[l]));
        }
        t[0] = _mm256_unpacklo_epi32(r[0], r[1]);
        t[1] = _mm256_unpackhi_epi32(r[0], r[1]);
        t[2] = _mm256_unpacklo_epi32(r[2], r[3]);
        t[3] = _mm256_unpackhi_epi32(r[2], r[3]);
        g[0] = _mm256_unpacklo_epi64(t[0], t[2]); /* pairs 0 and 4, then 1 and 5, ... */
        g[1] = _mm256_unpackhi_epi64(t[0], t[2]);
        g[2] = _mm256_unpacklo_epi64(t[1], t[3]);
        g[3] = _mm256_unpackhi_epi64(t[1], t[3]);
        for (size_t i = 0; i < pairs; i++, dst += NR * 4)
            _mm_storeu_si128((void *)dst, i < 4 ? _mm256_castsi256_si128(g[i])
                                                : _mm256_extracti128_si256(g[i - 4], 1));
    }
    for (size_t l = 0; l < 4; l++)
        sums[first + l] += add_up(total[l]);
}

/* Lanes side by side, k values of which sums fit 16 bits; all: there are NR of them. Two rows of K
 * interleaved give pairs. */
INLINE void pack_rows(int16_t *dst, const char *from, ptrdiff_t row, size_t lanes, size_t k,
                      int64_t *sums, bool all, bool is_signed)
{
    __m256i low_total = _mm256_setzero_si256(), high_total = low_total;
    int32_t sum[16];

    for (size_t at = 0; at < k; at += 2, from += 2 * row, dst += 2 * NR) {
        __m128i even = all ? load_all(from) : load_some(from, lanes), odd = _mm_setzero_si128();
        __m256i low, high;

        if (at + 1 < k)
            odd = all ? load_all(from + row) : load_some(from + row, lanes);
        low = widen(_mm_unpacklo_epi8(even, odd), is_signed);
        high = widen(_mm_unpackhi_epi8(even, odd), is_signed);
        store(dst, low);
        store(dst + NR, high);
        low_total = _mm256_add_epi16(low_total, low);
        high_total = _mm256_add_epi16(high_total, high);
    }
    store(sum, pair_sums(low_total));
    store(sum + 8, pair_sums(high_total));
    for (size_t l = 0; l < NR; l++)
        sums[l] += sum[l];
}

INLINE void pack_across(int16_t *dst, const struct qmm_source *src, size_t lanes, size_t k,
                        int64_t *sums, bool is_signed)
{
    const char *from = src->data;

    for (size_t some; k > 0; k -= some, from += (ptrdiff_t)some * src->k_step, dst += some * NR) {
        some = k < 2 * STEPS_MOST ? k : 2 * STEPS_MOST;
        if (lanes == NR)
            pack_rows(dst, from, src->k_step, lanes, some, sums, true, is_signed);
        else
            pack_rows(dst, from, src->k_step, lanes, some, sums, false, is_signed);
    }
}

INLINE void pack_pairs(void *panel, const struct qmm_source *src, size_t lanes, size_t k,
                       int64_t *sums, bool is_signed)
{
    if (src->k_step != 1)
        pack_across(panel, src, lanes, k, sums, is_signed);
    else
        for (size_t first = 0; first < NR; first += 4)
            pack_quad((char *)panel + first * 4, src, first, lanes, k, sums, is_signed);
}

void qmm_pack_b_avx2(void *panel, const struct qmm_source *src, size_t lanes, size_t k,
                     int64_t *sums)
{
    assert(lanes <= NR);
    if (src->k_step != 1 && src->lane_step != 1)
        qmm_pack_plain(panel, &(struct qmm_panel){ QMM_S16, NR, 2, 2 }, src, lanes, k, sums);
    else if (src->is_signed)
        pack_pairs(panel, src, lanes, k, sums, true);
    else
        pack_pairs(panel, src, lanes, k, sums, false);
}

#endif
