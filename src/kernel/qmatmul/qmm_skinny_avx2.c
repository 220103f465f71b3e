#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* Pairs of 16-bit values. */
#define NAME(what)        what##_avx2
#define EACH_VECTOR(F, n) F(n, 0) F(n, 1)
#define DEPTH(rows)       8
typedef __m256i vec, run, sums;
typedef int16_t value;
enum { LANES = 8, COLUMNS = 16, VECTORS = 2, BLOCKS = 4, ACROSS = 4, GROUP = 2, VALUES = 16 };

struct lines {
    vec v[VECTORS];
};

INLINE vec zero(void) { return _mm256_setzero_si256(); }
INLINE vec load_sums(const int32_t *p) { return _mm256_loadu_si256((const void *)p); }
INLINE void store_sums(int32_t *p, vec v) { _mm256_storeu_si256((void *)p, v); }

INLINE vec run_of(const char *p, size_t valid, bool is_signed)
{
    char buf[16] = { 0 };
    __m128i v;

    if (valid < 16) {
        memcpy(buf, p, valid);
        p = buf;
    }
    v = _mm_loadu_si128((const void *)p);
    return is_signed ? _mm256_cvtepi8_epi16(v) : _mm256_cvtepu8_epi16(v);
}

/* The first has columns 0 to 3 and 8 to 11. */
INLINE struct lines rows_of(const char *from, ptrdiff_t row, size_t rows, size_t valid,
                            bool is_signed)
{
    vec even = run_of(from, valid, is_signed);
    vec odd = rows > 1 ? run_of(from + row, valid, is_signed) : zero();

    return (struct lines){ { _mm256_unpacklo_epi16(even, odd), _mm256_unpackhi_epi16(even, odd) } };
}

INLINE vec times_group(vec sum, vec x, const value *a)
{
    int32_t pair;

    memcpy(&pair, a, sizeof pair);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(x, _mm256_set1_epi32(pair)));
}

INLINE vec times_run(vec sum, vec x, const value *a)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(x, load_sums((const void *)a)));
}

INLINE int32_t add_up(vec v)
{
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));

    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}

INLINE void put_in_order(int32_t *acc)
{
    vec low = load_sums(acc), high = load_sums(acc + 8);

    store_sums(acc, _mm256_permute2x128_si256(low, high, 0x20));
    store_sums(acc + 8, _mm256_permute2x128_si256(low, high, 0x31));
}

#include "kernel/qmatmul/qmm_skinny.inc"

#endif
