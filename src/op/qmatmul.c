#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/util.h"
#include "desc/schema.h"
#include "kernel/qmatmul.h"
#include "op/impl.h"

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

struct scratch {
    void *a;           /* [k_blocks][k_block][mr]: a packed panel of A */
    int64_t *row_sums; /* [mr] of the packed panel */
    int32_t *tile;     /* [mr][nr] */
    int64_t *sums;     /* [mr][nr] over all K blocks */
};

struct qmatmul_plan {
    struct op_plan base;
    const struct qmm_kernel *kernel;
    unsigned lead_rank;
    uint64_t lead_sizes[DML_MAX_RANK];
    uint64_t m, k, n;
    struct operand a, b, c;
    struct vector a_scale, b_scale, c_scale, a_zero, b_zero, c_zero;
    uint64_t k_block, k_blocks; /* values of K in a block, a multiple of kr */
    uint64_t panels;            /* of B: columns by nr */
    void *packed_b;             /* [k_blocks][panels][k_block][nr] of the product at hand */
    int64_t *column_sums;       /* [n] of B as packed */
    struct scratch *scratch;    /* [threads] */
    int threads;
    const char *product_a, *product_b; /* of the product at hand */
    char *product_c;
};

static size_t elem_size(enum qmm_elem e) { return e == QMM_S16 ? 2 : 1; }

/* What is added to an operand's values when packed, so that they fit the tile's elements. */
static int32_t shift(const struct operand *o, enum qmm_elem e)
{
    if (e == QMM_S16)
        return 0;
    return e == QMM_U8 ? (o->is_signed ? 128 : 0) : (o->is_signed ? 0 : -128);
}

static int32_t value(const struct operand *o, const char *at)
{
    return o->is_signed ? *(const signed char *)at : *(const unsigned char *)at;
}

static void store(void *packed, enum qmm_elem e, uint64_t at, int32_t v)
{
    if (e == QMM_S16)
        ((int16_t *)packed)[at] = (int16_t)v;
    else
        ((uint8_t *)packed)[at] = (uint8_t)v;
}

/*
 * Packs `lanes` rows of A or columns of B ([groups][lanes][kr]) over k values of K; lanes past `there` become 0.
 * lane and inner are the operand's steps between lanes and along K. sums[lane] grows by the packed values.
 */
static void pack(void *packed, enum qmm_elem e, const struct operand *o, const char *src, uint64_t there,
                 uint64_t lanes, uint64_t k, uint64_t kr, int64_t lane, int64_t inner, int64_t *sums)
{
    uint64_t groups = (k + kr - 1) / kr;
    int32_t add = shift(o, e);

    for (uint64_t l = 0; l < lanes; l++)
        for (uint64_t i = 0; i < groups * kr; i++) {
            uint64_t at = (i / kr * lanes + l) * kr + i % kr;
            int32_t v = 0;

            if (l < there && i < k) {
                v = value(o, src + (int64_t)l * lane + (int64_t)i * inner) + add;
                sums[l] += v;
            }
            store(packed, e, at, v);
        }
}

static uint64_t block_length(const struct qmatmul_plan *p, uint64_t block)
{
    return u64_min(p->k - block * p->k_block, p->k_block);
}

static char *packed_b_at(const struct qmatmul_plan *p, uint64_t block, uint64_t panel)
{
    return (char *)p->packed_b +
           (block * p->panels + panel) * p->k_block * p->kernel->nr * elem_size(p->kernel->b_elem);
}

static void pack_b_panel(void *context, size_t panel, int thread)
{
    const struct qmatmul_plan *p = context;
    uint64_t first = panel * p->kernel->nr, there = u64_min(p->n - first, p->kernel->nr);
    int64_t *sums = p->column_sums + first;

    (void)thread;
    memset(sums, 0, there * sizeof *sums);
    for (uint64_t block = 0; block < p->k_blocks; block++)
        pack(packed_b_at(p, block, panel), p->kernel->b_elem, &p->b,
             p->product_b + (int64_t)first * p->b.column + (int64_t)(block * p->k_block) * p->b.row, there,
             p->kernel->nr, block_length(p, block), p->kernel->kr, p->b.column, p->b.row, sums);
}

static float scale_at(const struct vector *v, uint64_t i)
{
    float f;

    memcpy(&f, (const char *)v->data + (int64_t)i * v->step * (int64_t)sizeof f, sizeof f);
    if (v->swapped)
        tensor_swap_bytes(&f, sizeof f, 1);
    return f;
}

static int32_t zero_at(const struct vector *v, const struct operand *o, uint64_t i)
{
    return v->data ? value(o, (const char *)v->data + (int64_t)i * v->step) : 0;
}

/* From the sum of packed products to the output: zero points by row and column sums, then requantization. */
static void put_tile(const struct qmatmul_plan *p, const int64_t *acc, const int64_t *row_sums, uint64_t row,
                     uint64_t column)
{
    uint64_t rows = u64_min(p->m - row, p->kernel->mr), columns = u64_min(p->n - column, p->kernel->nr);
    int32_t lo = p->c.is_signed ? -128 : 0, hi = p->c.is_signed ? 127 : 255;

    for (uint64_t i = 0; i < rows; i++) {
        int64_t za = zero_at(&p->a_zero, &p->a, row + i) + shift(&p->a, p->kernel->a_elem);
        float sa = scale_at(&p->a_scale, row + i), so = scale_at(&p->c_scale, row + i);
        int32_t zc = zero_at(&p->c_zero, &p->c, row + i);
        char *dst = p->product_c + (int64_t)(row + i) * p->c.row + (int64_t)column * p->c.column;

        for (uint64_t j = 0; j < columns; j++, dst += p->c.column) {
            int64_t zb = zero_at(&p->b_zero, &p->b, column + j) + shift(&p->b, p->kernel->b_elem);
            int64_t sum = acc[i * p->kernel->nr + j] - zb * row_sums[i] - za * p->column_sums[column + j] +
                          (int64_t)p->k * za * zb;
            struct qmm_scale s = qmm_scale_make(sa, scale_at(&p->b_scale, column + j), so);

            *dst = (char)qmm_requantize(sum, &s, zc, lo, hi);
        }
    }
}

static char *packed_a_at(const struct qmatmul_plan *p, const struct scratch *s, uint64_t block)
{
    return (char *)s->a + block * p->k_block * p->kernel->mr * elem_size(p->kernel->a_elem);
}

static void pack_a_panel(const struct qmatmul_plan *p, const struct scratch *s, uint64_t row)
{
    const struct qmm_kernel *kn = p->kernel;

    memset(s->row_sums, 0, kn->mr * sizeof *s->row_sums);
    for (uint64_t block = 0; block < p->k_blocks; block++)
        pack(packed_a_at(p, s, block), kn->a_elem, &p->a,
             p->product_a + (int64_t)row * p->a.row + (int64_t)(block * p->k_block) * p->a.column,
             u64_min(p->m - row, kn->mr), kn->mr, block_length(p, block), kn->kr, p->a.row, p->a.column, s->row_sums);
}

/* All columns of the mr rows of one panel of A. */
static void run_panel(void *context, size_t panel, int thread)
{
    const struct qmatmul_plan *p = context;
    const struct qmm_kernel *kn = p->kernel;
    const struct scratch *s = &p->scratch[thread];
    uint64_t row = panel * kn->mr, cells = (uint64_t)kn->mr * kn->nr;

    pack_a_panel(p, s, row);
    for (uint64_t right = 0; right < p->panels; right++) {
        memset(s->sums, 0, cells * sizeof *s->sums);
        for (uint64_t block = 0; block < p->k_blocks; block++) {
            kn->tile((size_t)((block_length(p, block) + kn->kr - 1) / kn->kr), packed_a_at(p, s, block),
                     packed_b_at(p, block, right), s->tile);
            for (uint64_t i = 0; i < cells; i++)
                s->sums[i] += s->tile[i];
        }
        put_tile(p, s->sums, s->row_sums, row, right * kn->nr);
    }
}

/* The matrix of `o` for the product at leading coordinate c. */
static char *matrix_at(const struct qmatmul_plan *p, const struct operand *o, const uint64_t *c)
{
    int64_t at = 0;

    for (unsigned i = 0; i < p->lead_rank; i++)
        at += (int64_t)c[i] * o->lead[i];
    return o->data + at;
}

static void qmatmul_run(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;
    uint64_t c[DML_MAX_RANK] = { 0 };

    do {
        p->product_a = matrix_at(p, &p->a, c);
        p->product_b = matrix_at(p, &p->b, c);
        p->product_c = matrix_at(p, &p->c, c);
        parallel_for((size_t)p->panels, p->threads, pack_b_panel, p);
        parallel_for((size_t)((p->m + p->kernel->mr - 1) / p->kernel->mr), p->threads, run_panel, p);
    } while (tensor_next(p->lead_rank, p->lead_sizes, c));
}

static void qmatmul_free(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;

    for (int i = 0; p->scratch && i < p->threads; i++) {
        free(p->scratch[i].a);
        free(p->scratch[i].row_sums);
        free(p->scratch[i].tile);
        free(p->scratch[i].sums);
    }
    free(p->scratch);
    free(p->column_sums);
    free(p->packed_b);
    free(p);
}

static struct operand operand_of(const struct tensor *t)
{
    const int64_t *s = t->strides + t->rank;
    struct operand o = { .data = t->data, .row = s[-2], .column = s[-1], .is_signed = t->type == DT_INT8 };

    memcpy(o.lead, t->strides, (t->rank - 2) * sizeof o.lead[0]);
    return o;
}

/* The only axis of t longer than 1, or one value for all. */
static struct vector vector_of(const struct tensor *t)
{
    struct vector v = { 0 };

    if (!t)
        return v;
    v.data = t->data;
    v.swapped = t->swapped;
    for (unsigned i = 0; i < t->rank; i++)
        if (t->sizes[i] > 1)
            v.step = t->strides[i];
    return v;
}

static enum status check_scales(const struct desc *d, const struct tensor *t, unsigned slot, struct diag *dg)
{
    uint64_t c[TENSOR_MAX_RANK] = { 0 }, i = 0;

    do {
        float f;

        memcpy(&f, tensor_at(t, c), sizeof f);
        if (t->swapped)
            tensor_swap_bytes(&f, sizeof f, 1);
        if (!isfinite(f) || (slot == SLOT_C_SCALE && f == 0))
            return diag_error(dg, ST_INPUT, NULL, "%s: the scale at index %" PRIu64 " is %g; scales are finite%s [%s]",
                              op_tensor_field(d->op, slot)->name, i, (double)f,
                              slot == SLOT_C_SCALE ? ", and an output scale is not 0" : "",
                              "qmatmul.scale-value");
        i++;
    } while (tensor_next(t->rank, t->sizes, c));
    return ST_OK;
}

static bool allocate(struct qmatmul_plan *p)
{
    const struct qmm_kernel *kn = p->kernel;
    uint64_t cells = (uint64_t)kn->mr * kn->nr, bytes;

    if (!u64_mul(p->k_blocks * p->panels, p->k_block * kn->nr, &bytes))
        return false;
    p->packed_b = mem_alloc_aligned(bytes, elem_size(kn->b_elem));
    p->column_sums = mem_alloc(p->n, sizeof *p->column_sums);
    p->scratch = mem_zalloc((uint64_t)p->threads, sizeof *p->scratch);
    if (!p->packed_b || !p->column_sums || !p->scratch)
        return false;
    for (int i = 0; i < p->threads; i++) {
        struct scratch *s = &p->scratch[i];

        s->a = mem_alloc_aligned(p->k_blocks * p->k_block, kn->mr * elem_size(kn->a_elem));
        s->row_sums = mem_alloc_aligned(kn->mr, sizeof *s->row_sums);
        s->tile = mem_alloc_aligned(cells, sizeof *s->tile);
        s->sums = mem_alloc_aligned(cells, sizeof *s->sums);
        if (!s->a || !s->row_sums || !s->tile || !s->sums)
            return false;
    }
    return true;
}

static void take_shape(struct qmatmul_plan *p, struct tensor *const t[SLOT_COUNT])
{
    const struct tensor *a = t[SLOT_A], *b = t[SLOT_B];
    unsigned r = a->rank;

    p->lead_rank = r - 2;
    memcpy(p->lead_sizes, a->sizes, p->lead_rank * sizeof p->lead_sizes[0]);
    tensor_count(p->lead_rank, p->lead_sizes, &p->base.operations); /* A fits memory */
    p->m = a->sizes[r - 2];
    p->k = a->sizes[r - 1];
    p->n = b->sizes[r - 1];
    p->base.operations *= p->m * p->n * p->k;
    p->k_block = u64_min((p->k + p->kernel->kr - 1) / p->kernel->kr * p->kernel->kr, p->kernel->max_k);
    p->k_blocks = (p->k + p->k_block - 1) / p->k_block;
    p->panels = (p->n + p->kernel->nr - 1) / p->kernel->nr;
    p->a = operand_of(a);
    p->b = operand_of(b);
    p->c = operand_of(t[SLOT_C]);
    p->a_scale = vector_of(t[SLOT_A_SCALE]);
    p->b_scale = vector_of(t[SLOT_B_SCALE]);
    p->c_scale = vector_of(t[SLOT_C_SCALE]);
    p->a_zero = vector_of(t[SLOT_A_ZERO]);
    p->b_zero = vector_of(t[SLOT_B_ZERO]);
    p->c_zero = vector_of(t[SLOT_C_ZERO]);
}

enum status qmatmul_plan_new(struct op_plan **plan, const struct desc *d, struct tensor *const t[SLOT_COUNT],
                             const struct op_exec *exec, struct diag *dg)
{
    static const unsigned scales[] = { SLOT_A_SCALE, SLOT_B_SCALE, SLOT_C_SCALE };
    struct qmatmul_plan *p;
    unsigned row;
    enum status st;

    st = op_select_kernel(qmm_kernels, qmm_kernel_count, sizeof qmm_kernels[0], exec->kernel, &row, dg);
    for (size_t i = 0; st == ST_OK && i < ARRAY_LEN(scales); i++)
        st = check_scales(d, t[scales[i]], scales[i], dg);
    if (st)
        return st;
    p = mem_zalloc(1, sizeof *p);
    if (!p)
        return diag_nomem(dg);
    p->kernel = &qmm_kernels[row];
    p->base = (struct op_plan){ .run = qmatmul_run, .free = qmatmul_free, .kernel = p->kernel->row.name };
    p->threads = exec->threads;
    take_shape(p, t);
    if (!allocate(p)) {
        qmatmul_free(&p->base);
        return diag_nomem(dg);
    }
    *plan = &p->base;
    return ST_OK;
}
