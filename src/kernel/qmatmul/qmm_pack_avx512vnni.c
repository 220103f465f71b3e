#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

OPTIMIZE_LOOPS

enum { COLUMNS = 32, GROUP = 4 };

INLINE __m512i zero(void) { return _mm512_setzero_si512(); }

/* Sorts groups by column, 16 to a vector; quarter q of in[i] has the 4 columns from 16 q + 4 i. */
INLINE void put_in_order(__m512i out[4], const __m512i in[4])
{
    __m512i even = _mm512_shuffle_i32x4(in[0], in[1], 0x44),
            odd = _mm512_shuffle_i32x4(in[2], in[3], 0x44),
            even_high = _mm512_shuffle_i32x4(in[0], in[1], 0xee),
            odd_high = _mm512_shuffle_i32x4(in[2], in[3], 0xee);

    out[0] = _mm512_shuffle_i32x4(even, odd, 0x88);
    out[1] = _mm512_shuffle_i32x4(even, odd, 0xdd);
    out[2] = _mm512_shuffle_i32x4(even_high, odd_high, 0x88);
    out[3] = _mm512_shuffle_i32x4(even_high, odd_high, 0xdd);
}

/* Packs four rows of both panels, of which `rows` are read; the others are 0. */
INLINE void pack_four(char *left, char *right, const char *from, ptrdiff_t step, size_t rows,
                      __m512i flip, bool summed, __m512i total[4])
{
    __m512i r[4], t[4], g[4], out[4];

    for (size_t i = 0; i < 4; i++)
        r[i] = i < rows ? _mm512_xor_si512(flip, _mm512_loadu_si512(from + (ptrdiff_t)i * step))
                        : zero();
    t[0] = _mm512_unpacklo_epi8(r[0], r[1]);
    t[1] = _mm512_unpackhi_epi8(r[0], r[1]);
    t[2] = _mm512_unpacklo_epi8(r[2], r[3]);
    t[3] = _mm512_unpackhi_epi8(r[2], r[3]);
    g[0] = _mm512_unpacklo_epi16(t[0], t[2]);
    g[1] = _mm512_unpackhi_epi16(t[0], t[2]);
    g[2] = _mm512_unpacklo_epi16(t[1], t[3]);
    g[3] = _mm512_unpackhi_epi16(t[1], t[3]);
    for (size_t i = 0; summed && i < 4; i++)
        total[i] = _mm512_dpbusd_epi32(total[i], _mm512_set1_epi8(1), g[i]);
    put_in_order(out, g);
    _mm512_storeu_si512(left, out[0]);
    _mm512_storeu_si512(left + 64, out[1]);
    _mm512_storeu_si512(right, out[2]);
    _mm512_storeu_si512(right + 64, out[3]);
}

void qmm_pack_two_avx512vnni(void *left, void *right, const struct qmm_panel *form,
                             const struct qmm_source *src, size_t k, int64_t *sums)
{
    const size_t bytes = COLUMNS * GROUP, depth = qmm_depth(k, form);
    const char *from = src->data;
    const __m512i flip = _mm512_set1_epi8(qmm_shift(form->elem, src->is_signed) ? (char)-128 : 0);
    __m512i total[4] = { zero(), zero(), zero(), zero() };
    char *one = left, *two = right;
    ptrdiff_t step = src->k_step;
    size_t at = 0;

    assert(form->lanes == COLUMNS && form->group == GROUP && form->elem == QMM_S8 &&
           src->lane_step == 1);
    for (; at + GROUP <= k; at += GROUP, one += bytes, two += bytes, from += GROUP * step)
        pack_four(one, two, from, step, GROUP, flip, sums, total);
    for (; at < depth; at += GROUP, one += bytes, two += bytes, from += GROUP * step)
        pack_four(one, two, from, step, at < k ? k - at : 0, flip, sums, total);
    put_in_order(total, (const __m512i[4]){ total[0], total[1], total[2], total[3] });
    for (size_t i = 0; sums && i < 2 * COLUMNS; i += 8) {
        __m256i some = _mm512_extracti64x4_epi64(total[i / 16], 0);

        if (i % 16 != 0)
            some = _mm512_extracti64x4_epi64(total[i / 16], 1);
        _mm512_storeu_si512(
            sums + i, _mm512_add_epi64(_mm512_loadu_si512(sums + i), _mm512_cvtepi32_epi64(some)));
    }
}

#endif
