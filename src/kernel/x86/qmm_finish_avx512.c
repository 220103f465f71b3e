#include "kernel/x86/qmm_round_avx512.h"

#if defined(__x86_64__)

#include <assert.h>

/* x of a value that is clamped whatever the zero point, and not in doubt. */
#define BEYOND 0x1.001p26F

/* What one row's values have in common. */
struct row_vectors {
    __m512i a_sum, a_zero, bias;
    __m512 ratio, offset;
};

INLINE struct row_vectors parts_of(const struct qmm_row *row)
{
    return (struct row_vectors){ _mm512_set1_epi32((int)row->a_sum),
                                 _mm512_set1_epi32((int)row->a_zero),
                                 _mm512_set1_epi32((int)row->bias),
                                 _mm512_set1_ps(row->scale * (1 << FRACTION)),
                                 offset_of(row) };
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
    _mm_storeu_si128((void *)(out + j), narrowed(x, row->is_signed));
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

/* The same where scales and zero points are in common, and no value can be too large. */
INLINE void finish_common(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                          const struct qmm_row *rows, const struct qmm_columns *columns,
                          bool is_signed)
{
    for (size_t j = 0; j < sums->columns; j += 32) {
        const struct common c = common_of(columns->ratios + j);
        const __m512i left_bias = _mm512_loadu_si512(columns->bias + j),
                      right_bias = _mm512_loadu_si512(columns->bias + j + 16);
        const int32_t *acc = sums->at + j;
        uint8_t *at = out + j;

        for (size_t i = 0; i < sums->rows; i++, at += step, acc += sums->step) {
            const __m512i bias = _mm512_set1_epi32((int)rows[i].bias);
            __m512i left = _mm512_sub_epi32(_mm512_loadu_si512(acc), bias);
            __m512i right = _mm512_sub_epi32(_mm512_loadu_si512(acc + 16), bias);

            left = _mm512_sub_epi32(left, left_bias);
            right = _mm512_sub_epi32(right, right_bias);
            if (!put_common(at, &c, left, right, offset_of(&rows[i]), is_signed))
                put_exactly(at, left, right, &rows[i], columns->scales + j);
        }
    }
}

void qmm_finish_avx512(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                       const struct qmm_row *rows, const struct qmm_columns *columns)
{
    assert(sums->columns % 32 == 0);
    if (columns->ratios && rows->is_signed)
        finish_common(out, step, sums, rows, columns, true);
    else if (columns->ratios)
        finish_common(out, step, sums, rows, columns, false);
    else if (columns->bias)
        finish(out, step, sums, rows, columns, true);
    else
        finish(out, step, sums, rows, columns, false);
}

#endif
