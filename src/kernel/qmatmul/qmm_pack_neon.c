#include "kernel/qmatmul/qmatmul_arm.h"

#if defined(__aarch64__)

#include <arm_neon.h>

OPTIMIZE_LOOPS

/* Eight lanes by eight values of K: r[l] holds lane l's values, or, across, r[k] the lanes' values
 * at k. */
struct square {
    uint8x8_t r[8];
};

/* Eight packed bytes, of which `valid` are read; the others are 0. */
static uint8x8_t load_some(const char *p, size_t valid, uint8_t flip)
{
    uint8_t some[8];

    if (valid >= 8)
        return veor_u8(vld1_u8((const uint8_t *)p), vdup_n_u8(flip));
    memset(some, flip, sizeof some);
    memcpy(some, p, valid);
    return veor_u8(vld1_u8(some), vdup_n_u8(flip));
}

/* `rows` runs of `valid` bytes each, step apart; the others are 0. */
static struct square load(const char *from, ptrdiff_t step, size_t rows, size_t valid, uint8_t flip)
{
    struct square s;

    for (size_t i = 0; i < 8; i++)
        s.r[i] = i < rows ? load_some(from + (ptrdiff_t)i * step, valid, flip) : vdup_n_u8(0);
    return s;
}

/* One round of an exchange that, done three times, swaps rows and columns. */
static struct square interleave(const struct square *s)
{
    struct square t;

    for (int i = 0; i < 4; i++) {
        t.r[2 * i] = vzip1_u8(s->r[i], s->r[i + 4]);
        t.r[2 * i + 1] = vzip2_u8(s->r[i], s->r[i + 4]);
    }
    return t;
}

static struct square turned(const struct square *s)
{
    struct square t = interleave(s);

    t = interleave(&t);
    return interleave(&t);
}

/* Adds to the lanes' sums; `lanes` is by lane. */
static void add_to_sums(int64_t *sums, const struct square *lanes, bool is_signed)
{
    for (int l = 0; l < 8; l++)
        sums[l] += is_signed ? vaddlv_s8(vreinterpret_s8_u8(lanes->r[l])) : vaddlv_u8(lanes->r[l]);
}

static void put_wide(void *dst, const struct square *lanes, bool is_signed)
{
    struct square across = turned(lanes);

    for (int k = 0; k < 8; k++) {
        int16x8_t v = is_signed ? vmovl_s8(vreinterpret_s8_u8(across.r[k]))
                                : vreinterpretq_s16_u16(vmovl_u8(across.r[k]));

        vst1q_s16((int16_t *)dst + 8 * k, v);
    }
}

static void put_fours(void *dst, const struct square *lanes)
{
    for (int i = 0; i < 4; i++) {
        uint32x2_t a = vreinterpret_u32_u8(lanes->r[2 * i]),
                   b = vreinterpret_u32_u8(lanes->r[2 * i + 1]);

        vst1_u32((uint32_t *)dst + 2 * i, vzip1_u32(a, b));
        vst1_u32((uint32_t *)dst + 8 + 2 * i, vzip2_u32(a, b));
    }
}

static void put_eights(void *dst, const struct square *lanes)
{
    for (int l = 0; l < 8; l++)
        vst1_u8((uint8_t *)dst + 8 * l, lanes->r[l]);
}

/* The first `depth` of a square's eight values of K. */
static void store_square(char *dst, const struct qmm_panel *form, const struct square *lanes,
                         size_t depth, bool is_signed)
{
    size_t bytes = depth * 8 * qmm_elem_size(form->elem);
    int16_t square[64];
    void *to = depth == 8 ? (void *)dst : square;

    if (form->elem == QMM_S16)
        put_wide(to, lanes, is_signed);
    else if (form->group == 4)
        put_fours(to, lanes);
    else
        put_eights(to, lanes);
    if (depth < 8)
        memcpy(dst, square, bytes);
}

void qmm_pack_neon(void *panel, const struct qmm_panel *form, const struct qmm_source *src,
                   size_t lanes, size_t k, int64_t *sums)
{
    bool is_signed = form->elem == QMM_S8 || src->is_signed;
    uint8_t flip = form->elem == QMM_S8 && !src->is_signed ? 0x80 : 0;
    size_t depth = u64_round_up(k, form->kr);
    char *dst = panel;

    assert(lanes <= form->lanes);
    if (src->k_step != 1 && src->lane_step != 1) {
        qmm_pack_plain(panel, form, src, lanes, k, sums);
        return;
    }
    for (size_t at = 0; at < depth; at += 8, dst += 64 * qmm_elem_size(form->elem)) {
        size_t valid = k - at < 8 ? k - at : 8;
        const char *from = src->data + (ptrdiff_t)at * src->k_step;
        struct square s;

        if (src->k_step == 1) {
            s = load(from, src->lane_step, lanes, valid, flip);
        } else {
            s = load(from, src->k_step, valid, lanes, flip);
            s = turned(&s);
        }
        if (sums)
            add_to_sums(sums, &s, is_signed);
        store_square(dst, form, &s, depth - at < 8 ? depth - at : 8, is_signed);
    }
}

#endif
