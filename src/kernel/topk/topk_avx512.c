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
#define BIT_MASKS

INLINE vec load(const void *p) { return _mm512_loadu_si512(p); }
INLINE void store(void *p, vec v) { _mm512_storeu_si512(p, v); }

#define DEFINE_COMPARING(width) \
    INLINE mask_##width lt_##width(vec a, vec b) { return _mm512_cmplt_epi##width##_mask(a, b); } \
    INLINE vec min_##width(vec a, vec b) { return _mm512_min_epi##width(a, b); } \
    INLINE vec max_##width(vec a, vec b) { return _mm512_max_epi##width(a, b); }

DEFINE_COMPARING(8)
DEFINE_COMPARING(16)
DEFINE_COMPARING(32)
DEFINE_COMPARING(64)

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

#define ISA avx512
#include "kernel/topk/topk_loops.inc"

#endif
