#ifndef DMLOP_OP_QMATMUL_PLAN_H
#define DMLOP_OP_QMATMUL_PLAN_H

#include "base/util.h"
#include "kernel/qmatmul.h"
#include "op/impl.h"

/* Private to op/qmatmul*.c. */

/* Panels of B that are packed together, for neighbours share cache lines; chunks of columns are
 * multiples of it. */
enum { QMATMUL_PACK_PANELS = 4 };

/* A matrix operand: leading axes (batch, channel) choose a product's matrix. */
struct operand {
    char *data;
    int64_t lead[DML_MAX_RANK]; /* strides of the leading axes; these and the rest in elements, of
                                   one byte */
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
    char *panels; /* NULL where B is read as it lies, with sums of 0, and where it goes through
                     rings */
    int64_t *sums;       /* [columns] */
    uint32_t *low_sums;  /* the same modulo 2^32 */
    uint32_t *bias; /* low_sums times the zero point of all rows; unset where rows or columns differ
                       in theirs */
    bool *narrow;        /* [panels]: packed for the narrow tile */
    const char *matrix;  /* the matrix that is packed; NULL: none */
};

/* The tiles that some panels are for. */
struct tiles {
    bool wide, narrow;
};

/* What one thread works in. */
struct worker {
    char *a;              /* [rows_per_chunk / mr][k_block][mr]: packed rows of A */
    const char *packed_a; /* of K in one block, the matrix whose rows from packed_row on these are,
                             for these tiles; */
    uint64_t packed_row;  /* NULL: none */
    struct tiles packed_for;
    char *narrow_a;       /* the same for the narrow tile */
    int16_t *thin_a;      /* [m][thin_step]: A's rows minus their zero points */
    int64_t *a_sums; /* [rows_per_chunk]: of the packed rows, minus K times their zero points */
    int64_t
        *spare_sums; /* [rows_per_chunk]: the same again, where rows are packed for both tiles */
    struct qmm_row *rows; /* [rows_per_chunk] */
    int32_t *sums; /* [rows_at_once][panels_at_once * nr]; of several K blocks, a chunk's; thin, a
                      strip's */
    int64_t *wide;        /* the same where sums may not fit 32 bits */
    uint8_t *line;        /* [rows_per_chunk][nr] */
    struct packed_b b;    /* where whole products are shared out */
    char *ring;           /* [panel_mask + 1] panels of B */
};

/*
 * B is packed once per product and shared; chunks of the output, rows_per_chunk by
 * panels_per_chunk, are shared out among threads, each packing its rows of A. K is cut into blocks
 * so that a panel of B and the rows of A stay in the caches. Where all rows are one chunk's, no
 * panel of B is needed twice: each thread packs its columns' into a ring, from which they are used
 * at once. Many small products are shared out whole instead, each thread packing its own B.
 * Products of few rows are thin: their B is read where it lies, strips of columns shared out. The
 * cut depends on the shape and the kernel alone.
 */
struct qmatmul_plan {
    struct op_plan base;
    const struct qmm_kernel *kernel;
    unsigned lead_rank;
    uint64_t lead_sizes[DML_MAX_RANK], products;
    uint64_t m, k, n;
    struct operand a, b, c;
    struct vector a_scale, b_scale, c_scale, a_zero, b_zero, c_zero;
    uint64_t k_block,
        k_blocks; /* values of K in a block, a multiple of kr and of the kernel's groups */
    uint64_t panels, columns;   /* of B: columns, N rounded up to a multiple of nr, by nr */
    uint64_t rows_per_chunk, row_chunks;       /* a multiple of mr */
    uint64_t panels_per_chunk, column_chunks;
    uint64_t panels_at_once; /* that go together through the chunk's rows; a power of two that
                                divides those */
    uint64_t
        rows_at_once; /* whose sums are finished together, where K is one block; a multiple of mr */
    uint64_t a_bytes,
        panel_bytes; /* of a row of A, of a panel of B, in one block, for the kernel's own tile */
    bool ring;
    uint64_t panel_mask;        /* panel & panel_mask: its index among the ring's, or among all */
    bool whole_products;
    bool thin;
    uint64_t thin_columns, thin_step;
    float *b_scales;            /* [columns], 0 past N */
    uint32_t *b_zeros;          /* as packed */
    bool plain_columns;         /* qmm_scale_is_plain for all of them */
    bool uniform;               /* all rows have one zero point, and so have all columns */
    float *ratios;              /* [columns]: struct qmm_columns has them */
    bool fused;                 /* outputs of whole panels are made without sums in memory */
    struct packed_b packed_b;   /* of the product at hand */
    struct worker *workers;     /* [threads] */
};

/* One of the products, at work. */
struct product {
    const struct qmatmul_plan *plan;
    bool narrow;         /* panels of B may be proved to fit the narrow tile */
    bool small_a;        /* all of A is */
    bool pack_in_chunks; /* each chunk packs its columns of B as it comes to them: no other needs
                            them */
    const char *a, *b;
    char *c;
    struct packed_b *packed;
};

/* Value i of a vector; a zero point of o's type, 0 where there is none. */
float qmatmul_scale_at(const struct vector *v, uint64_t i);
int32_t qmatmul_zero_at(const struct vector *v, const struct operand *o, uint64_t i);

/* Bytes of a lane of a K block as the narrow tile has it. */
static inline uint64_t qmatmul_narrow_depth(const struct qmatmul_plan *p)
{
    return u64_round_up(p->k_block, p->kernel->narrow->kr);
}

/* The index-th product in row-major order, its B in `packed`. */
struct product qmatmul_product_at(const struct qmatmul_plan *p, uint64_t index,
                                  struct packed_b *packed);

/* Fills w->rows for `count` rows from `row` on, whose packed values add up to w->a_sums; turns
 * these into what they are to be. */
void qmatmul_fill_rows(const struct qmatmul_plan *p, const struct worker *w, uint64_t row,
                       uint64_t count);

/* What outputs from a column on have in common. */
struct qmm_columns qmatmul_columns_at(const struct product *x, uint64_t column);

/* Writes the outputs of a block of sums that fit int32: rows from row + i on, of which w->rows[i]
 * is the first, and columns from `column` on, a multiple of nr. */
void qmatmul_store(const struct product *x, const struct worker *w, const struct qmm_sums *sums,
                   uint64_t row, uint64_t i, uint64_t column);

/* The same for `wide` sums of any size, laid out as `sums`, whose memory it writes. */
void qmatmul_store_wide(const struct product *x, const struct worker *w, const int64_t *wide,
                        int32_t *sums, const struct qmm_sums *form, uint64_t row, uint64_t column);

/* Computes all products, packed or thin. */
void qmatmul_run(struct op_plan *plan);
void qmatmul_run_thin(struct op_plan *plan);

#endif
