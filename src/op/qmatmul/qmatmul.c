#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/util.h"
#include "kernel/cpu.h"
#include "kernel/prefetch.h"
#include "kernel/qmatmul/qmatmul_table.h"
#include "op/qmatmul/qmatmul_plan.h"

enum {
    WORK_PER_BYTE = 32,        /* multiply-adds that take as long as reading a byte, at least */
    WORK_PER_THREAD = 1 << 21, /* multiply-adds, for fewer of which no further thread pays: two
                                  take 1.15 times as long for 128^3 (bench_qmatmul, a Zen 5) */
    BYTES_PER_THREAD = 1 << 20, /* of B, the same of few rows */
    SKINNY_LEAST = 16,         /* columns, fewer of which are packed where B lies by columns */
    LIES_MOST = 512, /* columns, for which A is read where it lies: 12 x (128x64x128) take 0.9 of
                        the time, 512^3 the same, 4096x64x4096 1.03 (dmlop --repeat, a Zen 5) */
};

static void qmatmul_free(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;

    qmatmul_free_scratch(p);
    free(p->columns.scales);
    free(p->columns.zeros);
    free(p->columns.ratios);
    free(p);
}

static struct operand operand_of(const struct tensor *t)
{
    const int64_t *s = t->strides + t->rank;
    struct operand o = {
        .data = t->data, .row = s[-2], .column = s[-1], .is_signed = t->type == DT_INT8
    };

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

static struct quantized quantized_of(struct tensor *const t[SLOT_COUNT], enum slot matrix,
                                     enum slot scale, enum slot zero)
{
    return (struct quantized){ operand_of(t[matrix]), vector_of(t[scale]), vector_of(t[zero]) };
}

static struct shape shape_of(const struct tensor *a, const struct tensor *b)
{
    unsigned r = a->rank;
    struct shape s = {
        .lead_rank = r - 2, .m = a->sizes[r - 2], .k = a->sizes[r - 1], .n = b->sizes[r - 1]
    };

    memcpy(s.lead_sizes, a->sizes, s.lead_rank * sizeof s.lead_sizes[0]);
    tensor_count(s.lead_rank, s.lead_sizes, &s.products); /* A fits memory */
    return s;
}

/* Whether a vector has one value for its `count` lanes. */
static bool is_uniform(const struct quantized *q, uint64_t count)
{
    const struct vector *v = &q->zero;
    uint64_t i = 1;

    while (v->step != 0 && i < count &&
           qmatmul_zero_at(v, &q->matrix, i) == qmatmul_zero_at(v, &q->matrix, 0))
        i++;
    return v->step == 0 || i >= count;
}

static void fill_columns(struct qmatmul_plan *p)
{
    bool skinny = p->strategy == &qmatmul_skinny;
    int32_t shift = skinny ? 0 : qmm_shift(p->kernel->tile.b.elem, p->b.matrix.is_signed);
    struct columns *c = &p->columns;

    c->plain = true;
    for (uint64_t i = 0; i < p->shape.n; i++) {
        c->scales[i] = qmatmul_scale_at(&p->b.scale, i);
        assert(isfinite(c->scales[i]));
        c->plain = c->plain && qmm_scale_is_plain((double)c->scales[i]);
        c->zeros[i] = (uint32_t)(qmatmul_zero_at(&p->b.zero, &p->b.matrix, i) + shift);
    }
    c->uniform = (skinny || is_uniform(&p->a, p->shape.m)) && is_uniform(&p->b, p->shape.n);
}

/* The ratios of scales, where these are what struct qmm_columns wants; else they are released. */
static void fill_ratios(struct qmatmul_plan *p)
{
    struct columns *c = &p->columns;
    double ratio =
        (double)qmatmul_scale_at(&p->a.scale, 0) / (double)qmatmul_scale_at(&p->c.scale, 0);
    bool good = c->uniform && c->plain && qmm_scale_is_plain(ratio) && p->a.scale.step == 0 &&
                p->c.scale.step == 0;
    double most = (double)QMM_ROUNDED_MOST / (255.0 * 255.0 * (double)p->shape.k);

    for (uint64_t i = 0; good && i < p->shape.n; i++) {
        c->ratios[i] = (float)(ratio * (double)c->scales[i] * (1 << QMM_FRACTION));
        good = fabs(ratio * (double)c->scales[i]) <= most;
    }
    if (good)
        return;
    free(c->ratios);
    c->ratios = NULL;
}

/* Columns for whole panels. */
static bool allocate_columns(const struct qmatmul_plan *p, struct columns *c)
{
    uint64_t columns = u64_round_up(p->shape.n, p->kernel->tile.b.lanes);

    c->scales = mem_zalloc(columns, sizeof *c->scales);
    c->zeros = mem_zalloc(columns, sizeof *c->zeros);
    c->ratios = mem_zalloc(columns, sizeof *c->ratios);
    return c->scales && c->zeros && c->ratios;
}

static bool is_skinny(const struct qmatmul_plan *p)
{
    const struct operand *b = &p->b.matrix;

    return p->shape.m <= QMM_SKINNY_ROWS &&
           (b->row == 1 || (b->column == 1 && p->shape.n >= SKINNY_LEAST));
}

/* As many threads as pay for so much work; the strategy for them. */
static void choose_strategy(struct qmatmul_plan *p, int threads)
{
    const struct shape *s = &p->shape;
    uint64_t work = s->m * s->k * s->n, most;
    bool skinny = is_skinny(p);
    uint64_t bytes = u64_max(s->products * (s->m * s->k + s->k * s->n + s->m * s->n),
                             p->base.operations / WORK_PER_BYTE);

    most = u64_max(p->base.operations / WORK_PER_THREAD, 1);
    if (skinny)
        most = u64_max(most, s->products * s->k * s->n / BYTES_PER_THREAD);
    p->base.threads = (int)u64_min((uint64_t)parallel_threads_for(threads, bytes), most);
    if (skinny) {
        p->strategy = &qmatmul_skinny;
    } else if (qmatmul_suits_own(p)) {
        p->strategy = &qmatmul_own;
    } else {
        p->strategy = &qmatmul_shared;
        most = u64_max(work / WORK_PER_THREAD, 1); /* one product after the other */
        p->base.threads = (int)u64_min((uint64_t)p->base.threads, most);
    }
    p->strategy->cut(p);
}

/* The row that "auto" takes for products of that K, where the last that can run is `row`. */
static unsigned row_for(unsigned row, uint64_t k)
{
    while (k < qmm_kernels[row].gains_k || !cpu_has(qmm_kernels[row].row.needs))
        row--;
    return row;
}

/* Whether a fused tile may read A where it lies: its values fill all steps, no row's sum is wanted,
 * for all of B's zero points are 0, and rows are alike otherwise. */
static bool a_serves(const struct qmatmul_plan *p)
{
    const struct qmm_tile *tile = &p->kernel->tile;
    const struct operand *a = &p->a.matrix;

    return tile->a.elem == QMM_U8 && a->column == 1 && a->row != 0 &&
           p->shape.k % tile->a.kr == 0 && p->shape.n % tile->b.lanes == 0 &&
           p->packed.blocks.nc * tile->b.lanes <= LIES_MOST && p->columns.zeros[0] == 0 &&
           p->a.zero.step == 0 && p->c.zero.step == 0;
}

enum status qmatmul_plan_new(struct op_plan **plan, const struct desc *d,
                             struct tensor *const t[SLOT_COUNT], const struct op_exec *exec,
                             struct diag *dg)
{
    struct qmatmul_plan *p;
    unsigned row = 0;
    enum status st;

    assert(d->op == OP_QMATMUL);
    st = op_select_kernel(qmm_kernels, qmm_kernel_count, sizeof qmm_kernels[0], exec->kernel, &row,
                          dg);
    if (st)
        return st;
    p = mem_zalloc(1, sizeof *p);
    if (!p)
        return diag_nomem(dg);
    p->shape = shape_of(t[SLOT_A], t[SLOT_B]);
    p->a = quantized_of(t, SLOT_A, SLOT_A_SCALE, SLOT_A_ZERO);
    p->b = quantized_of(t, SLOT_B, SLOT_B_SCALE, SLOT_B_ZERO);
    p->c = quantized_of(t, SLOT_C, SLOT_C_SCALE, SLOT_C_ZERO);
    p->kernel = &qmm_kernels[kernel_is_auto(exec->kernel) ? row_for(row, p->shape.k) : row];
    p->base.operations = p->shape.products * p->shape.m * p->shape.n * p->shape.k;
    p->skinny.prefetch = prefetch_for_product(exec->prefetch, p->shape.m,
                                              p->shape.products * p->shape.k * p->shape.n);
    choose_strategy(p, exec->threads);
    p->base.run = p->strategy->run;
    p->base.free = qmatmul_free;
    p->base.kernel = p->kernel->row.name;
    if (!allocate_columns(p, &p->columns) || !qmatmul_allocate_scratch(p)) {
        qmatmul_free(&p->base);
        return diag_nomem(dg);
    }
    fill_columns(p);
    fill_ratios(p);
    p->packed.a_sums = !p->columns.uniform || p->columns.zeros[0] != 0;
    p->packed.b_sums = !p->columns.uniform || qmatmul_a_zero(p, 0) != 0;
    p->packed.fused = p->kernel->tile.fused && p->packed.blocks.k_blocks == 1 &&
                      p->columns.ratios && p->c.matrix.column == 1;
    p->packed.a_lies = p->packed.fused && a_serves(p);
    *plan = &p->base;
    return ST_OK;
}

/* The matrix of `o` for the index-th product in row-major order. */
static char *matrix_at(const struct shape *s, const struct operand *o, uint64_t index)
{
    int64_t at = 0;

    for (unsigned i = s->lead_rank; i-- > 0; index /= s->lead_sizes[i])
        at += (int64_t)(index % s->lead_sizes[i]) * o->lead[i];
    return o->data + at;
}

struct product qmatmul_product_at(const struct qmatmul_plan *p, uint64_t index,
                                  struct packed_b *packed)
{
    return (struct product){ p, matrix_at(&p->shape, &p->a.matrix, index),
                             matrix_at(&p->shape, &p->b.matrix, index),
                             matrix_at(&p->shape, &p->c.matrix, index), packed };
}
