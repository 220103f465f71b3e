#ifndef DMLOP_KERNEL_QMATMUL_QMATMUL_H
#define DMLOP_KERNEL_QMATMUL_QMATMUL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/util.h"
#include "kernel/select.h"

/*
 * Quantized products as Goto and BLIS have them. The words:
 *
 *   panel           mr rows of A or nr columns of B, packed so that it is read from end to end
 *   pack            copy into a panel; what a row or column adds up to comes with it
 *   micro-kernel    sums of a panel of A times one of B, mr by nr, in registers
 *   tile            a micro-kernel, the form of its panels and how these are packed
 *   pair tile       a faster tile for values whose products fit 16 bits two by two
 *   kc, mc, nc      block sizes: of K, of rows, of columns
 *   correction      what zero points add to a sum, from the sums of its row and column
 *   epilogue        from sums to outputs: correction, then requantization
 *   fused           micro-kernel and epilogue in one; sums stay in registers
 *   skinny          of few rows: B is read where it lies, once
 */

/* How packed values are stored. Packing shifts an operand by 128 (flips its top bit) where a tile
 * wants the other signedness, and its zero point moves with it: one tile serves all four sign
 * combinations. */
enum qmm_elem { QMM_U8, QMM_S8, QMM_S16 };

/*
 * A panel's form: [depth / group][lanes][group] values. A lane is a row of A or a column of B,
 * depth is K rounded up to a multiple of kr and of the group; the group's values of K follow one
 * another. Values past K, M or N are 0.
 */
struct qmm_panel {
    enum qmm_elem elem;
    uint16_t lanes;     /* mr or nr */
    uint16_t group, kr; /* powers of two; kr: values of K in a step of the micro-kernel */
};

/* acc[i][j] = sum over k of a[i][k] * b[k][j], for steps * kr values of K, added to what is there
 * where `add`; the caller keeps all that is added up for one cell at most max_k values, so that
 * int32 cannot overflow. Only the nr columns of acc, whose rows are `step` apart, are touched. */
typedef void qmm_ukernel_fn(size_t steps, const void *a, const void *b, int32_t *acc, size_t step,
                            bool add);

/* Part of an operand where it lies: the value of a lane at k lies at data + lane * lane_step +
 * k * k_step, in bytes. */
struct qmm_source {
    const char *data;
    ptrdiff_t lane_step, k_step;
    bool is_signed;
};

/* Packs `lanes` lanes, at most the form's, over k values of K, at most max_k. Each lane's packed
 * values are added to sums[lane], of which there are as many as the form has; NULL: none is wanted.
 * Reads nothing but those lanes' values. */
typedef void qmm_pack_fn(void *panel, const struct qmm_panel *form, const struct qmm_source *src,
                         size_t lanes, size_t k, int64_t *sums);

/* The same for two panels of B side by side, a cache line of each row, whose columns are all there
 * and lie so, too. sums: of both, or NULL. */
typedef void qmm_pack_two_fn(void *left, void *right, const struct qmm_panel *form,
                             const struct qmm_source *src, size_t k, int64_t *sums);

/*
 * Rounding in floats. A value is scaled by 2^16, a half and the output's zero point added, and made
 * whole: x, whose upper half is the output and whose lower half says how near to a tie the value
 * is. Where the output is not clamped, the value is at most 256, x at most 2^24, and x off by less
 * than 4: by 256 * 2^16 times 3 * 2^-24 (three roundings: the sum, the row's ratio, its product
 * with the column's scale), and by three quarters as the rest is added and all is made whole: a
 * half from 2^23 on, else a quarter and a half. So only values less than 4 from a tie are in doubt;
 * 4 more are added to x, so that their lower halves are 1 to 7, below QMM_IN_DOUBT.
 */
enum { QMM_FRACTION = 16, QMM_MARGIN = 4, QMM_IN_DOUBT = 2 * QMM_MARGIN };

/* x of a value that is clamped whatever the zero point, and not in doubt. */
#define QMM_CLAMPED 0x1.001p26F

/* What is added to scaled sums for an output's zero point. */
static inline float qmm_offset(int32_t zero)
{
    return (float)(zero * (1 << QMM_FRACTION) + (1 << (QMM_FRACTION - 1)) + QMM_MARGIN);
}

/* One row of the output. All whole numbers are modulo 2^32, which serves where the sums fit int32.
 */
struct qmm_row {
    float sa, so;
    float scale;     /* ratio times 2^QMM_FRACTION */
    float offset;    /* qmm_offset of zero */
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
    const float *ratios; /* all rows' ratio times scales and 2^QMM_FRACTION, where all are plain and
                            no value is beyond QMM_ROUNDED_MOST; NULL: else, or where bias is */
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
typedef void qmm_epilogue_fn(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                             const struct qmm_row *rows, const struct qmm_columns *columns);

/* Panels of A that follow one another; or, with a step, rows of A where they lie, a multiple of mr,
 * whose values fill all steps. */
struct qmm_rows_of_a {
    const char *at;
    ptrdiff_t step; /* bytes from row to row; 0: packed */
    bool flip;      /* the rows have the signedness that the panels have not */
};

/*
 * Micro-kernel and epilogue at once, where all of K is one block, all nr columns are there and
 * columns->ratios is: outputs of `count` rows at out, out + step, ...; `rows` has these, and
 * whatever up to a multiple of mr, or, of rows that are not packed, mr for all. The sums stay in
 * registers.
 */
typedef void qmm_fused_fn(uint8_t *out, ptrdiff_t step, size_t steps, const struct qmm_rows_of_a *a,
                          const void *b, size_t count, const struct qmm_row *rows,
                          const struct qmm_columns *columns);

struct qmm_tile {
    struct qmm_panel a, b; /* of the same kr; B's group is at most that */
    qmm_ukernel_fn *ukernel;
    qmm_pack_fn *pack_a, *pack_b;
    qmm_fused_fn *fused;       /* NULL: none */
    qmm_pack_two_fn *pack_two; /* NULL: none, as where there is a pair tile */
};

/* A few rows of A, widened, minus their zero points: values of a row are within 255 of each other,
 * and of 0. */
struct qmm_skinny {
    const int16_t *a; /* [rows][step], zeros past k up to the next multiple of QMM_SKINNY_ALIGN */
    size_t step, rows, k;
    bool prefetch; /* B, which is in no cache, by rows: kernel/prefetch.h */
};

enum { QMM_SKINNY_ROWS = 8, QMM_SKINNY_ALIGN = 32 };

/*
 * acc[i][j] = sum over k of a[i][k] * b[k][j] for at most QMM_SKINNY_ROWS rows, from B as it lies:
 * by rows where b->lane_step is 1, by columns where b->k_step is 1, each value read once; slower
 * for other steps. k is at most QMM_INT32_K. acc [rows][step] is overwritten, perhaps beyond the
 * last column up to the next multiple of 64.
 */
typedef void qmm_skinny_fn(int32_t *acc, size_t step, const struct qmm_skinny *a,
                           const struct qmm_source *b, size_t columns);

/* Whether products of two such and 2^16 are finite and keep a float's precision, whatever sum they
 * are multiplied by: an infinite one times a sum of 0 would be no number. */
static inline bool qmm_scale_is_plain(double scale)
{
    return scale == 0 || (fabs(scale) >= 0x1p-50 && fabs(scale) <= 0x1p50);
}

/* Largest K whose sums of (a - a_zero) * (b - b_zero) all fit int32: 255^2 * K < 2^31. */
enum { QMM_INT32_K = 33025 };

/*
 * A faster tile for uint8 times int8 as they are, not shifted, that adds up pairs of products, of
 * values 2i and 2i + 1 of K, in 16 bits: only for panels of B that are proved not to exceed them.
 * Lanes are those of the kernel's own tile, and bytes of a panel at most its. Packing is given
 * sources of the panels' signedness.
 */
struct qmm_pair {
    struct qmm_tile tile;
    /* No two products of these lanes of B with any uint8 A exceed int16. */
    bool (*fits)(const struct qmm_source *b, size_t lanes, size_t k);
};

struct qmm_kernel {
    struct kernel_row row;
    struct qmm_tile tile;
    uint32_t max_k;  /* largest K block whose sums fit int32 for any packed values; a multiple of kr
                        and groups */
    uint16_t kc, mc; /* block sizes; 0: what the caches hold of panels of B, and the usual rows */
    qmm_epilogue_fn *epilogue;
    qmm_skinny_fn *skinny;
    const struct qmm_pair *pair;       /* NULL: none */
    void (*begin)(void), (*end)(void); /* around calls of micro-kernels, on their thread; NULL:
                                          nothing to do */
};

static inline size_t qmm_elem_size(enum qmm_elem e) { return e == QMM_S16 ? 2 : 1; }

/* What packing adds to an operand's values, so that they fit the tile's elements. */
static inline int32_t qmm_shift(enum qmm_elem e, bool is_signed)
{
    if (e == QMM_S16)
        return 0;
    return e == QMM_U8 ? (is_signed ? 128 : 0) : (is_signed ? 0 : -128);
}

/* K rounded up to a multiple of a panel's kr and group. */
static inline size_t qmm_depth(size_t k, const struct qmm_panel *form)
{
    return (size_t)u64_round_up(k, form->kr > form->group ? form->kr : form->group);
}

/* ---- the reference row, in plain C (qmatmul_ref.c) ---- */

enum { QMM_REF_MR = 4, QMM_REF_NR = 8, QMM_REF_MAX_K = 65793 /* * 255 * 128 < 2^31 */ };

/* u8 times s8, kr 1. */
qmm_ukernel_fn qmm_ukernel_ref;

/* A qmm_pack_fn by plain loops, for any form and any steps. */
qmm_pack_fn qmm_pack_plain;

/* A qmm_epilogue_fn by qmm_requantize, for any number of columns. */
qmm_epilogue_fn qmm_epilogue_plain;

/* A qmm_skinny_fn by plain loops, for any steps of B. */
qmm_skinny_fn qmm_skinny_plain;

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
