#include "base/util.h"
#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <assert.h>
#include <immintrin.h>

/* As in qmm_finish_avx2.c: x is the value times 2^16, plus a half and the zero point, plus 8. */
enum { FRACTION = 16, MARGIN = 8, IN_DOUBT = 2 * MARGIN + 1 };

/* x of a value that is clamped whatever the zero point, and not in doubt. */
#define BEYOND 0x1.001p26F

/* What one row's values have in common. */
struct row_vectors {
    __m512i a_sum, a_zero, bias;
    __m512 ratio, offset;
};

INLINE struct row_vectors parts_of(const struct qmm_row *row)
{
    int32_t offset = row->zero * (1 << FRACTION) + (1 << (FRACTION - 1)) + MARGIN;

    return (struct row_vectors){ _mm512_set1_epi32((int)row->a_sum),
                                 _mm512_set1_epi32((int)row->a_zero),
                                 _mm512_set1_epi32((int)row->bias),
                                 _mm512_set1_ps(row->scale * (1 << FRACTION)),
                                 _mm512_set1_ps((float)offset) };
}

/* Sixteen sums with the zero points' correction. */
INLINE __m512i sums_at(const int32_t *acc, const struct row_vectors *row,
                       const struct qmm_columns *columns, size_t j, bool biased)
{
    __m512i sum = _mm512_loadu_si512(acc + j);

    if (biased)
        return _mm512_sub_epi32(_mm512_sub_epi32(sum, row->bias),
                                _mm512_loadu_si512(columns->bias + j));
    sum = _mm512_sub_epi32(sum,
                           _mm512_mullo_epi32(_mm512_loadu_si512(columns->zeros + j), row->a_sum));
    return _mm512_sub_epi32(sum,
                            _mm512_mullo_epi32(_mm512_loadu_si512(columns->sums + j), row->a_zero));
}

/* Where floats cannot decide. */
__attribute__((noinline)) static __m512i round_exactly(__m512i sum, const struct qmm_row *row,
                                                       const float *scales)
{
    int32_t sums[16], rounded[16];

    _mm512_storeu_si512(sums, sum);
    qmm_round_avx2(rounded, sums, row, scales);
    return _mm512_add_epi32(_mm512_loadu_si512(rounded), _mm512_set1_epi32(row->zero));
}

/* Sixteen outputs. Too large a value becomes BEYOND, of either sign. */
INLINE void finish_some(uint8_t *out, const int32_t *acc, const struct qmm_row *row,
                        const struct row_vectors *parts, const struct qmm_columns *columns,
                        size_t j, bool biased)
{
    __m512i sum = sums_at(acc, parts, columns, j, biased), x;
    __m512 real = _mm512_mul_ps(parts->ratio, _mm512_loadu_ps(columns->scales + j));

    real = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), real, parts->offset);
    real = _mm512_max_ps(_mm512_min_ps(real, _mm512_set1_ps(BEYOND)), _mm512_set1_ps(-BEYOND));
    x = _mm512_cvtps_epi32(real);
    if (!row->plain ||
        _mm512_cmplt_epi32_mask(_mm512_and_si512(x, _mm512_set1_epi32((1 << FRACTION) - 1)),
                                _mm512_set1_epi32(IN_DOUBT)))
        x = round_exactly(sum, row, columns->scales + j);
    else
        x = _mm512_srai_epi32(x, FRACTION);
    if (row->is_signed)
        _mm_storeu_si128((void *)(out + j), _mm512_cvtsepi32_epi8(x));
    else
        _mm_storeu_si128((void *)(out + j),
                         _mm512_cvtusepi32_epi8(_mm512_max_epi32(x, _mm512_setzero_si512())));
}

INLINE void finish(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                   const struct qmm_row *rows, const struct qmm_columns *columns, bool biased)
{
    const int32_t *acc = sums->at;

    for (size_t i = 0; i < sums->rows; i++, out += step, acc += sums->step) {
        struct row_vectors parts = parts_of(&rows[i]);

        for (size_t j = 0; j < sums->columns; j += 16)
            finish_some(out, acc, &rows[i], &parts, columns, j, biased);
    }
}

void qmm_finish_avx512(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                       const struct qmm_row *rows, const struct qmm_columns *columns)
{
    assert(sums->columns % 16 == 0);
    if (columns->bias)
        finish(out, step, sums, rows, columns, true);
    else
        finish(out, step, sums, rows, columns, false);
}

#endif
