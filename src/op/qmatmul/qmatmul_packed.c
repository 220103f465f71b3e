#include "base/parallel.h"
#include "base/util.h"
#include "kernel/cpu.h"
#include "op/qmatmul/qmatmul_plan.h"

enum {
    ROWS_MOST = 128,
    CHUNKS_PER_THREAD = 4, /* at least, where the shape allows, so that threads end together */
    ROWS_LEAST = 16,       /* to which chunks are cut for that */
    COLUMNS_LEAST = 256,
    STRIP_COLUMNS = 64,    /* the same of strategy own; a cache line of a row of B */
    STRIP_WORK = 1 << 22,  /* multiply-adds, up to which fewer strips than threads will do */
    WHOLE_BYTES = 1 << 20, /* of a packed B, and */
    WHOLE_WORK = 1 << 24,  /* multiply-adds, up to which one thread has a product of several */
    SUMS_AT_ONCE = 512,    /* cells that are finished together, about */
    SUMS_COLUMNS = 512,    /* of a chunk whose sums are gathered over K blocks */
    TOGETHER = 8, /* cache lines of a row of B that are packed together: with one, 16x4096x4096
                     takes 1.4 times as long, with 4 1.05 (dmlop --repeat, a Zen 5) */
};

/* K into equal blocks, whose panels of B stay in the first cache; or, if there are two and more, of
 * what the kernel wants. */
static void cut_depth(struct qmatmul_plan *p)
{
    const struct qmm_tile *tile = &p->kernel->tile;
    struct blocks *b = &p->packed.blocks;
    uint64_t unit = qmm_depth(1, &tile->a), nr = tile->b.lanes, bytes = qmm_elem_size(tile->b.elem);
    uint64_t most = u64_min(cpu_caches().first / (nr * bytes), p->kernel->max_k) / unit * unit;
    uint64_t kc = p->kernel->kc;

    if (kc > 0 && p->shape.k >= 2 * kc)
        most = u64_min(most, kc);
    b->k_blocks = u64_ceil_div(p->shape.k, most);
    b->kc = u64_round_up(u64_ceil_div(p->shape.k, b->k_blocks), unit);
    b->panels = u64_ceil_div(p->shape.n, nr);
    b->unit = u64_max(CACHE_LINE / nr, 1);
    b->panel_bytes = b->kc * nr * bytes;
    b->row_bytes[TILE_OWN] = b->kc * qmm_elem_size(tile->a.elem);
    if (p->kernel->pair)
        b->row_bytes[TILE_PAIR] = qmm_depth((size_t)b->kc, &p->kernel->pair->tile.a);
}

/* Rows of A whose panels stay in the second cache. */
static uint64_t rows_most(const struct qmatmul_plan *p)
{
    uint64_t most = p->kernel->mc > 0 ? p->kernel->mc : ROWS_MOST;

    return u64_min(cpu_caches().second / 4 / p->packed.blocks.row_bytes[TILE_OWN], most);
}

static void set_rows(const struct qmatmul_plan *p, struct blocks *b, uint64_t rows)
{
    b->mc = u64_round_up(u64_min(rows, p->shape.m), p->kernel->tile.a.lanes);
    b->row_chunks = u64_ceil_div(p->shape.m, b->mc);
}

static void set_columns(struct blocks *b, uint64_t chunks)
{
    b->nc = u64_round_up(u64_ceil_div(b->panels, chunks), b->unit);
    b->column_chunks = u64_ceil_div(b->panels, b->nc);
}

/* Packs up to `most` panels together, so that rows of B are read in long runs, as far as a ring of
 * them stays in the second cache. */
static void set_together(struct blocks *b, uint64_t most)
{
    most = u64_min(most, TOGETHER * b->unit);
    if (b->ring)
        most = u64_min(most, cpu_caches().second / 4 / b->panel_bytes);
    b->together = b->unit;
    while (2 * b->together <= most)
        b->together *= 2;
}

/* Sums of a tile's rows stay in the first cache until they are finished, as do the panels that make
 * them. */
static void cut_tiles(struct qmatmul_plan *p)
{
    const struct qmm_tile *tile = &p->kernel->tile;
    struct blocks *b = &p->packed.blocks;
    uint64_t first = cpu_caches().first, cells = (uint64_t)tile->a.lanes * tile->b.lanes;
    uint64_t most = u64_min(first / 2 / b->panel_bytes, first / 4 / (sizeof(int32_t) * cells));

    b->jr = 1;
    while (2 * b->jr <= most && b->nc % (2 * b->jr) == 0)
        b->jr *= 2;
    b->ir = u64_min(u64_ceil_div(SUMS_AT_ONCE, b->jr * cells) * tile->a.lanes, b->mc);
}

/* Chunks of rows and columns, rows first cut for the caches, then columns, then rows for threads:
 * each chunk packs its rows anew. */
static void cut_shared(struct qmatmul_plan *p)
{
    struct blocks *b = &p->packed.blocks;
    uint64_t chunks = p->base.threads > 1 ? (uint64_t)p->base.threads * CHUNKS_PER_THREAD : 1;
    uint64_t m = p->shape.m, most = u64_ceil_div(p->shape.n, COLUMNS_LEAST), rows, split;

    cut_depth(p);
    rows = rows_most(p);
    if (u64_ceil_div(m, rows) * most < chunks) /* columns alone do not make enough */
        rows = u64_min(rows, u64_max(u64_ceil_div(m, u64_ceil_div(chunks, most)), ROWS_LEAST));
    set_rows(p, b, rows);
    split = u64_min(u64_ceil_div(chunks, b->row_chunks), most);
    if (b->k_blocks > 1)
        split = u64_max(split, u64_ceil_div(p->shape.n, SUMS_COLUMNS));
    set_columns(b, split);
    set_together(b, b->panels / (2 * (uint64_t)p->base.threads)); /* all threads pack */
    b->stored = b->panels;
    cut_tiles(p);
}

/* Whether some products have one B. */
static bool b_is_shared(const struct qmatmul_plan *p)
{
    bool shared = false;

    for (unsigned i = 0; i < p->shape.lead_rank; i++)
        shared = shared || (p->shape.lead_sizes[i] > 1 && p->b.matrix.lead[i] == 0);
    return shared;
}

/* Strips of columns, of each product as many as make enough for all threads. Where all rows go at
 * once, no panel of a strip is needed twice, and a ring is enough. */
static void cut_own(struct qmatmul_plan *p)
{
    struct blocks *b = &p->packed.blocks;
    uint64_t strips = 1;

    cut_depth(p);
    set_rows(p, b, rows_most(p));
    if (p->base.threads > 1)
        strips =
            u64_min(u64_ceil_div(p->shape.n, STRIP_COLUMNS),
                    u64_ceil_div((uint64_t)p->base.threads * CHUNKS_PER_THREAD, p->shape.products));
    if (b->k_blocks > 1)
        strips = u64_max(strips, u64_ceil_div(p->shape.n, SUMS_COLUMNS));
    set_columns(b, strips);
    cut_tiles(p);
    b->ring = b->row_chunks == 1 && b->k_blocks == 1 && !b_is_shared(p);
    set_together(b, b->nc);
    b->stored = b->ring ? u64_max(b->jr, b->together) : b->nc;
}

bool qmatmul_suits_own(struct qmatmul_plan *p)
{
    const struct shape *s = &p->shape;
    uint64_t work = s->m * s->k * s->n, threads = (uint64_t)p->base.threads, units;

    cut_depth(p);
    units = s->products * u64_ceil_div(s->n, STRIP_COLUMNS);
    if (s->products > 1 && s->products >= threads && work <= WHOLE_WORK &&
        p->packed.blocks.panels * p->packed.blocks.k_blocks * p->packed.blocks.panel_bytes <=
            WHOLE_BYTES)
        return true;
    return s->m <= rows_most(p) && !b_is_shared(p) && (units >= threads || work <= STRIP_WORK);
}

/* Strategy own: one strip of one product. */
static void run_strip(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    const struct blocks *bl = &p->packed.blocks;
    struct worker *w = &p->workers[thread];
    struct packed_b *b = &w->b;
    struct product x = qmatmul_product_at(p, index / bl->column_chunks, b);
    uint64_t first = index % bl->column_chunks * bl->nc, last = u64_min(first + bl->nc, bl->panels);

    if (bl->ring || b->matrix != x.b || b->first != first) {
        b->matrix = x.b;
        b->first = first;
        b->sums.first = first * p->kernel->tile.b.lanes;
        qmatmul_choose_tiles(&x, first, last);
        for (uint64_t panel = first; !bl->ring && panel < last; panel += bl->together)
            qmatmul_pack_b(&x, panel, u64_min(panel + bl->together, last));
    }
    for (uint64_t row = 0; row < p->shape.m; row += bl->mc)
        qmatmul_run_chunk(&x, w, row, first, last);
}

/* Strategy shared: some panels of B. */
static void pack_panels(void *context, size_t index, int thread)
{
    const struct product *x = context;
    const struct blocks *b = &x->plan->packed.blocks;
    uint64_t first = index * b->together, last = u64_min(first + b->together, b->panels);

    (void)thread;
    qmatmul_choose_tiles(x, first, last);
    qmatmul_pack_b(x, first, last);
}

/* Strategy shared: chunks of the same rows follow one another. */
static void run_chunk(void *context, size_t chunk, int thread)
{
    const struct product *x = context;
    const struct blocks *b = &x->plan->packed.blocks;
    uint64_t row = chunk / b->column_chunks * b->mc, first = chunk % b->column_chunks * b->nc;

    qmatmul_run_chunk(x, &x->plan->workers[thread], row, first, u64_min(first + b->nc, b->panels));
}

/* Forgets what a run before has packed. */
static void begin(struct qmatmul_plan *p)
{
    struct product x = qmatmul_product_at(p, 0, NULL);

    for (int i = 0; i < p->base.threads; i++)
        p->workers[i].a.matrix = p->workers[i].b.matrix = NULL;
    p->packed.b.matrix = NULL;
    p->packed.small_a = qmatmul_a_is_small(&x);
}

static void run_own(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;

    begin(p);
    parallel_for((size_t)(p->shape.products * p->packed.blocks.column_chunks), p->base.threads,
                 run_strip, p);
}

static void run_shared(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;
    const struct blocks *b = &p->packed.blocks;
    struct packed_b *packed = &p->packed.b;

    begin(p);
    for (uint64_t i = 0; i < p->shape.products; i++) {
        struct product x = qmatmul_product_at(p, i, packed);

        if (packed->matrix != x.b) /* one that is broadcast stays packed */
            parallel_for((size_t)u64_ceil_div(b->panels, b->together), p->base.threads,
                         pack_panels, &x);
        packed->matrix = x.b;
        parallel_for((size_t)(b->row_chunks * b->column_chunks), p->base.threads, run_chunk, &x);
    }
}

const struct strategy qmatmul_shared = { cut_shared, run_shared };
const struct strategy qmatmul_own = { cut_own, run_own };
