#include "op/qmatmul/qmatmul_plan.h"

/* Values of K that are packed of each panel in turn: the more columns, the fewer, as rows of B are
 * read ahead by themselves then. */
enum { PACK_DEPTH = 64, PACK_DEPTH_LEAST = 16, PACK_CELLS = 8192 };

uint64_t qmatmul_block_length(const struct qmatmul_plan *p, uint64_t block)
{
    const struct qmatmul_blocks *b = &p->packed.blocks;

    return u64_min(p->shape.k - block * b->kc, b->kc);
}

char *qmatmul_panel_at(const struct qmatmul_plan *p, const struct packed_b *b, uint64_t block,
                       uint64_t panel)
{
    return b->panels + block * b->block_step + (panel - b->first) * p->packed.blocks.panel_bytes;
}

/* Columns of B from a panel's first and a value of K on. */
static struct qmm_source columns_of(const struct product *x, uint64_t panel, uint64_t at)
{
    const struct operand *b = &x->plan->b.matrix;
    uint64_t nr = x->plan->kernel->tile.b.lanes;

    return (struct qmm_source){ x->b + (int64_t)(panel * nr) * b->column + (int64_t)at * b->row,
                                (ptrdiff_t)b->column, (ptrdiff_t)b->row, b->is_signed };
}

static size_t lanes_of(const struct qmatmul_plan *p, uint64_t panel)
{
    uint64_t nr = p->kernel->tile.b.lanes;

    return (size_t)u64_min(nr, p->shape.n - panel * nr);
}

/* Packs `length` values of K of a panel, or of two; returns the panel after. */
static uint64_t pack_panels(const struct product *x, uint64_t panel, uint64_t at, uint64_t length,
                            bool rest)
{
    const struct qmatmul_plan *p = x->plan;
    const struct qmm_tile *tile = &p->kernel->tile;
    struct qmm_source src = columns_of(x, panel, at);
    uint64_t nr = tile->b.lanes, kc = p->packed.blocks.kc,
             from = at % kc * nr * qmm_elem_size(tile->b.elem);
    char *to = qmatmul_panel_at(p, x->packed, at / kc, panel) + from;
    struct qmm_panel form = tile->b; /* zeros fill up only the last step of a block */
    int64_t *sums = p->packed.b_sums ? x->packed->sums + (panel - x->packed->first) * nr : NULL;

    if (!rest)
        form.kr = form.group;
    if (tile->pack_two && src.lane_step == 1 && (panel + 2) * nr <= p->shape.n) {
        tile->pack_two(to, qmatmul_panel_at(p, x->packed, at / kc, panel + 1) + from, &form, &src,
                       (size_t)length, sums);
        return panel + 2;
    }
    tile->pack_b(to, &form, &src, lanes_of(p, panel), (size_t)length, sums);
    return panel + 1;
}

void qmatmul_pack_b(const struct product *x, uint64_t first, uint64_t last, uint64_t block)
{
    const struct qmatmul_plan *p = x->plan;
    struct packed_b *b = x->packed;
    uint64_t nr = p->kernel->tile.b.lanes, from = (first - b->first) * nr,
             columns = (last - first) * nr, at = block * p->packed.blocks.kc,
             end = at + qmatmul_block_length(p, block),
             steps = end - (end - at) % p->kernel->tile.b.kr, /* whole ones end there */
        depth = u64_max(u64_min(PACK_CELLS / columns, PACK_DEPTH), PACK_DEPTH_LEAST) / 16 * 16;
    uint32_t a_zero = qmatmul_a_zero(p, 0);

    if (block == 0)
        memset(b->sums + from, 0, columns * sizeof b->sums[0]);
    for (uint64_t length; at < end; at += length) {
        length = at < steps ? u64_min(depth, steps - at) : end - at;
        for (uint64_t panel = first; panel < last;)
            panel = pack_panels(x, panel, at, length, at >= steps);
    }
    if (!p->packed.b_sums || end < p->shape.k)
        return;
    for (uint64_t i = from; i < from + columns; i++) {
        b->low_sums[i] = (uint32_t)b->sums[i];
        b->bias[i] = b->low_sums[i] * a_zero;
    }
}

void qmatmul_pack_a(const struct product *x, const struct qmatmul_worker *w, uint64_t row,
                    uint64_t rows, uint64_t block)
{
    const struct qmatmul_plan *p = x->plan;
    const struct qmm_tile *tile = &p->kernel->tile;
    const struct operand *a = &p->a.matrix;
    const struct qmatmul_blocks *b = &p->packed.blocks;
    const char *from = x->a + (int64_t)(block * b->kc) * a->column;

    for (uint64_t i = 0; i < rows; i += tile->a.lanes) {
        struct qmm_source src = { from + (int64_t)(row + i) * a->row, (ptrdiff_t)a->row,
                                  (ptrdiff_t)a->column, a->is_signed };

        tile->pack_a(
            w->a + i * b->row_bytes, &tile->a, &src, (size_t)u64_min(tile->a.lanes, rows - i),
            (size_t)qmatmul_block_length(p, block), p->packed.a_sums ? w->out.a_sums + i : NULL);
    }
}
