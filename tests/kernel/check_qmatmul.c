/* Holds whole products of qmatmul to exact arithmetic: random ones through the operator, by every
 * kernel that this processor can run, with extreme data, near ties, odd layouts and 1 to 4 threads.
 * `check_qmatmul [--seed SEED]`. */

#include "check.h"
#include "kernel/qmatmul/qmatmul.h"
#include "op/op.h"
#include "qmm_oracle.h"

enum { PRODUCTS = 4000, SUMS = 8 /* of `signs`: the output has the exact sums */ };

/* How the numbers of a product are drawn. */
enum style {
    STYLE_PLAIN,    /* any values, scales that bring sums into the output's range */
    STYLE_EXTREMES, /* values at the ends of their types */
    STYLE_HIGHEST,
    STYLE_LOWEST,
    STYLE_TIES, /* small values and scales that make halves */
    STYLE_NEAR_TIES,
    /* whole panels' rows of A may be read where they lie: one scale for all, few zero points of
     * B */
    STYLE_LIES,
    STYLE_ODD, /* scales from denormal to huge, of any sign, and 0 */
    STYLE_COUNT
};

struct check_product {
    enum style style;
    struct desc d;
    struct check_tensor b[SLOT_COUNT]; /* an optional one that is missing has no memory */
    uint64_t m, k, n;
    unsigned outer_rank;
    uint64_t outer[DML_MAX_RANK];
    char *want; /* the pages of the output */
    struct op_misfits misfits;
};

static void fill_bytes(const struct check_tensor *b, enum style style)
{
    bool is_signed = b->t.type == DT_INT8;
    int lo = is_signed ? -128 : 0, hi = is_signed ? 127 : 255;

    check_fill(b->g.base, b->g.bytes);
    for (size_t i = 0;
         i < b->g.bytes && style != STYLE_PLAIN && style != STYLE_LIES && style != STYLE_ODD; i++) {
        char *at = b->g.base + i;

        if (style == STYLE_TIES || style == STYLE_NEAR_TIES)
            *at = (char)((*at & 7) + (is_signed ? -4 : 0));
        else
            *at =
                (char)(style == STYLE_HIGHEST || (style == STYLE_EXTREMES && (*at & 1)) ? hi : lo);
    }
}

static void put_scale(const struct check_tensor *b, const uint64_t *c, float f)
{
    char *at = tensor_at(&b->t, c);

    memcpy(at, &f, sizeof f);
    if (b->t.swapped)
        tensor_swap_bytes(at, sizeof f, 1);
}

static float draw_scale(const struct check_product *p, unsigned slot, double typical)
{
    static const float near[] = { 1 - 0x1p-24f, 1, 1 + 0x1p-23f, 1 - 0x1p-23f };

    switch (p->style) {
    case STYLE_TIES:
        return ldexpf(check_below(8) ? 1 : -1, slot == SLOT_C_SCALE ? (int)check_between(1, 3) : 0);
    case STYLE_NEAR_TIES:
        return ldexpf(near[check_below(4)], slot == SLOT_C_SCALE ? (int)check_between(1, 3) : 0);
    case STYLE_ODD:
        return slot != SLOT_C_SCALE && check_below(5) == 0 ? 0
               : check_below(3)                            ? check_float()
                                                           : check_float_between(-9, 9);
    default:
        return slot == SLOT_C_SCALE ? (float)typical * check_float_between(-7, -6)
                                    : check_float_between(-1, 0);
    }
}

static void fill_scales(const struct check_product *p, const struct check_tensor *b, unsigned slot)
{
    uint64_t c[DML_MAX_RANK] = { 0 };
    double typical =
        100.0 * (p->style == STYLE_PLAIN ? 60.0 * sqrt((double)p->k) : 128.0 * (double)p->k);

    check_fill(b->g.base, b->g.bytes);
    do
        put_scale(b, c, draw_scale(p, slot, typical / 100));
    while (tensor_next(b->t.rank, b->t.sizes, c));
}

/* A scale or zero point: one value, or one per lane of its matrix; 1 to 8 dimensions. */
static void add_parameter(struct check_product *p, unsigned slot, enum dtype type,
                          unsigned from_right, uint64_t lanes)
{
    uint64_t sizes[DML_MAX_RANK] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    unsigned rank = (unsigned)check_between(1, 5);

    if (check_below(2) && rank >= from_right && (p->style != STYLE_LIES || type != DT_FLOAT32))
        sizes[rank - from_right] = lanes;
    p->b[slot] =
        check_tensor_new(type, rank, sizes, check_below(2) ? LAYOUT_ROW_MAJOR : LAYOUT_RANDOM, 12);
    if (type != DT_FLOAT32) {
        fill_bytes(&p->b[slot], p->style);
        if (p->style == STYLE_LIES && check_below(2))
            memset(p->b[slot].g.base, (int)check_below(256), p->b[slot].g.bytes);
        return;
    }
    p->b[slot].t.swapped = check_below(4) == 0;
    fill_scales(p, &p->b[slot], slot);
}

static void add_matrix(struct check_product *p, unsigned slot, enum dtype type, uint64_t rows,
                       uint64_t columns)
{
    uint64_t sizes[DML_MAX_RANK];

    memcpy(sizes, p->outer, p->outer_rank * sizeof sizes[0]);
    sizes[p->outer_rank] = rows;
    sizes[p->outer_rank + 1] = columns;
    p->b[slot] = check_tensor_new(type, p->outer_rank + 2, sizes,
                                  check_below(p->style == STYLE_LIES ? 8 : 2) ? LAYOUT_ROW_MAJOR
                                                                              : LAYOUT_RANDOM,
                                  slot == SLOT_C ? 0 : 12);
    if (slot != SLOT_C)
        fill_bytes(&p->b[slot], p->style);
}

static struct check_product product_new(enum style style, uint64_t m, uint64_t k, uint64_t n,
                                        unsigned outer_rank, unsigned signs)
{
    enum dtype a = signs & 1 ? DT_INT8 : DT_UINT8, b = signs & 2 ? DT_INT8 : DT_UINT8;
    enum dtype c = signs & 4 ? DT_INT8 : DT_UINT8;
    struct check_product p = {
        .style = style, .d = { .op = OP_QMATMUL }, .m = m, .k = k, .n = n, .outer_rank = outer_rank
    };

    if (signs & SUMS || check_below(6) == 0)
        c = DT_INT32;
    for (unsigned i = 0; i < outer_rank; i++)
        p.outer[i] = 1 + check_below(3);
    add_matrix(&p, SLOT_A, a, m, k);
    add_matrix(&p, SLOT_B, b, k, n);
    add_matrix(&p, SLOT_C, c, m, n);
    if (c != DT_INT32) {
        add_parameter(&p, SLOT_A_SCALE, DT_FLOAT32, 2, m);
        add_parameter(&p, SLOT_B_SCALE, DT_FLOAT32, 1, n);
        add_parameter(&p, SLOT_C_SCALE, DT_FLOAT32, 2, m);
    }
    if (check_below(2))
        add_parameter(&p, SLOT_A_ZERO, a, 2, m);
    if (check_below(style == STYLE_LIES ? 8 : 2) == 0)
        add_parameter(&p, SLOT_B_ZERO, b, 1, n);
    if (c != DT_INT32 && check_below(2))
        add_parameter(&p, SLOT_C_ZERO, c, 2, m);
    for (unsigned slot = 0; slot < SLOT_C; slot++)
        if (p.b[slot].g.base)
            guarded_read_only(&p.b[slot].g);
    return p;
}

static void product_free(struct check_product *p)
{
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
        if (p->b[slot].g.base)
            guarded_free(&p->b[slot].g);
    free(p->want);
}

/* The tensors by slots; NULL for one that is missing. */
static void product_tensors(struct check_product *p, struct tensor *t[SLOT_COUNT])
{
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
        t[slot] = p->b[slot].g.base ? &p->b[slot].t : NULL;
}

/* An exact sum, which is not stored if it does not fit. */
static void want_sum(struct check_product *p, char *at, int64_t sum, uint64_t number)
{
    int32_t v = (int32_t)sum;

    if (v == sum)
        memcpy(at, &v, sizeof v);
    else if (p->misfits.count++ == 0) {
        p->misfits.value = sum;
        p->misfits.first = number;
    }
}

static void want_product(struct check_product *p)
{
    const struct check_tensor *out = &p->b[SLOT_C];
    struct tensor *t[SLOT_COUNT];
    uint64_t c[DML_MAX_RANK] = { 0 }, number = 0;

    product_tensors(p, t);
    p->want = check_alloc(out->g.bytes);
    memset(p->want, 0xa5, out->g.bytes);
    do {
        char *at = p->want + ((char *)tensor_at(&out->t, c) - out->g.base);

        if (out->t.type == DT_INT32)
            want_sum(p, at, oracle_sum(t, c), number++);
        else
            *at = oracle_product(t, c);
    } while (tensor_next(out->t.rank, out->t.sizes, c));
}

static bool same_misfits(struct op_misfits a, struct op_misfits b)
{
    return a.count == b.count && a.first == b.first && a.value == b.value;
}

/* The least K of a kernel that "auto" chose. */
static uint64_t least_k(const char *kernel)
{
    for (unsigned row = 0; row < qmm_kernel_count; row++)
        if (strcmp(qmm_kernels[row].row.name, kernel) == 0)
            return qmm_kernels[row].least_k;
    return UINT64_MAX;
}

static void run_product(struct check_product *p, const char *kernel)
{
    static const char *const styles[] = { "plain", "extremes",  "highest",      "lowest",
                                          "ties",  "near ties", "A as it lies", "odd scales" };
    struct tensor *t[SLOT_COUNT];
    /* else most would start threads for nothing */
    bool some = p->m * p->k * p->n > 1 << 21 || check_below(3) == 0;
    struct op_exec exec = { .threads = some ? (int)check_between(2, 4) : 1, .kernel = kernel };
    const struct guarded *out = &p->b[SLOT_C].g;
    struct diag dg = { .err = stderr };
    struct op_plan *plan;
    const char *what = NULL;

    product_tensors(p, t);
    if (op_plan_new(&plan, &p->d, t, &exec, &dg) != ST_OK)
        what = "no plan";
    else if (kernel && strcmp(kernel, plan->kernel) != 0)
        what = "another kernel's plan";
    else if (!kernel && p->k < least_k(plan->kernel))
        what = "a kernel for a longer K";
    for (int times = 0; !what && times < 2; times++) {
        memset(out->base, 0xa5, out->bytes);
        op_plan_run(plan);
        if (memcmp(p->want, out->base, out->bytes) != 0)
            what = times == 0 ? "wrong bytes" : "wrong bytes in the second run";
        else if (!same_misfits(op_plan_misfits(plan), p->misfits))
            what = "other sums that do not fit";
    }
    if (what)
        check_fail(
            "%s: kernel %s, %d threads, %s * %s -> %s, M=%llu K=%llu N=%llu, %u outer axes, %s",
            what, kernel ? kernel : "(default)", exec.threads, dtype_name(p->b[SLOT_A].t.type),
            dtype_name(p->b[SLOT_B].t.type), dtype_name(p->b[SLOT_C].t.type),
            (unsigned long long)p->m, (unsigned long long)p->k, (unsigned long long)p->n,
            p->outer_rank, styles[p->style]);
    else
        check.passed++;
    op_plan_free(plan);
}

/* Under ThreadSanitizer the reference kernel takes minutes for large products. Its work is divided
 * among threads as that of the others. */
static bool takes_minutes(const struct qmm_kernel *kernel, uint64_t work)
{
#ifdef ORACLE_UNWATCHED
    return kernel->row.needs == 0 && work > 1 << 20;
#else
    (void)kernel;
    (void)work;
    return false;
#endif
}

static void check_styled(enum style style, uint64_t m, uint64_t k, uint64_t n, unsigned outer_rank,
                         unsigned signs)
{
    struct check_product p = product_new(style, m, k, n, outer_rank, signs);

    want_product(&p);
    for (unsigned row = 0; row < qmm_kernel_count; row++)
        if (cpu_has(qmm_kernels[row].row.needs) && !takes_minutes(&qmm_kernels[row], m * k * n))
            run_product(&p, qmm_kernels[row].row.name);
    if (check_below(8) == 0)
        run_product(&p, NULL);
    product_free(&p);
}

static void check_product(uint64_t m, uint64_t k, uint64_t n, unsigned outer_rank, unsigned signs)
{
    check_styled((enum style)check_below(STYLE_COUNT), m, k, n, outer_rank, signs);
}

/* The steps in which the eight `signs`, and some lists of cases, are tried. */
static unsigned signs_step(void) { return random_all() ? 1 : 5; }

/* Every tail of each size. */
static void check_tails(void)
{
    for (unsigned size = 1; size <= 40; size++)
        for (unsigned signs = size % signs_step(); signs < 8; signs += signs_step()) {
            check_product(size, 1 + check_below(40), 1 + check_below(40), 0, signs);
            check_product(1 + check_below(40), size, 1 + check_below(40), 0, signs);
            check_product(1 + check_below(40), 1 + check_below(40), size, 0, signs);
        }
}

int main(int argc, char **argv)
{
    static const uint64_t large[][3] = { { 70, 300, 130 },  { 1, 600, 700 },  { 300, 20, 3 },
                                         { 3, 33000, 5 },   { 129, 65, 66 },  { 20, 130, 1100 },
                                         { 20, 700, 600 },  { 9, 2500, 700 }, { 150, 2100, 30 },
                                         { 40, 33026, 40 }, { 300, 64, 520 }, { 300, 64, 256 } };

    check_begin("check_qmatmul", argc, argv);
    check_tails();
    for (unsigned i = 0; i < random_cases(PRODUCTS); i++)
        check_product(1 + check_below(20), 1 + check_below(20), 1 + check_below(20),
                      (unsigned)check_below(4), i % 8);
    for (unsigned i = 0; i < random_cases(400); i++)
        check_product(32 + check_below(20), 1 + check_below(150), 1 + check_below(80), i % 3 == 0,
                      (i % 4) << 1);
    for (unsigned i = 0; i < 24; i++) /* several products, enough for several threads */
        check_product(40, 100, 200, 2, i % 8);
    /* few values of K, so that fused micro-kernels meet ties */
    for (unsigned i = 0; i < random_cases(800); i++)
        check_product(9 + check_below(30), 1 + check_below(3), 32 + check_below(64), 0, i % 8);
    for (unsigned i = 0; i < random_cases(400); i++)
        check_styled(STYLE_LIES, 9 + check_below(60),
                     i % 4 ? 4 * (1 + check_below(20)) : 1 + check_below(80),
                     32 * (1 + check_below(4)), i % 3 == 0, i % 5 ? 2 + 4 * (i % 2) : i % 8);
    for (unsigned i = 0; i < 16; i++) /* the same with K in several blocks */
        check_styled(STYLE_LIES, 9 + check_below(20), 4 * (500 + check_below(300)), 64, 0,
                     2 + 4 * (i % 2));
    for (unsigned i = 0; i < ARRAY_LEN(large); i++)
        for (unsigned signs = i % signs_step(); signs < 8; signs += signs_step())
            check_product(large[i][0], large[i][1], large[i][2], 0, signs);
    /* few rows, whose values of K are shared out among threads */
    for (unsigned i = (unsigned)check_below(signs_step()); i < 3 * 8; i += signs_step())
        check_product(1 + check_below(4), 1500 + check_below(800), 1100 + check_below(100), i % 3,
                      i % 8);
    /* sums that 32 bits hold only block by block, of rows enough to be packed */
    for (unsigned i = 0; i < 8; i++)
        check_styled(STYLE_HIGHEST, 9, 70000, 20, 0, i);
    for (unsigned i = 0; i < 2 * 8; i++) /* sums beyond 32 bits */
        check_product(1 + check_below(3), 140000, 1 + check_below(3), 0, i % 8);
    /* exact sums, of which some do not fit INT32 */
    for (unsigned i = (unsigned)check_below(signs_step()); i < 2 * 8; i += signs_step())
        check_styled(i < 8 ? STYLE_HIGHEST : STYLE_EXTREMES, 7 + check_below(9), 33026 + 900 * i,
                     1 + check_below(40), i % 3, i % 4 | SUMS);
    return check_end();
}
