#include "base/parallel.h"
#include "op/qmatmul/qmatmul_plan.h"

enum {
    ROWS_MOST = 128,
    ROWS_LEAST = 16,      /* of a task */
    COLUMNS_MOST = 512,   /* of a strip, if K has several blocks */
    COLUMNS_LEAST = 64,   /* of any strip: a cache line of a row of B */
    DEPTH_LEAST = 128,    /* values of K in a block */
    TASKS_PER_THREAD = 4, /* so that threads end together */
};

/* Cuts K into equal blocks of at most `most` values. */
static void cut_depth(struct qmatmul_plan *p, uint64_t most)
{
    const struct qmm_tile *tile = &p->kernel->tile;
    struct qmatmul_blocks *b = &p->packed.blocks;
    uint64_t unit = qmm_depth(1, &tile->a), nr = tile->b.lanes;

    b->k_blocks = u64_ceil_div(p->shape.k, most / unit * unit);
    b->kc = u64_round_up(u64_ceil_div(p->shape.k, b->k_blocks), unit);
    b->panels = u64_ceil_div(p->shape.n, nr);
    b->unit = u64_max(CACHE_LINE / nr, 1);
    b->panel_bytes = b->kc * nr * qmm_elem_size(tile->b.elem);
    b->row_bytes = b->kc * qmm_elem_size(tile->a.elem);
}

/* Values of K whose panels of B stay in the first cache, or which the kernel wants. */
static uint64_t depth_most(const struct qmatmul_plan *p)
{
    uint64_t bytes = p->kernel->tile.b.lanes * qmm_elem_size(p->kernel->tile.b.elem);
    uint64_t limit = u64_min(p->kernel->max_k, QMM_INT32_K); /* wide sums have several blocks */
    uint64_t most = u64_min(cpu_caches().first / bytes, limit);

    if (p->kernel->kc > 0 && p->shape.k >= 2 * (uint64_t)p->kernel->kc)
        most = u64_min(most, p->kernel->kc);
    return most;
}

/* Rows of A whose panels stay in the second cache. */
static uint64_t chunk_most(const struct qmatmul_plan *p)
{
    uint64_t most = p->kernel->mc > 0 ? p->kernel->mc : ROWS_MOST;

    return u64_max(u64_min(cpu_caches().second / 4 / p->packed.blocks.row_bytes, most), 1);
}

/* Columns of B whose panels stay in the second cache; with several blocks of K, their sums. */
static uint64_t strip_most(const struct qmatmul_plan *p)
{
    const struct qmatmul_blocks *b = &p->packed.blocks;
    uint64_t bytes = b->kc * qmm_elem_size(p->kernel->tile.b.elem);

    return b->k_blocks > 1 ? COLUMNS_MOST : u64_max(cpu_caches().second / 4 / bytes, COLUMNS_MOST);
}

/* Panels of the thread that has most of them, with `rows` tasks for each strip of nc panels. */
static uint64_t longest_share(const struct qmatmul_blocks *b, uint64_t nc, uint64_t rows,
                              uint64_t threads)
{
    return u64_ceil_div(u64_ceil_div(b->panels, nc) * rows, threads) * nc;
}

/* Cuts tasks, a strip of columns by some rows, that keep the plan's threads busy. Each task packs
 * its strip of B, unless the one before had it, and its rows of A: the side is halved that costs
 * less to pack twice; the other only for threads that have no task. Strips are halved once more if
 * threads then end together: 64x768x3072 by 16 threads had 24 strips, 1.25 times as long as 48
 * (bench_qmatmul, Emerald Rapids). */
static void cut_tasks(struct qmatmul_plan *p)
{
    const struct qmatmul_shape *s = &p->shape;
    struct qmatmul_blocks *b = &p->packed.blocks;
    uint64_t threads = u64_ceil_div((uint64_t)p->base.threads, s->products),
             mr = p->kernel->tile.a.lanes,
             wanted = p->base.threads > 1 ? threads * TASKS_PER_THREAD : 1,
             strips_most = u64_ceil_div(s->n, COLUMNS_LEAST),
             rows_most = u64_ceil_div(s->m, u64_max(ROWS_LEAST, mr)),
             strips = u64_ceil_div(s->n, strip_most(p)), rows = 1;

    while (strips * rows < wanted) {
        bool by_rows = rows * s->n < strips * s->m, more_rows = 2 * rows <= rows_most,
             more_strips = 2 * strips <= strips_most;

        if (!more_rows && !more_strips)
            break;
        if (by_rows ? !more_rows : !more_strips) {
            if (strips * rows >= threads)
                break;
            by_rows = !by_rows;
        }
        if (by_rows)
            rows *= 2;
        else
            strips *= 2;
    }
    b->nc = u64_round_up(u64_ceil_div(b->panels, strips), b->unit);
    if (threads > 1 && b->nc % (2 * b->unit) == 0 &&
        longest_share(b, b->nc / 2, rows, threads) < longest_share(b, b->nc, rows, threads))
        b->nc /= 2;
    b->strips = u64_ceil_div(b->panels, b->nc);
    rows = u64_ceil_div(s->m, rows);
    b->chunks = u64_ceil_div(rows, chunk_most(p));
    b->mc = u64_round_up(u64_ceil_div(rows, b->chunks), mr);
    b->row_tasks = u64_ceil_div(s->m, b->mc * b->chunks);
}

/* Panels whose sums become outputs together. The sums of mr rows stay in the first cache, as do the
 * panels. */
static void cut_panels(struct qmatmul_plan *p)
{
    const struct qmm_tile *tile = &p->kernel->tile;
    struct qmatmul_blocks *b = &p->packed.blocks;
    uint64_t first = cpu_caches().first, cells = (uint64_t)tile->a.lanes * tile->b.lanes;
    uint64_t most = u64_min(first / 2 / b->panel_bytes, first / 4 / (sizeof(int32_t) * cells));

    b->jr = 1;
    while (2 * b->jr <= most && b->nc % (2 * b->jr) == 0)
        b->jr *= 2;
}

static void allocate_worker(struct qmatmul_plan *p, struct qmatmul_worker *w, bool *good)
{
    const struct qmatmul_blocks *b = &p->packed.blocks;
    uint64_t nr = p->kernel->tile.b.lanes, bytes = b->nc * b->panel_bytes,
             cells = b->k_blocks > 1 ? b->mc * b->nc * nr : p->kernel->tile.a.lanes * b->jr * nr;
    bool all = b->k_blocks > 1 && b->chunks > 1;

    w->b.block_step = all ? bytes : 0;
    w->b.panels = qmatmul_scratch(p, all ? b->k_blocks : 1, bytes, good);
    qmatmul_allocate_sums(p, &w->b, b->nc * nr, good);
    w->a = qmatmul_scratch(p, b->mc, b->row_bytes, good);
    qmatmul_allocate_epilogue(p, &w->out, b->mc, cells, good);
}

/* Tasks of a strip follow one another. */
static void run_task(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    const struct qmatmul_blocks *bl = &p->packed.blocks;
    struct qmatmul_worker *w = &p->workers[thread];
    struct packed_b *b = &w->b;
    struct product x = qmatmul_product_at(p, index / bl->row_tasks % p->shape.products, b);
    uint64_t first = index / bl->row_tasks / p->shape.products * bl->nc,
             last = u64_min(first + bl->nc, bl->panels), rows = bl->mc * bl->chunks,
             row = index % bl->row_tasks * rows, end = u64_min(row + rows, p->shape.m);
    bool again = b->matrix != x.b || b->first != first;

    b->first = first;
    b->matrix = x.b;
    for (uint64_t block = 0; again && qmatmul_packs_all(p, b) && block < bl->k_blocks; block++)
        qmatmul_pack_b(&x, first, last, block);
    for (; row < end; row += bl->mc)
        qmatmul_run_chunk(&x, w, row, first, last);
}

static void run(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;
    const struct qmatmul_blocks *b = &p->packed.blocks;

    for (int i = 0; i < p->base.threads; i++) {
        p->workers[i].a_matrix = p->workers[i].b.matrix = NULL;
        p->workers[i].out.misfits.count = 0;
    }
    parallel_for((size_t)(b->strips * p->shape.products * b->row_tasks), p->base.threads, run_task,
                 p);
}

/* Several blocks of K are packed one by one, where the strip has one chunk of rows: a strip of each
 * stays in the second cache then. */
bool qmatmul_prepare_packed(struct qmatmul_plan *p)
{
    const struct qmatmul_blocks *b = &p->packed.blocks;
    uint64_t strip = COLUMNS_MOST * qmm_elem_size(p->kernel->tile.b.elem),
             most = u64_max(cpu_caches().second / 8 / strip, DEPTH_LEAST);
    bool good = true;

    p->base.run = run;
    cut_depth(p, depth_most(p));
    cut_tasks(p);
    if (b->k_blocks > 1 && b->chunks == 1 && most < b->kc)
        cut_depth(p, most);
    cut_panels(p);
    for (int i = 0; i < p->base.threads; i++)
        allocate_worker(p, &p->workers[i], &good);
    return good;
}
