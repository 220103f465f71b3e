#pragma once

#include "kernel/qmatmul/qmatmul.h"
#include "op/impl.h"

/* Private to op/qmatmul/. kernel/qmatmul/qmatmul.h explains the words. A plan has a shape, three
 * quantized matrices, and one of two strategies:
 *
 *   packed   each thread packs the strip of columns that it computes
 *   skinny   few rows: threads share out strips of B, which is not packed
 *
 * Bytes of the output depend neither on the strategy nor on how the output is cut. */

/* A matrix, one for each index of the leading axes (batch, channel). Strides are in bytes. */
struct operand {
    char *data;
    int64_t lead[DML_MAX_RANK], row, column;
    bool is_signed;
};

/* Scales or zero points along one axis: element i is at i * step; step 0: one value for all. data
 * is NULL if there are none. */
struct qmatmul_vector {
    const void *data;
    int64_t step;
    bool swapped;
};

/* A matrix of values that mean (value - zero) * scale. */
struct quantized {
    struct operand matrix;
    struct qmatmul_vector scale, zero;
};

struct qmatmul_shape {
    unsigned lead_rank;
    uint64_t lead_sizes[DML_MAX_RANK], products; /* products: of the leading sizes */
    uint64_t m, k, n;
};

/* Parameters of the output's columns, the same in all products: arrays of N rounded up to a
 * multiple of nr, 0 past N. */
struct qmatmul_columns {
    float *scales;
    uint32_t *zeros; /* as packed */
    float *ratios;   /* as in struct qmm_columns; NULL: there are none */
    bool plain;      /* qmm_scale_is_plain is true for all scales */
};

/* Panels of B from panel `first` on, [panels][kc][nr] for each block of K, and sums of their
 * columns. */
struct packed_b {
    char *panels;
    uint64_t first;
    uint64_t block_step; /* bytes from block to block; 0: there is room for one */
    int64_t *sums;       /* [stored * nr] of packed values; sums to bias: all 0 if not needed */
    uint32_t *low_sums;  /* modulo 2^32 */
    uint32_t *bias;      /* low_sums times the zero point of all rows, if there are ratios */
    const char *matrix;  /* the matrix that is packed; NULL: none */
};

/* Rows of a chunk on their way from sums to outputs. */
struct epilogue {
    int64_t *a_sums;           /* [rows] of A, as packed, minus K times their zero points */
    struct qmm_row *rows;      /* [rows] */
    uint64_t equal;            /* rows that need only new sums, if scales and zeros do not differ */
    int32_t *sums;             /* of products, in the strategy's order */
    int64_t *wide;             /* the same if K > QMM_INT32_K; else NULL */
    uint8_t *line;             /* [rows][nr] outputs */
    struct op_misfits misfits; /* of this thread */
};

/* Scratch of one thread. Threads do not share its cache lines. */
struct qmatmul_worker {
    _Alignas(CACHE_LINE) char *a; /* panels of mc rows of A, one block of K */
    const char *a_matrix;         /* if K is one block: A of the rows that are packed; NULL: none */
    uint64_t a_row;               /* the first of them */
    struct packed_b b;            /* in skinny, only its sums */
    char *skinny_a;               /* [rows][step] of struct qmm_skinny */
    struct epilogue out;
};

/* How the loops of qmatmul_loops.c cut a product. */
struct qmatmul_blocks {
    uint64_t kc, k_blocks; /* values of K; kc: a multiple of kr and groups */
    uint64_t mc, chunks;   /* rows, a multiple of mr; how many times a task has them */
    uint64_t row_tasks;    /* of a strip */
    uint64_t nc, strips;   /* panels of B; nc: a multiple of `unit` */
    uint64_t jr;           /* panels whose sums become outputs together; divides nc */
    uint64_t unit;         /* panels in a cache line of a row of B */
    uint64_t panels;       /* of B in all */
    uint64_t panel_bytes;  /* of a panel of B in one block */
    uint64_t row_bytes;    /* of a row of A in one block */
};

struct packed {
    struct qmatmul_blocks blocks;
    bool a_sums, b_sums; /* sums of rows or columns are needed: the other has zero points */
    bool fused;          /* whole panels go by fused micro-kernels */
    bool a_unpacked;     /* fused micro-kernels read A without packing */
};

/* Strategy skinny: strips of `columns` columns of B, in `ranges` of kc values of K. With more than
 * one range, sums of all are in memory. */
struct skinny {
    uint64_t rows; /* m, or one more: of ones, whose products are the sums of B's columns */
    uint64_t kc, step, columns, strips, ranges; /* step: of a row of A */
    bool prefetch;                              /* B */
    int64_t *a_sums;                            /* [products][strips][ranges][m] */
    int32_t *sums;                              /* [products][strips][ranges][rows][columns] */
};

struct qmatmul_plan {
    struct op_plan base;
    const struct qmm_kernel *kernel;
    bool is_skinny; /* the strategy */
    struct qmatmul_shape shape;
    struct quantized a, b, c;
    bool sums;                /* the outputs are the exact sums, INT32 */
    bool widened;             /* skinny rows are QMM_S16: they have no zero points, nor shifts */
    int32_t a_shift, b_shift; /* added to values and zero points */
    struct qmatmul_columns columns;
    struct packed packed;
    struct skinny skinny;
    struct qmatmul_worker *workers; /* [threads] */
    struct scratch *scratch;
};

/* The strategies: cut the work for p->base.threads, allocate scratch and set p->base.run; false if
 * memory is short. */
bool qmatmul_prepare_packed(struct qmatmul_plan *p);
bool qmatmul_prepare_skinny(struct qmatmul_plan *p);

/* One of the products at work, with its panels of B. */
struct product {
    const struct qmatmul_plan *plan;
    const char *a, *b;
    char *c;
    uint64_t index; /* of the product */
    struct packed_b *packed;
};

/* ---- operands (qmatmul_operand.c) ---- */

struct qmatmul_shape qmatmul_shape(const struct tensor *a, const struct tensor *b);

/* A scale or zero-point tensor may be NULL. */
struct quantized qmatmul_quantized(const struct tensor *matrix, const struct tensor *scale,
                                   const struct tensor *zero);

/* The index-th product in row-major order. */
struct product qmatmul_product_at(const struct qmatmul_plan *p, uint64_t index,
                                  struct packed_b *packed);

/* Value i of a vector, a zero point of o's type; without a vector zero points are 0, scales 1. */
float qmatmul_scale_at(const struct qmatmul_vector *v, uint64_t i);
int32_t qmatmul_zero_at(const struct qmatmul_vector *v, const struct operand *o, uint64_t i);

/* The zero point of a row of A, as the strategy has its values. */
uint32_t qmatmul_a_zero(const struct qmatmul_plan *p, uint64_t row);

/* ---- scratch (qmatmul_operand.c) ---- */

/* count * size bytes, aligned to cache lines, that live as long as the plan. *good becomes false,
 * and the result NULL, if memory is short. */
void *qmatmul_scratch(struct qmatmul_plan *p, uint64_t count, uint64_t size, bool *good);
void *qmatmul_zeroed_scratch(struct qmatmul_plan *p, uint64_t count, uint64_t size, bool *good);

/* Zero sums of columns; the arrays of an epilogue. */
void qmatmul_allocate_sums(struct qmatmul_plan *p, struct packed_b *b, uint64_t columns,
                           bool *good);
void qmatmul_allocate_epilogue(struct qmatmul_plan *p, struct epilogue *e, uint64_t rows,
                               uint64_t cells, bool *good);

void qmatmul_free_scratch(struct qmatmul_plan *p);

/* ---- packing (qmatmul_pack.c) ---- */

/* Packs a block of K of panels first..last-1 of B; the first begins sums, the last ends them. */
void qmatmul_pack_b(const struct product *x, uint64_t first, uint64_t last, uint64_t block);

/* All blocks are packed before the first is multiplied, and stay. */
static inline bool qmatmul_packs_all(const struct qmatmul_plan *p, const struct packed_b *b)
{
    return p->packed.blocks.k_blocks == 1 || b->block_step != 0;
}

/* Packs a block of K of some rows; adds the packed rows' sums to w->out.a_sums if needed. */
void qmatmul_pack_a(const struct product *x, const struct qmatmul_worker *w, uint64_t row,
                    uint64_t rows, uint64_t block);

/* Values of K in a block. */
uint64_t qmatmul_block_length(const struct qmatmul_plan *p, uint64_t block);

/* A panel of B in a block of K. */
char *qmatmul_panel_at(const struct qmatmul_plan *p, const struct packed_b *b, uint64_t block,
                       uint64_t panel);

/* ---- loops (qmatmul_loops.c) ---- */

/* Computes the outputs of mc rows and of panels first..last-1, which are packed. */
void qmatmul_run_chunk(const struct product *x, struct qmatmul_worker *w, uint64_t row,
                       uint64_t first, uint64_t last);

/* ---- epilogue (qmatmul_epilogue.c) ---- */

/* Fills e->rows for `count` rows from `row` on. e->a_sums has the sums of their packed values, from
 * which K times the zero points is subtracted. */
void qmatmul_fill_rows(const struct qmatmul_plan *p, struct epilogue *e, uint64_t row,
                       uint64_t count);

/* Parameters of the columns from `column` on. */
struct qmm_columns qmatmul_columns_at(const struct product *x, uint64_t column);

/* Adds these sums, which are in e->sums, to those at the same indices of e->wide. */
void qmatmul_widen(const struct epilogue *e, const struct qmm_sums *sums);

/* Writes the outputs of a block of sums: rows from row + i on, of which e->rows[i] is the first,
 * and columns from `column` on, a multiple of nr. Wide sums, if any, replace them; i is 0 then. */
void qmatmul_store(const struct product *x, struct epilogue *e, const struct qmm_sums *sums,
                   uint64_t row, uint64_t i, uint64_t column);
