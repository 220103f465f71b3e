/* Top-K of any shape, layout and type, on patterns of data and on the input's own bytes: every
 * kernel of this machine, on one to three threads, against a stable sort. Of src: op/topk/topk.c
 * op/topk/topk_select.c op/topk/topk_limit.c op/topk/topk_sort.c
 * op/topk/topk_output.c kernel/topk/topk_rows.c kernel/topk/topk_scan.c kernel/topk/topk_loops.inc
 * kernel/topk/topk_scan.inc kernel/topk/topk_ref.c */

#include "kernel/expect_topk.h"
#include "kernel/topk/topk.h"
#include "view.h"

enum { MOST = 500, MANY = 150000 };

struct problem {
    struct desc d;
    struct fuzz_view in, values, indices;
    char *want_values, *want_indices;
};

/* The view, in a copy of its memory. */
static struct tensor tensor_in(const struct fuzz_view *v, char *want)
{
    struct tensor t = v->t;

    t.data = want + ((char *)v->t.data - v->memory);
    return t;
}

static void check_kernel(struct problem *p, const char *kernel, int threads)
{
    struct tensor *t[SLOT_COUNT] = {
        [SLOT_IN] = &p->in.t, [SLOT_VALUES] = &p->values.t, [SLOT_INDICES] = &p->indices.t
    };

    memset(p->values.memory, 0xa5, p->values.bytes);
    memset(p->indices.memory, 0xa5, p->indices.bytes);
    fuzz_run(&p->d, t, kernel, threads);
    if (memcmp(p->values.memory, p->want_values, p->values.bytes) != 0)
        fuzz_fail("%s: wrong values, %d threads", kernel, threads);
    if (memcmp(p->indices.memory, p->want_indices, p->indices.bytes) != 0)
        fuzz_fail("%s: wrong indices, %d threads", kernel, threads);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes b = { data, data + size };
    uint64_t rng = fuzz_seed(&b), sizes[DML_MAX_RANK];
    unsigned choice = fuzz_byte(&b), rank = fuzz_sizes(&b, choice >> 4 == 15 ? MANY : MOST, sizes);
    unsigned axis = fuzz_byte(&b) % rank, pattern = fuzz_between(&b, 0, PATTERN_COUNT),
             size_k = fuzz_word(&b);
    uint64_t n = sizes[axis], k = size_k & 0x8000 ? n : 1 + size_k % n;
    struct problem p = { .d = { .op = choice & 1 ? OP_TOP_K1 : OP_TOP_K, .axis = axis, .k = k } };
    enum dtype type = fuzz_dtype(&b);
    struct tensor values, indices;

    p.d.direction = p.d.op == OP_TOP_K || choice & 2 ? AXIS_DECREASING : AXIS_INCREASING;
    p.d.nan_last = (choice & 3) == 3 && size_k & 0x4000; /* TOP_K1, largest first */
    p.in = fuzz_view_new(&b, type, rank, sizes, true);
    sizes[axis] = k;
    p.values = fuzz_view_new(&b, type, rank, sizes, false);
    p.indices = fuzz_view_new(&b, choice & 4 ? DT_UINT64 : DT_UINT32, rank, sizes, false);
    p.in.t.swapped = choice & 8 && dtype_size(type) > 1;
    if (pattern == PATTERN_COUNT)
        fuzz_fill(&b, p.in.memory, p.in.bytes);
    else
        oracle_fill(type, (enum oracle_pattern)pattern, p.in.memory, p.in.bytes / dtype_size(type),
                    &rng);
    p.want_values = fuzz_view_want(&p.values);
    p.want_indices = fuzz_view_want(&p.indices);
    values = tensor_in(&p.values, p.want_values);
    indices = tensor_in(&p.indices, p.want_indices);
    expect_topk(&p.d, &p.in.t, &values, &indices);
    for (unsigned i = 0; i < topk_kernel_count; i++) /* of many elements one kernel, and the best */
        if (cpu_has(topk_kernels[i].row.needs) &&
            (p.in.bytes < 1 << 16 || i == size % topk_kernel_count))
            check_kernel(&p, topk_kernels[i].row.name, 1);
    check_kernel(&p, "auto", 1 + (int)(choice >> 2) % 3);
    free(p.want_values);
    free(p.want_indices);
    free(p.in.memory);
    free(p.values.memory);
    free(p.indices.memory);
    return 0;
}
