#ifndef DMLOP_KERNEL_QMATMUL_H
#define DMLOP_KERNEL_QMATMUL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu.h"

/*
 * Integer tiles for the quantized product. A panel of A holds mr rows, a panel of B nr columns, both
 * packed in groups of kr consecutive values of K:
 *
 *   a  [ceil(k/kr)][mr][kr]    b  [ceil(k/kr)][nr][kr]    acc  [mr][nr], int32
 *
 * One set of tiles serves all four sign combinations: packing shifts an operand by 128 (flips its
 * top bit) where the tile wants the other signedness, and its zero point moves with it. Values past K, M
 * or N are packed as 0.
 */
enum qmm_elem { QMM_U8, QMM_S8, QMM_S16 }; /* how packed values are stored */

/* acc[i][j] = sum over k of a[i][k] * b[k][j] for groups * kr values of K; the caller keeps
 * groups * kr at most max_k, so that int32 cannot overflow. acc is overwritten. */
typedef void qmm_tile_fn(size_t groups, const void *a, const void *b, int32_t *acc);

/* Part of an operand where it lies: the value of a lane (row of A, column of B) at k stands at
 * data + lane * lane_step + k * k_step, in bytes. */
struct qmm_source {
    const char *data;
    ptrdiff_t lane_step, k_step;
    bool is_signed;
};

/*
 * Packs `lanes` lanes, at most the panel's mr or nr, over k values of K, at most max_k: ceil(k/kr) groups, lanes and
 * values that are not there as 0. Each lane's packed values are added to sums[lane], of which there are mr or nr.
 * Reads nothing but those lanes' values.
 */
typedef void qmm_pack_fn(void *panel, const struct qmm_source *src, size_t lanes, size_t k, int64_t *sums);

/* One row of the output. All whole numbers are modulo 2^32, which serves where the sums fit int32. */
struct qmm_row {
    float sa, so;
    double ratio;    /* sa / so */
    bool plain;      /* ratio and all scales of the columns are plain */
    uint32_t a_zero; /* as packed */
    uint32_t a_sum;  /* of the packed row, less K * a_zero */
    int32_t zero;    /* of the output */
    bool is_signed;  /* the output is int8, else uint8 */
};

/* The nr columns of a panel; those past N hold zeros. */
struct qmm_columns {
    const float *scales;
    const uint32_t *zeros, *sums; /* as packed, modulo 2^32 */
};

/* `count` rows of a tile, acc[count][nr], to nr values at out, out + step, ...: zero points by the sums, then
 * requantization as qmm_requantize has it. For sums that fit int32. */
typedef void qmm_finish_fn(uint8_t *out, ptrdiff_t step, const int32_t *acc, const struct qmm_row *rows, size_t count,
                           const struct qmm_columns *columns);

/* Whether products of two such, and of their product and a sum, keep a float's precision. */
static inline bool qmm_scale_is_plain(double scale)
{
    return scale == 0 || (fabs(scale) >= 0x1p-60 && fabs(scale) <= 0x1p60);
}

/* Largest K whose sums of (a - a_zero) * (b - b_zero) all fit int32: 255^2 * K < 2^31. */
enum { QMM_NARROW_K = 33025 };

struct qmm_kernel {
    struct kernel_row row;
    uint16_t mr, nr, kr;
    enum qmm_elem a_elem, b_elem;
    uint32_t max_k; /* largest K block whose sums fit int32 for any packed values; a multiple of kr */
    qmm_tile_fn *tile;
    qmm_pack_fn *pack_a, *pack_b;
    qmm_finish_fn *finish;
};

static inline size_t qmm_elem_size(enum qmm_elem e) { return e == QMM_S16 ? 2 : 1; }

/* What packing adds to an operand's values, so that they fit the tile's elements. */
static inline int32_t qmm_shift(enum qmm_elem e, bool is_signed)
{
    if (e == QMM_S16)
        return 0;
    return e == QMM_U8 ? (is_signed ? 128 : 0) : (is_signed ? 0 : -128);
}

/* A panel's form, for packing by plain loops. */
struct qmm_panel {
    enum qmm_elem elem;
    uint16_t lanes, kr;
};

/* As a qmm_pack_fn, for any panel and any steps. */
void qmm_pack_plain(void *panel, const struct qmm_panel *form, const struct qmm_source *src, size_t lanes, size_t k,
                    int64_t *sums);

/* As a qmm_finish_fn for one row, by qmm_requantize, for nr columns. */
void qmm_finish_plain(uint8_t *out, const int32_t *acc, const struct qmm_row *row, const struct qmm_columns *columns,
                      size_t nr);

extern const struct qmm_kernel qmm_kernels[]; /* slowest first */
extern const unsigned qmm_kernel_count;

/*
 * Requantization, the one place where a sum becomes an output value:
 * clamp(round_half_even(sum * sa * sb / so) + zero, lo, hi), exactly, for any int64 sum and finite scales, so != 0.
 */
struct qmm_scale { /* sa * sb / so, prepared once per row and column */
    double approx;
    float sa, sb, so;
};

struct qmm_scale qmm_scale_make(float sa, float sb, float so);
int32_t qmm_requantize(int64_t sum, const struct qmm_scale *s, int32_t zero, int32_t lo, int32_t hi);

#endif
