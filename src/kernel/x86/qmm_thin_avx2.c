#include "base/util.h"
#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <assert.h>
#include <immintrin.h>
#include <string.h>

/* Rows of B that go together, in pairs; how many rows ahead of these are prefetched. */
enum { DEPTH = 8, AHEAD = 32 };

INLINE __m256i load(const void *p) { return _mm256_loadu_si256(p); }
INLINE void store(void *p, __m256i v) { _mm256_storeu_si256(p, v); }

/* Sixteen bytes of B widened, of which `there` can be read; the rest as 0. */
INLINE __m256i widen(const char *p, size_t there, bool is_signed)
{
    char some[16] = { 0 };
    __m128i v;

    if (there < 16) {
        memcpy(some, p, there);
        p = some;
    }
    v = _mm_loadu_si128((const void *)p);
    return is_signed ? _mm256_cvtepi8_epi16(v) : _mm256_cvtepu8_epi16(v);
}

/* ---- B by rows: 16 columns at a time, two rows interleaved against pairs of A ---- */

/* How far the work is: sums of some rows, from some column on; B from some row on. */
struct spot {
    int32_t *acc;
    size_t step;
    const int16_t *a;
    size_t a_step;
    const char *b;
    ptrdiff_t row;
    size_t depth; /* rows of B, at most DEPTH */
    bool first;   /* the sums are not there yet */
};

INLINE __m256i pair_of(const int16_t *a)
{
    int32_t both;

    memcpy(&both, a, sizeof both);
    return _mm256_set1_epi32(both);
}

/* Sixteen columns: 0-3 and 8-11, then 4-7 and 12-15; of two rows of B, or of sums. */
struct halves {
    __m256i low, high;
};

INLINE struct halves two_rows(const char *from, ptrdiff_t row, size_t there, bool odd_there,
                              bool is_signed)
{
    __m256i even = widen(from, there, is_signed);
    __m256i odd = odd_there ? widen(from + row, there, is_signed) : _mm256_setzero_si256();

    return (struct halves){ _mm256_unpacklo_epi16(even, odd), _mm256_unpackhi_epi16(even, odd) };
}

INLINE struct halves sums_at(const struct spot *s, size_t i, size_t j)
{
    const int32_t *acc = s->acc + i * s->step + j;

    if (s->first)
        return (struct halves){ _mm256_setzero_si256(), _mm256_setzero_si256() };
    return (struct halves){ load(acc), load(acc + 8) };
}

INLINE void keep(const struct spot *s, size_t i, size_t j, struct halves sum)
{
    int32_t *acc = s->acc + i * s->step + j;

    store(acc, sum.low);
    store(acc + 8, sum.high);
}

INLINE void add_products(struct halves *sum, const struct halves *b, __m256i pair)
{
    sum->low = _mm256_add_epi32(sum->low, _mm256_madd_epi16(b->low, pair));
    sum->high = _mm256_add_epi32(sum->high, _mm256_madd_epi16(b->high, pair));
}

/*
 * Four blocks of sums, `across` of 16 columns each for 4 / across rows, or, where there are fewer
 * than 16 columns, one for each of the rows. Block n is row n / across.
 */
INLINE void add_columns(const struct spot *s, size_t j, size_t there, size_t rows, size_t across,
                        size_t depth, bool is_signed)
{
    size_t blocks = rows * across;
    struct halves t0 = sums_at(s, 0, j), t1 = t0, t2 = t0, t3 = t0;

    if (blocks > 1)
        t1 = sums_at(s, 1 / across, j + 1 % across * 16);
    if (blocks > 2) {
        t2 = sums_at(s, 2 / across, j + 2 % across * 16);
        t3 = sums_at(s, 3 / across, j + 3 % across * 16);
    }
    for (size_t k = 0; k < depth; k += 2) {
        const char *from = s->b + (ptrdiff_t)k * s->row + j;
        const int16_t *a = s->a + k;
        bool odd = k + 1 < depth;
        struct halves b0 = two_rows(from, s->row, there, odd, is_signed), b1 = b0, b2 = b0, b3 = b0;

        if (across > 1)
            b1 = two_rows(from + 16, s->row, there, odd, is_signed);
        if (across > 2) {
            b2 = two_rows(from + 32, s->row, there, odd, is_signed);
            b3 = two_rows(from + 48, s->row, there, odd, is_signed);
        }
        add_products(&t0, &b0, pair_of(a));
        if (blocks > 1)
            add_products(&t1, &b1, pair_of(a + 1 / across * s->a_step));
        if (blocks > 2) {
            add_products(&t2, across == 2 ? &b0 : &b2, pair_of(a + 2 / across * s->a_step));
            add_products(&t3, across == 2 ? &b1 : &b3, pair_of(a + 3 / across * s->a_step));
        }
    }
    keep(s, 0, j, t0);
    if (blocks > 1)
        keep(s, 1 / across, j + 1 % across * 16, t1);
    if (blocks > 2) {
        keep(s, 2 / across, j + 2 % across * 16, t2);
        keep(s, 3 / across, j + 3 % across * 16, t3);
    }
}

INLINE void prefetch_b(const struct spot *s, size_t j)
{
    for (size_t k = AHEAD; k < AHEAD + DEPTH; k++)
        _mm_prefetch(s->b + (ptrdiff_t)k * s->row + j, _MM_HINT_T1);
}

INLINE void add_strip(const struct spot *s, size_t columns, size_t rows, bool is_signed)
{
    size_t j = 0, across = 4 / rows;

    for (; s->depth == DEPTH && j + 16 * across <= columns; j += 16 * across) {
        if (j % 64 == 0)
            prefetch_b(s, j);
        add_columns(s, j, 16, rows, across, DEPTH, is_signed);
    }
    for (; j + 16 <= columns; j += 16)
        add_columns(s, j, 16, rows, 1, s->depth, is_signed);
    if (j < columns)
        add_columns(s, j, columns - j, rows, 1, s->depth, is_signed);
}

INLINE void add_rows(const struct spot *s, size_t columns, size_t rows, bool is_signed)
{
    struct spot at = *s;

    for (; rows >= 4; rows -= 4, at.acc += 4 * at.step, at.a += 4 * at.a_step)
        add_strip(&at, columns, 4, is_signed);
    if (rows >= 2) {
        add_strip(&at, columns, 2, is_signed);
        at.acc += 2 * at.step;
        at.a += 2 * at.a_step;
    }
    if (rows % 2)
        add_strip(&at, columns, 1, is_signed);
}

static void put_in_order(int32_t *acc, size_t columns)
{
    for (size_t j = 0; j < columns; j += 16) {
        __m256i low = load(acc + j), high = load(acc + j + 8);

        store(acc + j, _mm256_permute2x128_si256(low, high, 0x20));
        store(acc + j + 8, _mm256_permute2x128_si256(low, high, 0x31));
    }
}

static void by_rows(int32_t *acc, size_t step, const struct qmm_thin *a, const struct qmm_source *b,
                    size_t columns)
{
    struct spot s = { acc, step, a->a, a->step, b->data, b->k_step, 0, true };

    for (size_t k = 0; k < a->k;
         k += DEPTH, s.a += DEPTH, s.b += DEPTH * b->k_step, s.first = false) {
        s.depth = a->k - k < DEPTH ? a->k - k : DEPTH;
        if (b->is_signed)
            add_rows(&s, columns, a->rows, true);
        else
            add_rows(&s, columns, a->rows, false);
    }
    for (size_t i = 0; i < a->rows; i++)
        put_in_order(acc + i * step, columns);
}

/* ---- B by columns: dot products along K, four columns at a time ---- */

/* The four columns at `from` with one or two rows of A. */
INLINE void dot_products(__m128i *sums, const int16_t *a, size_t a_step, size_t rows,
                         const char *const from[4], size_t k, bool is_signed)
{
    __m256i s[2][4], zero = _mm256_setzero_si256();

    for (size_t i = 0; i < rows; i++)
        s[i][0] = s[i][1] = s[i][2] = s[i][3] = zero;
    for (size_t at = 0; at < k; at += 16)
        for (size_t c = 0; c < 4; c++) {
            __m256i v = k - at >= 16 ? widen(from[c] + at, 16, is_signed)
                                     : widen(from[c] + at, k - at, is_signed);

            for (size_t i = 0; i < rows; i++)
                s[i][c] =
                    _mm256_add_epi32(s[i][c], _mm256_madd_epi16(v, load(a + i * a_step + at)));
        }
    for (size_t i = 0; i < rows; i++) {
        __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(s[i][0], s[i][1]),
                                        _mm256_hadd_epi32(s[i][2], s[i][3]));

        sums[i] = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    }
}

INLINE void by_columns(int32_t *acc, size_t step, const struct qmm_thin *a,
                       const struct qmm_source *b, size_t columns, bool is_signed)
{
    for (size_t j = 0; j < columns; j += 4) {
        size_t there = columns - j < 4 ? columns - j : 4;
        const char *from[4];

        for (size_t c = 0; c < 4; c++)
            from[c] = b->data + (ptrdiff_t)(j + (c < there ? c : 0)) * b->lane_step;
        for (size_t i = 0; i < a->rows; i += 2) {
            __m128i sums[2];
            size_t rows = a->rows - i < 2 ? 1 : 2;

            if (rows == 2)
                dot_products(sums, a->a + i * a->step, a->step, 2, from, a->k, is_signed);
            else
                dot_products(sums, a->a + i * a->step, a->step, 1, from, a->k, is_signed);
            for (size_t r = 0; r < rows; r++)
                memcpy(acc + (i + r) * step + j, &sums[r], there * sizeof *acc);
        }
    }
}

void qmm_thin_avx2(int32_t *acc, size_t step, const struct qmm_thin *a, const struct qmm_source *b,
                   size_t columns)
{
    assert(a->rows <= QMM_THIN_ROWS && a->k <= QMM_NARROW_K && a->step % QMM_THIN_ALIGN == 0);
    if (b->k_step == 1 && b->is_signed)
        by_columns(acc, step, a, b, columns, true);
    else if (b->k_step == 1)
        by_columns(acc, step, a, b, columns, false);
    else if (b->lane_step == 1)
        by_rows(acc, step, a, b, columns);
    else
        qmm_thin_plain(acc, step, a, b, columns);
}

#endif
