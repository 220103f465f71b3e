#include "kernel/topk/topk_scan.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* The vector operations of topk_scan.inc for AVX-512. Masks are mask registers. */

typedef __m512i vec;
typedef __mmask64 mask_8;
typedef __mmask32 mask_16;
typedef __mmask16 mask_32;
typedef __mmask8 mask_64;
#define VECTOR_BITS 512

INLINE vec load(const void *p) { return _mm512_loadu_si512(p); }
INLINE void store(void *p, vec v) { _mm512_storeu_si512(p, v); }
INLINE vec flip(vec a, vec b) { return _mm512_xor_si512(a, b); }

#define DEFINE_COMPARING(width, number) \
    INLINE vec splat_##width(int64_t x) { return _mm512_set1_epi##width((number)x); } \
    INLINE mask_##width lt_##width(vec a, vec b) { return _mm512_cmplt_epi##width##_mask(a, b); } \
    INLINE vec min_##width(vec a, vec b) { return _mm512_min_epi##width(a, b); } \
    INLINE vec max_##width(vec a, vec b) { return _mm512_max_epi##width(a, b); }

DEFINE_COMPARING(8, char)
DEFINE_COMPARING(16, short)
DEFINE_COMPARING(32, int)
DEFINE_COMPARING(64, int64_t)

#define any(m) ((m) != 0)

INLINE uint64_t word_8(const mask_8 *m) { return m[0]; }
INLINE uint64_t word_16(const mask_16 *m) { return _mm512_kunpackd(m[1], m[0]); }
INLINE uint64_t word_32(const mask_32 *m)
{
    return _mm512_kunpackd(_mm512_kunpackw(m[3], m[2]), _mm512_kunpackw(m[1], m[0]));
}
INLINE uint64_t word_64(const mask_64 *m)
{
    const mask_32 pairs[4] = { _mm512_kunpackb(m[1], m[0]), _mm512_kunpackb(m[3], m[2]),
                               _mm512_kunpackb(m[5], m[4]), _mm512_kunpackb(m[7], m[6]) };

    return word_32(pairs);
}

/* The magnitude of floats with another vector's sign, plus a shift. */
#define DEFINE_ORDER(width) \
    INLINE vec order_##width(vec x, vec sign, vec shift) \
    { \
        vec magnitude = _mm512_andnot_si512(splat_##width(-(INT64_C(1) << (width - 2)) * 2), x); \
\
        return _mm512_mask_sub_epi##width(_mm512_add_epi##width(magnitude, shift), \
                                          _mm512_movepi##width##_mask(sign), shift, magnitude); \
    }

DEFINE_ORDER(16)
DEFINE_ORDER(32)
DEFINE_ORDER(64)

#define ISA avx512
#include "kernel/topk/topk_loops.inc"

#endif
