#include "base/util.h"
#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

enum { MR = QMM_AVX2_MR, NR = QMM_AVX2_NR };

#define EACH_ROW(F) F(0) F(1) F(2) F(3)

INLINE __m256i load(const void *p) { return _mm256_loadu_si256(p); }

INLINE __m256i four_of(const char *a)
{
    int32_t four;

    memcpy(&four, a, sizeof four);
    return _mm256_set1_epi32(four);
}

/* Sums of pairs, which fit 16 bits as the panels were proved to be, then of two of these. */
INLINE __m256i multiply_add(__m256i sum, __m256i a, __m256i b)
{
    return _mm256_add_epi32(sum,
                            _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), _mm256_set1_epi16(1)));
}

INLINE void keep(int32_t *acc, __m256i sum, bool add)
{
    _mm256_storeu_si256((void *)acc, add ? _mm256_add_epi32(load(acc), sum) : sum);
}

void qmm_tile_narrow_avx2(size_t steps, const void *a, const void *b, int32_t *acc, size_t step,
                          bool add)
{
    const char *pa = a, *pb = b;
#define START(i) __m256i l##i = _mm256_setzero_si256(), r##i = l##i;
    EACH_ROW(START)

    for (; steps > 0; steps--, pa += 4 * MR, pb += 4 * NR) {
        __m256i left = load(pb), right = load(pb + 32), four;
#define STEP(i) \
        four = four_of(pa + 4 * i); \
        l##i = multiply_add(l##i, four, left); \
        r##i = multiply_add(r##i, four, right);
        EACH_ROW(STEP)
    }
#define KEEP(i) \
    keep(acc + i * step, l##i, add); \
    keep(acc + i * step + 8, r##i, add);
    EACH_ROW(KEEP)
}

#endif
