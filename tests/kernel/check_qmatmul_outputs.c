/* Holds qmatmul's way from sums to outputs to exact arithmetic: requantization by itself, and the
 * epilogue of every kernel that this processor can run, on random and adversarial cases.
 * `check_qmatmul_outputs [--seed SEED]`. */
#include <float.h>

#include "check.h"
#include "kernel/qmatmul/qmatmul.h"
#include "qmm_oracle.h"

enum { REQUANT_KINDS = 8, CASES_PER_KIND = 300000, EPILOGUE_ROWS = 20000 };

/* ---- requantization ---- */

struct requant {
    int64_t sum;
    float sa, sb, so;
};

static float neighbour(float f) { return nextafterf(f, check_below(2) ? INFINITY : -INFINITY); }

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
    float sa = check_float_between(-44, -36), sb = check_float_between(-3, 3),
          so = check_float_between(-3, 3);
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
    case 0: return (struct requant){ any_sum(), check_float(), check_float(), check_float() };
    case 1:
        r = (struct requant){ any_sum(), check_float_between(-20, 20), check_float_between(-20, 20),
                              1 };
        r.so = (float)((double)r.sum * (double)r.sa * (double)r.sb /
                       (double)check_float_between(-3, 8));
        return r.so == 0 || !isfinite(r.so) ? exact_tie() : r;
    case 2: return exact_tie();
    case 3:
        r = exact_tie();
        r.sum += check_between(-1, 1);
        r.sa = check_below(2) ? neighbour(r.sa) : r.sa;
        r.sb = check_below(2) ? neighbour(r.sb) : r.sb;
        r.so = check_below(2) ? neighbour(r.so) : r.so;
        return r;
    case 4: return close_to_tie();
    case 5: /* (1 + 2^-23) * (1 - 2^-23) is below 1 by 2^-46 */
        r = exact_tie();
        r.sa = ldexpf(1 + 0x1p-23f, (int)check_between(-20, 20));
        r.sb = ldexpf(1 - 0x1p-23f, (int)check_between(-20, 20));
        r.so = ldexpf(2, ilogbf(r.sa) + ilogbf(r.sb) + 1);
        r.sum = 2 * check_between(-300, 300) + 1;
        return r;
    case 6: return convergent_tie();
    default:
        r.sum = check_below(2) ? odd_sums[check_below(ARRAY_LEN(odd_sums))] : any_sum();
        r.sa = odd_scales[check_below(ARRAY_LEN(odd_scales))];
        r.sb = check_below(2) ? odd_scales[check_below(ARRAY_LEN(odd_scales))] : check_float();
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

/* ---- epilogues ---- */

enum scale_kind { TIE_SCALE, ANY_SCALE, LARGE_SCALE, FINE_SCALE };

/* A scale of a few that make ties, exact or off by parts in 2^23 or, two together, in 2^46; or any;
 * or one near the largest or the least that floats do for; or one with which sums lie as near to
 * ties as floats are off. */
static float draw_tie_scale(enum scale_kind kind)
{
    static const float near[] = { 1 - 0x1p-24f, 1, 1, 1, 1 + 0x1p-23f, 1 - 0x1p-23f };
    static const float whole[] = { 1, 2, 3, 5, 6, 10, 12, 100, 0.5F };
    bool large = check_below(4) != 0;
    float f = kind == ANY_SCALE     ? check_float()
              : kind == LARGE_SCALE ? check_float_between(large ? 40 : -64, large ? 64 : -40)
              : kind == FINE_SCALE
                  ? check_float_between(-10, -10)
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

    so = close                ? tie.so
         : kind == FINE_SCALE ? check_float_between(0, 0)
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

/* Exact sums: without scales. */
static void check_sums(const struct qmm_kernel *kn)
{
    enum { NR_MAX = 256 };
    unsigned nr = kn->tile.b.lanes;
    uint32_t zeros[NR_MAX], sums[NR_MAX];
    int32_t acc[NR_MAX], out[NR_MAX + 1];
    struct qmm_row row = { .a_zero = (uint32_t)check_between(-128, 383),
                           .a_sum = (uint32_t)check_random() };
    struct qmm_columns columns = { NULL, zeros, sums, NULL, NULL };
    struct qmm_sums block = { acc, nr, 1, nr };
    bool good;

    for (unsigned j = 0; j < nr; j++) {
        zeros[j] = (uint32_t)check_between(-128, 383);
        sums[j] = (uint32_t)check_random();
        acc[j] = (int32_t)check_random();
    }
    memset(out, 0xa5, sizeof out);
    kn->epilogue((uint8_t *)out, 0, &block, &row, &columns);
    good = out[nr] == (int32_t)0xa5a5a5a5;
    for (unsigned j = 0; j < nr; j++)
        good = good && (uint32_t)out[j] ==
                           (uint32_t)acc[j] - zeros[j] * row.a_sum - row.a_zero * sums[j];
    if (!good)
        check_fail("epilogue %s: exact sums differ", kn->row.name);
    check.passed += good;
}

int main(int argc, char **argv)
{
    check_begin("check_qmatmul_outputs", argc, argv);
    check_requantize();
    for (unsigned row = 0; row < qmm_kernel_count; row++) {
        if (!cpu_has(qmm_kernels[row].row.needs))
            continue;
        for (int i = 0; i < EPILOGUE_ROWS; i++)
            check_epilogue_row(&qmm_kernels[row]);
        for (int i = 0; i < EPILOGUE_ROWS / 10; i++)
            check_sums(&qmm_kernels[row]);
    }
    return check_end();
}
