#include "kernel/qmatmul/qmatmul_arm.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#define NAME(what) what##_neon
typedef int32x4_t vec, sums;
typedef int16x8_t run;
#define EACH_VECTOR(F, n) F(n, 0) F(n, 1)
enum { LANES = 4, COLUMNS = 8, VECTORS = 2, BLOCKS = 4, ACROSS = 4, GROUP = 1, VALUES = 8 };
#define DEPTH(rows) 8
typedef int16_t value;

struct lines {
    int16x4_t v[VECTORS];
};

INLINE vec zero(void) { return vdupq_n_s32(0); }
INLINE vec load_sums(const int32_t *p) { return vld1q_s32(p); }
INLINE void store_sums(int32_t *p, vec v) { vst1q_s32(p, v); }

INLINE run run_of(const char *p, size_t valid, bool is_signed)
{
    char buf[8] = { 0 };

    if (valid < 8) {
        memcpy(buf, p, valid);
        p = buf;
    }
    if (is_signed)
        return vmovl_s8(vld1_s8((const int8_t *)p));
    return vreinterpretq_s16_u16(vmovl_u8(vld1_u8((const uint8_t *)p)));
}

INLINE struct lines rows_of(const char *from, ptrdiff_t row, size_t rows, size_t valid,
                            bool is_signed)
{
    run v = run_of(from, valid, is_signed);

    (void)row, (void)rows;
    return (struct lines){ { vget_low_s16(v), vget_high_s16(v) } };
}

INLINE vec times_group(vec sum, int16x4_t x, const int16_t *a) { return vmlal_n_s16(sum, x, *a); }

INLINE vec times_run(vec sum, run x, const int16_t *a)
{
    run v = vld1q_s16(a);

    return vmlal_high_s16(vmlal_s16(sum, vget_low_s16(x), vget_low_s16(v)), x, v);
}

INLINE int32_t add_up(vec v) { return vaddvq_s32(v); }
INLINE void put_in_order(int32_t *acc) { (void)acc; }

#include "kernel/qmatmul/qmm_skinny.inc"

#endif
