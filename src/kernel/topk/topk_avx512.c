#include "kernel/topk/topk_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "kernel/topk/topk_scan.h"

/* What topk_scan.inc needs, in 512-bit registers; masks are mask registers. */

typedef __m512i vec;
typedef __mmask64 mask_8;
typedef __mmask32 mask_16;
typedef __mmask16 mask_32;
typedef __mmask8 mask_64;
#define VECTOR_BITS 512

INLINE vec load(const void *p) { return _mm512_loadu_si512(p); }
INLINE void store(void *p, vec v) { _mm512_storeu_si512(p, v); }
INLINE vec xor(vec a, vec b) { return _mm512_xor_si512(a, b); }

INLINE vec splat_8(int64_t x) { return _mm512_set1_epi8((char)x); }
INLINE vec splat_16(int64_t x) { return _mm512_set1_epi16((short)x); }
INLINE vec splat_32(int64_t x) { return _mm512_set1_epi32((int)x); }
INLINE vec splat_64(int64_t x) { return _mm512_set1_epi64(x); }

/* Comparison, minimum, bits, and the elements below bound among 1 to 128 vectors at p. */
#define DEFINE_COMPARING(width) \
    INLINE mask_##width lt_##width(vec a, vec b) { return _mm512_cmplt_epi##width##_mask(a, b); } \
    INLINE vec min_##width(vec a, vec b) { return _mm512_min_epi##width(a, b); } \
    INLINE uint64_t bits_##width(mask_##width m) { return m; } \
    INLINE size_t below_##width(const void *p, size_t vectors, vec bound) \
    { \
        const vec *v = p; \
        size_t count = 0; \
\
        for (size_t i = 0; i < vectors; i++) \
            count += (size_t)__builtin_popcountll(lt_##width(load(v + i), bound)); \
        return count; \
    }

DEFINE_COMPARING(8)
DEFINE_COMPARING(16)
DEFINE_COMPARING(32)
DEFINE_COMPARING(64)

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

/* Signed keys of floats, smallest first: the magnitude with the sign of the value, moved down so
 * that -infinity is the least integer and NaNs of either sign come out above +infinity. */
#define DEFINE_ORDER(width) \
    INLINE vec order_##width(vec x) \
    { \
        vec magnitude = _mm512_andnot_si512(splat_##width(-(INT64_C(1) << (width - 2)) * 2), x); \
        vec value = _mm512_mask_sub_epi##width(magnitude, _mm512_movepi##width##_mask(x), \
                                               _mm512_setzero_si512(), magnitude); \
\
        return _mm512_sub_epi##width(value, splat_##width(KEY_SHIFT_##width)); \
    }

DEFINE_ORDER(16)
DEFINE_ORDER(32)
DEFINE_ORDER(64)

/* Lanes whose values come before bound, NaNs included where they come first; the one of two values
 * that comes first, b where one is a NaN. */
#define DEFINE_VALUES(width, suffix, cast)                                                        \
    INLINE mask_##width before_##width(vec x, vec bound, enum topk_before before)                 \
    {                                                                                             \
        return before == BEFORE_LESS                                                              \
                   ? _mm512_cmp_##suffix##_mask(cast(x), cast(bound), _CMP_LT_OQ)                 \
               : before == BEFORE_GREATER                                                         \
                   ? _mm512_cmp_##suffix##_mask(cast(x), cast(bound), _CMP_GT_OQ)                 \
                   : _mm512_cmp_##suffix##_mask(cast(x), cast(bound), _CMP_NLE_UQ);               \
    }                                                                                             \
    INLINE vec first_##width(vec a, vec b, bool largest)                                          \
    {                                                                                             \
        return largest ? _mm512_cast##suffix##_si512(_mm512_max_##suffix(cast(a), cast(b)))       \
                       : _mm512_cast##suffix##_si512(_mm512_min_##suffix(cast(a), cast(b)));      \
    }

DEFINE_VALUES(32, ps, _mm512_castsi512_ps)
DEFINE_VALUES(64, pd, _mm512_castsi512_pd)

#include "kernel/topk/topk_loops.inc"

void topk_begin_avx512(void *scratch, const struct topk_job *job)
{
    topk_scan_begin(scratch, job, loops);
}

#endif
