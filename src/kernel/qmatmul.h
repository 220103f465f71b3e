#ifndef DMLOP_KERNEL_QMATMUL_H
#define DMLOP_KERNEL_QMATMUL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/util.h"
#include "kernel/select.h"

/*
 * Integer tiles for the quantized product. A panel of A holds mr rows, a panel of B nr columns,
 * both packed in groups of consecutive values of K, of which there are depth = K rounded up to a
 * multiple of kr and of the operand's group:
 *
 *   a  [depth/a_group][mr][a_group]    b  [depth/b_group][nr][b_group]    acc  [mr][step], int32
 *
 * One set of tiles serves all four sign combinations: packing shifts an operand by 128 (flips its
 * top bit) where the tile wants the other signedness, and its zero point moves with it. Values past
 * K, M or N are packed as 0.
 */
enum qmm_elem { QMM_U8, QMM_S8, QMM_S16 }; /* how packed values are stored */

/* acc[i][j] = sum over k of a[i][k] * b[k][j], for steps * kr values of K, added to what is there
 * where `add`; the caller keeps all that is added up for one cell at most max_k values, so that
 * int32 cannot overflow. Only the tile's nr columns of acc are touched. */
typedef void qmm_tile_fn(size_t steps, const void *a, const void *b, int32_t *acc, size_t step,
                         bool add);

/* Part of an operand where it lies: the value of a lane (row of A, column of B) at k lies at
 * data + lane * lane_step + k * k_step, in bytes. */
struct qmm_source {
    const char *data;
    ptrdiff_t lane_step, k_step;
    bool is_signed;
};

/*
 * Packs `lanes` lanes, at most the panel's mr or nr, over k values of K, at most max_k, and up to
 * the next multiple of kr and of the group; lanes and values that are not there as 0. Each lane's
 * packed values are added to sums[lane], of which there are mr or nr. Reads nothing but those
 * lanes' values.
 */
typedef void qmm_pack_fn(void *panel, const struct qmm_source *src, size_t lanes, size_t k,
                         int64_t *sums);

/* One row of the output. All whole numbers are modulo 2^32, which serves where the sums fit int32.
 */
struct qmm_row {
    float sa, so;
    float scale;     /* ratio as a float */
    double ratio;    /* sa / so */
    bool plain;      /* ratio and all scales of the columns are plain */
    bool is_signed;  /* the output is int8, else uint8 */
    int32_t zero;    /* of the output */
    uint32_t a_zero; /* as packed */
    uint32_t a_sum;  /* of the packed row, minus K * a_zero */
    uint32_t bias;   /* a_sum times the zero point of all columns, where these have a bias */
};

/* The columns of a panel or of several; those past N hold zeros. */
struct qmm_columns {
    const float *scales;
    const uint32_t *zeros, *sums; /* as packed, modulo 2^32 */
    const uint32_t
        *bias; /* sums times the rows' zero point; NULL where rows or columns differ in theirs */
    const float *ratios; /* all rows' ratio times scales, where all are plain and no sum times its
                            own is beyond QMM_ROUNDED_MOST; NULL: else, or where bias is */
};

enum { QMM_ROUNDED_MOST = 32000 };

/* Sums of products, rows by columns. */
struct qmm_sums {
    const int32_t *at;
    size_t step;          /* from row to row */
    size_t rows, columns; /* columns: a multiple of nr */
};

/* The outputs of a block of sums, sums->columns values at out, out + step, ...: zero points by the
 * sums of rows and columns, then requantization as qmm_requantize has it. For sums that fit int32.
 */
typedef void qmm_finish_fn(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                           const struct qmm_row *rows, const struct qmm_columns *columns);

/*
 * A tile and its outputs at once, where all of K is one block, all nr columns are there and
 * columns->ratios is: outputs of `count` rows, at most mr, at out, out + step, ...; rows has as
 * many. The sums stay in registers.
 */
typedef void qmm_fused_fn(uint8_t *out, ptrdiff_t step, size_t steps, const void *a, const void *b,
                          size_t count, const struct qmm_row *rows,
                          const struct qmm_columns *columns);

/* A few rows of A, widened, minus their zero points: -255..255. */
struct qmm_thin {
    const int16_t *a; /* [rows][step], zeros past k up to the next multiple of QMM_THIN_ALIGN */
    size_t step, rows, k;
};

enum { QMM_THIN_ROWS = 8, QMM_THIN_ALIGN = 32 };

/*
 * acc[i][j] = sum over k of a[i][k] * b[k][j] for at most QMM_THIN_ROWS rows, from B as it lies: by
 * rows where b->lane_step is 1, by columns where b->k_step is 1, each value read once; slower for
 * other steps. k is at most QMM_NARROW_K. acc [rows][step] is overwritten, perhaps beyond the last
 * column up to the next multiple of 16.
 */
typedef void qmm_thin_fn(int32_t *acc, size_t step, const struct qmm_thin *a,
                         const struct qmm_source *b, size_t columns);

/* Whether products of two such and 2^16 are finite and keep a float's precision, whatever sum they
 * are multiplied by: an infinite one times a sum of 0 would be no number. */
static inline bool qmm_scale_is_plain(double scale)
{
    return scale == 0 || (fabs(scale) >= 0x1p-50 && fabs(scale) <= 0x1p50);
}

/* Largest K whose sums of (a - a_zero) * (b - b_zero) all fit int32: 255^2 * K < 2^31. */
enum { QMM_NARROW_K = 33025 };

/*
 * A faster tile for uint8 times int8 as they are, not shifted, that adds up pairs of products, of
 * values 2i and 2i + 1 of K, in 16 bits: only for panels of B that are proved not to exceed them.
 * Its panels have as many lanes as the kernel's own, in bytes, in groups of kr.
 */
struct qmm_narrow {
    uint16_t kr;
    qmm_tile_fn *tile;
    qmm_pack_fn *pack_a, *pack_b;
    /* Whether all of A is uint8 and at most 128. */
    bool (*is_small)(const struct qmm_source *a, size_t lanes, size_t k);
    /* Whether no two products of such lanes of B exceed int16 with any uint8 A, or with one that is
     * small. */
    bool (*fits)(const struct qmm_source *b, size_t lanes, size_t k, bool small_a);
};

struct qmm_kernel {
    struct kernel_row row;
    uint16_t mr, nr, kr, a_group, b_group; /* powers of two, mr excepted; b_group is at most kr */
    enum qmm_elem a_elem, b_elem;
    uint32_t max_k; /* largest K block whose sums fit int32 for any packed values; a multiple of kr
                       and groups */
    qmm_tile_fn *tile;
    qmm_pack_fn *pack_a, *pack_b;
    qmm_finish_fn *finish;
    qmm_fused_fn *fused;               /* NULL: none */
    qmm_thin_fn *thin;
    void (*begin)(void),
        (*end)(void); /* around calls of tile, on their thread; NULL: nothing to do */
    const struct qmm_narrow *narrow;   /* NULL: none */
    uint32_t gains_k; /* "auto" leaves products of a smaller K to the rows before */
};

static inline size_t qmm_elem_size(enum qmm_elem e) { return e == QMM_S16 ? 2 : 1; }

/* What packing adds to an operand's values, so that they fit the tile's elements. */
static inline int32_t qmm_shift(enum qmm_elem e, bool is_signed)
{
    if (e == QMM_S16)
        return 0;
    return e == QMM_U8 ? (is_signed ? 128 : 0) : (is_signed ? 0 : -128);
}

/* K rounded up to a multiple of kr and of a group, both powers of two. */
static inline size_t qmm_depth(size_t k, size_t kr, size_t group)
{
    return (size_t)u64_round_up(k, kr > group ? kr : group);
}

/* A panel's form, for packing by plain loops. */
struct qmm_panel {
    enum qmm_elem elem;
    uint16_t lanes, group, kr;
};

/* As a qmm_pack_fn, for any panel and any steps. */
void qmm_pack_plain(void *panel, const struct qmm_panel *form, const struct qmm_source *src,
                    size_t lanes, size_t k, int64_t *sums);

/* A qmm_finish_fn by qmm_requantize, for any number of columns. */
qmm_finish_fn qmm_finish_plain;

/* A qmm_thin_fn by plain loops, for any steps of B. */
qmm_thin_fn qmm_thin_plain;

/* The sum of what the cell (i, j) of a block needs besides its products, modulo 2^32. */
static inline uint32_t qmm_correction(const struct qmm_row *row, const struct qmm_columns *columns,
                                      size_t j)
{
    if (columns->bias)
        return row->bias + columns->bias[j];
    return columns->zeros[j] * row->a_sum + row->a_zero * columns->sums[j];
}

/*
 * Requantization, the one place where a sum becomes an output value:
 * clamp(round_half_even(sum * sa * sb / so) + zero, lo, hi), exactly, for any int64 sum and finite
 * scales, so != 0.
 */
struct qmm_scale { /* sa * sb / so, prepared once per row and column */
    double approx;
    float sa, sb, so;
};

struct qmm_scale qmm_scale_make(float sa, float sb, float so);

/* round_half_even(sum * sa * sb / so), exactly, and whether it lay midway between two whole
 * numbers; QMM_BEYOND or -QMM_BEYOND, which any zero point leaves clamped, from some 1024 on. */
enum { QMM_BEYOND = 1025 };
int32_t qmm_round(int64_t sum, const struct qmm_scale *s, bool *tie);

int32_t qmm_requantize(int64_t sum, const struct qmm_scale *s, int32_t zero, int32_t lo,
                       int32_t hi);

#endif
