#pragma once

#include <math.h>

#include "kernel/cpu.h"

/*
 * Quantized products by the method of Goto and BLIS. The words:
 *
 *   panel           mr rows of A or nr columns of B, packed in the order of reading
 *   pack            copy into a panel, and add up each row or column
 *   micro-kernel    multiplies a panel of A by one of B; the mr by nr sums are in registers
 *   tile            a micro-kernel, the form of its panels, and the functions that pack them
 *   kc, mc, nc      block sizes: values of K, rows, panels of B
 *   correction      what zero points add to sums, from sums of rows and columns
 *   epilogue        turns sums into outputs: correction, then requantization
 *   fused           micro-kernel and epilogue in one
 *   skinny matrix   an A of few rows, for which B is not packed
 */

/* Type of packed values. Packing adds 128 to an operand, or subtracts it (flips the top bit), if
 * the tile needs the other signedness; its zero points move with it. So one tile serves all four
 * combinations of signs. */
enum qmm_elem { QMM_U8, QMM_S8, QMM_S16 };

/* Form of a panel: [depth / group][lanes][group] values. A lane is a row of A or a column of B;
 * depth is K rounded up to a multiple of kr and of group. Values past K, M or N are 0. */
struct qmm_panel {
    enum qmm_elem elem;
    uint16_t lanes;     /* mr or nr */
    uint16_t group, kr; /* powers of two; kr: values of K in a step of the micro-kernel */
};

/* acc[i][j] = sum over k of a[i][k] * b[k][j] for steps * kr values of K; `add`: added to acc. The
 * rows of acc are `step` apart, and only nr columns are written. The caller adds up at most max_k
 * values for a cell, so that int32 cannot overflow. */
typedef void qmm_ukernel_fn(size_t steps, const void *a, const void *b, int32_t *acc, size_t step,
                            bool add);

/* Part of an operand, not packed: the value of a lane at k is at data + lane * lane_step +
 * k * k_step, in bytes. */
struct qmm_source {
    const char *data;
    ptrdiff_t lane_step, k_step;
    bool is_signed;
};

/* Packs `lanes` lanes, at most the form's, of k values, at most max_k; reads nothing else. Adds
 * each lane's packed values to sums[lane], an array of the form's lanes; NULL: no sums are needed.
 */
typedef void qmm_pack_fn(void *panel, const struct qmm_panel *form, const struct qmm_source *src,
                         size_t lanes, size_t k, int64_t *sums);

/* The same for two adjacent panels of B, all of whose columns exist, with lane_step 1: a cache line
 * of each row. sums: of both panels, or NULL. */
typedef void qmm_pack_two_fn(void *left, void *right, const struct qmm_panel *form,
                             const struct qmm_source *src, size_t k, int64_t *sums);

/* Rounding in floats. x is the scaled value times 2^16, plus a half and the output's zero point,
 * rounded to a whole number: its upper half is the output, its lower half the distance to a tie. If
 * the output is not clamped, the value is at most 256, x at most 2^24, and x is off by less than 4:
 * by 256 * 2^16 times 3 * 2^-24 (three roundings: the sum, the row's ratio, its product with the
 * column's scale), and by three quarters for the last sum and the rounding: a half from 2^23 on,
 * else a quarter and a half. So only values less than 4 from a tie are in doubt; 4 more are added
 * to x, so that their lower halves are 1 to 7, below QMM_IN_DOUBT. */
enum { QMM_FRACTION = 16, QMM_MARGIN = 4, QMM_IN_DOUBT = 2 * QMM_MARGIN };

/* x of a value that is clamped whatever the zero point, and not in doubt. */
#define QMM_CLAMPED 0x1.001p26F

/* The term that makes x of a scaled sum, for an output's zero point. */
static inline float qmm_offset(int32_t zero)
{
    return (float)(zero * (1 << QMM_FRACTION) + (1 << (QMM_FRACTION - 1)) + QMM_MARGIN);
}

/* Parameters of a row of the output. Sums and zero points are modulo 2^32: sums fit int32. */
struct qmm_row {
    float sa, so;
    float scale;     /* ratio times 2^QMM_FRACTION */
    float offset;    /* qmm_offset of zero */
    bool plain;      /* ratio and all scales of the columns are plain */
    bool is_signed;  /* the output is int8, else uint8 */
    int32_t zero;    /* of the output */
    uint32_t a_zero; /* as packed */
    uint32_t a_sum;  /* of the packed row, minus K * a_zero */
    uint32_t bias;   /* a_sum times the zero point of all columns, if there are ratios */
};

/* Parameters of columns; those past N are 0. There are ratios if all rows have one scale and one
 * zero point, all columns one zero point, all scales are plain and no value can be beyond
 * QMM_ROUNDED_MOST. */
struct qmm_columns {
    const float *scales;          /* NULL: outputs are the sums, corrected, as int32 */
    const uint32_t *zeros, *sums; /* as packed, modulo 2^32 */
    const uint32_t *bias; /* sums times the zero point of all rows; NULL if there are no ratios */
    const float *ratios;  /* scales times the ratio of all rows times 2^QMM_FRACTION, or NULL */
};

enum { QMM_ROUNDED_MOST = 32000 };

/* Sums of products, rows by columns. */
struct qmm_sums {
    const int32_t *at;
    size_t step;          /* from row to row */
    size_t rows, columns; /* columns: a multiple of nr */
};

/* Writes the outputs of a block of sums that fit int32, sums->columns values at out, out + step
 * bytes, ...: subtracts the zero points' correction, then requantizes as qmm_requantize does. */
typedef void qmm_epilogue_fn(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                             const struct qmm_row *rows, const struct qmm_columns *columns);

/* Panels of A, one after the other; or rows of A, not packed: at least mr, whose values fill all
 * steps. */
struct qmm_rows_of_a {
    const char *at;
    ptrdiff_t step; /* bytes from row to row; 0: packed */
};

/* Micro-kernel and epilogue in one, for K in one block, all nr columns, and columns with ratios:
 * outputs of `count` rows at out, out + step, ... `rows` has `count` rows, and room up to a
 * multiple of mr. */
typedef void qmm_fused_fn(uint8_t *out, ptrdiff_t step, size_t steps, const struct qmm_rows_of_a *a,
                          const void *b, size_t count, const struct qmm_row *rows,
                          const struct qmm_columns *columns);

struct qmm_tile {
    struct qmm_panel a, b; /* of the same kr; B's group is at most that */
    qmm_ukernel_fn *ukernel;
    qmm_pack_fn *pack_a, *pack_b;
    qmm_fused_fn *fused;       /* NULL: none */
    qmm_pack_two_fn *pack_two; /* NULL: none */
};

/* A few rows of A, one after the other. QMM_U8: as packed, and B is multiplied as packed into
 * QMM_S8. QMM_S16: minus their zero points; values of a row differ by at most 255, and are from
 * -255 to 255. */
struct qmm_skinny {
    const void *a; /* [rows][step], zeros past k up to the next multiple of QMM_SKINNY_ALIGN */
    size_t step, rows, k;
    bool prefetch; /* rows of B, which is in no cache: kernel/prefetch.h */
};

enum { QMM_SKINNY_ALIGN = 64 };

/* acc[i][j] = sum over k of a[i][k] * b[k][j] for at most QMM_INT32_K values of K. Reads B by rows
 * if b->lane_step is 1, by columns if b->k_step is 1: one of them is. acc is [rows][step]; up to
 * the next multiple of 64 columns are written. */
typedef void qmm_skinny_fn(int32_t *acc, size_t step, const struct qmm_skinny *a,
                           const struct qmm_source *b, size_t columns);

/* Products of two plain scales and 2^16 are finite and keep a float's precision, times any sum: an
 * infinite scale times a sum of 0 would be NaN. */
static inline bool qmm_scale_is_plain(double scale)
{
    return scale == 0 || (fabs(scale) >= 0x1p-50 && fabs(scale) <= 0x1p50);
}

/* Largest K whose sums of (a - a_zero) * (b - b_zero) all fit int32: 255^2 * K < 2^31. */
enum { QMM_INT32_K = 33025 };

struct qmm_kernel {
    struct kernel_row row;
    struct qmm_tile tile;
    uint32_t max_k;   /* largest block of K whose sums fit int32 for any packed values; a multiple
                         of kr and groups */
    uint16_t least_k; /* "auto" chooses the row before for a smaller K */
    uint16_t kc, mc;  /* block sizes; 0: by the caches */
    qmm_epilogue_fn *epilogue;
    qmm_skinny_fn *skinny;  /* NULL: none */
    enum qmm_elem skinny_a; /* QMM_U8 or QMM_S16 */
    uint16_t skinny_rows;   /* 0, or how many it takes where no sums of ranges are added */
    void (*begin)(void), (*end)(void); /* called around micro-kernels, on their thread, or NULL */
};

static inline size_t qmm_elem_size(enum qmm_elem e) { return e == QMM_S16 ? 2 : 1; }

/* The number that packing adds to an operand's values. */
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

/* Requantization, the definition of an output: clamp(round_half_even(sum * sa * sb / so) + zero,
 * lo, hi), exact for any int64 sum and finite scales, so != 0. */
struct qmm_scale { /* sa * sb / so, prepared once per row and column */
    double approx;
    float sa, sb, so;
};

struct qmm_scale qmm_scale_make(float sa, float sb, float so);

/* round_half_even(sum * sa * sb / so), exact; *tie: it is midway between two whole numbers. Beyond
 * 1024 the result is QMM_BEYOND or -QMM_BEYOND, which is clamped with any zero point. */
enum { QMM_BEYOND = 1025 };
int32_t qmm_round(int64_t sum, const struct qmm_scale *s, bool *tie);

int32_t qmm_requantize(int64_t sum, const struct qmm_scale *s, int32_t zero, int32_t lo,
                       int32_t hi);

/* The kernels of qmatmul, a row each, slowest first; row 0 is the reference and needs nothing. */
extern const struct qmm_kernel qmm_kernels[];
extern const unsigned qmm_kernel_count;
