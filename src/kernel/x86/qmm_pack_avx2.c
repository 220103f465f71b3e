#include "base/util.h"
#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <assert.h>
#include <immintrin.h>
#include <string.h>

/* A panel of bytes in groups of 4, and what the operand's bytes are to be flipped with. */
struct form {
    size_t width;
    char flip;
    bool is_signed; /* as packed */
};

/* Sixteen bytes as packed, of which `there` are read; the rest are 0. */
INLINE __m128i load_some(const char *p, size_t there, char flip)
{
    __m128i mask = _mm_set1_epi8(flip);
    char some[16];

    if (there >= 16)
        return _mm_xor_si128(_mm_loadu_si128((const void *)p), mask);
    memset(some, flip, sizeof some);
    memcpy(some, p, there);
    return _mm_xor_si128(_mm_loadu_si128((const void *)some), mask);
}

/* The sums of four bytes each. */
INLINE __m128i add_bytes(__m128i v, bool is_signed)
{
    __m128i ones = _mm_set1_epi8(1);

    v = is_signed ? _mm_maddubs_epi16(ones, v) : _mm_maddubs_epi16(v, ones);
    return _mm_madd_epi16(v, _mm_set1_epi16(1));
}

INLINE __m256i add_wide_bytes(__m256i sum, __m256i v, bool is_signed)
{
    __m256i ones = _mm256_set1_epi8(1);

    v = is_signed ? _mm256_maddubs_epi16(ones, v) : _mm256_maddubs_epi16(v, ones);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(v, _mm256_set1_epi16(1)));
}

INLINE int32_t add_up(__m128i s)
{
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}

/* The groups of four lanes, or of the two that end a panel whose width is not a multiple of 4. */
INLINE void store_group(char *dst, __m128i v, size_t lanes)
{
    if (lanes >= 4)
        _mm_storeu_si128((void *)dst, v);
    else
        _mm_storel_epi64((void *)dst, v);
}

/* ---- lanes that run along K: four, 16 values at a time, turned into 4 groups of all four ---- */

static void pack_quad(char *dst, const struct form *form, const struct qmm_source *src,
                      size_t first, size_t lanes, size_t depth, size_t k, int64_t *sums)
{
    __m128i total[4] = { _mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128(),
                         _mm_setzero_si128() };
    size_t width = form->width - first < 4 ? form->width - first : 4;

    for (size_t at = 0; at < depth; at += 16) {
        size_t there = at >= k       ? 0
                       : k - at < 16 ? k - at
                                     : 16,
               groups = depth - at < 16 ? (depth - at) / 4 : 4;
        __m128i r[4], t[4], g[4];

        for (size_t l = 0; l < 4; l++) {
            const char *from = src->data + (ptrdiff_t)(first + l) * src->lane_step + at;

            r[l] = _mm_setzero_si128();
            if (first + l < lanes && there > 0)
                r[l] = load_some(from, there, form->flip);
            total[l] = _mm_add_epi32(total[l], add_bytes(r[l], form->is_signed));
        }
        t[0] = _mm_unpacklo_epi32(r[0], r[1]);
        t[1] = _mm_unpackhi_epi32(r[0], r[1]);
        t[2] = _mm_unpacklo_epi32(r[2], r[3]);
        t[3] = _mm_unpackhi_epi32(r[2], r[3]);
        g[0] = _mm_unpacklo_epi64(t[0], t[2]);
        g[1] = _mm_unpackhi_epi64(t[0], t[2]);
        g[2] = _mm_unpacklo_epi64(t[1], t[3]);
        g[3] = _mm_unpackhi_epi64(t[1], t[3]);
        for (size_t i = 0; i < groups; i++, dst += 4 * form->width)
            store_group(dst, g[i], width);
    }
    for (size_t l = 0; l < width; l++)
        sums[first + l] += add_up(total[l]);
}

/* The same for four lanes that are there, 32 values at a time; returns the values packed. */
static size_t pack_quad_wide(char *dst, const struct form *form, const struct qmm_source *src,
                             size_t first, size_t k, int64_t *sums)
{
    const __m256i flip = _mm256_set1_epi8(form->flip);
    const char *from = src->data + (ptrdiff_t)first * src->lane_step;
    __m256i total[4] = { _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                         _mm256_setzero_si256() };
    size_t at = 0;

    for (; at + 32 <= k; at += 32, from += 32) {
        __m256i r[4], t[4], g[4];

        for (size_t l = 0; l < 4; l++) {
            const void *lane = from + (ptrdiff_t)l * src->lane_step;

            r[l] = _mm256_xor_si256(_mm256_loadu_si256(lane), flip);
            total[l] = add_wide_bytes(total[l], r[l], form->is_signed);
        }
        t[0] = _mm256_unpacklo_epi32(r[0], r[1]);
        t[1] = _mm256_unpackhi_epi32(r[0], r[1]);
        t[2] = _mm256_unpacklo_epi32(r[2], r[3]);
        t[3] = _mm256_unpackhi_epi32(r[2], r[3]);
        g[0] = _mm256_unpacklo_epi64(t[0], t[2]);
        g[1] = _mm256_unpackhi_epi64(t[0], t[2]);
        g[2] = _mm256_unpacklo_epi64(t[1], t[3]);
        g[3] = _mm256_unpackhi_epi64(t[1], t[3]);
        for (size_t i = 0; i < 4; i++, dst += 4 * form->width) {
            _mm_storeu_si128((void *)dst, _mm256_castsi256_si128(g[i]));
            _mm_storeu_si128((void *)(dst + 16 * form->width), _mm256_extracti128_si256(g[i], 1));
        }
        dst += 16 * form->width;
    }
    for (size_t l = 0; l < 4; l++)
        sums[first + l] += add_up(_mm_add_epi32(_mm256_castsi256_si128(total[l]),
                                                _mm256_extracti128_si256(total[l], 1)));
    return at;
}

static void pack_columns(char *panel, const struct form *form, const struct qmm_source *src,
                         size_t lanes, size_t depth, size_t k, int64_t *sums)
{
    for (size_t first = 0; first < form->width; first += 4) {
        struct qmm_source rest = *src;
        size_t done = 0;

        if (first + 4 <= lanes)
            done = pack_quad_wide(panel + 4 * first, form, src, first, k, sums);
        rest.data += done;
        pack_quad(panel + done * form->width + 4 * first, form, &rest, first, lanes, depth - done,
                  k - done, sums);
    }
}

/* ---- lanes side by side: 16 at a time, four rows of K interleaved into a group ---- */

INLINE void add_to_sums(int64_t *sums, const __m128i total[4], size_t width)
{
    int32_t sum[16];

    memcpy(sum, total, sizeof sum);
    for (size_t l = 0; l < width; l++)
        sums[l] += sum[l];
}

static void pack_across(char *dst, const struct form *form, const struct qmm_source *src,
                        size_t first, size_t lanes, size_t depth, size_t k, int64_t *sums)
{
    __m128i total[4] = { _mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128(),
                         _mm_setzero_si128() };
    size_t width = form->width - first < 16 ? form->width - first : 16;
    size_t there = lanes <= first ? 0 : lanes - first < 16 ? lanes - first : 16;

    for (size_t at = 0; at < depth; at += 4, dst += 4 * form->width) {
        __m128i r[4], t[4], g[4];

        for (size_t i = 0; i < 4; i++) {
            const char *from = src->data + (ptrdiff_t)(at + i) * src->k_step + first;

            r[i] =
                at + i < k && there > 0 ? load_some(from, there, form->flip) : _mm_setzero_si128();
        }
        t[0] = _mm_unpacklo_epi8(r[0], r[1]);
        t[1] = _mm_unpackhi_epi8(r[0], r[1]);
        t[2] = _mm_unpacklo_epi8(r[2], r[3]);
        t[3] = _mm_unpackhi_epi8(r[2], r[3]);
        g[0] = _mm_unpacklo_epi16(t[0], t[2]);
        g[1] = _mm_unpackhi_epi16(t[0], t[2]);
        g[2] = _mm_unpacklo_epi16(t[1], t[3]);
        g[3] = _mm_unpackhi_epi16(t[1], t[3]);
        for (size_t i = 0; i < 4 && 4 * i < width; i++) {
            total[i] = _mm_add_epi32(total[i], add_bytes(g[i], form->is_signed));
            store_group(dst + 16 * i, g[i], width - 4 * i);
        }
    }
    add_to_sums(sums + first, total, width);
}

/* The same for 32 lanes and whole groups of K, all of them there. */
static void pack_across_wide(char *dst, const struct form *form, const struct qmm_source *src,
                             size_t first, size_t k, int64_t *sums)
{
    const __m256i flip = _mm256_set1_epi8(form->flip);
    __m256i total[4] = { _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                         _mm256_setzero_si256() };
    const char *from = src->data + first;
    int32_t sum[4][8]; /* lanes 4 i and on, 4 i + 16 and on */

    for (size_t at = 0; at < k; at += 4, dst += 4 * form->width) {
        __m256i r[4], t[4], g[4];

        for (size_t i = 0; i < 4; i++, from += src->k_step)
            r[i] = _mm256_xor_si256(_mm256_loadu_si256((const void *)from), flip);
        t[0] = _mm256_unpacklo_epi8(r[0], r[1]);
        t[1] = _mm256_unpackhi_epi8(r[0], r[1]);
        t[2] = _mm256_unpacklo_epi8(r[2], r[3]);
        t[3] = _mm256_unpackhi_epi8(r[2], r[3]);
        g[0] = _mm256_unpacklo_epi16(t[0], t[2]);
        g[1] = _mm256_unpackhi_epi16(t[0], t[2]);
        g[2] = _mm256_unpacklo_epi16(t[1], t[3]);
        g[3] = _mm256_unpackhi_epi16(t[1], t[3]);
        for (size_t i = 0; i < 4; i++)
            total[i] = add_wide_bytes(total[i], g[i], form->is_signed);
        for (size_t i = 0; i < 4; i += 2) {
            char *to = dst + 16 * i;

            _mm256_storeu_si256((void *)to, _mm256_permute2x128_si256(g[i], g[i + 1], 0x20));
            _mm256_storeu_si256((void *)(to + 64), _mm256_permute2x128_si256(g[i], g[i + 1], 0x31));
        }
    }
    memcpy(sum, total, sizeof sum);
    for (size_t i = 0; i < 4; i++)
        for (size_t l = 0; l < 8; l++)
            sums[first + 4 * i + l % 4 + l / 4 * 16] += sum[i][l];
}

static void pack_rows(char *panel, const struct form *form, const struct qmm_source *src,
                      size_t lanes, size_t depth, size_t k, int64_t *sums)
{
    size_t first = 0, whole = k & ~(size_t)3;
    struct qmm_source rest = *src;

    rest.data += (ptrdiff_t)whole * src->k_step;
    for (; first + 32 <= lanes; first += 32)
        pack_across_wide(panel + 4 * first, form, src, first, whole, sums);
    for (size_t done = 0; whole < depth && done < first; done += 16)
        pack_across(panel + whole * form->width + 4 * done, form, &rest, done, lanes,
                    depth - whole, k - whole, sums);
    for (; first < form->width; first += 16)
        pack_across(panel + 4 * first, form, src, first, lanes, depth, k, sums);
}

static bool pack(char *panel, const struct form *form, const struct qmm_source *src, size_t lanes,
                 size_t depth, size_t k, int64_t *sums)
{
    if (src->k_step == 1)
        pack_columns(panel, form, src, lanes, depth, k, sums);
    else if (src->lane_step == 1)
        pack_rows(panel, form, src, lanes, depth, k, sums);
    else
        return false;
    return true;
}

void qmm_pack_bytes_avx2(void *panel, const struct qmm_panel *form, const struct qmm_source *src,
                         size_t lanes, size_t k, int64_t *sums)
{
    struct form f = { form->lanes, qmm_shift(form->elem, src->is_signed) ? (char)-128 : 0,
                      form->elem == QMM_S8 };
    size_t depth = u64_round_up(k, form->kr);

    assert(lanes <= form->lanes && form->lanes % 2 == 0 && form->group == 4);
    if (!pack(panel, &f, src, lanes, depth, k, sums))
        qmm_pack_plain(panel, form, src, lanes, k, sums);
}

/* ---- groups of 64: lanes as they are, or from groups of 4 ---- */

static void copy_lane(char *dst, size_t group_bytes, const char *from, size_t k, char flip,
                      int64_t *sum)
{
    __m128i total = _mm_setzero_si128();

    for (size_t at = 0; at < k; at += 64, dst += group_bytes)
        for (size_t i = 0; i < 64; i += 16) {
            size_t there = at + i >= k ? 0 : k - at - i;
            __m128i v = there > 0 ? load_some(from + at + i, there, flip) : _mm_setzero_si128();

            total = _mm_add_epi64(total, _mm_sad_epu8(v, _mm_setzero_si128()));
            _mm_storeu_si128((void *)(dst + i), v);
        }
    *sum += _mm_cvtsi128_si64(_mm_add_epi64(total, _mm_unpackhi_epi64(total, total)));
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
    struct form f = { form->lanes, src->is_signed ? (char)-128 : 0, false };
    char groups[64 * QMM_LINES_MAX], *dst = panel;

    assert(lanes <= form->lanes && form->lanes % 2 == 0 && form->lanes <= QMM_LINES_MAX);
    if (src->k_step == 1) {
        for (size_t l = 0; l < f.width; l++)
            copy_lane(dst + 64 * l, 64 * f.width, src->data + (ptrdiff_t)l * src->lane_step,
                      l < lanes ? k : 0, f.flip, &sums[l]);
        for (size_t at = 0; at < k && lanes < f.width; at += 64)
            memset(dst + at * f.width + 64 * lanes, 0, 64 * (f.width - lanes));
        return;
    }
    if (src->lane_step != 1) {
        qmm_pack_plain(panel, form, src, lanes, k, sums);
        return;
    }
    for (size_t at = 0; at < k; at += 64, dst += 64 * f.width) {
        struct qmm_source part = { src->data + (ptrdiff_t)at * src->k_step, 1, src->k_step,
                                   src->is_signed };

        pack(groups, &f, &part, lanes, 64, k - at < 64 ? k - at : 64, sums);
        regroup(dst, groups, f.width);
    }
}

#endif
