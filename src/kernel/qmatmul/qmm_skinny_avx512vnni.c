#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* Fours of bytes, unsigned ones of A and signed ones of B. Sums have a type of their own: gcc 12
 * keeps a vector that is used as both types in two places, one of them in memory. DEPTH: with 8,
 * 4x4096x4096 takes 1.4 times as long (bench_qmatmul, Xeon). */
#define NAME(what)        what##_avx512vnni
#define EACH_VECTOR(F, n) F(n, 0) F(n, 1) F(n, 2) F(n, 3)
#define DEPTH(rows)       ((rows) == 1 ? 8 : 32)
typedef __m512i vec, run;
typedef int32_t sums __attribute__((vector_size(64)));
typedef uint8_t value;
enum { LANES = 16, COLUMNS = 64, VECTORS = 4, BLOCKS = 6, ACROSS = 1, GROUP = 4, VALUES = 64 };

struct lines {
    vec v[VECTORS];
};

INLINE sums zero(void) { return (sums)_mm512_setzero_si512(); }
INLINE sums load_sums(const int32_t *p) { return (sums)_mm512_loadu_si512(p); }
INLINE void store_sums(int32_t *p, sums v) { _mm512_storeu_si512(p, (vec)v); }
INLINE int32_t add_up(sums v) { return _mm512_reduce_add_epi32((vec)v); }

INLINE vec run_of(const char *p, size_t valid, bool is_signed)
{
    vec x = valid < VALUES ? _mm512_maskz_loadu_epi8((UINT64_C(1) << valid) - 1, p)
                           : _mm512_loadu_si512(p);

    return is_signed ? x : _mm512_xor_si512(x, _mm512_set1_epi8((char)-128));
}

/* Vector i has columns 4 i to 4 i + 3 of each 16. */
INLINE struct lines rows_of(const char *from, ptrdiff_t row, size_t rows, size_t valid,
                            bool is_signed)
{
    vec x0 = run_of(from, valid, is_signed),
        x1 = rows > 1 ? run_of(from + row, valid, is_signed) : x0,
        x2 = rows > 2 ? run_of(from + 2 * row, valid, is_signed) : x0,
        x3 = rows > 3 ? run_of(from + 3 * row, valid, is_signed) : x0;
    vec low = _mm512_unpacklo_epi8(x0, x1), next = _mm512_unpacklo_epi8(x2, x3),
        high = _mm512_unpackhi_epi8(x0, x1), last = _mm512_unpackhi_epi8(x2, x3);

    return (struct lines){ { _mm512_unpacklo_epi16(low, next), _mm512_unpackhi_epi16(low, next),
                             _mm512_unpacklo_epi16(high, last),
                             _mm512_unpackhi_epi16(high, last) } };
}

INLINE sums times_group(sums sum, vec x, const value *a)
{
    int32_t four;

    memcpy(&four, a, sizeof four);
    return (sums)_mm512_dpbusd_epi32((vec)sum, _mm512_set1_epi32(four), x);
}

INLINE sums times_run(sums sum, vec x, const value *a)
{
    return (sums)_mm512_dpbusd_epi32((vec)sum, _mm512_loadu_si512(a), x);
}

INLINE void put_in_order(int32_t *acc)
{
    vec a = _mm512_loadu_si512(acc), b = _mm512_loadu_si512(acc + 16),
        c = _mm512_loadu_si512(acc + 32), d = _mm512_loadu_si512(acc + 48);
    vec low = _mm512_shuffle_i32x4(a, b, 0x44), next = _mm512_shuffle_i32x4(c, d, 0x44),
        high = _mm512_shuffle_i32x4(a, b, 0xee), last = _mm512_shuffle_i32x4(c, d, 0xee);

    _mm512_storeu_si512(acc, _mm512_shuffle_i32x4(low, next, 0x88));
    _mm512_storeu_si512(acc + 16, _mm512_shuffle_i32x4(low, next, 0xdd));
    _mm512_storeu_si512(acc + 32, _mm512_shuffle_i32x4(high, last, 0x88));
    _mm512_storeu_si512(acc + 48, _mm512_shuffle_i32x4(high, last, 0xdd));
}

#include "kernel/qmatmul/qmm_skinny.inc"

#endif
