/*
 * The five loops around the micro-kernel, from the outermost:
 *
 *   5  columns, nc panels of B at a time   qmatmul_packed.c shares these and
 *   3  rows, mc at a time                  these out among threads
 *   4  values of K, kc at a time           run_blocks; run_block where one block is all
 *   2  panels of B, jr at a time           run_block, run_panels
 *   1  panels of A                         multiply, multiply_fused
 */
#include <string.h>

#include "base/util.h"
#include "op/qmatmul/qmatmul_plan.h"

/* Panels whose sums become outputs together, where K is in several blocks, a group: with one,
 * 2048^3 took 4% longer on a Zen 5 (bench_qmatmul, avx512vnni). */
enum { STORED_PANELS = 4 };

/* A chunk of a product at work: rows by panels first..last-1. */
struct chunk {
    const struct product *x;
    struct worker *w;
    uint64_t row, rows, first, last;
    unsigned tiles; /* that its panels are for */
};

/* A block of K, and how the tiles go through it. */
struct k_block {
    uint64_t number;
    const struct qmm_tile *tiles[TILES];
    size_t steps[TILES];
};

static const struct blocks *blocks_of(const struct chunk *c) { return &c->x->plan->packed.blocks; }

static struct k_block block_at(const struct qmatmul_plan *p, uint64_t number)
{
    uint64_t length = qmatmul_block_length(p, number);
    struct k_block block = { .number = number };

    for (enum tile_index t = 0; t < (p->kernel->pair ? TILES : 1); t++) {
        block.tiles[t] = qmatmul_tile(p->kernel, t);
        block.steps[t] = (size_t)u64_ceil_div(length, block.tiles[t]->a.kr);
    }
    return block;
}

/* Loop 1: sums of the chunk's rows i..end-1 and some panels, in one block of K, to acc or added to
 * it. */
static void multiply(const struct chunk *c, const struct k_block *block, uint64_t i, uint64_t end,
                     uint64_t first, uint64_t last, int32_t *acc, size_t step, bool add)
{
    const struct packed_b *packed = c->x->packed;
    const struct blocks *bl = blocks_of(c);
    const bool *pair = packed->pair + (first - packed->first);
    size_t row_bytes[TILES] = { bl->row_bytes[TILE_OWN], bl->row_bytes[TILE_PAIR] };
    const char *b = qmatmul_panel_at(c->x->plan, packed, block->number, first);
    size_t mr = c->x->plan->kernel->tile.a.lanes, nr = c->x->plan->kernel->tile.b.lanes,
           panels = (size_t)(last - first);

    for (; i < end; i += mr, acc += mr * step) {
        for (size_t j = 0; j < panels; j++) {
            enum tile_index t = pair[j] ? TILE_PAIR : TILE_OWN;

            block->tiles[t]->ukernel(block->steps[t], c->w->a.panels[t] + i * row_bytes[t],
                                     b + j * bl->panel_bytes, acc + j * nr, step,
                                     (size_t)(end - i), add);
        }
    }
}

/* Prefetches the outputs of some rows, which are written soon. Inlined, or gcc takes out the call,
 * as it sees no effect: bench_qmatmul -t 1, Emerald Rapids, 4096x64x4096: 0.7 to 0.8 of the time.
 */
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

/* The same with outputs instead of sums, of all rows and whole panels, K in one block. */
static void multiply_fused(const struct chunk *c, const struct k_block *block, uint64_t first,
                           uint64_t last)
{
    const struct product *x = c->x;
    const struct qmatmul_plan *p = x->plan;
    uint64_t mr = p->kernel->tile.a.lanes, nr = p->kernel->tile.b.lanes;
    ptrdiff_t step = (ptrdiff_t)p->c.matrix.row;
    const struct qmm_rows_of_a lying = {
        x->a + (int64_t)c->row * p->a.matrix.row, (ptrdiff_t)p->a.matrix.row,
        qmm_shift(p->kernel->tile.a.elem, p->a.matrix.is_signed) != 0
    };
    uint64_t lie = p->packed.a_lies ? c->rows - c->rows % mr : 0; /* rows that are not packed */
    const struct qmm_row *rows = c->w->out.rows;

    prefetch_outputs(x, c->row, c->rows, first * nr, (last - first) * nr);
    for (; first < last; first++) {
        struct qmm_columns columns = qmatmul_columns_at(x, first * nr);
        enum tile_index t = x->packed->pair[first - x->packed->first] ? TILE_PAIR : TILE_OWN;
        qmm_fused_fn *fused = block->tiles[t]->fused;
        const char *b = qmatmul_panel_at(p, x->packed, 0, first);
        struct qmm_rows_of_a packed = { c->w->a.panels[t] + lie * blocks_of(c)->row_bytes[t], 0,
                                        false };
        uint8_t *out = (uint8_t *)x->c + (int64_t)c->row * step + (int64_t)(first * nr);

        if (lie > 0)
            fused(out, step, block->steps[t], &lying, b, (size_t)lie, rows, &columns);
        if (lie < c->rows)
            fused(out + (int64_t)lie * step, step, block->steps[t], &packed, b,
                  (size_t)(c->rows - lie), rows, &columns);
    }
}

/* Has the chunk's rows packed, with K in one block, and w->out.rows filled: they may be from the
 * chunk before. */
static void pack_rows_once(const struct chunk *c)
{
    const struct qmatmul_plan *p = c->x->plan;
    struct packed_a *a = &c->w->a;

    if (a->matrix == c->x->a && a->row == c->row && (c->tiles & ~a->tiles) == 0)
        return;
    memset(c->w->out.a_sums, 0, blocks_of(c)->mc * sizeof c->w->out.a_sums[0]);
    qmatmul_pack_a(c->x, c->w, c->row, c->rows, 0, c->tiles);
    if (!p->packed.a_lies)
        qmatmul_fill_rows(p, &c->w->out, c->row, c->rows);
    else if (!a->matrix) /* all rows of all products are alike: a tile's serve */
        qmatmul_fill_rows(p, &c->w->out, 0, p->kernel->tile.a.lanes);
    a->matrix = c->x->a;
    a->row = c->row;
    a->tiles = c->tiles;
}

/* All rows by panels first..next-1, K in one block. Where sums are in memory, those of as many rows
 * as stay in the first cache become outputs at once. */
static void run_panels(const struct chunk *c, const struct k_block *block, uint64_t first,
                       uint64_t next)
{
    const struct qmatmul_plan *p = c->x->plan;
    const struct epilogue *e = &c->w->out;
    uint64_t nr = p->kernel->tile.b.lanes, ir = p->packed.blocks.ir;
    uint64_t rest = p->packed.fused ? u64_max(first, u64_min(next, p->shape.n / nr)) : first;
    size_t columns = (size_t)((next - rest) * nr);

    if (first < rest)
        multiply_fused(c, block, first, rest);
    for (uint64_t i = 0; rest < next && i < c->rows; i += ir) {
        uint64_t rows = u64_min(c->rows - i, ir);
        struct qmm_sums sums = { e->sums, columns, (size_t)rows, columns };

        prefetch_outputs(c->x, c->row + i, rows, rest * nr, columns);
        multiply(c, block, i, i + rows, rest, next, e->sums, columns, false);
        qmatmul_store(c->x, e, &sums, c->row, i, rest * nr);
    }
}

/* The chunk, K in one block. */
static void run_block(const struct chunk *c)
{
    struct k_block block = block_at(c->x->plan, 0);
    uint64_t packed = blocks_of(c)->ring ? c->first : c->last; /* panels before this one are */

    pack_rows_once(c);
    for (uint64_t at = c->first, next; at < c->last; at = next) {
        next = u64_min(at + blocks_of(c)->jr, c->last);
        for (; packed < next; packed += blocks_of(c)->together)
            qmatmul_pack_b(c->x, packed, u64_min(packed + blocks_of(c)->together, c->last));
        run_panels(c, &block, at, next);
    }
}

/* The sums of panels from `panel` on that become outputs together, and the panel after: the groups'
 * follow each other, so that a tile's rows lie near each other. */
static struct qmm_sums sums_of(const struct chunk *c, uint64_t panel, uint64_t *next)
{
    uint64_t nr = c->x->plan->kernel->tile.b.lanes;
    size_t columns;

    *next = u64_min(panel + STORED_PANELS, c->last);
    columns = (size_t)((*next - panel) * nr);
    return (struct qmm_sums){ c->w->out.sums + (panel - c->first) * nr * blocks_of(c)->mc, columns,
                              (size_t)c->rows, columns };
}

/* The same for K in several blocks, whose sums are gathered; where these fit 32 bits, those of a
 * group become outputs as soon as they are whole. */
static void run_blocks(const struct chunk *c)
{
    const struct qmatmul_plan *p = c->x->plan;
    const struct blocks *b = &p->packed.blocks;
    struct epilogue *e = &c->w->out;
    uint64_t nr = p->kernel->tile.b.lanes, depth = 0; /* of K, in e->sums */
    size_t cells = (size_t)(b->mc * (c->last - c->first) * nr);

    memset(e->a_sums, 0, b->mc * sizeof e->a_sums[0]);
    if (e->wide)
        memset(e->wide, 0, cells * sizeof e->wide[0]);
    for (uint64_t number = 0; number < b->k_blocks; number++) {
        struct k_block block = block_at(p, number);
        bool is_last = number + 1 == b->k_blocks;

        qmatmul_pack_a(c->x, c->w, c->row, c->rows, number, c->tiles);
        if (is_last)
            qmatmul_fill_rows(p, e, c->row, c->rows);
        if (e->wide && depth + b->kc > p->kernel->max_k) {
            qmatmul_widen(e, cells);
            depth = 0;
        }
        for (uint64_t panel = c->first, next; panel < c->last; panel = next) {
            struct qmm_sums sums = sums_of(c, panel, &next);

            multiply(c, &block, 0, c->rows, panel, next, e->sums + (sums.at - e->sums), sums.step,
                     depth > 0);
            if (is_last && !e->wide)
                qmatmul_store(c->x, e, &sums, c->row, 0, panel * nr);
        }
        depth += b->kc;
    }
    if (!e->wide)
        return;
    qmatmul_widen(e, cells);
    for (uint64_t panel = c->first, next; panel < c->last; panel = next) {
        struct qmm_sums sums = sums_of(c, panel, &next);

        qmatmul_store_wide(c->x, e, &sums, c->row, panel * nr);
    }
}

void qmatmul_run_chunk(const struct product *x, struct worker *w, uint64_t row, uint64_t first,
                       uint64_t last)
{
    const struct qmatmul_plan *p = x->plan;
    const struct qmm_kernel *kn = p->kernel;
    struct chunk c = { x, w, row, u64_min(p->packed.blocks.mc, p->shape.m - row), first, last, 0 };

    for (uint64_t panel = first; panel < last; panel++)
        c.tiles |= 1u << (x->packed->pair[panel - x->packed->first] ? TILE_PAIR : TILE_OWN);
    if (kn->begin)
        kn->begin();
    if (p->packed.blocks.k_blocks == 1)
        run_block(&c);
    else
        run_blocks(&c);
    if (kn->end)
        kn->end();
}
