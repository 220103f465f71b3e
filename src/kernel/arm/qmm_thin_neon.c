#include "base/util.h"
#include "kernel/arm/qmatmul_arm.h"

#if defined(__aarch64__)

#include <arm_neon.h>
#include <assert.h>
#include <string.h>

enum { DEPTH = 8 }; /* rows of B that go together */

/* Eight bytes of B widened, of which `there` can be read; the rest as 0. */
INLINE int16x8_t widen(const char *p, size_t there, bool is_signed)
{
    char some[8] = { 0 };

    if (there < 8) {
        memcpy(some, p, there);
        p = some;
    }
    if (is_signed)
        return vmovl_s8(vld1_s8((const int8_t *)p));
    return vreinterpretq_s16_u16(vmovl_u8(vld1_u8((const uint8_t *)p)));
}

/* ---- B by rows ---- */

/* Eight columns, of which `there` exist, of DEPTH rows; those that are not there are read
 * elsewhere, times 0. */
INLINE void add_columns(int32_t *acc, int16x8_t a, const char *const rows[DEPTH], size_t j,
                        size_t there, bool first, bool is_signed)
{
    int32x4_t low = first ? vdupq_n_s32(0) : vld1q_s32(acc + j),
              high = first ? low : vld1q_s32(acc + j + 4);
    int16x8_t b;

#define STEP(k) \
    b = widen(rows[k] + j, there, is_signed); \
    low = vmlal_laneq_s16(low, vget_low_s16(b), a, k); \
    high = vmlal_high_laneq_s16(high, b, a, k);
    STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
    vst1q_s32(acc + j, low);
    vst1q_s32(acc + j + 4, high);
}

INLINE void by_rows(int32_t *acc, size_t step, const struct qmm_thin *a, const struct qmm_source *b,
                    size_t columns, bool is_signed)
{
    for (size_t k = 0; k < a->k; k += DEPTH) {
        const char *rows[DEPTH];

        for (size_t i = 0; i < DEPTH; i++)
            rows[i] = b->data + (ptrdiff_t)(k + i < a->k ? k + i : a->k - 1) * b->k_step;
        for (size_t i = 0; i < a->rows; i++) {
            int16x8_t some = vld1q_s16(a->a + i * a->step + k);
            size_t j = 0;

            for (; j + 8 <= columns; j += 8)
                add_columns(acc + i * step, some, rows, j, 8, k == 0, is_signed);
            if (j < columns)
                add_columns(acc + i * step, some, rows, j, columns - j, k == 0, is_signed);
        }
    }
}

/* ---- B by columns ---- */

INLINE int32_t dot_product(const int16_t *a, const char *from, size_t k, bool is_signed)
{
    int32x4_t low = vdupq_n_s32(0), high = low;

    for (size_t at = 0; at < k; at += 8) {
        int16x8_t v =
            k - at >= 8 ? widen(from + at, 8, is_signed) : widen(from + at, k - at, is_signed);
        int16x8_t x = vld1q_s16(a + at);

        low = vmlal_s16(low, vget_low_s16(v), vget_low_s16(x));
        high = vmlal_high_s16(high, v, x);
    }
    return vaddvq_s32(vaddq_s32(low, high));
}

INLINE void by_columns(int32_t *acc, size_t step, const struct qmm_thin *a,
                       const struct qmm_source *b, size_t columns, bool is_signed)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < a->rows; i++)
            acc[i * step + j] = dot_product(a->a + i * a->step,
                                            b->data + (ptrdiff_t)j * b->lane_step, a->k, is_signed);
}

void qmm_thin_neon(int32_t *acc, size_t step, const struct qmm_thin *a, const struct qmm_source *b,
                   size_t columns)
{
    assert(a->rows <= QMM_THIN_ROWS && a->k <= QMM_NARROW_K);
    if (b->k_step == 1 && b->is_signed)
        by_columns(acc, step, a, b, columns, true);
    else if (b->k_step == 1)
        by_columns(acc, step, a, b, columns, false);
    else if (b->lane_step == 1 && b->is_signed)
        by_rows(acc, step, a, b, columns, true);
    else if (b->lane_step == 1)
        by_rows(acc, step, a, b, columns, false);
    else
        qmm_thin_plain(acc, step, a, b, columns);
}

#endif
