#ifndef DMLOP_OP_QMATMUL_QMATMUL_PLAN_H
#define DMLOP_OP_QMATMUL_QMATMUL_PLAN_H

#include "base/util.h"
#include "kernel/qmatmul/qmatmul.h"
#include "op/impl.h"

/*
 * Private to op/qmatmul*.c. The words are kernel/qmatmul/qmatmul.h's. A plan is a shape, what the
 * numbers mean, and one of three strategies:
 *
 *   shared   all threads pack B together, then share out chunks of the output
 *   own      a thread packs the columns that it computes: a strip's, or a small product's
 *   skinny   few rows: strips of B are read where they lie
 *
 * Bytes depend neither on the strategy nor on how the output is cut.
 */

/* A matrix: leading axes (batch, channel) choose a product's. */
struct operand {
    char *data;
    int64_t lead[DML_MAX_RANK]; /* strides of the leading axes; these and the rest in elements, of
                                   one byte */
    int64_t row, column;
    bool is_signed;
};

/* Scales or zero points along one axis: element i is at i * step, step 0 for one value for all. */
struct vector {
    const void *data;
    int64_t step;
    bool swapped;
};

/* A matrix and what its values mean: (value - zero) * scale. */
struct quantized {
    struct operand matrix;
    struct vector scale, zero;
};

struct shape {
    unsigned lead_rank;
    uint64_t lead_sizes[DML_MAX_RANK], products;
    uint64_t m, k, n;
};

/* What columns of the output have in common in all rows and products. */
struct columns {
    float *scales;   /* [N rounded up to a multiple of nr], 0 past N; so the others */
    uint32_t *zeros; /* as packed */
    float *ratios;   /* as struct qmm_columns has them, or NULL */
    bool plain;      /* qmm_scale_is_plain for all of them */
    bool uniform;    /* all rows have one zero point, and so have all columns */
};

/* What columns of B add up to, as packed, from column `first` on. */
struct column_sums {
    uint64_t first;
    int64_t *whole;
    uint32_t *low;  /* the same modulo 2^32 */
    uint32_t *bias; /* low times the zero point of all rows; unset where rows or columns differ in
                       theirs */
};

/* Panels of B: [k_blocks][stored][kc][nr]. */
struct packed_b {
    char *panels;
    uint64_t first; /* the panel that is the first of these and of the sums */
    bool *pair;     /* [panels]: packed for the pair tile */
    struct column_sums sums;
    const char *matrix; /* the matrix that is packed; NULL: none */
};

/* Panels of rows of A, one block of K deep, for the kernel's tile and for the pair tile. */
enum tile_index { TILE_OWN, TILE_PAIR, TILES };

struct packed_a {
    char *panels[TILES];
    const char *matrix; /* K being one block, its rows from `row` on are packed; NULL: none */
    uint64_t row;
    unsigned tiles; /* for these: bits 1 << tile_index */
};

/* Rows of a chunk on their way to outputs. */
struct epilogue {
    int64_t *a_sums;      /* [rows] of A, as packed, minus K times their zero points */
    struct qmm_row *rows; /* [rows] */
    int32_t *sums;        /* of products, as the strategy has them */
    int64_t *wide;        /* the same where they may not fit 32 bits; else NULL */
    uint8_t *line;        /* [rows][nr] */
    uint64_t alike;       /* rows that differ in their sums alone, where all do */
};

/* What one thread works in: one allocation, at `memory`. */
struct worker {
    char *memory;
    struct packed_a a;
    struct packed_b b; /* of strategy own; skinny has zeros for sums */
    int16_t *skinny_a; /* [m][step]: A's rows minus their zero points */
    struct epilogue out;
};

/* How the loops of qmatmul_loops.c cut a product. */
struct blocks {
    uint64_t kc, k_blocks;      /* values of K; a multiple of kr and groups */
    uint64_t mc, row_chunks;    /* rows; a multiple of mr */
    uint64_t nc, column_chunks; /* panels of B; a multiple of `unit` */
    uint64_t unit;              /* panels that a cache line of B has */
    uint64_t together;          /* panels that are packed together: some units, a power of two */
    uint64_t panels;            /* of B in all */
    uint64_t stored;            /* of these in a packed_b; */
    bool ring;                  /* then a power of two, and panel i is at i % stored */
    uint64_t jr; /* panels that go together through the rows; a power of two that divides nc */
    uint64_t ir; /* rows whose sums are finished together, where K is one block; a multiple of mr */
    uint64_t panel_bytes;      /* of a panel of B in one block, for the kernel's own tile */
    uint64_t row_bytes[TILES]; /* of a row of A in one block */
};

/* Strategies shared and own. */
struct packed {
    struct blocks blocks;
    struct packed_b b;   /* of strategy shared */
    bool a_sums, b_sums; /* of rows, of columns: wanted, as the other's zero points are not 0 */
    bool small_a;        /* in this run, all of A is, as struct qmm_pair has it */
    bool fused;          /* outputs of whole panels are made without sums in memory */
    bool a_lies;         /* and from whole panels' rows of A where they lie, flipped if need be */
};

/* Strategy skinny: strips of `columns` columns of B, kc values of K at once; or each strip in parts
 * of kc values, whose sums are added up when all are there. */
struct skinny {
    uint64_t kc, step, columns, strips, parts; /* step: of a row of A, widened */
    bool prefetch;                             /* B */
    int64_t *a_sums;                           /* [products][strips][parts][m], where parts > 1 */
    int32_t *sums;                             /* [products][strips][parts][m][columns] */
};

struct qmatmul_plan {
    struct op_plan base;
    const struct qmm_kernel *kernel;
    const struct strategy *strategy;
    struct shape shape;
    struct quantized a, b, c;
    struct columns columns;
    struct packed packed;
    struct skinny skinny;
    struct worker *workers; /* [threads] */
    char *memory;           /* what they share: one allocation */
};

/* The three ways to go through the products. */
struct strategy {
    void (*cut)(struct qmatmul_plan *p); /* for p->base.threads */
    void (*run)(struct op_plan *plan);
};

extern const struct strategy qmatmul_shared, qmatmul_own, qmatmul_skinny;

/* Whether strategy own is the better of the first two. Cuts K, as both do. */
bool qmatmul_suits_own(struct qmatmul_plan *p);

/* One of the products, at work. */
struct product {
    const struct qmatmul_plan *plan;
    const char *a, *b;
    char *c;
    struct packed_b *packed;
};

/* The index-th product in row-major order, its B in `packed`. */
struct product qmatmul_product_at(const struct qmatmul_plan *p, uint64_t index,
                                  struct packed_b *packed);

/* Value i of a vector; a zero point of o's type, 0 where there is none. */
float qmatmul_scale_at(const struct vector *v, uint64_t i);
int32_t qmatmul_zero_at(const struct vector *v, const struct operand *o, uint64_t i);

/* The zero point of a row of A as the strategy has its values: packed, or, skinny, without it. */
uint32_t qmatmul_a_zero(const struct qmatmul_plan *p, uint64_t row);

/* ---- memory (qmatmul_memory.c) ---- */

/* Scratch of the plan's strategy, as it has been cut. False where memory is short. Released by
 * qmatmul_free_scratch, also then. */
bool qmatmul_allocate_scratch(struct qmatmul_plan *p);
void qmatmul_free_scratch(struct qmatmul_plan *p);

/* ---- packing (qmatmul_pack.c) ---- */

/* The tile of a kernel; TILE_PAIR where there is one. */
const struct qmm_tile *qmatmul_tile(const struct qmm_kernel *kn, enum tile_index t);

/* Whether all of A is as small as struct qmm_pair has it. False of several products, too, for B may
 * stay packed for another A. */
bool qmatmul_a_is_small(const struct product *x);

/* Decides for which tiles panels first..last-1 of B are packed. */
void qmatmul_choose_tiles(const struct product *x, uint64_t first, uint64_t last);

/* Packs panels first..last-1, side by side, over all of K; their tiles are chosen. */
void qmatmul_pack_b(const struct product *x, uint64_t first, uint64_t last);

/* Packs a block of K of some rows for these tiles, but for those that are read where they lie; the
 * packed rows' sums grow, where they are wanted. */
void qmatmul_pack_a(const struct product *x, const struct worker *w, uint64_t row, uint64_t rows,
                    uint64_t block, unsigned tiles);

/* Values of K in a block. */
uint64_t qmatmul_block_length(const struct qmatmul_plan *p, uint64_t block);

/* Where a panel of B is in a block of K. */
char *qmatmul_panel_at(const struct qmatmul_plan *p, const struct packed_b *b, uint64_t block,
                       uint64_t panel);

/* ---- loops (qmatmul_loops.c) ---- */

/* Computes the outputs of mc rows and of panels first..last-1. Packs the rows, and, where B goes
 * through a ring, the panels. */
void qmatmul_run_chunk(const struct product *x, struct worker *w, uint64_t row, uint64_t first,
                       uint64_t last);

/* ---- from sums to outputs (qmatmul_epilogue.c) ---- */

/* Fills e->rows for `count` rows from `row` on, whose packed values add up to e->a_sums; turns
 * these into what they are to be. */
void qmatmul_fill_rows(const struct qmatmul_plan *p, struct epilogue *e, uint64_t row,
                       uint64_t count);

/* What outputs from a column on have in common. */
struct qmm_columns qmatmul_columns_at(const struct product *x, uint64_t column);

/* Writes the outputs of a block of sums that fit int32: rows from row + i on, of which e->rows[i]
 * is the first, and columns from `column` on, a multiple of nr. */
void qmatmul_store(const struct product *x, const struct epilogue *e, const struct qmm_sums *sums,
                   uint64_t row, uint64_t i, uint64_t column);

/* The same for what e->wide has in place of those sums, and all their rows; writes the sums. */
void qmatmul_store_wide(const struct product *x, const struct epilogue *e,
                        const struct qmm_sums *form, uint64_t row, uint64_t column);

/* Adds the first cells of e->sums to those of e->wide. */
void qmatmul_widen(const struct epilogue *e, size_t cells);

#endif
