#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "desc/schema.h"
#include "op/qmatmul_plan.h"

/* For a second cache of 256 KiB and up: a panel of B for one K block and the chunk's rows of A stay there. */
enum {
    PANEL_BYTES = 64 << 10,    /* of B */
    ROWS_BYTES = 128 << 10,    /* of A */
    ROWS_MAX = 64,
    CHUNKS = 16,               /* at least, where the shape allows, so that threads end together */
    ROWS_LEAST = 16,           /* to which chunks are cut for that */
    COLUMNS_LEAST = 256,
    SUMS_COLUMNS = 512,        /* of a chunk whose sums are gathered over K blocks */
    WHOLE_BYTES = 1 << 20,     /* of a packed B, and */
    WHOLE_WORK = 1 << 24,      /* multiply-adds, up to which a product is one thread's */
    ALONE_WORK = 1 << 18,      /* up to which one thread does it all */
};

static void free_packed_b(struct packed_b *b)
{
    free(b->panels);
    free(b->sums);
    free(b->low_sums);
}

static void qmatmul_free(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;

    for (int i = 0; p->workers && i < p->threads; i++) {
        struct worker *w = &p->workers[i];

        free(w->a);
        free(w->a_sums);
        free(w->rows);
        free(w->tile);
        free(w->sums);
        free(w->line);
        free_packed_b(&w->b);
    }
    free(p->workers);
    free(p->b_scales);
    free(p->b_zeros);
    free_packed_b(&p->packed_b);
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

static uint64_t ceil_div(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

/* K into equal blocks; rows and columns into chunks. */
static void cut(struct qmatmul_plan *p)
{
    const struct qmm_kernel *kn = p->kernel;
    uint64_t most = u64_min(PANEL_BYTES / (kn->nr * qmm_elem_size(kn->b_elem)), kn->max_k) / kn->kr * kn->kr;
    uint64_t rows, split;

    p->k_blocks = ceil_div(p->k, most);
    p->k_block = ceil_div(ceil_div(p->k, p->k_blocks), kn->kr) * kn->kr;
    p->panels = ceil_div(p->n, kn->nr);
    rows = u64_min(ROWS_BYTES / (p->k_block * qmm_elem_size(kn->a_elem)), ROWS_MAX);
    if (ceil_div(p->m, rows) < CHUNKS)
        rows = u64_min(rows, u64_max(ceil_div(p->m, CHUNKS), ROWS_LEAST));
    p->rows_per_chunk = ceil_div(u64_min(rows, p->m), kn->mr) * kn->mr;
    p->row_chunks = ceil_div(p->m, p->rows_per_chunk);
    split = u64_min(ceil_div(CHUNKS, p->row_chunks), ceil_div(p->n, COLUMNS_LEAST));
    if (p->k_blocks > 1)
        split = u64_max(split, ceil_div(p->n, SUMS_COLUMNS));
    p->panels_per_chunk = ceil_div(p->panels, split);
    p->column_chunks = ceil_div(p->panels, p->panels_per_chunk);
}

static void take_shape(struct qmatmul_plan *p, struct tensor *const t[SLOT_COUNT])
{
    const struct tensor *a = t[SLOT_A], *b = t[SLOT_B];
    unsigned r = a->rank;

    p->lead_rank = r - 2;
    memcpy(p->lead_sizes, a->sizes, p->lead_rank * sizeof p->lead_sizes[0]);
    tensor_count(p->lead_rank, p->lead_sizes, &p->products); /* A fits memory */
    p->m = a->sizes[r - 2];
    p->k = a->sizes[r - 1];
    p->n = b->sizes[r - 1];
    p->base.operations = p->products * p->m * p->n * p->k;
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

static void share_out(struct qmatmul_plan *p)
{
    uint64_t work = p->m * p->k * p->n, bytes = p->panels * p->kernel->nr * p->k * qmm_elem_size(p->kernel->b_elem);

    p->whole_products = p->products > 1 && work <= WHOLE_WORK && bytes <= WHOLE_BYTES;
    if (p->base.operations <= ALONE_WORK)
        p->threads = 1;
}

static bool allocate_packed_b(const struct qmatmul_plan *p, struct packed_b *b)
{
    uint64_t columns = p->panels * p->kernel->nr, bytes;

    if (!u64_mul(p->k_blocks * p->k_block, columns, &bytes))
        return false;
    b->panels = mem_alloc_aligned(bytes, qmm_elem_size(p->kernel->b_elem));
    b->sums = mem_alloc_aligned(columns, sizeof *b->sums);
    b->low_sums = mem_alloc_aligned(columns, sizeof *b->low_sums);
    return b->panels && b->sums && b->low_sums;
}

static bool allocate_worker(const struct qmatmul_plan *p, struct worker *w)
{
    const struct qmm_kernel *kn = p->kernel;
    uint64_t rows = p->rows_per_chunk;

    w->a = mem_alloc_aligned(rows * p->k_block, qmm_elem_size(kn->a_elem));
    w->a_sums = mem_alloc_aligned(rows, sizeof *w->a_sums);
    w->rows = mem_alloc_aligned(rows, sizeof *w->rows);
    w->tile = mem_alloc_aligned((uint64_t)kn->mr * kn->nr, sizeof *w->tile);
    w->line = mem_alloc_aligned((uint64_t)kn->mr * kn->nr, 1);
    if (!w->a || !w->a_sums || !w->rows || !w->tile || !w->line)
        return false;
    if (p->k_blocks > 1) {
        w->sums = mem_alloc_aligned(rows * p->panels_per_chunk * kn->nr, sizeof *w->sums);
        if (!w->sums)
            return false;
    }
    return !p->whole_products || allocate_packed_b(p, &w->b);
}

static bool allocate(struct qmatmul_plan *p)
{
    uint64_t columns = p->panels * p->kernel->nr;

    p->b_scales = mem_zalloc(columns, sizeof *p->b_scales);
    p->b_zeros = mem_zalloc(columns, sizeof *p->b_zeros);
    p->workers = mem_zalloc((uint64_t)p->threads, sizeof *p->workers);
    if (!p->b_scales || !p->b_zeros || !p->workers || (!p->whole_products && !allocate_packed_b(p, &p->packed_b)))
        return false;
    for (int i = 0; i < p->threads; i++)
        if (!allocate_worker(p, &p->workers[i]))
            return false;
    return true;
}

static void take_columns(struct qmatmul_plan *p)
{
    int32_t shift = qmm_shift(p->kernel->b_elem, p->b.is_signed);

    p->plain_columns = true;
    for (uint64_t i = 0; i < p->n; i++) {
        p->b_scales[i] = qmatmul_scale_at(&p->b_scale, i);
        p->plain_columns = p->plain_columns && qmm_scale_is_plain((double)p->b_scales[i]);
        p->b_zeros[i] = (uint32_t)(qmatmul_zero_at(&p->b_zero, &p->b, i) + shift);
    }
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
    cut(p);
    share_out(p);
    if (!allocate(p)) {
        qmatmul_free(&p->base);
        return diag_nomem(dg);
    }
    take_columns(p);
    *plan = &p->base;
    return ST_OK;
}
