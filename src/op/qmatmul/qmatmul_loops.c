/*
 * The five loops around the micro-kernel, from the outermost:
 *
 *   5  columns, nc panels of B at a time   qmatmul_packed.c shares tasks of these
 *   3  rows, mc at a time                  and these out among threads
 *   4  values of K, kc at a time           run_blocks; run_block if one block is all
 *   2  panels of B, jr at a time           run_blocks, run_block
 *   1  panels of A                         multiply, multiply_fused
 */

#include "op/qmatmul/qmatmul_plan.h"

/* A chunk of a product at work: rows by panels first..last-1. */
struct chunk {
    const struct product *x;
    struct qmatmul_worker *w;
    uint64_t row, rows, first, last;
};

static const struct qmatmul_blocks *blocks_of(const struct chunk *c)
{
    return &c->x->plan->packed.blocks;
}

static size_t steps_of(const struct qmatmul_plan *p, uint64_t block)
{
    return (size_t)u64_ceil_div(qmatmul_block_length(p, block), p->kernel->tile.a.kr);
}

/* Loop 1: sums of the chunk's rows i..end-1 by panels first..last-1 in one block of K, stored at
 * acc or added to it. */
static void multiply(const struct chunk *c, uint64_t block, uint64_t i, uint64_t end,
                     uint64_t first, uint64_t last, int32_t *acc, size_t acc_step, bool add)
{
    const struct qmatmul_plan *p = c->x->plan;
    const struct qmm_tile *tile = &p->kernel->tile;
    const char *b = qmatmul_panel_at(p, c->x->packed, block, first);
    size_t mr = tile->a.lanes, nr = tile->b.lanes, steps = steps_of(p, block),
           panels = (size_t)(last - first);

    for (; i < end; i += mr, acc += mr * acc_step)
        for (size_t j = 0; j < panels; j++)
            tile->ukernel(steps, c->w->a + i * blocks_of(c)->row_bytes,
                          b + j * blocks_of(c)->panel_bytes, acc + j * nr, acc_step, add);
}

/* Prefetches the outputs of some rows, which are written soon. Inlined, or gcc removes the call, as
 * it sees no effect. bench_qmatmul, 4096x64x4096, Emerald Rapids: 0.5 of the speed without it. */
INLINE void prefetch_outputs(const struct product *x, uint64_t row, uint64_t rows, uint64_t column,
                             uint64_t columns)
{
    const struct operand *c = &x->plan->c.matrix;
    const char *at = x->c + (int64_t)row * c->row + (int64_t)column;

    columns = u64_min(columns, x->plan->shape.n - column);
    if (c->column != 1)
        return;
    for (uint64_t i = 0; i < rows; i++, at += c->row)
        for (uint64_t j = 0; j < columns; j += CACHE_LINE)
            __builtin_prefetch(at + j, 1);
}

/* The outputs of all rows and of whole panels, K in one block. */
static void multiply_fused(const struct chunk *c, uint64_t first, uint64_t last)
{
    const struct product *x = c->x;
    const struct qmatmul_plan *p = x->plan;
    uint64_t nr = p->kernel->tile.b.lanes;
    struct qmm_rows_of_a a = { c->w->a, 0 };
    ptrdiff_t step = (ptrdiff_t)p->c.matrix.row;
    size_t steps = steps_of(p, 0);

    if (p->packed.a_unpacked)
        a = (struct qmm_rows_of_a){ x->a + (int64_t)c->row * p->a.matrix.row,
                                    (ptrdiff_t)p->a.matrix.row };
    prefetch_outputs(x, c->row, c->rows, first * nr, (last - first) * nr);
    for (; first < last; first++) {
        struct qmm_columns columns = qmatmul_columns_at(x, first * nr);
        uint8_t *out = (uint8_t *)x->c + (int64_t)c->row * step + (int64_t)(first * nr);

        p->kernel->tile.fused(out, step, steps, &a, qmatmul_panel_at(p, x->packed, 0, first),
                              (size_t)c->rows, c->w->out.rows, &columns);
    }
}

/* Packs the chunk's rows, K in one block, and fills w->out.rows, unless the chunk before had the
 * same rows. If A is not packed, all rows are equal: the first chunk fills them for all. */
static void pack_rows_once(const struct chunk *c)
{
    const struct qmatmul_plan *p = c->x->plan;
    struct qmatmul_worker *w = c->w;

    if (w->a_matrix && (p->packed.a_unpacked || (w->a_matrix == c->x->a && w->a_row == c->row)))
        return;
    memset(w->out.a_sums, 0, blocks_of(c)->mc * sizeof w->out.a_sums[0]);
    if (!p->packed.a_unpacked)
        qmatmul_pack_a(c->x, w, c->row, c->rows, 0);
    qmatmul_fill_rows(p, &w->out, c->row, p->packed.a_unpacked ? blocks_of(c)->mc : c->rows);
    w->a_matrix = c->x->a;
    w->a_row = c->row;
}

/* The chunk, K in one block. Sums of panels that cannot be fused become outputs mr rows at a time,
 * while they are in the first cache. */
static void run_block(const struct chunk *c)
{
    const struct qmatmul_plan *p = c->x->plan;
    struct epilogue *e = &c->w->out;
    uint64_t nr = p->kernel->tile.b.lanes, mr = p->kernel->tile.a.lanes;

    pack_rows_once(c);
    for (uint64_t at = c->first, next, rest; at < c->last; at = next) {
        size_t columns;

        next = u64_min(at + blocks_of(c)->jr, c->last);
        rest = p->packed.fused ? u64_max(at, u64_min(next, p->shape.n / nr)) : at;
        columns = (size_t)((next - rest) * nr);
        if (at < rest)
            multiply_fused(c, at, rest);
        for (uint64_t i = 0; rest < next && i < c->rows; i += mr) {
            uint64_t rows = u64_min(c->rows - i, mr);
            struct qmm_sums sums = { e->sums, columns, (size_t)rows, columns };

            prefetch_outputs(c->x, c->row + i, rows, rest * nr, columns);
            multiply(c, 0, i, i + rows, rest, next, e->sums, columns, false);
            qmatmul_store(c->x, e, &sums, c->row, i, rest * nr);
        }
    }
}

/* The chunk, K in several blocks: sums of jr panels are side by side, and become outputs after the
 * last block. */
static void run_blocks(const struct chunk *c)
{
    const struct qmatmul_plan *p = c->x->plan;
    const struct qmatmul_blocks *b = &p->packed.blocks;
    struct epilogue *e = &c->w->out;
    uint64_t nr = p->kernel->tile.b.lanes;
    size_t cells = (size_t)(b->mc * (c->last - c->first) * nr);

    memset(e->a_sums, 0, b->mc * sizeof e->a_sums[0]);
    if (e->wide)
        memset(e->wide, 0, cells * sizeof e->wide[0]);
    for (uint64_t block = 0; block < b->k_blocks; block++) {
        bool is_last = block + 1 == b->k_blocks;

        if (!qmatmul_packs_all(p, c->x->packed))
            qmatmul_pack_b(c->x, c->first, c->last, block);
        qmatmul_pack_a(c->x, c->w, c->row, c->rows, block);
        if (is_last)
            qmatmul_fill_rows(p, e, c->row, c->rows);
        for (uint64_t at = c->first, next; at < c->last; at = next) {
            int32_t *acc = e->sums + (at - c->first) * nr * b->mc;
            struct qmm_sums sums = { acc, 0, (size_t)c->rows, 0 };

            next = u64_min(at + b->jr, c->last);
            sums.step = sums.columns = (size_t)((next - at) * nr);
            multiply(c, block, 0, c->rows, at, next, acc, sums.step, block > 0 && !e->wide);
            if (e->wide)
                qmatmul_widen(e, &sums);
            if (is_last)
                qmatmul_store(c->x, e, &sums, c->row, 0, at * nr);
        }
    }
}

void qmatmul_run_chunk(const struct product *x, struct qmatmul_worker *w, uint64_t row,
                       uint64_t first, uint64_t last)
{
    const struct qmatmul_plan *p = x->plan;
    struct chunk c = { x, w, row, u64_min(p->packed.blocks.mc, p->shape.m - row), first, last };

    if (p->kernel->begin)
        p->kernel->begin();
    if (p->packed.blocks.k_blocks == 1)
        run_block(&c);
    else
        run_blocks(&c);
    if (p->kernel->end)
        p->kernel->end();
}
