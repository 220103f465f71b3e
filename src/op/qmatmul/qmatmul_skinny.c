#include "base/parallel.h"
#include "op/qmatmul/qmatmul_plan.h"

OPTIMIZE_LOOPS

enum {
    STRIP_UNIT = 64,   /* columns; a multiple of every nr */
    STRIP_LEAST = 256, /* columns for a thread */
    STRIP_MOST = 1024, /* columns; more where a strip's sums stay in a cache, see cut() */
    SUMS = 4096,       /* of a strip that stay in the first cache */
    RANGE_UNIT = 64,   /* values of K */
};

/* Cuts strips of B's columns, as long as their sums allow. If these are too few for all threads,
 * rows of B are shared out as well: they are read faster the longer the runs are. 1x4096x4096 by 16
 * threads: 0.6 of the rate of reading, with strips of 256 columns 0.4 (bench_qmatmul, Emerald
 * Rapids). On one thread the sums may be in the second cache: with strips of 1024 columns,
 * 8x4096x4096 takes 1.2 times as long. B by columns is read in runs anyway. */
static void cut(struct qmatmul_plan *p)
{
    struct skinny *s = &p->skinny;
    uint64_t n = p->shape.n, k = p->shape.k;
    uint64_t threads = u64_ceil_div((uint64_t)p->base.threads, p->shape.products); /* a product's */
    uint64_t sums = threads == 1 ? cpu_caches().second / 8 / sizeof(int32_t) : SUMS;
    uint64_t strip = u64_max(u64_min(sums / p->shape.m, SUMS), STRIP_MOST);
    bool by_rows = p->b.matrix.column == 1;

    if (!by_rows)
        strip = u64_min(strip, u64_max(u64_ceil_div(n, threads), STRIP_LEAST));
    s->columns = u64_round_up(u64_min(strip, n), STRIP_UNIT);
    s->strips = u64_ceil_div(n, s->columns);
    s->kc = k;
    if (by_rows && s->strips < threads)
        s->kc = u64_round_up(u64_ceil_div(k, u64_ceil_div(threads, s->strips)), RANGE_UNIT);
    s->ranges = u64_ceil_div(k, s->kc);
    s->step = u64_round_up(s->kc, QMM_SKINNY_ALIGN);
}

/* Copies k values of a row of A, plus `add`, to words or bytes; their sum. Inlined, and loops of
 * constant steps are fast. */
INLINE int64_t copy_row(char *to, bool words, const char *from, int64_t step, bool is_signed,
                        int32_t add, uint64_t k)
{
    int32_t sum = 0;

    for (uint64_t i = 0; i < k; i++) {
        const char *at = from + (int64_t)i * step;
        int32_t v = (is_signed ? *(const signed char *)at : *(const unsigned char *)at) + add;

        if (words)
            ((int16_t *)(void *)to)[i] = (int16_t)v;
        else
            to[i] = (char)v;
        sum += v;
    }
    return sum;
}

/* Copies values first..last-1 of the product's rows of A as struct qmm_skinny wants them, and ones;
 * the sums of rows. */
static void copy_rows(const struct product *x, const struct qmatmul_worker *w, int64_t *a_sums,
                      uint64_t first, uint64_t last)
{
    const struct qmatmul_plan *p = x->plan;
    const struct operand *a = &p->a.matrix;
    uint64_t elem = qmm_elem_size(p->kernel->skinny_a), step = p->skinny.step * elem,
             k = last - first;
    char *to = w->skinny_a;

    for (uint64_t i = 0; i < p->skinny.rows; i++, to += step) {
        const char *from = x->a + (int64_t)i * a->row + (int64_t)first * a->column;

        memset(to + k * elem, 0, step - k * elem);
        if (i == p->shape.m)
            memset(to, 1, k);
        else if (p->widened)
            a_sums[i] = copy_row(to, true, from, a->column, a->is_signed,
                                 -qmatmul_zero_at(&p->a.zero, a, i), k);
        else if (a->column == 1 && a->is_signed)
            a_sums[i] = copy_row(to, false, from, 1, true, p->a_shift, k);
        else if (a->column == 1)
            a_sums[i] = copy_row(to, false, from, 1, false, p->a_shift, k);
        else
            a_sums[i] = copy_row(to, false, from, a->column, a->is_signed, p->a_shift, k);
    }
}

/* One range of K of one strip: its sums go to `sums`, those of A's rows to a_sums. */
static void add_up(const struct product *x, const struct qmatmul_worker *w, uint64_t strip,
                   uint64_t range, int64_t *a_sums, int32_t *sums)
{
    const struct qmatmul_plan *p = x->plan;
    const struct skinny *s = &p->skinny;
    const struct operand *b = &p->b.matrix;
    uint64_t column = strip * s->columns, first = range * s->kc,
             last = u64_min(first + s->kc, p->shape.k);
    bool ones = s->rows > p->shape.m && p->packed.b_sums;
    struct qmm_skinny a = { w->skinny_a, (size_t)s->step, (size_t)(p->shape.m + ones),
                            (size_t)(last - first), s->prefetch };
    struct qmm_source from = { x->b + (int64_t)first * b->row + (int64_t)column * b->column,
                               (ptrdiff_t)b->column, (ptrdiff_t)b->row, b->is_signed };

    copy_rows(x, w, a_sums, first, last);
    p->kernel->skinny(sums, (size_t)s->columns, &a, &from,
                      (size_t)u64_min(s->columns, p->shape.n - column));
}

/* Writes outputs of some columns from `column` on, whose sums are the worker's first columns. */
static void finish(const struct product *x, struct qmatmul_worker *w, uint64_t column,
                   uint64_t columns)
{
    const struct qmatmul_plan *p = x->plan;
    const struct skinny *s = &p->skinny;
    uint64_t nr = p->kernel->tile.b.lanes;
    uint32_t a_zero = qmatmul_a_zero(p, 0);
    struct qmm_sums sums = { w->out.sums, (size_t)p->skinny.columns, (size_t)p->shape.m,
                             (size_t)u64_round_up(columns, nr) };

    w->b.first = column / nr;
    for (uint64_t j = 0; s->rows > p->shape.m && p->packed.b_sums && j < columns; j++) {
        w->b.low_sums[j] = (uint32_t)w->out.sums[p->shape.m * s->columns + j];
        w->b.bias[j] = w->b.low_sums[j] * a_zero;
    }
    qmatmul_fill_rows(p, &w->out, 0, p->shape.m);
    qmatmul_store(x, &w->out, &sums, 0, 0, column);
}

static void run_strip(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    const struct skinny *s = &p->skinny;
    struct qmatmul_worker *w = &p->workers[thread];
    struct product x = qmatmul_product_at(p, index / s->strips, &w->b);
    uint64_t strip = index % s->strips, column = strip * s->columns;

    add_up(&x, w, strip, 0, w->out.a_sums, w->out.sums);
    finish(&x, w, column, u64_min(s->columns, p->shape.n - column));
}

static void run_range(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    const struct skinny *s = &p->skinny;
    uint64_t strip = index / s->ranges, m = p->shape.m;
    struct product x = qmatmul_product_at(p, strip / s->strips, NULL);

    add_up(&x, &p->workers[thread], strip % s->strips, index % s->ranges, s->a_sums + index * m,
           s->sums + index * s->rows * s->columns);
}

/* Adds up all ranges of STRIP_LEAST columns of a strip, and writes their outputs. */
static void finish_ranges(void *context, size_t index, int thread)
{
    struct qmatmul_plan *p = context;
    const struct skinny *s = &p->skinny;
    struct qmatmul_worker *w = &p->workers[thread];
    uint64_t slices = u64_ceil_div(s->columns, STRIP_LEAST), strip = index / slices,
             at = index % slices * STRIP_LEAST, column = strip % s->strips * s->columns + at,
             m = p->shape.m, columns;
    struct product x = qmatmul_product_at(p, strip / s->strips, &w->b);

    if (column >= p->shape.n)
        return;
    columns = u64_min(u64_min(STRIP_LEAST, s->columns - at), p->shape.n - column);
    memset(w->out.a_sums, 0, m * sizeof w->out.a_sums[0]);
    for (uint64_t i = 0; i < s->rows; i++)
        memset(w->out.sums + i * s->columns, 0, columns * sizeof w->out.sums[0]);
    for (uint64_t range = strip * s->ranges; range < (strip + 1) * s->ranges; range++) {
        for (uint64_t i = 0; i < m; i++)
            w->out.a_sums[i] += s->a_sums[range * m + i];
        for (uint64_t i = 0; i < s->rows; i++) {
            const int32_t *from = s->sums + (range * s->rows + i) * s->columns + at;
            int32_t *to = w->out.sums + i * s->columns;

            for (uint64_t j = 0; j < columns; j++)
                to[j] += from[j];
        }
    }
    finish(&x, w, column, columns);
}

static void run(struct op_plan *plan)
{
    struct qmatmul_plan *p = (struct qmatmul_plan *)plan;
    const struct skinny *s = &p->skinny;
    uint64_t strips = p->shape.products * s->strips;

    if (s->ranges == 1) {
        parallel_for((size_t)strips, p->base.threads, run_strip, p);
        return;
    }
    parallel_for((size_t)(strips * s->ranges), p->base.threads, run_range, p);
    parallel_for((size_t)(strips * u64_ceil_div(s->columns, STRIP_LEAST)), p->base.threads,
                 finish_ranges, p);
}

bool qmatmul_prepare_skinny(struct qmatmul_plan *p)
{
    struct skinny *s = &p->skinny;
    uint64_t ranges, elem = qmm_elem_size(p->kernel->skinny_a);
    bool good = true;

    p->base.run = run;
    cut(p);
    s->rows = p->shape.m + !p->widened;
    ranges = p->shape.products * s->strips * s->ranges;
    if (s->ranges > 1) {
        s->a_sums = qmatmul_scratch(p, p->shape.m * ranges, sizeof *s->a_sums, &good);
        s->sums = qmatmul_scratch(p, s->rows * ranges, s->columns * sizeof *s->sums, &good);
    }
    for (int i = 0; i < p->base.threads; i++) {
        struct qmatmul_worker *w = &p->workers[i];

        w->skinny_a = qmatmul_zeroed_scratch(p, s->rows * s->step, elem, &good);
        qmatmul_allocate_sums(p, &w->b, s->columns, &good);
        qmatmul_allocate_epilogue(p, &w->out, s->rows, s->rows * s->columns, &good);
    }
    return good;
}
