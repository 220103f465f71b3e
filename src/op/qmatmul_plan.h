#ifndef DMLOP_OP_QMATMUL_PLAN_H
#define DMLOP_OP_QMATMUL_PLAN_H

#include "kernel/qmatmul.h"
#include "op/impl.h"

/* Private to op/qmatmul*.c. */

/* A matrix operand: leading axes (batch, channel) choose a product's matrix. */
struct operand {
    char *data;
    int64_t lead[DML_MAX_RANK]; /* strides of the leading axes; these and the rest in elements, of one byte */
    int64_t row, column;
    bool is_signed;
};

/* Scales and zero points along one axis: element i is at i * step, step 0 for one value for all. */
struct vector {
    const void *data;
    int64_t step;
    bool swapped;
};

/* B as the kernel wants it: [k_blocks][panels][k_block][nr], and what its columns add up to. */
struct packed_b {
    char *panels;
    int64_t *sums;       /* [panels * nr] */
    uint32_t *low_sums;  /* the same modulo 2^32 */
    const char *matrix;  /* the matrix that is packed; NULL: none */
};

/* What one thread works in. */
struct worker {
    char *a;              /* [rows_per_chunk / mr][k_block][mr]: packed rows of A */
    int64_t *a_sums;      /* [rows_per_chunk] */
    struct qmm_row *rows; /* [rows_per_chunk] */
    int32_t *tile;        /* [mr][nr] */
    int64_t *sums;        /* [panels_per_chunk][rows_per_chunk][nr]; NULL with one K block */
    uint8_t *line;        /* [mr][nr] */
    struct packed_b b;    /* where whole products are shared out */
};

/*
 * B is packed once per product and shared; chunks of the output, rows_per_chunk by panels_per_chunk, are shared
 * out among threads, each packing its rows of A. K is cut into blocks so that a panel of B and the rows of A stay
 * in the caches. Many small products are shared out whole instead, each thread packing its own B. The cut depends
 * on the shape alone.
 */
struct qmatmul_plan {
    struct op_plan base;
    const struct qmm_kernel *kernel;
    unsigned lead_rank;
    uint64_t lead_sizes[DML_MAX_RANK], products;
    uint64_t m, k, n;
    struct operand a, b, c;
    struct vector a_scale, b_scale, c_scale, a_zero, b_zero, c_zero;
    uint64_t k_block, k_blocks; /* values of K in a block, a multiple of kr */
    uint64_t panels;            /* of B: columns by nr */
    uint64_t rows_per_chunk, row_chunks;       /* a multiple of mr */
    uint64_t panels_per_chunk, column_chunks;
    bool whole_products;
    float *b_scales;            /* [panels * nr], 0 past N */
    uint32_t *b_zeros;          /* as packed */
    bool plain_columns;         /* qmm_scale_is_plain for all of them */
    struct packed_b packed_b;   /* of the product at hand */
    struct worker *workers;     /* [threads] */
    int threads;
};

/* Value i of a vector; a zero point of o's type, 0 where there is none. */
float qmatmul_scale_at(const struct vector *v, uint64_t i);
int32_t qmatmul_zero_at(const struct vector *v, const struct operand *o, uint64_t i);

/* Computes all products. */
void qmatmul_run(struct op_plan *plan);

#endif
