#include "base/util.h"
#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#include <assert.h>
#include <immintrin.h>

#define NAME(what) what##_avx512vnni
typedef __m512i vec, run;
enum { LANES = 16 };

INLINE vec zero(void) { return _mm512_setzero_si512(); }
INLINE vec load_sums(const int32_t *p) { return _mm512_loadu_si512(p); }
INLINE void store_sums(int32_t *p, vec v) { _mm512_storeu_si512(p, v); }
INLINE vec splat(int32_t pair) { return _mm512_set1_epi32(pair); }
INLINE vec times(vec sum, vec x, vec y) { return _mm512_dpwssd_epi32(sum, x, y); }
INLINE vec lower(vec even, vec odd) { return _mm512_unpacklo_epi16(even, odd); }
INLINE vec upper(vec even, vec odd) { return _mm512_unpackhi_epi16(even, odd); }

INLINE vec run_of(const char *p, size_t valid, bool is_signed)
{
    __m256i v = valid < 32 ? _mm256_maskz_loadu_epi8((UINT32_C(1) << valid) - 1, p)
                           : _mm256_loadu_si256((const void *)p);

    return is_signed ? _mm512_cvtepi8_epi16(v) : _mm512_cvtepu8_epi16(v);
}

INLINE int32_t add_up(vec v) { return _mm512_reduce_add_epi32(v); }

INLINE void put_in_order(int32_t *acc)
{
    vec low = load_sums(acc), high = load_sums(acc + 16);

    store_sums(acc,
               _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high));
    store_sums(acc + 16,
               _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), high));
}

#include "kernel/qmatmul/qmm_skinny_pairs.inc"

#endif
