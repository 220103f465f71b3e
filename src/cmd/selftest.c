#include "base/digest.h"
#include "base/mem.h"
#include "cli/option_groups.h"
#include "cmd/commands.h"
#include "desc/schema.h"
#include "op/op.h"
#include "tensor/generate.h"

struct selftest_args {
    struct common_args common;
    long threads;
};

#include "cmd/selftest_rows.h"

/* A descriptor with its tensors. */
struct trial {
    struct desc desc;
    struct tensor view[SLOT_COUNT];
    unsigned char *data[SLOT_COUNT]; /* owned */
    uint64_t bytes[SLOT_COUNT];
};

static bool has_output(const struct trial *t, unsigned slot)
{
    return t->desc.tensor[slot].present && schema_tensor(op_schema(t->desc.op), slot)->output;
}

/* Adds a packed tensor of random bytes, or of scales with which most outputs are within INT8. */
static bool add_tensor(struct trial *t, unsigned slot, enum dtype type, unsigned rank,
                       const uint64_t *sizes, uint64_t *seed)
{
    struct tensor_desc *d = &t->desc.tensor[slot];
    bool scales = t->desc.op == OP_QMATMUL && type == DT_FLOAT32;
    float least = slot == SLOT_C_SCALE ? 0x1p14F : 0x1p-10F;
    struct generator g = { .type = scales ? DT_FLOAT32 : DT_UINT64,
                           .random = true,
                           .seed = ++*seed,
                           .start = least,
                           .step = 1 };
    uint64_t count;

    memcpy(g.first, &least, sizeof least);
    *d = tensor_desc_packed(type, rank, sizes);
    tensor_desc_bytes(d, &t->bytes[slot]);
    count = t->bytes[slot] / dtype_size(g.type) + !scales; /* the last word is past the end */
    t->data[slot] = mem_alloc_aligned(count, dtype_size(g.type));
    if (!t->data[slot])
        return false;
    generate(&g, 0, count, t->data[slot]);
    return tensor_desc_view(d, t->data[slot], &t->view[slot]);
}

static bool make_slice(struct trial *t, enum dtype type, int64_t step, uint64_t *seed)
{
    const uint64_t in[3] = { 19, 67, 1031 }, window[3] = { 17, 66, 1030 };
    uint64_t out[3], magnitude = (uint64_t)(step < 0 ? -step : step);

    t->desc.op = OP_SLICE1;
    t->desc.dimension_count = 3;
    for (int i = 0; i < 3; i++) {
        t->desc.offsets[i] = 1;
        t->desc.sizes[i] = window[i];
        t->desc.strides[i] = i == 1 ? 1 : step;
        out[i] = i == 1 ? window[i] : 1 + (window[i] - 1) / magnitude;
    }
    return add_tensor(t, SLOT_IN, type, 3, in, seed) && add_tensor(t, SLOT_OUT, type, 3, out, seed);
}

static bool make_topk(struct trial *t, enum dtype type, uint64_t k, bool inner, uint64_t *seed)
{
    const uint64_t in[2] = { inner ? 2003 : 61, inner ? 61 : 2003 };
    uint64_t out[2] = { in[0], in[1] };

    t->desc.op = OP_TOP_K1;
    t->desc.axis = inner ? 0 : 1;
    t->desc.k = k;
    t->desc.direction = AXIS_DECREASING;
    out[t->desc.axis] = k;
    return add_tensor(t, SLOT_IN, type, 2, in, seed) &&
           add_tensor(t, SLOT_VALUES, type, 2, out, seed) &&
           add_tensor(t, SLOT_INDICES, DT_UINT32, 2, out, seed);
}

static bool make_qmatmul(struct trial *t, enum dtype a, enum dtype b, uint64_t m, uint64_t *seed)
{
    const uint64_t k = 517, n = 259;
    const struct {
        unsigned slot;
        enum dtype type;
        uint64_t sizes[2];
    } tensors[] = {
        { SLOT_A, a, { m, k } },
        { SLOT_A_SCALE, DT_FLOAT32, { m, 1 } },
        { SLOT_A_ZERO, a, { m, 1 } },
        { SLOT_B, b, { k, n } },
        { SLOT_B_SCALE, DT_FLOAT32, { 1, n } },
        { SLOT_B_ZERO, b, { 1, n } },
        { SLOT_C_SCALE, DT_FLOAT32, { 1, 1 } },
        { SLOT_C_ZERO, DT_INT8, { 1, 1 } },
        { SLOT_C, DT_INT8, { m, n } },
    };

    t->desc.op = OP_QMATMUL;
    for (size_t i = 0; i < ARRAY_LEN(tensors); i++)
        if (!add_tensor(t, tensors[i].slot, tensors[i].type, 2, tensors[i].sizes, seed))
            return false;
    return true;
}

enum { MOST_ROWS = 8 }; /* that a table of kernels has */

/* A kernel's results over the trials of its operator. */
struct score {
    uint64_t ns, operations, differences;
    uint64_t digest[SLOT_COUNT]; /* of the results of the last trial */
};

/* Runs a kernel; adds its time and its operations to the score, and sets the digests. */
static enum status run_kernel(struct trial *t, const char *kernel, int threads, struct score *score,
                              struct diag *dg)
{
    const struct op_exec exec = { .threads = threads, .kernel = kernel };
    struct tensor *views[SLOT_COUNT] = { NULL };
    struct op_plan *plan = NULL;
    uint64_t start;
    enum status st;

    for (unsigned s = 0; s < SLOT_COUNT; s++) {
        if (t->desc.tensor[s].present)
            views[s] = &t->view[s];
        if (has_output(t, s))
            memset(t->data[s], 0xa5, t->bytes[s]);
    }
    st = op_plan_new(&plan, &t->desc, views, &exec, dg);
    if (st)
        return st;
    op_plan_run(plan); /* the timed run then finds its memory mapped */
    start = clock_ns();
    op_plan_run(plan);
    score->ns += clock_ns() - start;
    score->operations += plan->operations;
    for (unsigned s = 0; s < SLOT_COUNT; s++)
        score->digest[s] = has_output(t, s) ? digest_of(t->data[s], t->bytes[s]) : 0;
    op_plan_free(plan);
    return ST_OK;
}

/* Makes trial i of an operator; false after the last. *made is false if memory is short. */
static bool make_trial(enum op op, unsigned i, struct trial *t, bool *made)
{
    const unsigned types = DT_COUNT - DT_NONE - 1;
    static const enum dtype widths[] = { DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64 };
    static const int64_t steps[] = { 1, 2, 3, -1, -2, 7 };
    static const uint64_t rows_of[] = { 1, 5, 67 };
    uint64_t seed = 16 * (uint64_t)i; /* more than there are slots */

    *t = (struct trial){ 0 };
    if (op == OP_SLICE1 && i < ARRAY_LEN(widths) * ARRAY_LEN(steps))
        *made = make_slice(t, widths[i % ARRAY_LEN(widths)], steps[i / ARRAY_LEN(widths)], &seed);
    else if (op == OP_TOP_K1 && i < types * 3)
        *made = make_topk(t, (enum dtype)(DT_NONE + 1 + i % types), i / types == 1 ? 500 : 7,
                          i / types == 2, &seed);
    else if (op == OP_QMATMUL && i < 4 * ARRAY_LEN(rows_of))
        *made = make_qmatmul(t, i & 1 ? DT_INT8 : DT_UINT8, i & 2 ? DT_INT8 : DT_UINT8,
                             rows_of[i / 4], &seed);
    else
        return false;
    return true;
}

/* Prints how a kernel compares with the reference. */
static void print_score(const struct kernel_row *row, enum kernel_list list, unsigned trials,
                        const struct score *score)
{
    if (!cpu_has(row->needs)) {
        printf("%-8s %-12s not on this processor\n", kernel_list_command(list), row->name);
        return;
    }
    printf("%-8s %-12s %3u trials %-9s %8.3f G %s/s\n", kernel_list_command(list), row->name,
           trials, score->differences ? "DIFFERENT" : "ok",
           (double)score->operations / (double)(score->ns ? score->ns : 1),
           list == KERNELS_QMATMUL ? "multiply-adds" : "elements");
}

/* Compares the kernels of a table with the reference, which each trial runs on one thread. */
static enum status test_kernels(enum kernel_list list, bool quiet, int threads, bool *differs,
                                struct diag *dg)
{
    static const enum op ops[KERNEL_LISTS] = { OP_SLICE1, OP_TOP_K1, OP_QMATMUL };
    struct score scores[MOST_ROWS] = { 0 };
    const struct kernel_row *row;
    enum status st = ST_OK;
    struct trial t;
    bool made;
    unsigned i = 0;

    for (; st == ST_OK && make_trial(ops[list], i, &t, &made); i++) {
        struct score reference = { 0 };

        st = made ? run_kernel(&t, "reference", 1, &reference, dg) : diag_nomem(dg);
        for (unsigned k = 0; st == ST_OK && (row = kernel_list_row(list, k)); k++) {
            if (!cpu_has(row->needs))
                continue;
            st = run_kernel(&t, row->name, threads, &scores[k], dg);
            for (unsigned s = 0; s < SLOT_COUNT; s++)
                scores[k].differences += scores[k].digest[s] != reference.digest[s];
        }
        for (unsigned s = 0; s < SLOT_COUNT; s++)
            free(t.data[s]);
    }
    for (unsigned k = 0; st == ST_OK && (row = kernel_list_row(list, k)); k++) {
        *differs = *differs || scores[k].differences > 0;
        if (!quiet || scores[k].differences)
            print_score(row, list, i, &scores[k]);
    }
    return st;
}

enum status cmd_selftest(int argc, char **argv, struct diag *dg)
{
    struct selftest_args a = { .threads = 0 };
    bool differs = false;
    enum status st;
    int n;

    if (!command_begin(selftest_options, &a, &argc, &argv, &st, dg))
        return st;
    if (argc > 0)
        return usage_error(dg, "takes no operands, but '%s' is given", argv[0]);
    n = parallel_threads_for(execution_threads(a.threads, dg), UINT64_MAX);
    diag_note(
        dg, NULL,
        "every kernel runs on at most %d thread%s, the reference that it is compared with on 1", n,
        n == 1 ? "" : "s");
    if (!a.common.quiet)
        print_prefetch();
    for (enum kernel_list t = KERNELS_SLICE; t < KERNEL_LISTS && st == ST_OK; t++)
        st = test_kernels(t, a.common.quiet, n, &differs, dg);
    if (st)
        return st;
    if (!a.common.quiet)
        puts(differs ? "a kernel differs from the reference"
                     : "all kernels give the reference's bytes");
    return differs ? ST_INVALID : ST_OK;
}
