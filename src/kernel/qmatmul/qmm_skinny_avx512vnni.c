#include "base/util.h"
#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#include <assert.h>
#include <immintrin.h>
#include <string.h>

/* Pairs of 16-bit values. */
#define NAME(what) what##_avx512vnni
typedef __m512i vec, run;
#define EACH_VECTOR(F) F(0) F(1)
enum { LANES = 16, COLUMNS = 32, VECTORS = 2, GROUP = 2, VALUES = 32 };

struct block {
    vec v[VECTORS];
};
#define lines block

INLINE vec zero(void) { return _mm512_setzero_si512(); }
INLINE vec load_sums(const int32_t *p) { return _mm512_loadu_si512(p); }
INLINE void store_sums(int32_t *p, vec v) { _mm512_storeu_si512(p, v); }

INLINE vec run_of(const char *p, size_t there, bool is_signed)
{
    __m256i v = there < 32 ? _mm256_maskz_loadu_epi8((UINT32_C(1) << there) - 1, p)
                           : _mm256_loadu_si256((const void *)p);

    return is_signed ? _mm512_cvtepi8_epi16(v) : _mm512_cvtepu8_epi16(v);
}

/* Columns 8 q to 8 q + 3 in quarter q of the first vector, the others in the second. */
INLINE struct block rows_of(const char *from, ptrdiff_t row, size_t rows, size_t there,
                            bool is_signed)
{
    vec even = run_of(from, there, is_signed);
    vec odd = rows > 1 ? run_of(from + row, there, is_signed) : zero();

    return (struct block){ { _mm512_unpacklo_epi16(even, odd), _mm512_unpackhi_epi16(even, odd) } };
}

INLINE vec times_group(vec sum, vec x, const int16_t *a)
{
    int32_t pair;

    memcpy(&pair, a, sizeof pair);
    return _mm512_dpwssd_epi32(sum, x, _mm512_set1_epi32(pair));
}

INLINE vec times_run(vec sum, vec x, const int16_t *a)
{
    return _mm512_dpwssd_epi32(sum, x, _mm512_loadu_si512(a));
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

#include "kernel/qmatmul/qmm_skinny.inc"

#endif
