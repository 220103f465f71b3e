#include "kernel/topk/topk_scan.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* The vector operations of topk_scan.inc for AVX2. In a mask every bit of a lane is equal. */

typedef __m256i vec;
typedef __m256i mask_8, mask_16, mask_32, mask_64;
#define VECTOR_BITS 256

INLINE vec load(const void *p) { return _mm256_loadu_si256(p); }
INLINE void store(void *p, vec v) { _mm256_storeu_si256(p, v); }
INLINE vec flip(vec a, vec b) { return _mm256_xor_si256(a, b); }

#define DEFINE_COMPARING(width, number) \
    INLINE vec splat_##width(int64_t x) { return _mm256_set1_epi##width((number)x); } \
    INLINE vec lt_##width(vec a, vec b) { return _mm256_cmpgt_epi##width(b, a); } \
    INLINE vec min_##width(vec a, vec b) { return _mm256_min_epi##width(a, b); } \
    INLINE vec max_##width(vec a, vec b) { return _mm256_max_epi##width(a, b); }

DEFINE_COMPARING(8, char)
DEFINE_COMPARING(16, short)
DEFINE_COMPARING(32, int)

INLINE vec splat_64(int64_t x) { return _mm256_set1_epi64x(x); }
INLINE vec lt_64(vec a, vec b) { return _mm256_cmpgt_epi64(b, a); }
/* not by _mm256_blendv_epi8, from which gcc 12 with -funsigned-char always takes b */
INLINE vec min_64(vec a, vec b)
{
    return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(b), _mm256_castsi256_pd(a),
                                                _mm256_castsi256_pd(lt_64(a, b))));
}
INLINE vec max_64(vec a, vec b) { return flip(flip(a, b), min_64(a, b)); }
INLINE bool any(__m256i m) { return !_mm256_testz_si256(m, m); }

INLINE uint64_t bits_8(__m256i m) { return (uint32_t)_mm256_movemask_epi8(m); }
/* Pairs of masks are packed to half the width; packs work within 128-bit halves. */
INLINE uint64_t word_8(const mask_8 *m) { return bits_8(m[0]) | bits_8(m[1]) << 32; }
#define IN_ORDER(packed) _mm256_permute4x64_epi64(packed, 0xd8)
INLINE uint64_t word_16(const mask_16 *m)
{
    const mask_8 half[2] = { IN_ORDER(_mm256_packs_epi16(m[0], m[1])),
                             IN_ORDER(_mm256_packs_epi16(m[2], m[3])) };

    return word_8(half);
}
INLINE uint64_t word_32(const mask_32 *m)
{
    mask_16 half[4];

#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++)
        half[i] = IN_ORDER(_mm256_packs_epi32(m[2 * i], m[2 * i + 1]));
    return word_16(half);
}
INLINE uint64_t word_64(const mask_64 *m)
{
    mask_32 half[8];

#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        half[i] = IN_ORDER(_mm256_castps_si256(_mm256_shuffle_ps(
            _mm256_castsi256_ps(m[2 * i]), _mm256_castsi256_ps(m[2 * i + 1]), 0x88)));
    return word_32(half);
}

/* The magnitude of floats with another vector's sign, plus a shift. */
INLINE vec order_16(vec x, vec sign, vec shift)
{
    return _mm256_add_epi16(_mm256_sign_epi16(_mm256_and_si256(x, splat_16(0x7fff)), sign), shift);
}
INLINE vec order_32(vec x, vec sign, vec shift)
{
    return _mm256_add_epi32(_mm256_sign_epi32(_mm256_and_si256(x, splat_32(0x7fffffff)), sign),
                            shift);
}
INLINE vec order_64(vec x, vec sign, vec shift)
{
    vec minus = _mm256_cmpgt_epi64(_mm256_setzero_si256(), sign);
    vec value = _mm256_xor_si256(_mm256_and_si256(x, splat_64(INT64_MAX)),
                                 minus); /* negative: -value - 1 */

    return _mm256_add_epi64(value, _mm256_sub_epi64(shift, minus));
}

#define ISA avx2
#include "kernel/topk/topk_loops.inc"

#endif
