#include "base/util.h"
#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#include <assert.h>
#include <immintrin.h>
#include <string.h>

/*
 * Fours of bytes. A has the signedness that B has not; where its values do not fit so, B is flipped
 * to the other. Rows of B are often 4096 bytes apart, and then in one set of the first cache, which
 * has 8 to 12 ways: with 16 rows at a time instead of 8, 1x4096x4096 took 1.5 times as long on a
 * Zen 5 (bench_qmatmul); 1x4096x4160 takes 0.8 of the time on a Zen 4.
 */
typedef __m512i vec, run;
typedef char value;
#define BYTES
#define EACH_VECTOR(F) F(0) F(1) F(2) F(3)
enum {
    ACROSS = 1, LANES = 16, COLUMNS = 64, VECTORS = 4,
    GROUP = 4, DEPTH = 8, DEPTH_MOST = 16, UNROLL = 4, VALUES = 64,
};

struct block {
    vec v[VECTORS];
};
#define lines block

INLINE vec zero(void) { return _mm512_setzero_si512(); }
INLINE vec load_sums(const int32_t *p) { return _mm512_loadu_si512(p); }
INLINE void store_sums(int32_t *p, vec v) { _mm512_storeu_si512(p, v); }

INLINE vec run_of(const char *p, size_t there, bool is_signed, char flip)
{
    vec v = there < 64 ? _mm512_maskz_loadu_epi8((UINT64_C(1) << there) - 1, p)
                       : _mm512_loadu_si512(p);

    (void)is_signed;
    return _mm512_xor_si512(v, _mm512_set1_epi8(flip));
}

/* Columns 16 l + 4 v and on in quarter l of vector v. */
INLINE struct block rows_of(const char *from, ptrdiff_t row, size_t rows, size_t there,
                            bool is_signed, char flip)
{
    vec r0 = run_of(from, there, is_signed, flip), r1 = zero(), r2 = r1, r3 = r1, t0, t1, t2, t3;

    if (rows > 1)
        r1 = run_of(from + row, there, is_signed, flip);
    if (rows > 2)
        r2 = run_of(from + 2 * row, there, is_signed, flip);
    if (rows > 3)
        r3 = run_of(from + 3 * row, there, is_signed, flip);
    t0 = _mm512_unpacklo_epi8(r0, r1);
    t1 = _mm512_unpackhi_epi8(r0, r1);
    t2 = _mm512_unpacklo_epi8(r2, r3);
    t3 = _mm512_unpackhi_epi8(r2, r3);
    return (struct block){ { _mm512_unpacklo_epi16(t0, t2), _mm512_unpackhi_epi16(t0, t2),
                             _mm512_unpacklo_epi16(t1, t3), _mm512_unpackhi_epi16(t1, t3) } };
}

INLINE vec times(vec sum, vec x, vec a, bool is_signed)
{
    return is_signed ? _mm512_dpbusd_epi32(sum, a, x) : _mm512_dpbusd_epi32(sum, x, a);
}

INLINE vec times_group(vec sum, vec x, const value *a, bool is_signed)
{
    int32_t four;

    memcpy(&four, a, sizeof four);
    return times(sum, x, _mm512_set1_epi32(four), is_signed);
}

INLINE vec times_run(vec sum, vec x, const value *a, bool is_signed)
{
    return times(sum, x, _mm512_loadu_si512(a), is_signed);
}

INLINE int32_t add_up(vec v) { return _mm512_reduce_add_epi32(v); }

INLINE void put_in_order(int32_t *acc)
{
    vec a = load_sums(acc), b = load_sums(acc + 16), c = load_sums(acc + 32),
        d = load_sums(acc + 48);
    vec ab = _mm512_shuffle_i32x4(a, b, 0x44), cd = _mm512_shuffle_i32x4(c, d, 0x44);
    vec ab2 = _mm512_shuffle_i32x4(a, b, 0xee), cd2 = _mm512_shuffle_i32x4(c, d, 0xee);

    store_sums(acc, _mm512_shuffle_i32x4(ab, cd, 0x88));
    store_sums(acc + 16, _mm512_shuffle_i32x4(ab, cd, 0xdd));
    store_sums(acc + 32, _mm512_shuffle_i32x4(ab2, cd2, 0x88));
    store_sums(acc + 48, _mm512_shuffle_i32x4(ab2, cd2, 0xdd));
}

#include "kernel/qmatmul/qmm_skinny.inc"

enum { CHUNK = 1024, STRIP = 4096 }; /* values of K, columns, that are gone through at once */

/* How A's values become bytes. */
struct shifting {
    int shifts[QMM_SKINNY_ROWS]; /* what is added to them */
    bool shifted; /* some of these are not 0 */
    bool flip;    /* B is; then none is shifted */
};

/* A row's values, which lie within 255 of each other, are to fit bytes of the signedness that B
 * does not have. */
static struct shifting shifting_for(const struct qmm_skinny *a, bool b_signed)
{
    struct shifting s = { .shifted = false };
    int lo = b_signed ? 0 : -128;

    for (size_t i = 0; i < a->rows; i++) {
        const int16_t *row = a->a + i * a->step;
        int16_t least = row[0], most = least;

        for (size_t k = 1; k < a->k; k++) {
            least = row[k] < least ? row[k] : least;
            most = row[k] > most ? row[k] : most;
        }
        s.shifts[i] = least < lo ? lo - least : most > lo + 255 ? lo + 255 - most : 0;
        s.shifted = s.shifted || s.shifts[i] != 0;
    }
    return s;
}

static void shift_row(value *to, const int16_t *a, size_t k, int shift)
{
    for (size_t i = 0; i < k; i++)
        to[i] = (value)(a[i] + shift);
    memset(to + k, 0, u64_round_up(k, VALUES) - k);
}

/* What a flipped B adds to a row's sums, in every column. */
static uint32_t added_by_flip(const int16_t *a, size_t k, bool to_signed)
{
    int32_t sum = 0;

    for (size_t i = 0; i < k; i++)
        sum += a[i];
    return (uint32_t)sum * (to_signed ? -128U : 128U);
}

/* At most STRIP columns. Where values are shifted, another row, of ones, gives what that adds; a B
 * that is flipped adds as much to all columns. */
static void add_strip(int32_t *acc, size_t step, const struct qmm_skinny *a,
                      const struct qmm_source *b, size_t columns, const struct shifting *s)
{
    value values[QMM_SKINNY_ROWS + 1][CHUNK];
    int32_t *rows[QMM_SKINNY_ROWS + 1], ones[STRIP] = { 0 };
    struct some_rows r = { rows, values[0], CHUNK, true, s->flip ? (char)-128 : 0, a->prefetch };
    size_t count = a->rows + s->shifted;

    for (size_t i = 0; i < a->rows; i++)
        rows[i] = acc + i * step;
    rows[a->rows] = ones;
    memset(values[a->rows], 1, CHUNK);
    for (size_t at = 0; at < a->k; at += CHUNK, r.first = false) {
        size_t some = a->k - at < CHUNK ? a->k - at : CHUNK;
        struct qmm_source part = { b->data + (ptrdiff_t)at * b->k_step, b->lane_step, b->k_step,
                                   b->is_signed };

        for (size_t i = 0; i < a->rows; i++)
            shift_row(values[i], a->a + i * a->step + at, some, s->shifts[i]);
        add_products(&r, count, some, &part, columns);
    }
    finish_sums(&r, count, b, columns);
    for (size_t i = 0; i < a->rows && (s->shifted || s->flip); i++) {
        uint32_t added = s->flip ? added_by_flip(a->a + i * a->step, a->k, b->is_signed) : 0;

        for (size_t j = 0; j < columns; j++)
            rows[i][j] = (int32_t)((uint32_t)rows[i][j] - added -
                                   (uint32_t)(s->shifts[i] * ones[j]));
    }
}

void qmm_skinny_avx512vnni(int32_t *acc, size_t step, const struct qmm_skinny *a,
                           const struct qmm_source *b, size_t columns)
{
    struct shifting s = shifting_for(a, b->is_signed);

    assert(a->rows <= QMM_SKINNY_ROWS && a->k <= QMM_INT32_K);
    if (b->k_step != 1 && b->lane_step != 1) {
        qmm_skinny_plain(acc, step, a, b, columns);
        return;
    }
    if (s.shifted) {
        struct shifting other = shifting_for(a, !b->is_signed);

        other.flip = true;
        s = other.shifted ? s : other;
    }
    for (size_t j = 0; j < columns; j += STRIP) {
        struct qmm_source part = { b->data + (ptrdiff_t)j * b->lane_step, b->lane_step, b->k_step,
                                   b->is_signed != s.flip };

        add_strip(acc + j, step, a, &part, columns - j < STRIP ? columns - j : STRIP, &s);
    }
}

#endif
