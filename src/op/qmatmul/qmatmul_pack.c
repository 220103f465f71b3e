#include <string.h>

#include "base/util.h"
#include "op/qmatmul/qmatmul_plan.h"

/* Values of K packed of each panel in turn; rows from which on the pair tile makes up for its
 * proof. */
enum { PACK_DEPTH = 64, PAIR_LEAST = 32 };

const struct qmm_tile *qmatmul_tile(const struct qmm_kernel *kn, enum tile_index t)
{
    return t == TILE_PAIR ? &kn->pair->tile : &kn->tile;
}

uint64_t qmatmul_block_length(const struct qmatmul_plan *p, uint64_t block)
{
    const struct blocks *b = &p->packed.blocks;

    return u64_min(p->shape.k - block * b->kc, b->kc);
}

char *qmatmul_panel_at(const struct qmatmul_plan *p, const struct packed_b *b, uint64_t block,
                       uint64_t panel)
{
    const struct blocks *bl = &p->packed.blocks;
    uint64_t i = panel - b->first;

    return b->panels +
           (block * bl->stored + (bl->ring ? i & (bl->stored - 1) : i)) * bl->panel_bytes;
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

void qmatmul_choose_tiles(const struct product *x, uint64_t first, uint64_t last)
{
    const struct qmatmul_plan *p = x->plan;
    const struct qmm_pair *pair = p->kernel->pair;

    if (!pair || p->a.matrix.is_signed || p->shape.m < PAIR_LEAST)
        return;
    for (; first < last; first++) {
        struct qmm_source src = columns_of(x, first, 0);

        x->packed->pair[first - x->packed->first] =
            pair->fits(&src, lanes_of(p, first), (size_t)p->shape.k, p->packed.small_a);
    }
}

bool qmatmul_a_is_small(const struct product *x)
{
    const struct qmatmul_plan *p = x->plan;
    struct qmm_source a = { x->a, (ptrdiff_t)p->a.matrix.row, (ptrdiff_t)p->a.matrix.column,
                            p->a.matrix.is_signed };

    return p->kernel->pair && p->shape.products == 1 && p->shape.m >= PAIR_LEAST &&
           p->kernel->pair->small(&a, (size_t)p->shape.m, (size_t)p->shape.k);
}

/* Prefetches the rows of B that are packed next: they lie further apart than processors prefetch by
 * themselves. To the second cache: there are too many for the first (64x768x3072 takes 0.99 of the
 * time so, bench_qmatmul, a Zen 4). */
static void prefetch_b(const struct product *x, uint64_t at, uint64_t column, uint64_t columns)
{
    const struct operand *b = &x->plan->b.matrix;
    uint64_t last = u64_min(at + PACK_DEPTH, x->plan->shape.k);

    if (b->column != 1)
        return;
    for (; at < last; at++)
        for (uint64_t j = 0; j < columns; j += CACHE_LINE)
            __builtin_prefetch(x->b + (int64_t)at * b->row + (int64_t)(column + j), 0, 2);
}

/* Packs `length` values of K of a panel, or of two, which share cache lines; returns the panel
 * after. The pair tile has values as they are. */
static uint64_t pack_panels(const struct product *x, uint64_t panel, uint64_t at, uint64_t length)
{
    const struct qmatmul_plan *p = x->plan;
    const struct packed_b *b = x->packed;
    uint64_t kc = p->packed.blocks.kc, i = panel - b->first;
    const struct qmm_tile *tile = qmatmul_tile(p->kernel, b->pair[i] ? TILE_PAIR : TILE_OWN);
    struct qmm_source src = columns_of(x, panel, at);
    uint64_t nr = tile->b.lanes, from = at % kc * nr * qmm_elem_size(tile->b.elem);
    char *to = qmatmul_panel_at(p, b, at / kc, panel) + from;
    int64_t *sums = p->packed.b_sums ? b->sums.whole + i * nr : NULL;

    src.is_signed = src.is_signed || b->pair[i];
    if (tile->pack_two && src.lane_step == 1 && (panel + 2) * nr <= p->shape.n) {
        tile->pack_two(to, qmatmul_panel_at(p, b, at / kc, panel + 1) + from, &tile->b, &src,
                       (size_t)length, sums);
        return panel + 2;
    }
    tile->pack_b(to, &tile->b, &src, lanes_of(p, panel), (size_t)length, sums);
    return panel + 1;
}

void qmatmul_pack_b(const struct product *x, uint64_t first, uint64_t last)
{
    const struct qmatmul_plan *p = x->plan;
    const struct packed_b *b = x->packed;
    uint64_t nr = p->kernel->tile.b.lanes, from = (first - b->first) * nr,
             columns = (last - first) * nr, kc = p->packed.blocks.kc, k = p->shape.k;
    uint32_t a_zero = qmatmul_a_zero(p, 0);

    if (p->packed.b_sums) /* else they stay 0 */
        memset(b->sums.whole + from, 0, columns * sizeof b->sums.whole[0]);
    for (uint64_t at = 0, length; at < k; at += length) {
        length = u64_min(u64_min(PACK_DEPTH, k - at), kc - at % kc);
        prefetch_b(x, at + length, first * nr, u64_min(columns, p->shape.n - first * nr));
        for (uint64_t panel = first; panel < last;)
            panel = pack_panels(x, panel, at, length);
    }
    for (uint64_t i = from; p->packed.b_sums && i < from + columns; i++) {
        b->sums.low[i] = (uint32_t)b->sums.whole[i];
        b->sums.bias[i] = b->sums.low[i] * a_zero;
    }
}

void qmatmul_pack_a(const struct product *x, const struct worker *w, uint64_t row, uint64_t rows,
                    uint64_t block, unsigned tiles)
{
    const struct qmatmul_plan *p = x->plan;
    const struct operand *a = &p->a.matrix;
    const struct blocks *b = &p->packed.blocks;
    size_t length = (size_t)qmatmul_block_length(p, block);
    int64_t *sums = p->packed.a_sums ? w->out.a_sums : NULL; /* of one of the tiles */

    for (enum tile_index t = 0; t < TILES; t++) {
        const struct qmm_tile *tile;

        if (!(tiles >> t & 1))
            continue;
        tile = qmatmul_tile(p->kernel, t);
        for (uint64_t i = p->packed.a_lies ? rows - rows % tile->a.lanes : 0; i < rows;
             i += tile->a.lanes) {
            struct qmm_source src = { x->a + (int64_t)(row + i) * a->row +
                                          (int64_t)(block * b->kc) * a->column,
                                      (ptrdiff_t)a->row, (ptrdiff_t)a->column, a->is_signed };

            tile->pack_a(w->a.panels[t] + i * b->row_bytes[t], &tile->a, &src,
                         (size_t)u64_min(tile->a.lanes, rows - i), length, sums ? sums + i : NULL);
        }
        sums = NULL;
    }
}
