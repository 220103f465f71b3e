#include "base/util.h"
#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

enum { MR = QMM_AVX512VNNI_MR, NR = QMM_AVX512VNNI_NR };

/* 24 registers of sums: four unsigned bytes of A, broadcast, against four signed ones of B. */
#define EACH_ROW(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)

INLINE __m512i four_of(const char *a)
{
    int32_t four;

    memcpy(&four, a, sizeof four);
    return _mm512_set1_epi32(four);
}

INLINE void keep(int32_t *acc, __m512i sum, bool add)
{
    _mm512_storeu_si512(acc, add ? _mm512_add_epi32(_mm512_loadu_si512(acc), sum) : sum);
}

void qmm_tile_avx512vnni(size_t steps, const void *a, const void *b, int32_t *acc, size_t step,
                         bool add)
{
    const char *pa = a, *pb = b;
#define START(i) __m512i l##i = _mm512_setzero_si512(), r##i = l##i;
    EACH_ROW(START)

    for (; steps > 0; steps--, pa += 4 * MR, pb += 4 * NR) {
        __m512i left = _mm512_loadu_si512(pb), right = _mm512_loadu_si512(pb + 64), four;
#define STEP(i) \
        four = four_of(pa + 4 * i); \
        l##i = _mm512_dpbusd_epi32(l##i, four, left); \
        r##i = _mm512_dpbusd_epi32(r##i, four, right);
        EACH_ROW(STEP)
    }
#define KEEP(i) \
    keep(acc + i * step, l##i, add); \
    keep(acc + i * step + 16, r##i, add);
    EACH_ROW(KEEP)
}

void qmm_pack_a_avx512vnni(void *panel, const struct qmm_source *src, size_t lanes, size_t k,
                           int64_t *sums)
{
    qmm_pack_bytes_avx2(panel, &(struct qmm_panel){ QMM_U8, MR, 4, 4 }, src, lanes, k, sums);
}

void qmm_pack_b_avx512vnni(void *panel, const struct qmm_source *src, size_t lanes, size_t k,
                           int64_t *sums)
{
    qmm_pack_bytes_avx2(panel, &(struct qmm_panel){ QMM_S8, NR, 4, 4 }, src, lanes, k, sums);
}

#endif
