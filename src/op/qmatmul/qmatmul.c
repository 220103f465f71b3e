#include "base/mem.h"
#include "base/parallel.h"
#include "op/qmatmul/qmatmul_plan.h"

enum {
    WORK_PER_BYTE = 32,         /* multiply-adds that take at least as long as reading a byte */
    WORK_PER_THREAD = 1 << 21,  /* multiply-adds, for fewer of which no further thread pays: two
                                   take 1.15 times as long for 128^3 (bench_qmatmul, Zen 5) */
    BYTES_PER_THREAD = 1 << 20, /* of B, the same of few rows */
    SKINNY_ROWS = 8,            /* for any number of threads; for more, each thread has these */
    SKINNY_COLUMNS = 1024,      /* columns, or sums of ranges of K cost more than is won */
    UNPACKED_COLUMNS = 512,     /* for which A is not packed; for more it is read too often */
};

static void qmatmul_free(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;

    qmatmul_free_scratch(p);
    free(p);
}

static void find_misfits(const struct op_plan *plan, struct op_misfits *m)
{
    const struct qmatmul_plan *p = (const struct qmatmul_plan *)plan;

    for (int i = 0; i < plan->threads; i++) {
        const struct op_misfits *w = &p->workers[i].out.misfits;
        uint64_t before = m->count;

        if (w->count > 0 && (before == 0 || w->first < m->first))
            *m = *w;
        m->count = before + w->count;
    }
}

/* All `count` rows or columns have one zero point. */
static bool has_one_zero(const struct quantized *q, uint64_t count)
{
    for (uint64_t i = 1; q->zero.step != 0 && i < count; i++)
        if (qmatmul_zero_at(&q->zero, &q->matrix, i) != qmatmul_zero_at(&q->zero, &q->matrix, 0))
            return false;
    return true;
}

static void fill_columns(struct qmatmul_plan *p)
{
    struct qmatmul_columns *c = &p->columns;

    c->plain = true;
    for (uint64_t i = 0; i < p->shape.n; i++) {
        c->scales[i] = qmatmul_scale_at(&p->b.scale, i);
        assert(isfinite(c->scales[i]));
        c->plain = c->plain && qmm_scale_is_plain((double)c->scales[i]);
        c->zeros[i] = (uint32_t)(qmatmul_zero_at(&p->b.zero, &p->b.matrix, i) + p->b_shift);
    }
}

/* Fills the ratios of scales, or removes them if some are not as struct qmm_columns wants. */
static void fill_ratios(struct qmatmul_plan *p)
{
    struct qmatmul_columns *c = &p->columns;
    double ratio =
        (double)qmatmul_scale_at(&p->a.scale, 0) / (double)qmatmul_scale_at(&p->c.scale, 0);
    double most = (double)QMM_ROUNDED_MOST / (255.0 * 255.0 * (double)p->shape.k);
    bool good = c->plain && qmm_scale_is_plain(ratio) && p->a.scale.step == 0 &&
                p->c.scale.step == 0 && has_one_zero(&p->b, p->shape.n) &&
                (p->widened || has_one_zero(&p->a, p->shape.m));

    for (uint64_t i = 0; good && i < p->shape.n; i++) {
        c->ratios[i] = (float)(ratio * (double)c->scales[i] * (1 << QMM_FRACTION));
        good = fabs(ratio * (double)c->scales[i]) <= most;
    }
    if (!good)
        c->ratios = NULL;
}

/* Allocates what all strategies need. */
static bool allocate(struct qmatmul_plan *p)
{
    uint64_t columns = u64_round_up(p->shape.n, p->kernel->tile.b.lanes);
    struct qmatmul_columns *c = &p->columns;
    bool good = true;

    c->scales = qmatmul_zeroed_scratch(p, columns, sizeof *c->scales, &good);
    c->zeros = qmatmul_zeroed_scratch(p, columns, sizeof *c->zeros, &good);
    c->ratios = qmatmul_zeroed_scratch(p, columns, sizeof *c->ratios, &good);
    p->workers = qmatmul_zeroed_scratch(p, (uint64_t)p->base.threads, sizeof *p->workers, &good);
    return good;
}

static bool is_skinny(const struct qmatmul_plan *p, int threads)
{
    bool wide = p->shape.n >= (uint64_t)threads * SKINNY_COLUMNS;
    uint64_t most = wide && p->kernel->skinny_rows > 0 ? p->kernel->skinny_rows : SKINNY_ROWS;

    return p->kernel->skinny && p->shape.m <= most && p->shape.k <= QMM_INT32_K &&
           (p->b.matrix.row == 1 || p->b.matrix.column == 1);
}

/* Chooses the strategy, and the number of threads that it keeps busy. */
static void choose_strategy(struct qmatmul_plan *p, int threads)
{
    const struct qmatmul_shape *s = &p->shape;
    uint64_t bytes = u64_max(s->products * (s->m * s->k + s->k * s->n + s->m * s->n),
                             p->base.operations / WORK_PER_BYTE);
    uint64_t most = u64_max(p->base.operations / WORK_PER_THREAD, 1);

    threads = parallel_threads_for(threads, bytes);
    p->is_skinny = is_skinny(p, threads);
    if (p->is_skinny)
        most = u64_max(most, s->products * s->k * s->n / BYTES_PER_THREAD);
    p->base.threads = (int)u64_min((uint64_t)threads, most);
    p->widened = p->is_skinny && p->kernel->skinny_a == QMM_S16;
    if (!p->widened) {
        p->a_shift = qmm_shift(p->kernel->tile.a.elem, p->a.matrix.is_signed);
        p->b_shift = qmm_shift(p->kernel->tile.b.elem, p->b.matrix.is_signed);
    }
}

/* Fused micro-kernels need no packed A if its values fill all steps and are not shifted, no sums of
 * its rows are needed, rows do not differ in zero points, and each chunk has at least mr rows. */
static bool needs_no_packed_a(const struct qmatmul_plan *p)
{
    const struct qmm_tile *tile = &p->kernel->tile;
    const struct operand *a = &p->a.matrix;
    const struct qmatmul_blocks *b = &p->packed.blocks;

    return p->packed.fused && tile->a.elem == QMM_U8 && p->a_shift == 0 && a->column == 1 &&
           a->row != 0 && p->shape.k % tile->a.kr == 0 && p->shape.n % tile->b.lanes == 0 &&
           p->shape.n <= UNPACKED_COLUMNS && p->columns.zeros[0] == 0 && p->a.zero.step == 0 &&
           p->c.zero.step == 0 && (p->shape.m - 1) % b->mc + 1 >= tile->a.lanes;
}

/* The row that "auto" chooses for a depth of k; row: the last that this processor can run. */
static unsigned row_for(unsigned row, uint64_t k)
{
    while (k < qmm_kernels[row].least_k)
        row--;
    return row;
}

enum status qmatmul_plan_new(struct op_plan **plan, const struct desc *d,
                             struct tensor *const t[SLOT_COUNT], const struct op_exec *exec,
                             struct diag *dg)
{
    struct qmatmul_plan *p;
    unsigned row = 0;
    enum status st;

    assert(d->op == OP_QMATMUL);
    st = op_select_kernel(KERNELS_QMATMUL, exec->kernel, &row, dg);
    if (st)
        return st;
    p = mem_zalloc(1, sizeof *p);
    if (!p)
        return diag_nomem(dg);
    p->shape = qmatmul_shape(t[SLOT_A], t[SLOT_B]);
    p->kernel = &qmm_kernels[op_kernel_is_auto(exec->kernel) ? row_for(row, p->shape.k) : row];
    p->a = qmatmul_quantized(t[SLOT_A], t[SLOT_A_SCALE], t[SLOT_A_ZERO]);
    p->b = qmatmul_quantized(t[SLOT_B], t[SLOT_B_SCALE], t[SLOT_B_ZERO]);
    p->c = qmatmul_quantized(t[SLOT_C], t[SLOT_C_SCALE], t[SLOT_C_ZERO]);
    p->sums = t[SLOT_C]->type == DT_INT32;
    p->base.operations = p->shape.products * p->shape.m * p->shape.n * p->shape.k;
    p->skinny.prefetch = prefetch_for_product(exec->prefetch, p->shape.m,
                                              p->shape.products * p->shape.k * p->shape.n);
    choose_strategy(p, exec->threads);
    p->base.misfits = find_misfits;
    p->base.free = qmatmul_free;
    p->base.kernel = p->kernel->row.name;
    if (!allocate(p) || !(p->is_skinny ? qmatmul_prepare_skinny : qmatmul_prepare_packed)(p)) {
        qmatmul_free(&p->base);
        return diag_nomem(dg);
    }
    fill_columns(p);
    fill_ratios(p);
    p->packed.a_sums = !has_one_zero(&p->b, p->shape.n) || p->columns.zeros[0] != 0;
    p->packed.b_sums = !has_one_zero(&p->a, p->shape.m) || qmatmul_a_zero(p, 0) != 0;
    p->packed.fused = p->kernel->tile.fused && p->packed.blocks.k_blocks == 1 &&
                      p->columns.ratios && p->c.matrix.column == 1;
    p->packed.a_unpacked = needs_no_packed_a(p);
    *plan = &p->base;
    return ST_OK;
}
