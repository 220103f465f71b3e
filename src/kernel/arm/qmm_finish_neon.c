#include "base/util.h"
#include "kernel/arm/qmatmul_arm.h"

#if defined(__aarch64__)

#include <arm_neon.h>
#include <assert.h>

/* Four sums with the zero points' correction. */
INLINE int32x4_t sums_at(const int32_t *acc, const struct qmm_row *row,
                         const struct qmm_columns *columns, size_t j)
{
    uint32x4_t sum = vreinterpretq_u32_s32(vld1q_s32(acc + j));

    if (columns->bias) {
        sum = vsubq_u32(vsubq_u32(sum, vdupq_n_u32(row->bias)), vld1q_u32(columns->bias + j));
    } else {
        sum = vmlsq_n_u32(sum, vld1q_u32(columns->zeros + j), row->a_sum);
        sum = vmlsq_n_u32(sum, vld1q_u32(columns->sums + j), row->a_zero);
    }
    return vreinterpretq_s32_u32(sum);
}

/*
 * Four values in floats: the relative error is about 2^-22 (four roundings of 2^-24: the sum,
 * ratio, scale and product), so that within 512 only values within some 2^-13 of a tie may be
 * rounded wrongly; all within 2^-12 are marked. Beyond 512 all are clamped; the conversion
 * saturates.
 */
INLINE int32x4_t round_fast(int32x4_t sum, float32x4_t scale, uint32x4_t *near)
{
    float32x4_t real = vmulq_f32(vcvtq_f32_s32(sum), scale);
    int32x4_t rounded = vcvtnq_s32_f32(real);

    *near = vorrq_u32(
        *near, vcgtq_f32(vabdq_f32(real, vcvtq_f32_s32(rounded)), vdupq_n_f32(0.5F - 0x1p-12F)));
    return rounded;
}

/* Eight outputs. */
INLINE void finish_some(uint8_t *out, const int32_t *acc, const struct qmm_row *row,
                        const struct qmm_columns *columns, size_t j)
{
    float32x4_t ratio = vdupq_n_f32((float)row->ratio);
    uint32x4_t near = vdupq_n_u32(0);
    int32x4_t low = round_fast(sums_at(acc, row, columns, j),
                               vmulq_f32(ratio, vld1q_f32(columns->scales + j)), &near);
    int32x4_t high = round_fast(sums_at(acc, row, columns, j + 4),
                                vmulq_f32(ratio, vld1q_f32(columns->scales + j + 4)), &near);
    int16x8_t wide = vqaddq_s16(vcombine_s16(vqmovn_s32(low), vqmovn_s32(high)),
                                vdupq_n_s16((int16_t)row->zero));

    if (!row->plain || vmaxvq_u32(near) != 0) {
        struct qmm_columns some = { columns->scales + j, columns->zeros + j, columns->sums + j,
                                    columns->bias ? columns->bias + j : NULL, NULL };

        qmm_finish_plain(out + j, 0, &(struct qmm_sums){ acc + j, 0, 1, 8 }, row, &some);
        return;
    }
    vst1_u8(out + j, row->is_signed ? vreinterpret_u8_s8(vqmovn_s16(wide)) : vqmovun_s16(wide));
}

void qmm_finish_neon(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                     const struct qmm_row *rows, const struct qmm_columns *columns)
{
    const int32_t *acc = sums->at;

    assert(sums->columns % 8 == 0);
    for (size_t i = 0; i < sums->rows; i++, out += step, acc += sums->step)
        for (size_t j = 0; j < sums->columns; j += 8)
            finish_some(out, acc, &rows[i], columns, j);
}

#endif
