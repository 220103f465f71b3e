#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

OPTIMIZE_LOOPS

/* Form of a panel in groups of 4 bytes: four values, or two words. */
struct form {
    size_t width;
    bool words, is_signed; /* is_signed: of packed bytes, or of words before packing */
    char flip;             /* of bytes */
};

INLINE __m256i zero(void) { return _mm256_setzero_si256(); }
INLINE __m128i low(__m256i v) { return _mm256_castsi256_si128(v); }
INLINE __m128i high(__m256i v) { return _mm256_extracti128_si256(v, 1); }
INLINE void store(void *p, __m256i v) { _mm256_storeu_si256(p, v); }
INLINE size_t least(size_t a, size_t b) { return a < b ? a : b; }

INLINE __m256i widen(__m128i v, bool is_signed)
{
    return is_signed ? _mm256_cvtepi8_epi16(v) : _mm256_cvtepu8_epi16(v);
}

/* 32 packed bytes, of which `valid` are read; the others are 0. */
INLINE __m256i load_bytes(const char *p, size_t valid, char flip)
{
    char buf[32];

    if (valid == 16)
        return _mm256_zextsi128_si256(
            _mm_xor_si128(_mm_loadu_si128((const void *)p), _mm_set1_epi8(flip)));
    if (valid < 32) {
        memset(buf, flip, sizeof buf);
        memcpy(buf, p, valid);
        p = buf;
    }
    return _mm256_xor_si256(_mm256_loadu_si256((const void *)p), _mm256_set1_epi8(flip));
}

/* 16 bytes, not flipped, of which `valid` are read; the others are 0. */
INLINE __m128i load_some(const char *p, size_t valid)
{
    char buf[16] = { 0 };

    if (valid < 16) {
        memcpy(buf, p, valid);
        p = buf;
    }
    return _mm_loadu_si128((const void *)p);
}

/* Adds each group of 4 bytes to its sum. */
INLINE __m256i add_groups(__m256i sum, __m256i v, bool words, bool is_signed)
{
    __m256i ones = _mm256_set1_epi8(1);

    if (!words)
        v = is_signed ? _mm256_maddubs_epi16(ones, v) : _mm256_maddubs_epi16(v, ones);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(v, _mm256_set1_epi16(1)));
}

/* Adds up each of four vectors. */
INLINE __m128i add_up(const __m256i v[4])
{
    __m256i pairs = _mm256_hadd_epi32(_mm256_hadd_epi32(v[0], v[1]), _mm256_hadd_epi32(v[2], v[3]));

    return _mm_add_epi32(low(pairs), high(pairs));
}

/* Stores groups of four lanes, or of two at the end of a panel. */
INLINE void store_group(char *dst, __m128i v, size_t lanes)
{
    if (lanes >= 4)
        _mm_storeu_si128((void *)dst, v);
    else
        _mm_storel_epi64((void *)dst, v);
}

/* ---- k_step 1: 32 bytes of four lanes become 8 groups of all four ---- */

/* Reads `valid` values of `lanes` lanes, stores `groups` groups of `width` lanes, and, if `summed`,
 * adds them to total. */
INLINE void turn_quad(char *dst, const struct form *f, const char *from, ptrdiff_t lane_step,
                      size_t lanes, size_t valid, size_t groups, size_t width, bool words,
                      bool summed, __m256i total[4])
{
    __m256i r[4], t[4], g[4];

    for (size_t l = 0; l < 4; l++, from += lane_step) {
        r[l] = zero();
        if (l < lanes && valid > 0)
            r[l] = words ? widen(load_some(from, valid), f->is_signed)
                         : load_bytes(from, valid, f->flip);
        if (summed)
            total[l] = add_groups(total[l], r[l], words, f->is_signed);
    }
    t[0] = _mm256_unpacklo_epi32(r[0], r[1]);
    t[1] = _mm256_unpackhi_epi32(r[0], r[1]);
    t[2] = _mm256_unpacklo_epi32(r[2], r[3]);
    t[3] = _mm256_unpackhi_epi32(r[2], r[3]);
    g[0] = _mm256_unpacklo_epi64(t[0], t[2]); /* groups 0 and 4, then 1 and 5, ... */
    g[1] = _mm256_unpackhi_epi64(t[0], t[2]);
    g[2] = _mm256_unpacklo_epi64(t[1], t[3]);
    g[3] = _mm256_unpackhi_epi64(t[1], t[3]);
    for (size_t i = 0; i < 4 && i < groups; i++)
        store_group(dst + 4 * i * f->width, low(g[i]), width);
    for (size_t i = 4; i < groups; i++)
        store_group(dst + 4 * i * f->width, high(g[i - 4]), width);
}

INLINE void pack_quad(char *dst, const struct form *f, const struct qmm_source *src, size_t first,
                      size_t lanes, size_t depth, size_t k, int64_t *sums, bool words)
{
    const size_t values = words ? 16 : 32, group = words ? 2 : 4;
    const char *from = src->data + (ptrdiff_t)first * src->lane_step;
    size_t width = least(f->width - first, 4), valid = lanes > first ? lanes - first : 0, at = 0;
    __m256i total[4] = { zero(), zero(), zero(), zero() };
    int32_t sum[4];

    for (; valid >= 4 && at + values <= k; at += values, dst += 32 * f->width)
        turn_quad(dst, f, from + at, src->lane_step, 4, values, 8, 4, words, sums, total);
    for (; at < depth; at += values, dst += 32 * f->width)
        turn_quad(dst, f, from + at, src->lane_step, valid, at < k ? least(k - at, values) : 0,
                  least((depth - at) / group, 8), width, words, sums, total);
    _mm_storeu_si128((void *)sum, add_up(total));
    for (size_t l = 0; sums && l < width; l++)
        sums[first + l] += sum[l];
}

static void pack_columns(char *panel, const struct form *f, const struct qmm_source *src,
                         size_t lanes, size_t depth, size_t k, int64_t *sums)
{
    for (size_t first = 0; first < f->width; first += 4)
        if (f->words)
            pack_quad(panel + 4 * first, f, src, first, lanes, depth, k, sums, true);
        else
            pack_quad(panel + 4 * first, f, src, first, lanes, depth, k, sums, false);
}

/* ---- lane_step 1: four rows of 32 bytes, or two of 16 words, are interleaved ---- */

/* Stores `width` lanes of four rows of bytes: 32, or at most 16. */
INLINE void interleave_bytes(char *dst, const struct form *f, const __m256i r[4], size_t width,
                             bool summed, __m256i total[4])
{
    __m256i t[4], g[4]; /* g[i]: lanes 4 i and on, 4 i + 16 and on */

    t[0] = _mm256_unpacklo_epi8(r[0], r[1]);
    t[1] = _mm256_unpackhi_epi8(r[0], r[1]);
    t[2] = _mm256_unpacklo_epi8(r[2], r[3]);
    t[3] = _mm256_unpackhi_epi8(r[2], r[3]);
    g[0] = _mm256_unpacklo_epi16(t[0], t[2]);
    g[1] = _mm256_unpackhi_epi16(t[0], t[2]);
    g[2] = _mm256_unpacklo_epi16(t[1], t[3]);
    g[3] = _mm256_unpackhi_epi16(t[1], t[3]);
    for (size_t i = 0; summed && i < 4; i++)
        total[i] = add_groups(total[i], g[i], false, f->is_signed);
    for (size_t i = 0; i < 4 && width >= 32; i += 2) {
        store(dst + 16 * i, _mm256_permute2x128_si256(g[i], g[i + 1], 0x20));
        store(dst + 64 + 16 * i, _mm256_permute2x128_si256(g[i], g[i + 1], 0x31));
    }
    for (size_t i = 0; width < 32 && 4 * i < width; i++)
        store_group(dst + 16 * i, low(g[i]), width - 4 * i);
}

/* At most 32 lanes from `first` on, of which `valid` exist. */
INLINE void pack_bytes_across(char *dst, const struct form *f, const struct qmm_source *src,
                              size_t first, size_t valid, size_t depth, size_t k, int64_t *sums)
{
    const char *from = src->data + first;
    size_t width = least(f->width - first, 32), at = 0;
    __m256i total[4] = { zero(), zero(), zero(), zero() }, r[4];
    int32_t sum[32];

    for (; valid == 32 && at + 4 <= k; at += 4, dst += 4 * f->width) {
        for (size_t i = 0; i < 4; i++, from += src->k_step)
            r[i] = load_bytes(from, 32, f->flip);
        interleave_bytes(dst, f, r, 32, sums, total);
    }
    for (; valid == 16 && width == 16 && at + 4 <= k; at += 4, dst += 4 * f->width) {
        for (size_t i = 0; i < 4; i++, from += src->k_step)
            r[i] = load_bytes(from, 16, f->flip);
        interleave_bytes(dst, f, r, 16, sums, total);
    }
    for (; at < depth; at += 4, dst += 4 * f->width) {
        for (size_t i = 0; i < 4; i++, from += src->k_step)
            r[i] = at + i < k && valid > 0 ? load_bytes(from, valid, f->flip) : zero();
        interleave_bytes(dst, f, r, width, sums, total);
    }
    for (size_t i = 0; i < 4; i += 2) {
        store(sum + 4 * i, _mm256_permute2x128_si256(total[i], total[i + 1], 0x20));
        store(sum + 16 + 4 * i, _mm256_permute2x128_si256(total[i], total[i + 1], 0x31));
    }
    for (size_t l = 0; sums && l < width; l++)
        sums[first + l] += sum[l];
}

/* All lanes of a panel, at most 16. */
INLINE void pack_words_across(char *dst, const struct form *f, const struct qmm_source *src,
                              size_t lanes, size_t k, int64_t *sums)
{
    const char *from = src->data;
    __m256i totals[2] = { zero(), zero() };
    int32_t sum[16];

    for (size_t at = 0; at < k; at += 2, from += 2 * src->k_step, dst += 4 * f->width) {
        __m128i even = load_some(from, lanes),
                odd = at + 1 < k ? load_some(from + src->k_step, lanes) : _mm_setzero_si128();
        __m256i left = widen(_mm_unpacklo_epi8(even, odd), f->is_signed),
                right = widen(_mm_unpackhi_epi8(even, odd), f->is_signed);

        totals[0] = add_groups(totals[0], left, true, false);
        totals[1] = add_groups(totals[1], right, true, false);
        if (f->width == 16) {
            store(dst, left);
            store(dst + 32, right);
        } else {
            _mm_storeu_si128((void *)dst, low(left));
        }
    }
    memcpy(sum, totals, sizeof sum);
    for (size_t l = 0; sums && l < f->width; l++)
        sums[l] += sum[l];
}

static void pack_rows(char *panel, const struct form *f, const struct qmm_source *src, size_t lanes,
                      size_t depth, size_t k, int64_t *sums)
{
    if (f->words && lanes == 16)
        pack_words_across(panel, f, src, 16, k, sums);
    else if (f->words)
        pack_words_across(panel, f, src, lanes, k, sums);
    for (size_t first = 0; first < f->width && !f->words; first += 32)
        pack_bytes_across(panel + 4 * first, f, src, first,
                          lanes > first ? least(lanes - first, 32) : 0, depth, k, sums);
}

void qmm_pack_avx2(void *panel, const struct qmm_panel *form, const struct qmm_source *src,
                   size_t lanes, size_t k, int64_t *sums)
{
    bool words = form->elem == QMM_S16;
    struct form f = { form->lanes, words, words ? src->is_signed : form->elem == QMM_S8,
                      qmm_shift(form->elem, src->is_signed) ? (char)-128 : 0 };

    assert(lanes <= form->lanes && form->lanes % 2 == 0 &&
           form->group * qmm_elem_size(form->elem) == 4);
    assert(!words || form->lanes == 4 || form->lanes == 16);
    assert(form->lanes % 32 <= 16);
    if (src->k_step == 1)
        pack_columns(panel, &f, src, lanes, qmm_depth(k, form), k, sums);
    else if (src->lane_step == 1)
        pack_rows(panel, &f, src, lanes, qmm_depth(k, form), k, sums);
    else
        qmm_pack_plain(panel, form, src, lanes, k, sums);
}

/* ---- groups of 64: copied lanes, or made of groups of 4 ---- */

static void copy_lane(char *dst, size_t group_bytes, const char *from, size_t k, char flip,
                      int64_t *sum)
{
    __m256i total[4] = { zero(), zero(), zero(), zero() };

    for (size_t at = 0; at < k; at += 64, dst += group_bytes)
        for (size_t i = 0; i < 64; i += 32) {
            __m256i v = at + i < k ? load_bytes(from + at + i, k - at - i, flip) : zero();

            total[0] = _mm256_add_epi64(total[0], _mm256_sad_epu8(v, zero()));
            store(dst + i, v);
        }
    if (sum)
        *sum += _mm_cvtsi128_si32(add_up(total));
}

/* 64 values of each lane from groups of 4 of all of them. */
static void regroup(char *dst, const char *groups, size_t width)
{
    for (size_t l = 0; l < width; l++)
        for (size_t i = 0; i < 16; i++)
            memcpy(dst + 64 * l + 4 * i, groups + 4 * (i * width + l), 4);
}

void qmm_pack_lines_avx2(void *panel, const struct qmm_panel *form, const struct qmm_source *src,
                         size_t lanes, size_t k, int64_t *sums)
{
    struct form f = { form->lanes, false, false, src->is_signed ? (char)-128 : 0 };
    char groups[64 * QMM_LINES_MAX], *dst = panel;

    assert(lanes <= form->lanes && form->lanes % 2 == 0 && form->lanes <= QMM_LINES_MAX);
    if (src->k_step == 1) {
        for (size_t l = 0; l < f.width; l++)
            copy_lane(dst + 64 * l, 64 * f.width, src->data + (ptrdiff_t)l * src->lane_step,
                      l < lanes ? k : 0, f.flip, sums ? &sums[l] : NULL);
        for (size_t at = 0; at < k && lanes < f.width; at += 64)
            memset(dst + at * f.width + 64 * lanes, 0, 64 * (f.width - lanes));
        return;
    }
    if (src->lane_step != 1) {
        qmm_pack_plain(panel, form, src, lanes, k, sums);
        return;
    }
    for (size_t at = 0; at < k; at += 64, dst += 64 * f.width) {
        struct qmm_source piece = { src->data + (ptrdiff_t)at * src->k_step, 1, src->k_step,
                                    src->is_signed };

        pack_rows(groups, &f, &piece, lanes, 64, k - at < 64 ? k - at : 64, sums);
        regroup(dst, groups, f.width);
    }
}

#endif
