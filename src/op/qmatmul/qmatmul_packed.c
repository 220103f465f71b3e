#include "base/parallel.h"
#include "base/util.h"
#include "kernel/cpu.h"
#include "op/qmatmul/qmatmul_plan.h"

enum {
    ROWS_MOST = 128,
    ROWS_LEAST = 16,       /* of a chunk that is cut to give all threads work */
    COLUMNS_LEAST = 256,   /* the same */
    STRIP_COLUMNS = 64,    /* the same of strategy own; a cache line of a row of B */
    COLUMNS_MOST = 512,    /* of a strip, and of a chunk whose sums grow over blocks of K */
    CHUNKS_PER_THREAD = 4, /* so that threads end together */
    WHOLE_WORK = 1 << 24,  /* multiply-adds of a product that one thread computes alone */
    TOGETHER = 8,          /* cache lines of a row of B that are packed together: with 1,
                              64x768x3072 has 0.89 of the speed (bench_qmatmul, Emerald Rapids) */
};

/* Cuts K into equal blocks whose panels of B stay in the first cache, or which the kernel wants. */
static void cut_depth(struct qmatmul_plan *p)
{
    const struct qmm_tile *tile = &p->kernel->tile;
    struct qmatmul_blocks *b = &p->packed.blocks;
    uint64_t unit = qmm_depth(1, &tile->a), nr = tile->b.lanes, bytes = qmm_elem_size(tile->b.elem);
    uint64_t limit = u64_min(p->kernel->max_k, QMM_INT32_K); /* wide sums have several blocks */
    uint64_t most = u64_min(cpu_caches().first / (nr * bytes), limit) / unit * unit;

    if (p->kernel->kc > 0 && p->shape.k >= 2 * (uint64_t)p->kernel->kc)
        most = u64_min(most, p->kernel->kc);
    b->k_blocks = u64_ceil_div(p->shape.k, most);
    b->kc = u64_round_up(u64_ceil_div(p->shape.k, b->k_blocks), unit);
    b->panels = u64_ceil_div(p->shape.n, nr);
    b->unit = u64_max(CACHE_LINE / nr, 1);
    b->panel_bytes = b->kc * nr * bytes;
    b->row_bytes = b->kc * qmm_elem_size(tile->a.elem);
}

/* Rows of A whose panels stay in the second cache. */
static uint64_t rows_most(const struct qmatmul_plan *p)
{
    uint64_t most = p->kernel->mc > 0 ? p->kernel->mc : ROWS_MOST;

    return u64_min(cpu_caches().second / 4 / p->packed.blocks.row_bytes, most);
}

/* Cuts chunks of at most `rows` rows, and the columns into that many chunks. The sums of mr rows of
 * jr panels stay in the first cache, as do the panels. */
static void cut_chunks(struct qmatmul_plan *p, uint64_t rows, uint64_t column_chunks)
{
    const struct qmm_tile *tile = &p->kernel->tile;
    struct qmatmul_blocks *b = &p->packed.blocks;
    uint64_t first = cpu_caches().first, cells = (uint64_t)tile->a.lanes * tile->b.lanes;
    uint64_t most = u64_min(first / 2 / b->panel_bytes, first / 4 / (sizeof(int32_t) * cells));

    b->mc = u64_round_up(u64_min(rows, p->shape.m), tile->a.lanes);
    b->row_chunks = u64_ceil_div(p->shape.m, b->mc);
    if (b->k_blocks > 1)
        column_chunks = u64_max(column_chunks, u64_ceil_div(p->shape.n, COLUMNS_MOST));
    b->nc = u64_round_up(u64_ceil_div(b->panels, column_chunks), b->unit);
    b->column_chunks = u64_ceil_div(b->panels, b->nc);
    b->jr = 1;
    while (2 * b->jr <= most && b->nc % (2 * b->jr) == 0)
        b->jr *= 2;
}

/* Chunks that keep the plan's threads busy. */
static uint64_t chunks_wanted(const struct qmatmul_plan *p)
{
    return p->base.threads > 1 ? (uint64_t)p->base.threads * CHUNKS_PER_THREAD : 1;
}

/* ---- scratch ---- */

static void allocate_b(struct qmatmul_plan *p, struct packed_b *b, uint64_t panels, bool *good)
{
    const struct qmatmul_blocks *bl = &p->packed.blocks;

    b->stored = panels;
    b->panels = qmatmul_scratch(p, bl->k_blocks * bl->panel_bytes, panels, good);
    qmatmul_allocate_sums(p, b, panels * p->kernel->tile.b.lanes, good);
}

static void allocate_worker(struct qmatmul_plan *p, struct qmatmul_worker *w, bool *good)
{
    const struct qmatmul_blocks *b = &p->packed.blocks;
    uint64_t nr = p->kernel->tile.b.lanes,
             cells = b->k_blocks > 1 ? b->mc * b->nc * nr : p->kernel->tile.a.lanes * b->jr * nr;

    w->a = qmatmul_scratch(p, b->mc, b->row_bytes, good);
    qmatmul_allocate_epilogue(p, &w->out, b->mc, cells, good);
}

/* ---- both strategies ---- */

/* Forgets what the run before has packed and found. */
static void begin(struct qmatmul_plan *p)
{
    p->packed.b.matrix = NULL;
    for (int i = 0; i < p->base.threads; i++) {
        p->workers[i].a_matrix = p->workers[i].b.matrix = NULL;
        p->workers[i].out.misfits.count = 0;
    }
}

/* ---- strategy shared ---- */

/* Cuts rows for the caches, then columns, then rows for threads: each chunk packs its rows anew. */
static bool prepare_shared(struct qmatmul_plan *p)
{
    uint64_t chunks = chunks_wanted(p), m = p->shape.m,
             most = u64_ceil_div(p->shape.n, COLUMNS_LEAST), rows;
    bool good = true;

    rows = rows_most(p);
    if (u64_ceil_div(m, rows) * most < chunks) /* columns alone do not make enough */
        rows = u64_min(rows, u64_max(u64_ceil_div(m, u64_ceil_div(chunks, most)), ROWS_LEAST));
    cut_chunks(p, rows, u64_min(u64_ceil_div(chunks, u64_ceil_div(m, rows)), most));
    allocate_b(p, &p->packed.b, p->packed.blocks.panels, &good);
    for (int i = 0; i < p->base.threads; i++)
        allocate_worker(p, &p->workers[i], &good);
    return good;
}

/* Panels of B that a thread packs together, so that rows of B are read in long runs. */
static uint64_t panels_together(const struct qmatmul_plan *p)
{
    const struct qmatmul_blocks *b = &p->packed.blocks;
    uint64_t share = b->panels / (2 * (uint64_t)p->base.threads);

    return u64_round_up(u64_min(u64_max(share, 1), TOGETHER * b->unit), b->unit);
}

static void pack_panels(void *context, size_t index, int thread)
{
    const struct product *x = context;
    uint64_t together = panels_together(x->plan), first = index * together;

    (void)thread;
    qmatmul_pack_b(x, first, u64_min(first + together, x->plan->packed.blocks.panels));
}

/* Chunks of the same rows follow one another. */
static void run_chunk(void *context, size_t chunk, int thread)
{
    const struct product *x = context;
    const struct qmatmul_blocks *b = &x->plan->packed.blocks;
    uint64_t row = chunk / b->column_chunks * b->mc, first = chunk % b->column_chunks * b->nc;

    qmatmul_run_chunk(x, &x->plan->workers[thread], row, first, u64_min(first + b->nc, b->panels));
}

static void run_shared(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;
    const struct qmatmul_blocks *b = &p->packed.blocks;
    struct packed_b *packed = &p->packed.b;

    begin(p);
    for (uint64_t i = 0; i < p->shape.products; i++) {
        struct product x = qmatmul_product_at(p, i, packed);

        if (packed->matrix != x.b) /* a broadcast matrix stays packed */
            parallel_for((size_t)u64_ceil_div(b->panels, panels_together(p)), p->base.threads,
                         pack_panels, &x);
        packed->matrix = x.b;
        parallel_for((size_t)(b->row_chunks * b->column_chunks), p->base.threads, run_chunk, &x);
    }
}

/* ---- strategy own ---- */

/* Some products have the same B. */
static bool b_is_shared(const struct qmatmul_plan *p)
{
    bool shared = false;

    for (unsigned i = 0; i < p->shape.lead_rank; i++)
        shared = shared || (p->shape.lead_sizes[i] > 1 && p->b.matrix.lead[i] == 0);
    return shared;
}

bool qmatmul_suits_own(struct qmatmul_plan *p)
{
    const struct qmatmul_shape *s = &p->shape;
    uint64_t threads = (uint64_t)p->base.threads;

    cut_depth(p);
    if (s->products > 1 && s->products >= threads && s->m * s->k * s->n <= WHOLE_WORK)
        return true;
    return s->m <= rows_most(p) && !b_is_shared(p) &&
           s->products * u64_ceil_div(s->n, STRIP_COLUMNS) >= threads;
}

static bool prepare_own(struct qmatmul_plan *p)
{
    uint64_t n = p->shape.n, strips = u64_ceil_div(chunks_wanted(p), p->shape.products);
    bool good = true;

    strips =
        u64_max(u64_min(strips, u64_ceil_div(n, STRIP_COLUMNS)), u64_ceil_div(n, COLUMNS_MOST));
    cut_chunks(p, rows_most(p), strips);
    for (int i = 0; i < p->base.threads; i++) {
        allocate_b(p, &p->workers[i].b, p->packed.blocks.nc, &good);
        allocate_worker(p, &p->workers[i], &good);
    }
    return good;
}

static void run_strip(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    const struct qmatmul_blocks *bl = &p->packed.blocks;
    struct qmatmul_worker *w = &p->workers[thread];
    struct packed_b *b = &w->b;
    struct product x = qmatmul_product_at(p, index / bl->column_chunks, b);
    uint64_t first = index % bl->column_chunks * bl->nc, last = u64_min(first + bl->nc, bl->panels);

    if (b->matrix != x.b || b->first != first) {
        b->matrix = x.b;
        b->first = first;
        qmatmul_pack_b(&x, first, last);
    }
    for (uint64_t row = 0; row < p->shape.m; row += bl->mc)
        qmatmul_run_chunk(&x, w, row, first, last);
}

static void run_own(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;

    begin(p);
    parallel_for((size_t)(p->shape.products * p->packed.blocks.column_chunks), p->base.threads,
                 run_strip, p);
}

const struct strategy qmatmul_shared = { false, prepare_shared, run_shared };
const struct strategy qmatmul_own = { false, prepare_own, run_own };
