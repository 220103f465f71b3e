#include "base/util.h"
#include "kernel/x86/qmatmul_x86.h"

#if defined(__x86_64__)

#include <assert.h>
#include <immintrin.h>
#include <string.h>

/*
 * Fours of bytes. B is as it lies; A has the other signedness. Rows of B are often 4096 bytes
 * apart, and then in one set of the first cache, which has 8 to 12 ways: with 16 rows at a time
 * instead of 8, 1x4096x4096 took 1.5 times as long on a Zen 5 (bench_qmatmul).
 */
typedef __m512i vec, run;
typedef char value;
#define BYTES
#define EACH_VECTOR(F) F(0) F(1) F(2) F(3)
enum {
    ACROSS = 1, LANES = 16, COLUMNS = 64, VECTORS = 4,
    GROUP = 4, DEPTH = 8, UNROLL = 2, VALUES = 64,
};

struct block {
    vec v[VECTORS];
};
#define lines block

INLINE vec zero(void) { return _mm512_setzero_si512(); }
INLINE vec load_sums(const int32_t *p) { return _mm512_loadu_si512(p); }
INLINE void store_sums(int32_t *p, vec v) { _mm512_storeu_si512(p, v); }

INLINE vec run_of(const char *p, size_t there, bool is_signed)
{
    (void)is_signed;
    if (there >= 64)
        return _mm512_loadu_si512(p);
    return _mm512_maskz_loadu_epi8((UINT64_C(1) << there) - 1, p);
}

/* Columns 16 l + 4 v and on in quarter l of vector v. */
INLINE struct block rows_of(const char *from, ptrdiff_t row, size_t rows, size_t there,
                            bool is_signed)
{
    vec r0 = run_of(from, there, is_signed), r1 = zero(), r2 = r1, r3 = r1, t0, t1, t2, t3;

    if (rows > 1)
        r1 = run_of(from + row, there, is_signed);
    if (rows > 2)
        r2 = run_of(from + 2 * row, there, is_signed);
    if (rows > 3)
        r3 = run_of(from + 3 * row, there, is_signed);
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

#include "kernel/qmm_skinny.inc"

enum { CHUNK = 1024, STRIP = 4096 }; /* values of K, columns, that are gone through at once */

/* What is to be added to a row's values, which lie within 255 of each other, so that they fit bytes
 * of the signedness that B does not have. */
static int shift_for(const int16_t *a, size_t k, bool b_signed)
{
    int lo = b_signed ? 0 : -128, least = lo, most = lo + 255;

    for (size_t i = 0; i < k; i++) {
        least = a[i] < least ? a[i] : least;
        most = a[i] > most ? a[i] : most;
    }
    return least < lo ? lo - least : lo + 255 - most;
}

static void shift_row(value *to, const int16_t *a, size_t k, int shift)
{
    for (size_t i = 0; i < k; i++)
        to[i] = (value)(a[i] + shift);
    memset(to + k, 0, u64_round_up(k, VALUES) - k);
}

/* At most STRIP columns. Where values are shifted, another row, of ones, gives what that adds. */
static void add_strip(int32_t *acc, size_t step, const struct qmm_skinny *a,
                      const struct qmm_source *b, size_t columns, const int *shifts, bool shifted)
{
    value values[QMM_SKINNY_ROWS + 1][CHUNK];
    int32_t *rows[QMM_SKINNY_ROWS + 1], ones[STRIP] = { 0 };
    struct some_rows r = { rows, values[0], CHUNK, true, a->prefetch };
    size_t count = a->rows + shifted;

    for (size_t i = 0; i < a->rows; i++)
        rows[i] = acc + i * step;
    rows[a->rows] = ones;
    memset(values[a->rows], 1, CHUNK);
    for (size_t at = 0; at < a->k; at += CHUNK, r.first = false) {
        size_t some = a->k - at < CHUNK ? a->k - at : CHUNK;
        struct qmm_source part = { b->data + (ptrdiff_t)at * b->k_step, b->lane_step, b->k_step,
                                   b->is_signed };

        for (size_t i = 0; i < a->rows; i++)
            shift_row(values[i], a->a + i * a->step + at, some, shifts[i]);
        add_products(&r, count, some, &part, columns);
    }
    finish_sums(&r, count, b, columns);
    for (size_t i = 0; i < a->rows && shifted; i++)
        for (size_t j = 0; j < columns; j++)
            rows[i][j] -= shifts[i] * ones[j];
}

void qmm_skinny_avx512vnni(int32_t *acc, size_t step, const struct qmm_skinny *a,
                           const struct qmm_source *b, size_t columns)
{
    int shifts[QMM_SKINNY_ROWS];
    bool shifted = false;

    assert(a->rows <= QMM_SKINNY_ROWS && a->k <= QMM_INT32_K);
    if (b->k_step != 1 && b->lane_step != 1) {
        qmm_skinny_plain(acc, step, a, b, columns);
        return;
    }
    for (size_t i = 0; i < a->rows; i++) {
        shifts[i] = shift_for(a->a + i * a->step, a->k, b->is_signed);
        shifted = shifted || shifts[i] != 0;
    }
    for (size_t j = 0; j < columns; j += STRIP) {
        struct qmm_source part = { b->data + (ptrdiff_t)j * b->lane_step, b->lane_step, b->k_step,
                                   b->is_signed };

        add_strip(acc + j, step, a, &part, columns - j < STRIP ? columns - j : STRIP, shifts,
                  shifted);
    }
}

#endif
