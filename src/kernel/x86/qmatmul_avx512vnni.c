#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "kernel/x86/qmm_round_avx512.inc"

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

#define STEP(i) \
        four = four_of(pa + 4 * i); \
        l##i = _mm512_dpbusd_epi32(l##i, four, left); \
        r##i = _mm512_dpbusd_epi32(r##i, four, right);

void qmm_tile_avx512vnni(size_t steps, const void *a, const void *b, int32_t *acc, size_t step,
                         bool add)
{
    const char *pa = a, *pb = b;
#define START(i) __m512i l##i = _mm512_setzero_si512(), r##i = l##i;
    EACH_ROW(START)

    for (; steps > 0; steps--, pa += 4 * MR, pb += 4 * NR) {
        __m512i left = _mm512_loadu_si512(pb), right = _mm512_loadu_si512(pb + 64), four;
        EACH_ROW(STEP)
    }
#define KEEP(i) \
    keep(acc + i * step, l##i, add); \
    keep(acc + i * step + 16, r##i, add);
    EACH_ROW(KEEP)
}

/* Rows of the tile that floats do not decide, and their sums. */
struct undecided {
    unsigned rows; /* bits */
    int32_t sums[MR][NR];
};

__attribute__((noinline)) static void decide(uint8_t *out, ptrdiff_t step,
                                             const struct undecided *u, const struct qmm_row *rows,
                                             const float *scales)
{
    for (unsigned left = u->rows; left; left &= left - 1) {
        int i = __builtin_ctz(left);

        put_exactly(out + i * step, _mm512_loadu_si512(u->sums[i]),
                    _mm512_loadu_si512(u->sums[i] + 16), &rows[i], scales);
    }
}

/* Sums begin with what the zero points take from them. */
INLINE void fused(uint8_t *out, ptrdiff_t step, size_t steps, const void *a, const void *b,
                  size_t count, const struct qmm_row *rows, const struct qmm_columns *columns,
                  bool is_signed)
{
    const char *pa = a, *pb = b;
    const __m512i zero = _mm512_setzero_si512();
    const __m512i left_bias = _mm512_sub_epi32(zero, _mm512_loadu_si512(columns->bias)),
                  right_bias = _mm512_sub_epi32(zero, _mm512_loadu_si512(columns->bias + 16));
    const struct common c = common_of(columns->ratios);
    struct undecided u;
#define BEGIN(i) \
    __m512i l##i = left_bias, r##i = right_bias; \
    if (i < count) { \
        const __m512i bias = _mm512_set1_epi32((int)rows[i].bias); \
        l##i = _mm512_sub_epi32(l##i, bias); \
        r##i = _mm512_sub_epi32(r##i, bias); \
    }
    EACH_ROW(BEGIN)

    u.rows = 0;
    for (; steps > 0; steps--, pa += 4 * MR, pb += 4 * NR) {
        __m512i left = _mm512_loadu_si512(pb), right = _mm512_loadu_si512(pb + 64), four;
        EACH_ROW(STEP)
    }
#define PUT(i) \
    if (i < count && \
        !put_common(out + i * step, &c, l##i, r##i, offset_of(&rows[i]), is_signed)) { \
        u.rows |= 1u << i; \
        keep(u.sums[i], l##i, false); \
        keep(u.sums[i] + 16, r##i, false); \
    }
    EACH_ROW(PUT)
    if (__builtin_expect(u.rows != 0, 0))
        decide(out, step, &u, rows, columns->scales);
}

void qmm_fused_avx512vnni(uint8_t *out, ptrdiff_t step, size_t steps, const void *a, const void *b,
                          size_t count, const struct qmm_row *rows,
                          const struct qmm_columns *columns)
{
    if (rows->is_signed)
        fused(out, step, steps, a, b, count, rows, columns, true);
    else
        fused(out, step, steps, a, b, count, rows, columns, false);
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
