#include "base/util.h"
#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

enum { MR = QMM_AVX2_MR, NR = QMM_AVX2_NR, RUN = QMM_AVX2_RUN };

#define EACH_ROW(F) F(0) F(1) F(2) F(3)

/* 8 registers of sums: pairs of A broadcast against pairs of B. */

INLINE __m256i pair_of(const int16_t *a)
{
    int32_t both;

    memcpy(&both, a, sizeof both);
    return _mm256_set1_epi32(both);
}

INLINE __m256i load(const void *p) { return _mm256_loadu_si256(p); }

/* The compiler is kept from adding products up among themselves, for which there are too few
 * registers. */
INLINE __m256i multiply_add(__m256i sum, __m256i a, __m256i b)
{
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
    __asm__("" : "+x"(sum));
    return sum;
}

INLINE void keep(int32_t *acc, __m256i sum, bool add)
{
    _mm256_storeu_si256((void *)acc, add ? _mm256_add_epi32(load(acc), sum) : sum);
}

void qmm_tile_avx2(size_t steps, const void *a, const void *b, int32_t *acc, size_t step, bool add)
{
    const int16_t *pa = a, *pb = b;
    __m256i left, right, pair;
#define START(i) __m256i l##i = _mm256_setzero_si256(), r##i = l##i;
    EACH_ROW(START)

#define STEP(i) \
        pair = pair_of(pa + RUN * i + at); \
        l##i = multiply_add(l##i, pair, left); \
        r##i = multiply_add(r##i, pair, right);
    for (; steps >= RUN / 2; steps -= RUN / 2, pa += RUN * MR)
#pragma GCC unroll 8
        for (size_t at = 0; at < RUN; at += 2, pb += 2 * NR) {
            left = load(pb);
            right = load(pb + NR);
            EACH_ROW(STEP)
        }
    for (size_t at = 0; at < 2 * steps; at += 2, pb += 2 * NR) {
        left = load(pb);
        right = load(pb + NR);
        EACH_ROW(STEP)
    }
#define KEEP(i) \
    keep(acc + i * step, l##i, add); \
    keep(acc + i * step + 8, r##i, add);
    EACH_ROW(KEEP)
}

#endif
