/*
 * Holds qmatmul to exact arithmetic: requantization by itself on random and adversarial cases,
 * every row of the table of kernels that this processor can run, then whole random products through
 * the operator, with extreme data, near ties, odd layouts and 1 to 4 threads. `check_qmatmul
 * [--seed SEED]`.
 */
#include <float.h>
#include <math.h>

#include "check.h"
#include "kernel/cpu.h"
#include "kernel/qmatmul/qmatmul_table.h"
#include "op/op.h"
#include "qmm_oracle.h"

enum { REQUANT_KINDS = 8, CASES_PER_KIND = 300000, EPILOGUE_ROWS = 20000, PRODUCTS = 4000 };

static bool runs_here(const struct qmm_kernel *kernel) { return cpu_has(kernel->row.needs); }

/* ---- requantization ---- */

struct requant {
    int64_t sum;
    float sa, sb, so;
};

static float any_float(void)
{
    for (;;) {
        uint32_t bits = (uint32_t)(check_random() >> 32);
        float f;

        memcpy(&f, &bits, sizeof f);
        if (isfinite(f) && f != 0)
            return f;
    }
}

/* Of magnitude 2^low to 2^high, any sign. */
static float float_between(int low, int high)
{
    float f = ldexpf(1 + (float)check_below(1 << 23) * 0x1p-23f, (int)check_between(low, high));

    return check_below(2) ? -f : f;
}

static float neighbour(float f)
{
    return nextafterf(f, check_below(2) ? INFINITY : -INFINITY);
}

/* A sum of any length in bits. */
static int64_t any_sum(void)
{
    int64_t sum = (int64_t)(check_random() >> (1 + check_below(63)));

    return check_below(2) ? -sum : sum;
}

/* sum * sa * sb / so is a whole number and a half: so = 2 * sa * sb * j, sum = odd * j. */
static struct requant exact_tie(void)
{
    uint64_t bits = check_below(9), j = 1 + check_below(1u << (8 - bits));
    int64_t odd = 2 * check_between(-300, 300) + 1;
    float sa = (float)(1 + check_below(1u << (8 + bits / 2))),
          sb = (float)(1 + check_below(1u << 8 >> bits / 2));
    int ea = (int)check_between(-50, 50), eb = (int)check_between(-50, 50);

    sa = ldexpf(sa, ea);
    sb = ldexpf(sb, eb);
    if (check_below(2))
        sa = -sa;
    return (struct requant){ odd * (int64_t)j, sa, sb,
                             (float)(2.0 * (double)sa * (double)sb * (double)j) };
}

/* Within a few parts in 2^60 of a tie, by a sum chosen for random scales; it stays below 2^61. */
static struct requant close_to_tie(void)
{
    float sa = float_between(-44, -36), sb = float_between(-3, 3), so = float_between(-3, 3);
    long double tie = (long double)check_between(-300, 300) + 0.5L;
    long double sum = tie * (long double)so / ((long double)sa * (long double)sb);

    return (struct requant){ llrintl(sum) + check_between(-1, 1), sa, sb, so };
}

/* A sum below 2^31 whose result is mostly nearer to a tie than doubles can tell: sum / so is a
 * convergent of odd * 2^e / (sa * sb). */
static struct requant convergent_tie(void)
{
    uint64_t odd = 2 * check_below(300) + 1;
    uint64_t a = (1 << 23) + check_below(1 << 23), b = (1 << 23) + check_below(1 << 23);
    oracle_u128 num = (oracle_u128)odd << 54, den = (oracle_u128)a * b;
    uint64_t p = 1, q = 0, last_p = 0, last_q = 1;

    while (den != 0) {
        uint64_t whole = (uint64_t)(num / den), next_p = whole * p + last_p,
                 next_q = whole * q + last_q;
        oracle_u128 rest = num % den;

        if (next_p >= UINT64_C(1) << 31 || next_q >= 1 << 24)
            break;
        last_p = p, last_q = q, p = next_p, q = next_q;
        num = den, den = rest;
    }
    return (struct requant){ check_below(2) ? (int64_t)p : -(int64_t)p, ldexpf((float)a, -23),
                             ldexpf((float)b, -32), check_below(2) ? (float)q : -(float)q };
}

static struct requant draw_requant(unsigned kind)
{
    static const float odd_scales[] = { 0, FLT_MAX, -FLT_MAX, FLT_MIN, FLT_TRUE_MIN, -FLT_TRUE_MIN,
                                        1, 0.5F };
    static const int64_t odd_sums[] = { 0, 1, -1, INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, 255 };
    struct requant r;

    switch (kind) {
    case 0:
        return (struct requant){ any_sum(), any_float(), any_float(), any_float() };
    case 1:
        r = (struct requant){ any_sum(), float_between(-20, 20), float_between(-20, 20), 1 };
        r.so = (float)((double)r.sum * (double)r.sa * (double)r.sb / (double)float_between(-3, 8));
        return r.so == 0 || !isfinite(r.so) ? exact_tie() : r;
    case 2:
        return exact_tie();
    case 3:
        r = exact_tie();
        r.sum += check_between(-1, 1);
        r.sa = check_below(2) ? neighbour(r.sa) : r.sa;
        r.sb = check_below(2) ? neighbour(r.sb) : r.sb;
        r.so = check_below(2) ? neighbour(r.so) : r.so;
        return r;
    case 4:
        return close_to_tie();
    case 5: /* (1 + 2^-23) * (1 - 2^-23) is below 1 by 2^-46 */
        r = exact_tie();
        r.sa = ldexpf(1 + 0x1p-23f, (int)check_between(-20, 20));
        r.sb = ldexpf(1 - 0x1p-23f, (int)check_between(-20, 20));
        r.so = ldexpf(2, ilogbf(r.sa) + ilogbf(r.sb) + 1);
        r.sum = 2 * check_between(-300, 300) + 1;
        return r;
    case 6:
        return convergent_tie();
    default:
        r.sum = check_below(2) ? odd_sums[check_below(ARRAY_LEN(odd_sums))] : any_sum();
        r.sa = odd_scales[check_below(ARRAY_LEN(odd_scales))];
        r.sb = check_below(2) ? odd_scales[check_below(ARRAY_LEN(odd_scales))] : any_float();
        r.so = odd_scales[1 + check_below(ARRAY_LEN(odd_scales) - 1)];
        return r;
    }
}

static bool check_requant(const struct requant *r)
{
    bool is_signed = check_below(2);
    int32_t lo = is_signed ? -128 : 0, hi = is_signed ? 127 : 255;
    int32_t zero = check_below(2) ? 0 : (int32_t)check_between(lo, hi);
    struct qmm_scale s = qmm_scale_make(r->sa, r->sb, r->so);
    int32_t want = oracle_requantize(r->sum, r->sa, r->sb, r->so, zero, lo, hi);
    int32_t got = qmm_requantize(r->sum, &s, zero, lo, hi);

    if (got != want)
        check_fail("requantize: %lld * %a * %a / %a + %d in %d..%d: %d, want %d", (long long)r->sum,
                   (double)r->sa, (double)r->sb, (double)r->so, zero, lo, hi, got, want);
    return got == want;
}

static void check_requantize(void)
{
    for (unsigned kind = 0; kind < REQUANT_KINDS; kind++) {
        bool good = true;

        for (unsigned i = 0; i < CASES_PER_KIND; i++) {
            struct requant r = draw_requant(kind);

            good = check_requant(&r) && good;
        }
        check.passed += good;
    }
}

/* ---- micro-kernels ---- */

static size_t elem_size(enum qmm_elem e) { return e == QMM_S16 ? 2 : 1; }

enum filling { RANDOM_VALUES, EXTREMES, ALL_HIGHEST, ALL_LOWEST, FILLINGS };

/* Operands of 8 bits have -128..255 between them, which is what 16-bit elements hold. */
static int32_t draw_packed(enum qmm_elem e, enum filling filling)
{
    int32_t lo = e == QMM_U8 ? 0 : -128, hi = e == QMM_S8 ? 127 : 255;

    if (filling == RANDOM_VALUES)
        return (int32_t)check_between(lo, hi);
    if (filling == EXTREMES)
        return check_below(2) ? lo : hi;
    return filling == ALL_HIGHEST ? hi : lo;
}

static int32_t packed_at(const char *p, enum qmm_elem e, size_t i)
{
    int16_t wide;

    if (e != QMM_S16)
        return e == QMM_U8 ? (unsigned char)p[i] : (signed char)p[i];
    memcpy(&wide, p + 2 * i, 2);
    return wide;
}

/* A panel of `count` values at an end of its own pages. */
static char *panel_new(struct guarded *g, enum qmm_elem e, size_t count, enum filling filling)
{
    char *p;

    *g = guarded_new(count * elem_size(e));
    p = guarded_place(g, count * elem_size(e), check_below(2));
    for (size_t i = 0; i < count; i++) {
        int16_t v = (int16_t)draw_packed(e, filling);

        memcpy(p + i * elem_size(e), &v, elem_size(e)); /* little-endian: the low byte */
    }
    guarded_read_only(g);
    return p;
}

static size_t packed_index(size_t lanes, size_t group, size_t lane, size_t k)
{
    return (k / group * lanes + lane) * group + k % group;
}

/* k up to the next multiple of both. */
static size_t packed_depth(size_t k, size_t kr, size_t group)
{
    while (k % kr != 0 || k % group != 0)
        k++;
    return k;
}

static void check_ukernel(const struct qmm_kernel *kn, size_t steps, enum filling fill_a,
                          enum filling fill_b)
{
    size_t step = kn->tile.b.lanes + (size_t)check_below(3) * 16, depth = steps * kn->tile.a.kr,
           cells = (kn->tile.a.lanes - 1u) * step + kn->tile.b.lanes;
    struct guarded ga, gb, gc = guarded_new(cells * sizeof(int32_t));
    char *a = panel_new(&ga, kn->tile.a.elem,
                        packed_depth(depth, 1, kn->tile.a.group) * kn->tile.a.lanes, fill_a);
    char *b = panel_new(&gb, kn->tile.b.elem,
                        packed_depth(depth, 1, kn->tile.b.group) * kn->tile.b.lanes, fill_b);
    char *acc = guarded_place(&gc, cells * sizeof(int32_t), check_below(2));
    int32_t before = (int32_t)check_between(-128, 127) * 128;
    /* there is room for what was before */
    bool good = true, add = depth + kn->tile.a.kr <= kn->max_k && check_below(2);

    check_fill(gc.base, gc.bytes);
    for (size_t cell = 0; cell < cells && add; cell++)
        memcpy(acc + cell * sizeof before, &before, sizeof before);
    kn->tile.ukernel(steps, a, b, (int32_t *)(void *)acc, step, add);
    for (size_t cell = 0; cell < cells && good; cell++) {
        size_t i = cell / step, j = cell % step;
        int64_t sum = add ? before : 0;
        int32_t got;

        if (j >= kn->tile.b.lanes)
            continue;
        for (size_t k = 0; k < depth; k++)
            sum += (int64_t)packed_at(a, kn->tile.a.elem,
                                      packed_index(kn->tile.a.lanes, kn->tile.a.group, i, k)) *
                   packed_at(b, kn->tile.b.elem,
                             packed_index(kn->tile.b.lanes, kn->tile.b.group, j, k));
        memcpy(&got, acc + cell * sizeof got, sizeof got);
        good = got == (int32_t)(uint32_t)(uint64_t)sum;
        if (!good)
            check_fail("micro-kernel %s: %zu steps, row %zu column %zu%s: %d, want %lld",
                       kn->row.name, steps, i, j, add ? ", added" : "", got, (long long)sum);
    }
    check.passed += good;
    guarded_free(&ga);
    guarded_free(&gb);
    guarded_free(&gc);
}

static void check_ukernels(const struct qmm_kernel *kn)
{
    if (kn->begin)
        kn->begin();
    for (enum filling a = 0; a < FILLINGS; a++)
        for (enum filling b = 0; b < FILLINGS; b++) {
            for (size_t steps = 1; steps <= 40; steps++)
                check_ukernel(kn, steps, a, b);
            check_ukernel(kn, kn->max_k / kn->tile.a.kr, a, b);
        }
    if (kn->end)
        kn->end();
}

/* ---- packing ---- */

/* One panel of `lanes` lanes by k values of any steps, held to its form and its sums. */
static void check_pack(const struct qmm_kernel *kn, bool of_a, size_t lanes, size_t k)
{
    enum qmm_elem e = of_a ? kn->tile.a.elem : kn->tile.b.elem;
    size_t width = of_a ? kn->tile.a.lanes : kn->tile.b.lanes,
           group = of_a ? kn->tile.a.group : kn->tile.b.group;
    size_t depth = packed_depth(k, kn->tile.a.kr, group), bytes = depth * width * elem_size(e);
    size_t layout = (size_t)check_below(3), odd = 1 + (size_t)check_below(3);
    size_t lane_step = layout == 0   ? k + odd
                       : layout == 1 ? 1
                                     : 2,
           k_step = layout == 0 ? 1 : layout * lanes + odd;
    size_t reach = (lanes - 1) * lane_step + (k - 1) * k_step + 1;
    struct guarded gs = guarded_new(reach), gp = guarded_new(bytes);
    char *from = guarded_place(&gs, reach, check_below(2)),
         *panel = guarded_place(&gp, bytes, check_below(2));
    struct qmm_source src = { from, (ptrdiff_t)lane_step, (ptrdiff_t)k_step, check_below(2) };
    int64_t *sums = check_alloc(width * sizeof *sums);
    bool good = true;

    check_fill(gs.base, gs.bytes);
    check_fill(gp.base, gp.bytes);
    for (size_t l = 0; l < width; l++)
        sums[l] = (int64_t)l - 5;
    (of_a ? kn->tile.pack_a : kn->tile.pack_b)(panel, of_a ? &kn->tile.a : &kn->tile.b, &src, lanes,
                                               k, sums);
    for (size_t l = 0; l < width; l++) {
        int64_t sum = (int64_t)l - 5;

        for (size_t i = 0; i < depth && good; i++) {
            const char *at = from + l * lane_step + i * k_step;
            int32_t want = 0, got = packed_at(panel, e, packed_index(width, group, l, i));

            if (l < lanes && i < k)
                want = (src.is_signed ? *(const signed char *)at : *(const unsigned char *)at) +
                       qmm_shift(e, src.is_signed);
            good = got == want;
            sum += want;
        }
        good = good && sums[l] == sum;
    }
    if (!good)
        check_fail("pack %s of %s: %zu lanes of %zu, k %zu, steps %zu and %zu, %s",
                   of_a ? "A" : "B", kn->row.name, lanes, width, k, lane_step, k_step,
                   src.is_signed ? "signed" : "unsigned");
    check.passed += good;
    free(sums);
    guarded_free(&gs);
    guarded_free(&gp);
}

static void check_packs(const struct qmm_kernel *kn)
{
    for (int of_a = 0; of_a < 2; of_a++)
        for (size_t lanes = 1; lanes <= (of_a ? kn->tile.a.lanes : kn->tile.b.lanes); lanes++)
            for (size_t k = 1; k <= 150; k += 1 + (size_t)check_below(3))
                check_pack(kn, of_a, lanes, k);
}

/* ---- the pair tile ---- */

/* A pair of signed bytes whose positives, and whose negatives, add up to at most 128 in magnitude;
 * often just 128. */
static void draw_pair(int8_t pair[2])
{
    int first = (int)check_between(-128, 127), lo = first < 0 ? -128 - first : -128;
    int hi = first > 1 ? 128 - first : 127, second = (int)check_between(lo, hi);

    pair[0] = (int8_t)first;
    pair[1] = (int8_t)(check_below(2) ? second : check_below(2) ? lo : hi);
}

static void check_pair_tile(const struct qmm_kernel *kn, size_t steps)
{
    const struct qmm_pair *n = kn->pair;
    size_t depth = steps * n->tile.a.kr, cells = (size_t)kn->tile.a.lanes * kn->tile.b.lanes;
    uint8_t *a = check_alloc(depth * kn->tile.a.lanes);
    int8_t *b = check_alloc(depth * kn->tile.b.lanes);
    int32_t *acc = check_alloc(cells * sizeof *acc);
    bool small = check_below(2), good = true;

    for (size_t i = 0; i < depth * kn->tile.a.lanes; i++)
        a[i] = (uint8_t)(check_below(2) ? check_below(small ? 129 : 256) : small ? 128 : 255);
    for (size_t i = 0; i < depth * kn->tile.b.lanes; i += 2) {
        if (small)
            b[i] = b[i + 1] = (int8_t)(check_below(2) ? -128 : 127);
        else
            draw_pair(b + i);
    }
    n->tile.ukernel(steps, a, b, acc, kn->tile.b.lanes, false);
    for (size_t cell = 0; cell < cells && good; cell++) {
        int32_t sum = 0;

        for (size_t k = 0; k < depth; k++)
            sum += a[packed_index(kn->tile.a.lanes, n->tile.a.kr, cell / kn->tile.b.lanes, k)] *
                   b[packed_index(kn->tile.b.lanes, n->tile.a.kr, cell % kn->tile.b.lanes, k)];
        good = acc[cell] == sum;
        if (!good)
            check_fail("pair tile %s: %zu steps, cell %zu: %d, want %d", kn->row.name, steps, cell,
                       acc[cell], sum);
    }
    check.passed += good;
    free(a);
    free(b);
    free(acc);
}

/* Whether products of pairs of this lane stay within 16 bits. */
static bool lane_fits(const char *lane, ptrdiff_t k_step, size_t k, bool is_signed)
{
    bool fits = true;

    for (size_t at = 0; at < k; at += 2) {
        int up = 0, down = 0;

        for (size_t i = at; i < at + 2 && i < k; i++) {
            const char *v = lane + (ptrdiff_t)i * k_step;
            int value = is_signed ? *(const signed char *)v : *(const unsigned char *)v;

            fits = fits && value <= 127;
            up += value > 0 ? 255 * value : 0;
            down += value < 0 ? 255 * value : 0;
        }
        fits = fits && up <= INT16_MAX && down >= INT16_MIN;
    }
    return fits;
}

/* Panels at the edge, some with one value beyond it. */
static void check_pair_proof(const struct qmm_kernel *kn, size_t lanes, size_t k)
{
    bool is_signed = check_below(2), along_k = check_below(2), want = is_signed;
    size_t odd = (size_t)check_below(3), lane_step = along_k ? k + odd : 1,
           k_step = along_k ? 1 : lanes + odd;
    size_t reach = (lanes - 1) * lane_step + (k - 1) * k_step + 1;
    struct guarded g = guarded_new(reach);
    char *from = guarded_place(&g, reach, check_below(2));
    struct qmm_source src = { from, (ptrdiff_t)lane_step, (ptrdiff_t)k_step, is_signed };
    char *any = from + check_below(lanes) * lane_step + check_below(k) * k_step;

    check_fill(g.base, g.bytes);
    for (size_t i = 0; i < lanes * k; i += i % k + 1 < k ? 2 : 1) {
        char *at = from + i / k * lane_step + i % k * k_step;
        int8_t pair[2];

        do
            draw_pair(pair);
        while (!is_signed && (pair[0] < 0 || pair[1] < 0));
        *at = (char)pair[0];
        if (i % k + 1 < k)
            at[k_step] = (char)pair[1];
    }
    if (check_below(2))
        *any = (char)(*any + (check_below(2) ? 1 : -1));
    for (size_t l = 0; l < lanes; l++)
        want = want && lane_fits(from + l * lane_step, (ptrdiff_t)k_step, k, is_signed);
    if (kn->pair->fits(&src, lanes, k) == want)
        check.passed++;
    else
        check_fail("proof of %s: %zu lanes, k %zu, steps %zu and %zu, %s: want %d", kn->row.name,
                   lanes, k, lane_step, k_step, is_signed ? "signed" : "unsigned", want);
    guarded_free(&g);
}

static void check_pair(const struct qmm_kernel *kn)
{
    for (size_t steps = 1; steps <= 300; steps++)
        check_pair_tile(kn, steps);
    for (int round = 0; round < 3; round++)
        for (size_t k = 1; k <= 200; k++)
            check_pair_proof(kn, 1 + (size_t)check_below(kn->tile.b.lanes), k);
}

/* ---- few rows ---- */

static void check_skinny_product(const struct qmm_kernel *kn, size_t rows, size_t k, size_t columns,
                                 bool extreme)
{
    size_t step = (columns + 63) / 64 * 64,
           a_step = (k + QMM_SKINNY_ALIGN - 1) / QMM_SKINNY_ALIGN * QMM_SKINNY_ALIGN;
    bool is_signed = check_below(2), along_k = check_below(2);
    size_t odd = (size_t)check_below(3), lane_step = along_k ? k + odd : 1,
           k_step = along_k ? 1 : columns + odd;
    size_t reach = (columns - 1) * lane_step + (k - 1) * k_step + 1;
    struct guarded gb = guarded_new(reach), ga = guarded_new(rows * a_step * sizeof(int16_t));
    struct guarded gc = guarded_new(rows * step * sizeof(int32_t));
    char *from = guarded_place(&gb, reach, check_below(2));
    int16_t *a = (int16_t *)(void *)guarded_place(&ga, rows * a_step * sizeof *a, true);
    int32_t *acc = (int32_t *)(void *)guarded_place(&gc, rows * step * sizeof *acc, true);
    struct qmm_skinny skinny = { a, a_step, rows, k, check_below(2) == 0 };
    struct qmm_source b = { from, (ptrdiff_t)lane_step, (ptrdiff_t)k_step, is_signed };
    bool good = true;
    /* extreme: rows of -255 are the even or the odd ones */
    size_t negative = (size_t)check_below(2);

    check_fill(gb.base, gb.bytes);
    check_fill(gc.base, gc.bytes);
    for (size_t i = 0; extreme && i < reach; i++)
        from[i] = (char)(is_signed ? -128 : 255);
    memset(a, 0, rows * a_step * sizeof *a);
    for (size_t i = 0; i < rows; i++) {
        int64_t zero = extreme ? 0 : check_between(0, 255);

        for (size_t at = 0; at < k; at++)
            a[i * a_step + at] = (int16_t)(extreme ? (negative ^ (i & 1) ? -255 : 255)
                                                   : check_between(0, 255) - zero);
    }
    kn->skinny(acc, step, &skinny, &b, columns);
    for (size_t cell = 0; cell < rows * columns && good; cell++) {
        size_t i = cell / columns, j = cell % columns;
        int64_t sum = 0;

        for (size_t at = 0; at < k; at++) {
            const char *v = from + j * lane_step + at * k_step;

            sum += a[i * a_step + at] *
                   (is_signed ? *(const signed char *)v : *(const unsigned char *)v);
        }
        good = acc[i * step + j] == sum;
        if (!good)
            check_fail("skinny %s: %zu x %zu x %zu, row %zu column %zu: %d, want %lld",
                       kn->row.name, rows, k, columns, i, j, acc[i * step + j], (long long)sum);
    }
    check.passed += good;
    guarded_free(&ga);
    guarded_free(&gb);
    guarded_free(&gc);
}

static void check_skinny(const struct qmm_kernel *kn)
{
    for (size_t rows = 1; rows <= QMM_SKINNY_ROWS; rows++)
        for (size_t size = 1; size <= 70; size++) {
            check_skinny_product(kn, rows, size, 1 + (size_t)check_below(140), check_below(8) == 0);
            check_skinny_product(kn, rows, 1 + (size_t)check_below(140), size, check_below(8) == 0);
        }
    check_skinny_product(kn, QMM_SKINNY_ROWS, QMM_INT32_K, 20, true);
    for (int i = 0; i < 8; i++)
        check_skinny_product(kn, 1, QMM_INT32_K, 20, true);
}

/* ---- from sums to outputs ---- */

enum scale_kind { TIE_SCALE, ANY_SCALE, LARGE_SCALE, FINE_SCALE };

/* A scale of a few that make ties, exact or off by parts in 2^23 or, two together, in 2^46; or any;
 * or one near the largest or the least that floats do for; or one with which sums lie as near to
 * ties as floats are off. */
static float draw_tie_scale(enum scale_kind kind)
{
    static const float near[] = { 1 - 0x1p-24f, 1, 1, 1, 1 + 0x1p-23f, 1 - 0x1p-23f };
    static const float whole[] = { 1, 2, 3, 5, 6, 10, 12, 100, 0.5F };
    bool large = check_below(4) != 0;
    float f = kind == ANY_SCALE     ? any_float()
              : kind == LARGE_SCALE ? float_between(large ? 40 : -64, large ? 64 : -40)
              : kind == FINE_SCALE
                  ? float_between(-10, -10)
                  : near[check_below(ARRAY_LEN(near))] * whole[check_below(ARRAY_LEN(whole))];

    return check_below(4) ? f : -f;
}

static void check_epilogue_row(const struct qmm_kernel *kn)
{
    enum { NR_MAX = 256 };
    enum scale_kind kind = check_below(2) ? TIE_SCALE : ANY_SCALE + (enum scale_kind)check_below(3);
    bool close = check_below(4) == 0, is_signed = check_below(2);
    struct requant tie = convergent_tie();
    unsigned tie_at = close ? (unsigned)check_below(kn->tile.b.lanes) : NR_MAX;
    float sa = close ? tie.sa : draw_tie_scale(kind), so, scales[NR_MAX];
    int32_t lo = is_signed ? -128 : 0, hi = is_signed ? 127 : 255,
            zero = (int32_t)check_between(lo, hi), acc[NR_MAX];
    uint32_t zeros[NR_MAX], sums[NR_MAX];
    int64_t sum[NR_MAX];
    uint8_t out[NR_MAX + 2];
    double ratio;
    struct qmm_row row = { .sa = sa,
                           .zero = zero,
                           .is_signed = is_signed,
                           .a_zero = (uint32_t)check_between(-128, 383),
                           .a_sum = (uint32_t)check_random(),
                           .bias = (uint32_t)check_random() };
    uint32_t bias[NR_MAX];
    float ratios[NR_MAX];
    struct qmm_columns columns = { scales, zeros, sums, bias, ratios };
    struct qmm_sums block = { acc, kn->tile.b.lanes, 1, kn->tile.b.lanes };
    bool good = true;

    so = close                 ? tie.so
         : kind == FINE_SCALE ? float_between(0, 0)
                              : draw_tie_scale(kind == LARGE_SCALE ? TIE_SCALE : kind);
    ratio = (double)sa / (double)so;
    row.so = so;
    row.scale = (float)(ratio * (1 << QMM_FRACTION));
    row.offset = qmm_offset(zero);
    row.plain = qmm_scale_is_plain(ratio);
    for (unsigned j = 0; j < kn->tile.b.lanes; j++) {
        scales[j] = draw_tie_scale(check_below(4) ? kind : TIE_SCALE);
        zeros[j] = (uint32_t)check_between(-128, 383);
        sums[j] = (uint32_t)check_random();
        sum[j] = kind == ANY_SCALE ? (int32_t)check_random() : check_between(-2000, 2000);
        if (kind == FINE_SCALE && !close)
            sum[j] = llrintl(((long double)check_between(-260, 260) + 0.5L) * (long double)so /
                             ((long double)sa * (long double)scales[j]));
        if (check_below(8) == 0)
            sum[j] = 0;
        if (j == tie_at) {
            scales[j] = tie.sb;
            sum[j] = tie.sum;
        }
        row.plain = row.plain && qmm_scale_is_plain((double)scales[j]);
        ratios[j] = (float)(ratio * (double)scales[j] * (1 << QMM_FRACTION));
        if (!(fabs((double)sum[j] * ratio * (double)scales[j]) <= (double)QMM_ROUNDED_MOST))
            columns.ratios = NULL;
        bias[j] = (uint32_t)check_random();
    }
    if (!row.plain || check_below(2))
        columns.ratios = NULL;
    if (!columns.ratios)
        columns.bias = NULL;
    for (unsigned j = 0; j < kn->tile.b.lanes; j++)
        acc[j] = (int32_t)((uint32_t)sum[j] + (columns.bias
                                                   ? row.bias + bias[j]
                                                   : zeros[j] * row.a_sum + row.a_zero * sums[j]));
    memset(out, 0xa5, sizeof out);
    kn->epilogue(out + 1, 0, &block, &row, &columns);
    for (unsigned j = 0; j < kn->tile.b.lanes && good; j++) {
        uint8_t want = (uint8_t)oracle_requantize(sum[j], sa, scales[j], so, zero, lo, hi);

        good = out[1 + j] == want;
        if (!good)
            check_fail("epilogue %s: column %u: %lld * %a * %a / %a + %d: %u, want %u",
                       kn->row.name, j, (long long)sum[j], (double)sa, (double)scales[j],
                       (double)so, zero, out[1 + j], want);
    }
    if (out[0] != 0xa5 || out[1 + kn->tile.b.lanes] != 0xa5) {
        good = false;
        check_fail("epilogue %s: writes outside its %u values", kn->row.name, kn->tile.b.lanes);
    }
    check.passed += good;
}

static void check_kernel(const struct qmm_kernel *kn)
{
    check_ukernels(kn);
    check_packs(kn);
    check_skinny(kn);
    if (kn->pair)
        check_pair(kn);
    for (int i = 0; i < EPILOGUE_ROWS; i++)
        check_epilogue_row(kn);
}

/* ---- products ---- */

/* A tensor of random layout within pages that it owns. */
struct check_matrix {
    struct tensor t;
    struct guarded g;
    bool present;
};

static struct check_matrix buffer_new(enum dtype type, unsigned rank, const uint64_t *sizes,
                                      bool broadcast, bool packed)
{
    struct check_matrix b = { .t = { .type = type, .rank = rank }, .present = true };
    uint64_t step = 1, reach = 1;
    bool placed[DML_MAX_RANK] = { false };

    memcpy(b.t.sizes, sizes, rank * sizeof sizes[0]);
    for (unsigned left = rank; left > 0; left--) {
        unsigned i = packed ? left - 1 : (unsigned)check_below(rank);

        while (placed[i])
            i = (i + 1) % rank;
        placed[i] = true;
        if (broadcast && check_below(12) == 0)
            continue;
        b.t.strides[i] = (int64_t)step;
        step *= sizes[i];
        if (!packed && check_below(4) == 0)
            step += check_below(4);
    }
    for (unsigned i = 0; i < rank; i++)
        reach += (sizes[i] - 1) * (uint64_t)b.t.strides[i];
    b.g = guarded_new(reach * dtype_size(type));
    b.t.data = guarded_place(&b.g, reach * dtype_size(type), check_below(2));
    return b;
}

/* How the numbers of a product are drawn. */
enum style {
    STYLE_PLAIN,    /* any values, scales that bring sums into the output's range */
    STYLE_EXTREMES, /* values at the ends of their types */
    STYLE_HIGHEST,
    STYLE_LOWEST,
    STYLE_TIES, /* small values and scales that make halves */
    STYLE_NEAR_TIES,
    STYLE_PAIRS, /* any A, B at the edge of what 16 bits hold, here and there beyond */
    STYLE_SMALL, /* the same for an A of at most 128, here and there beyond, and any B */
    /* whole panels' rows of A may be read where they lie: one scale for all, few zero points of
     * B */
    STYLE_LIES,
    STYLE_ODD, /* scales from denormal to huge, of any sign, and 0 */
    STYLE_COUNT
};

struct check_product {
    enum style style;
    struct desc d;
    struct check_matrix b[SLOT_COUNT];
    uint64_t m, k, n;
    unsigned outer_rank;
    uint64_t outer[DML_MAX_RANK];
    char *want; /* the pages of the output */
};

static int edge_value(enum style style, bool of_a, bool is_signed)
{
    int lo = is_signed ? -128 : 0, hi = is_signed ? 127 : 255, rare = check_below(400) == 0;

    if (of_a && style == STYLE_SMALL && !is_signed)
        return check_below(2) ? 128 + rare : (int)check_below(129);
    if (of_a || style == STYLE_SMALL)
        return check_below(2) ? lo : hi;
    return is_signed && check_below(2) ? -64 - rare : 64 + rare;
}

static void fill_edges(const struct check_matrix *b, enum style style, bool of_a)
{
    for (size_t i = 0; i < b->g.bytes; i++)
        b->g.base[i] = (char)edge_value(style, of_a, b->t.type == DT_INT8);
}

static void fill_bytes(const struct check_matrix *b, enum style style)
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

static void put_scale(const struct check_matrix *b, const uint64_t *c, float f)
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
               : check_below(3)                            ? any_float()
                                                           : float_between(-9, 9);
    default:
        return slot == SLOT_C_SCALE ? (float)typical * float_between(-7, -6) : float_between(-1, 0);
    }
}

static void fill_scales(const struct check_product *p, const struct check_matrix *b, unsigned slot)
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
    p->b[slot] = buffer_new(type, rank, sizes, true, check_below(2));
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
    p->b[slot] = buffer_new(type, p->outer_rank + 2, sizes, slot != SLOT_C,
                            check_below(p->style == STYLE_LIES ? 8 : 2));
    if (slot != SLOT_C && (p->style == STYLE_PAIRS || p->style == STYLE_SMALL))
        fill_edges(&p->b[slot], p->style, slot == SLOT_A);
    else if (slot != SLOT_C)
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

    for (unsigned i = 0; i < outer_rank; i++)
        p.outer[i] = 1 + check_below(3);
    add_matrix(&p, SLOT_A, a, m, k);
    add_matrix(&p, SLOT_B, b, k, n);
    add_matrix(&p, SLOT_C, c, m, n);
    add_parameter(&p, SLOT_A_SCALE, DT_FLOAT32, 2, m);
    add_parameter(&p, SLOT_B_SCALE, DT_FLOAT32, 1, n);
    add_parameter(&p, SLOT_C_SCALE, DT_FLOAT32, 2, m);
    if (check_below(2))
        add_parameter(&p, SLOT_A_ZERO, a, 2, m);
    if (check_below(style == STYLE_LIES ? 8 : 2) == 0)
        add_parameter(&p, SLOT_B_ZERO, b, 1, n);
    if (check_below(2))
        add_parameter(&p, SLOT_C_ZERO, c, 2, m);
    for (unsigned slot = 0; slot < SLOT_C; slot++)
        if (p.b[slot].present)
            guarded_read_only(&p.b[slot].g);
    return p;
}

static void product_free(struct check_product *p)
{
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
        if (p->b[slot].present)
            guarded_free(&p->b[slot].g);
    free(p->want);
}

static int32_t byte_at(const struct tensor *t, const char *at)
{
    return t->type == DT_INT8 ? *(const signed char *)at : *(const unsigned char *)at;
}

/* The address of the value for this lane: at coordinate `lane` of the axis that is longer than 1,
 * if any. */
static const char *lane_at(const struct tensor *t, uint64_t lane)
{
    int64_t at = 0;

    for (unsigned i = 0; i < t->rank; i++)
        if (t->sizes[i] > 1)
            at += (int64_t)lane * t->strides[i];
    return (const char *)t->data + at * (int64_t)dtype_size(t->type);
}

static int32_t zero_of(const struct check_matrix *b, uint64_t lane)
{
    return b->present ? byte_at(&b->t, lane_at(&b->t, lane)) : 0;
}

static float scale_of(const struct check_matrix *b, uint64_t lane)
{
    float f;

    memcpy(&f, lane_at(&b->t, lane), sizeof f);
    if (b->t.swapped)
        tensor_swap_bytes(&f, sizeof f, 1);
    return f;
}

static void want_cell(const struct check_product *p, const uint64_t *outer, uint64_t row,
                      uint64_t column)
{
    const struct check_matrix *b = p->b;
    const struct tensor *a = &b[SLOT_A].t, *right = &b[SLOT_B].t, *c = &b[SLOT_C].t;
    unsigned r = p->outer_rank;
    const char *pa = (const char *)a->data + (int64_t)row * a->strides[r];
    const char *pb = (const char *)right->data + (int64_t)column * right->strides[r + 1];
    int64_t at = (int64_t)row * c->strides[r] + (int64_t)column * c->strides[r + 1], sum = 0;
    int32_t za = zero_of(&b[SLOT_A_ZERO], row), zb = zero_of(&b[SLOT_B_ZERO], column);

    for (unsigned i = 0; i < r; i++) {
        pa += (int64_t)outer[i] * a->strides[i];
        pb += (int64_t)outer[i] * right->strides[i];
        at += (int64_t)outer[i] * c->strides[i];
    }
    for (uint64_t k = 0; k < p->k; k++, pa += a->strides[r + 1], pb += right->strides[r])
        sum += (int64_t)(byte_at(a, pa) - za) * (byte_at(right, pb) - zb);
    p->want[(char *)c->data - b[SLOT_C].g.base + at] = (char)oracle_requantize(
        sum, scale_of(&b[SLOT_A_SCALE], row), scale_of(&b[SLOT_B_SCALE], column),
        scale_of(&b[SLOT_C_SCALE], row), zero_of(&b[SLOT_C_ZERO], row),
        c->type == DT_INT8 ? -128 : 0, c->type == DT_INT8 ? 127 : 255);
}

static void want_product(struct check_product *p)
{
    uint64_t outer[DML_MAX_RANK] = { 0 };

    p->want = check_alloc(p->b[SLOT_C].g.bytes);
    memset(p->want, 0xa5, p->b[SLOT_C].g.bytes);
    do
        for (uint64_t row = 0; row < p->m; row++)
            for (uint64_t column = 0; column < p->n; column++)
                want_cell(p, outer, row, column);
    while (tensor_next(p->outer_rank, p->outer, outer));
}

static void run_product(struct check_product *p, const char *kernel)
{
    static const char *const styles[] = { "plain",        "extremes",  "highest", "lowest",
                                          "ties",         "near ties", "pairs",   "small A",
                                          "A as it lies", "odd scales" };
    struct tensor *t[SLOT_COUNT];
    /* else most would start threads for nothing */
    bool some = p->m * p->k * p->n > 1 << 21 || check_below(3) == 0;
    struct op_exec exec = { .threads = some ? (int)check_between(2, 4) : 1, .kernel = kernel };
    const struct guarded *out = &p->b[SLOT_C].g;
    struct diag dg = { .err = stderr };
    struct op_plan *plan;
    const char *what = NULL;

    for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
        t[slot] = p->b[slot].present ? &p->b[slot].t : NULL;
    if (op_plan_new(&plan, &p->d, t, &exec, &dg) != ST_OK)
        what = "no plan";
    else if (kernel && strcmp(kernel, op_plan_kernel(plan)) != 0)
        what = "another kernel's plan";
    for (int times = 0; !what && times < 2; times++) {
        memset(out->base, 0xa5, out->bytes);
        op_plan_run(plan);
        if (memcmp(p->want, out->base, out->bytes) != 0)
            what = times == 0 ? "wrong bytes" : "wrong bytes in the second run";
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

static void check_styled(enum style style, uint64_t m, uint64_t k, uint64_t n, unsigned outer_rank,
                         unsigned signs)
{
    struct check_product p = product_new(style, m, k, n, outer_rank, signs);

    want_product(&p);
    for (unsigned row = 0; row < qmm_kernel_count; row++)
        if (runs_here(&qmm_kernels[row]))
            run_product(&p, qmm_kernels[row].row.name);
    if (check_below(8) == 0)
        run_product(&p, NULL);
    product_free(&p);
}

static void check_product(uint64_t m, uint64_t k, uint64_t n, unsigned outer_rank, unsigned signs)
{
    check_styled((enum style)check_below(STYLE_COUNT), m, k, n, outer_rank, signs);
}

/* Every tail of each size, all signs. */
static void check_tails(void)
{
    for (uint64_t size = 1; size <= 40; size++)
        for (unsigned signs = 0; signs < 8; signs++) {
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
    check_requantize();
    for (unsigned row = 0; row < qmm_kernel_count; row++)
        if (runs_here(&qmm_kernels[row]))
            check_kernel(&qmm_kernels[row]);
    check_tails();
    for (unsigned i = 0; i < PRODUCTS; i++)
        check_product(1 + check_below(20), 1 + check_below(20), 1 + check_below(20),
                      (unsigned)check_below(4), i % 8);
    for (unsigned i = 0; i < 400; i++) /* rows enough for the pair tile */
        check_product(32 + check_below(20), 1 + check_below(150), 1 + check_below(80), i % 3 == 0,
                      (i % 4) << 1);
    /* strips, of which some are for the pair tile and some are not */
    for (unsigned i = 0; i < 48; i++)
        check_styled(STYLE_PAIRS, 64, 64, 1024, 0, 2 + 4 * (i % 2));
    for (unsigned i = 0; i < 24; i++) /* several products, enough for several threads */
        check_product(40, 100, 200, 2, i % 8);
    for (unsigned i = 0; i < 800; i++) /* few values of K, so that fused micro-kernels meet ties */
        check_product(9 + check_below(30), 1 + check_below(3), 32 + check_below(64), 0, i % 8);
    for (unsigned i = 0; i < 400; i++)
        check_styled(STYLE_LIES, 9 + check_below(60),
                     i % 4 ? 4 * (1 + check_below(20)) : 1 + check_below(80),
                     32 * (1 + check_below(4)), i % 3 == 0, i % 5 ? 2 + 4 * (i % 2) : i % 8);
    for (unsigned i = 0; i < 16; i++) /* the same with K in several blocks */
        check_styled(STYLE_LIES, 9 + check_below(20), 4 * (500 + check_below(300)), 64, 0,
                     2 + 4 * (i % 2));
    for (size_t i = 0; i < ARRAY_LEN(large); i++)
        for (unsigned signs = 0; signs < 8; signs++)
            check_product(large[i][0], large[i][1], large[i][2], 0, signs);
    /* few rows, whose values of K are shared out among threads */
    for (unsigned i = 0; i < 3 * 8; i++)
        check_product(1 + check_below(4), 1500 + check_below(800), 1100 + check_below(100), i % 3,
                      i % 8);
    /* sums that 32 bits hold only block by block, of rows enough to be packed */
    for (unsigned i = 0; i < 8; i++)
        check_styled(STYLE_HIGHEST, 9, 70000, 20, 0, i);
    for (unsigned i = 0; i < 2 * 8; i++) /* sums beyond 32 bits */
        check_product(1 + check_below(3), 140000, 1 + check_below(3), 0, i % 8);
    return check_end();
}
