/* Holds slice to a walk over coordinates: every row of the table of kernels that this processor can
 * run, under every policy of prefetching, with all widths, steps and tails, sources and
 * destinations against unmapped pages; then whole random slices through the operator. `check_slice
 * [--seed SEED]`. */
#include "check.h"
#include "kernel/slice/slice.h"
#include "op/op.h"

enum { TAIL_MAX = 200, LARGE_STEP = 4099, ROWS_MAX = 3 };

static bool runs_here(const struct slice_kernel *kernel) { return cpu_has(kernel->row.needs); }

/* The regions of a row check; want is as large as dst. */
struct regions {
    struct guarded src, dst;
    char *want;
};

/* What a copy of a block is to leave in dst's pages: all of them are compared. */
static void expect(const struct slice_block *b, const struct regions *g)
{
    size_t width = (size_t)1 << b->width_log2;

    memset(g->want, 0xa5, g->dst.bytes);
    for (size_t r = 0; r < b->rows; r++)
        for (size_t i = 0; i < b->n; i++)
            memcpy(g->want + ((char *)b->dst - g->dst.base) + r * (size_t)b->dst_row + i * width,
                   (const char *)b->src + r * (size_t)b->src_row +
                       (int64_t)i * b->step * (int64_t)width,
                   width);
}

/* One call under each policy for rows of n elements, the source at an end of its region, the
 * destination at an end of its own. gap: elements between rows. */
static void check_rows(const struct slice_kernel *kernel, unsigned width_log2, int64_t step,
                       size_t rows, size_t n, size_t gap, const struct regions *g)
{
    size_t width = (size_t)1 << width_log2, reach = n > 0 ? (n - 1) * (size_t)llabs(step) + 1 : 0;
    size_t src_row = (size_t)check_below(3) * width, dst_row = (n + gap) * width;
    bool src_end = check_below(2), dst_end = check_below(2);
    const char *from = guarded_place(&g->src, reach * width + (rows - 1) * src_row, src_end);
    char *to = guarded_place(&g->dst, n * width + (rows - 1) * dst_row, dst_end);
    struct slice_block b = { .dst = to, .src = from, .dst_row = (ptrdiff_t)dst_row,
                             .src_row = (ptrdiff_t)src_row, .step = (ptrdiff_t)step, .rows = rows,
                             .n = n, .width_log2 = width_log2, .stream = check_below(2),
                             .next = check_below(2) ? from : NULL };

    if (step < 0 && n > 0)
        b.src = from + (reach - 1) * width;
    expect(&b, g);
    for (b.prefetch = PREFETCH_NONE; b.prefetch < PREFETCH_COUNT; b.prefetch++) {
        memset(g->dst.base, 0xa5, g->dst.bytes);
        kernel->copy(&b);
        if (memcmp(g->want, g->dst.base, g->dst.bytes) == 0)
            check.passed++;
        else
            check_fail("%s, prefetching %s: width %zu step %lld rows=%zu n=%zu%s, source at the "
                       "%s, destination at the %s",
                       kernel->row.name, prefetch_name(b.prefetch), width, (long long)step, rows,
                       n, b.stream ? " streamed" : "", src_end ? "end" : "front",
                       dst_end ? "end" : "front");
    }
}

static int64_t random_large_step(void)
{
    int64_t step = check_between(10, LARGE_STEP);

    return check_below(2) ? -step : step;
}

/* Steps whose bytes, or elements, leave 32 bits: memory that exists only where it is touched. */
static void check_far(const struct slice_kernel *kernel, unsigned width_log2,
                      const struct regions *near)
{
    enum { N = 9 };
    int64_t step = check_between(INT32_MAX - 9, INT32_MAX + INT64_C(9));
    size_t bytes = ((N - 1) * (size_t)step + 1) << width_log2;
    struct regions far = { { NULL, (bytes + 64 + 4095) & ~(size_t)4095, false }, near->dst,
                           near->want };
    struct guarded *g = &far.src;

    g->base = mmap(NULL, g->bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (g->base == MAP_FAILED)
        return; /* the machine's limits do not allow it */
    for (size_t i = 0; i < N; i++) {
        check_fill(g->base + ((i * (size_t)step) << width_log2), 32);
        check_fill(g->base + g->bytes - bytes + ((i * (size_t)step) << width_log2) - 16,
                   16 + ((size_t)1 << width_log2));
    }
    check_rows(kernel, width_log2, step, 1, N, 0, &far);
    check_rows(kernel, width_log2, -step, 1, N, 0, &far);
    munmap(g->base, g->bytes);
}

static void check_kernel(const struct slice_kernel *kernel)
{
    struct regions g = { guarded_new((TAIL_MAX - 1) * LARGE_STEP * 8 + 64),
                         guarded_new(ROWS_MAX * (TAIL_MAX + 8) * 8), NULL };
    struct regions large = { g.src, guarded_new(20000 * 8), NULL };

    g.want = large.want = check_alloc(large.dst.bytes);
    check_fill(g.src.base, g.src.bytes);
    guarded_read_only(&g.src);
    for (unsigned w = 0; w < 4; w++) {
        for (size_t n = 0; n <= TAIL_MAX; n++) {
            for (int64_t step = -18; step <= 18; step++)
                for (int times = 0; times < 2; times++)
                    check_rows(kernel, w, step, 1 + check_below(ROWS_MAX), n, check_below(9), &g);
            check_rows(kernel, w, random_large_step(), 1, n, 0, &g);
        }
        for (int64_t step = -18; step <= 18; step++)
            for (int times = 0; times < 4; times++) {
                size_t rows = 1 + check_below(ROWS_MAX);

                check_rows(kernel, w, step, rows,
                           (size_t)check_between(TAIL_MAX, 20000 / (int64_t)rows), 0, &large);
            }
        /* rows that make whole lines together, or are such */
        for (int64_t step = -6; step <= 6; step++)
            for (int times = 0; times < 30; times++) {
                size_t line = (size_t)64 >> w, n = check_below((size_t)2100 >> w);

                n -= check_below(2) ? n % line : 0;
                check_rows(kernel, w, step, 1 + check_below(60), n,
                           check_below(4) ? line * check_below(2) : 1, &large);
            }
        if (sizeof(size_t) > sizeof(uint32_t))
            check_far(kernel, w, &g);
    }
    free(g.want);
    guarded_free(&g.src);
    guarded_free(&g.dst);
    guarded_free(&large.dst);
}

static uint64_t draw_size(uint64_t *budget)
{
    uint64_t top = *budget < 40 ? *budget : 40,
             size = 1 + check_below(check_below(3) ? top : u64_min(top, 3));

    *budget /= size;
    return size;
}

/* Window and output along axis i of an input of this size. */
static void draw_axis(struct desc *d, unsigned i, uint64_t size, uint64_t *out)
{
    uint64_t offset = check_below(size), window = 1 + check_below(size - offset), most;
    int64_t stride = check_below(2) ? 1 : check_between(1, (int64_t)u64_min(9, window));

    if (check_below(30) == 0)
        stride = d->op == OP_SLICE ? UINT32_MAX : -(int64_t)INT32_MIN;
    most = 1 + (window - 1) / (uint64_t)stride;
    *out = check_below(3) ? most : 1 + check_below(most);
    if (d->op == OP_SLICE1 && check_below(3) == 0)
        stride = -stride;
    d->offsets[i] = offset;
    d->sizes[i] = d->op == OP_SLICE ? *out : window;
    d->strides[i] = stride;
}

/* What the operator is to write, in a copy of the output's pages. */
static void walk(const struct desc *d, const struct tensor *in, const struct check_tensor *out,
                 char *want)
{
    size_t size = dtype_size(in->type);
    uint64_t c[DML_MAX_RANK] = { 0 };

    do {
        const char *from = in->data;
        char *to = want + ((char *)out->t.data - out->g.base);

        for (unsigned i = 0; i < in->rank; i++) {
            int64_t start = (int64_t)d->offsets[i];

            if (d->op == OP_SLICE1 && d->strides[i] < 0)
                start += (int64_t)d->sizes[i] - 1;
            from += (start + d->strides[i] * (int64_t)c[i]) * in->strides[i] * (int64_t)size;
            to += (int64_t)c[i] * out->t.strides[i] * (int64_t)size;
        }
        for (size_t i = 0; i < size; i++)
            to[i] = from[in->swapped ? size - 1 - i : i];
    } while (tensor_next(in->rank, out->t.sizes, c));
}

static void tell_slice(const struct desc *d, const struct check_tensor *in,
                       const struct check_tensor *out, const char *kernel, int threads,
                       const char *what)
{
    check_fail("%s: %s, kernel %s, %d threads, %s%s; see the axes below",
               d->op == OP_SLICE ? "SLICE" : "SLICE1", what, kernel ? kernel : "(default)", threads,
               dtype_name(in->t.type), in->t.swapped ? ", swapped" : "");
    for (unsigned i = 0; check.failed <= 20 && i < in->t.rank; i++)
        fprintf(stderr, "  size %llu stride %lld; window %llu+%llu by %lld; out %llu stride %lld\n",
                (unsigned long long)in->t.sizes[i], (long long)in->t.strides[i],
                (unsigned long long)d->offsets[i], (unsigned long long)d->sizes[i],
                (long long)d->strides[i], (unsigned long long)out->t.sizes[i],
                (long long)out->t.strides[i]);
}

static void run_slice(const struct desc *d, struct check_tensor *in, struct check_tensor *out,
                      const char *kernel, const char *want)
{
    struct tensor *t[SLOT_COUNT] = { [SLOT_IN] = &in->t, [SLOT_OUT] = &out->t };
    struct op_exec exec = { .threads = check_below(3) ? 1 : (int)check_between(2, 4),
                            .kernel = kernel,
                            .prefetch = (enum prefetch_policy)check_below(PREFETCH_COUNT) };
    struct diag dg = { .err = stderr };
    struct op_plan *plan;
    const char *what = NULL;

    out->t.is_bool = !in->t.is_bool;
    if (op_plan_new(&plan, d, t, &exec, &dg) != ST_OK)
        what = "no plan";
    else if (kernel && strcmp(kernel, "auto") != 0 && strcmp(kernel, plan->kernel) != 0)
        what = "another kernel's plan";
    else if (out->t.is_bool != in->t.is_bool)
        what = "is_bool is lost";
    for (int times = 0; !what && times < 2; times++) {
        memset(out->g.base, 0xa5, out->g.bytes);
        op_plan_run(plan);
        if (memcmp(want, out->g.base, out->g.bytes) != 0)
            what = times == 0 ? "wrong bytes" : "wrong bytes in the second run";
    }
    if (what)
        tell_slice(d, in, out, kernel, exec.threads, what);
    else
        check.passed++;
    op_plan_free(plan);
}

/* A random slice of an input of these sizes; whole: all of it, in its order. */
static void check_slice(unsigned rank, const uint64_t *sizes, enum layout layout, bool whole)
{
    struct desc d = { .op = check_below(2) ? OP_SLICE1 : OP_SLICE };
    enum dtype type = (enum dtype)check_between(DT_NONE + 1, DT_COUNT - 1);
    struct check_tensor in = check_tensor_new(type, rank, sizes, layout, whole ? 0 : 8), out;
    uint64_t out_sizes[DML_MAX_RANK] = { 0 };
    char *want;

    for (unsigned i = 0; i < rank; i++)
        if (whole)
            d.sizes[i] = out_sizes[i] = sizes[i], d.strides[i] = 1;
        else
            draw_axis(&d, i, sizes[i], &out_sizes[i]);
    out = check_tensor_new(type, rank, out_sizes,
                           check_below(2) ? LAYOUT_ROW_MAJOR : LAYOUT_RANDOM, 0);
    in.t.swapped = dtype_size(type) > 1 && check_below(3) == 0;
    in.t.is_bool = type == DT_UINT8 && check_below(2);
    check_fill(in.g.base, in.g.bytes);
    guarded_read_only(&in.g);
    want = check_alloc(out.g.bytes);
    memset(want, 0xa5, out.g.bytes);
    walk(&d, &in.t, &out, want);
    for (unsigned row = 0; row < slice_kernel_count; row++)
        if (runs_here(&slice_kernels[row]))
            run_slice(&d, &in, &out, slice_kernels[row].row.name, want);
    run_slice(&d, &in, &out, check_below(2) ? "auto" : NULL, want);
    free(want);
    guarded_free(&in.g);
    guarded_free(&out.g);
}

int main(int argc, char **argv)
{
    static const uint64_t large[][3] = { { 1, 140000, 1 }, { 3, 131072, 1 }, { 400, 700, 1 },
                                         { 70000, 3, 1 },  { 262144, 1, 1 }, { 65, 300, 17 } };

    check_begin("check_slice", argc, argv);
    for (unsigned row = 0; row < slice_kernel_count; row++)
        if (runs_here(&slice_kernels[row]))
            check_kernel(&slice_kernels[row]);
    for (unsigned i = 0; i < random_cases(12000); i++) {
        uint64_t sizes[DML_MAX_RANK], budget = i % 10 ? 3000 : 60000;
        unsigned rank = (unsigned)check_between(1, DML_MAX_RANK);

        for (unsigned axis = 0; axis < rank; axis++)
            sizes[axis] = draw_size(&budget);
        check_slice(rank, sizes, check_below(3) ? LAYOUT_RANDOM : LAYOUT_ROW_MAJOR, false);
    }
    /* transposed, in tiles that are deep where the first axis is short */
    for (unsigned i = 0; i < random_cases(300); i++) {
        uint64_t sizes[] = { 1 + check_below(70), 1 + check_below(100), 1 + check_below(100),
                             1 + check_below(3) };

        check_slice(ARRAY_LEN(sizes), sizes, LAYOUT_COLUMN_MAJOR, check_below(4));
    }
    for (int i = 0; i < 20; i++) { /* columns that lie in the same places of a cache */
        uint64_t sizes[] = { 4096, 1 + check_below(300) };

        check_slice(ARRAY_LEN(sizes), sizes, LAYOUT_COLUMN_MAJOR, check_below(4));
    }
    for (unsigned times = 0; times < random_cases(12); times++)
        for (size_t i = 0; i < ARRAY_LEN(large); i++)
            check_slice(3, large[i], check_below(3) ? LAYOUT_RANDOM : LAYOUT_ROW_MAJOR, false);
    return check_end();
}
