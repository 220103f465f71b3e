#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/qmatmul/qmatmul_plan.h"

/* An allocation that is handed out in pieces: first counted, `base` being NULL, then for good. */
struct pieces {
    char *base;
    uint64_t used;
    bool too_much;
};

static void *piece(struct pieces *s, uint64_t count, uint64_t size)
{
    uint64_t bytes;
    void *at = s->base ? s->base + s->used : NULL;

    if (!u64_mul(count, size, &bytes) || bytes > INT64_MAX ||
        !u64_add(s->used, u64_round_up(bytes, CACHE_LINE), &s->used))
        s->too_much = true;
    return at;
}

static void lay_out_sums(struct pieces *s, struct column_sums *sums, uint64_t columns)
{
    sums->whole = piece(s, columns, sizeof *sums->whole);
    sums->low = piece(s, columns, sizeof *sums->low);
    sums->bias = piece(s, columns, sizeof *sums->bias);
    if (sums->whole)
        memset(sums->whole, 0, s->used - (uint64_t)((char *)sums->whole - s->base));
}

static void lay_out_b(struct pieces *s, const struct qmatmul_plan *p, struct packed_b *b,
                      uint64_t panels)
{
    const struct blocks *bl = &p->packed.blocks;

    b->panels = piece(s, bl->k_blocks * bl->panel_bytes, bl->stored);
    b->pair = piece(s, panels, sizeof *b->pair);
    if (b->pair)
        memset(b->pair, 0, panels * sizeof *b->pair);
    lay_out_sums(s, &b->sums, panels * p->kernel->tile.b.lanes);
}

static void lay_out_a(struct pieces *s, const struct qmatmul_plan *p, struct packed_a *a)
{
    const struct blocks *bl = &p->packed.blocks;

    for (enum tile_index t = 0; t < TILES; t++)
        a->panels[t] = piece(s, bl->mc, bl->row_bytes[t]);
}

static void lay_out_epilogue(struct pieces *s, const struct qmatmul_plan *p, struct epilogue *e,
                             uint64_t rows, uint64_t cells)
{
    e->a_sums = piece(s, rows, sizeof *e->a_sums);
    e->rows = piece(s, rows, sizeof *e->rows);
    e->line = piece(s, rows, p->kernel->tile.b.lanes);
    e->sums = piece(s, cells, sizeof *e->sums);
    if (e->sums)
        memset(e->sums, 0, cells * sizeof *e->sums);
    if (p->shape.k > QMM_INT32_K)
        e->wide = piece(s, cells, sizeof *e->wide);
}

static void lay_out_worker(struct pieces *s, struct qmatmul_plan *p, struct worker *w)
{
    const struct blocks *b = &p->packed.blocks;
    const struct skinny *k = &p->skinny;

    if (p->strategy == &qmatmul_skinny) {
        w->skinny_a = piece(s, p->shape.m * k->step, sizeof *w->skinny_a);
        lay_out_sums(s, &w->b.sums, k->columns);
        lay_out_epilogue(s, p, &w->out, p->shape.m, p->shape.m * k->columns);
        return;
    }
    lay_out_a(s, p, &w->a);
    if (p->strategy == &qmatmul_own)
        lay_out_b(s, p, &w->b, b->nc);
    lay_out_epilogue(s, p, &w->out, b->mc,
                     b->k_blocks > 1 ? b->mc * b->nc * p->kernel->tile.b.lanes
                                     : b->ir * b->jr * p->kernel->tile.b.lanes);
}

/* What the threads share: all of B, or sums of parts. */
static void lay_out_shared(struct pieces *s, struct qmatmul_plan *p, struct worker *w)
{
    struct skinny *k = &p->skinny;
    uint64_t parts = p->shape.products * k->strips * k->parts;

    (void)w;
    if (k->parts <= 1) {
        lay_out_b(s, p, &p->packed.b, p->packed.blocks.panels);
        return;
    }
    k->a_sums = piece(s, parts * p->shape.m, sizeof *k->a_sums);
    k->sums = piece(s, parts * p->shape.m, k->columns * sizeof *k->sums);
}

/* All that lay_out wants, in one allocation, or NULL. */
static char *allocate(struct qmatmul_plan *p, struct worker *w,
                      void (*lay_out)(struct pieces *s, struct qmatmul_plan *p, struct worker *w))
{
    struct pieces s = { 0 };

    lay_out(&s, p, w);
    s.base = s.too_much ? NULL : mem_alloc_aligned(s.used, 1);
    s.used = 0;
    if (s.base)
        lay_out(&s, p, w);
    return s.base;
}

bool qmatmul_allocate_scratch(struct qmatmul_plan *p)
{
    bool good = (p->workers = mem_zalloc((uint64_t)p->base.threads, sizeof *p->workers)) != NULL;

    if (p->strategy == &qmatmul_shared || p->skinny.parts > 1)
        good = good && (p->memory = allocate(p, NULL, lay_out_shared));
    for (int i = 0; good && i < p->base.threads; i++)
        good = (p->workers[i].memory = allocate(p, &p->workers[i], lay_out_worker)) != NULL;
    return good;
}

void qmatmul_free_scratch(struct qmatmul_plan *p)
{
    for (int i = 0; p->workers && i < p->base.threads; i++)
        free(p->workers[i].memory);
    free(p->workers);
    free(p->memory);
}
