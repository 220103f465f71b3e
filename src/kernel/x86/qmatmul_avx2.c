#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { MR = QMM_AVX2_MR, NR = QMM_AVX2_NR };

/* 8 registers of sums: pairs of A broadcast against pairs of B. */

INLINE __m256i pair_of(const int16_t *a)
{
    int32_t both;

    memcpy(&both, a, sizeof both);
    return _mm256_set1_epi32(both);
}

INLINE __m256i load(const void *p) { return _mm256_loadu_si256(p); }
INLINE void store(void *p, __m256i v) { _mm256_storeu_si256(p, v); }

INLINE __m256i multiply_add(__m256i sum, __m256i a, __m256i b)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
}

INLINE void keep(int32_t *acc, __m256i sum, bool add)
{
    store(acc, add ? _mm256_add_epi32(load(acc), sum) : sum);
}

void qmm_tile_avx2(size_t steps, const void *a, const void *b, int32_t *acc, size_t step, bool add)
{
    const int16_t *pa = a, *pb = b;
    __m256i zero = _mm256_setzero_si256();
    __m256i s00 = zero, s01 = zero, s10 = zero, s11 = zero, s20 = zero, s21 = zero, s30 = zero, s31 = zero;

    for (; steps > 0; steps--, pa += 2 * MR, pb += 2 * NR) {
        __m256i left = load(pb), right = load(pb + NR), p;

        p = pair_of(pa);
        s00 = multiply_add(s00, p, left);
        s01 = multiply_add(s01, p, right);
        p = pair_of(pa + 2);
        s10 = multiply_add(s10, p, left);
        s11 = multiply_add(s11, p, right);
        p = pair_of(pa + 4);
        s20 = multiply_add(s20, p, left);
        s21 = multiply_add(s21, p, right);
        p = pair_of(pa + 6);
        s30 = multiply_add(s30, p, left);
        s31 = multiply_add(s31, p, right);
    }
    keep(acc, s00, add);
    keep(acc + 8, s01, add);
    keep(acc + step, s10, add);
    keep(acc + step + 8, s11, add);
    keep(acc + 2 * step, s20, add);
    keep(acc + 2 * step + 8, s21, add);
    keep(acc + 3 * step, s30, add);
    keep(acc + 3 * step + 8, s31, add);
}

#endif
