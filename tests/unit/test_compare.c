/* tensor/compare.h: differences between integers and floats, which must be rounded once on every
 * machine. */
#include "unit.h"

#include <math.h>

#include "kernel/random.h"
#include "tensor/compare.h"

__extension__ typedef __int128 i128;

/* The difference that a comparison of two elements finds. */
static double compared(enum dtype ta, void *a, enum dtype tb, void *b)
{
    struct tensor x = { .type = ta, .rank = 1, .sizes = { 1 }, .strides = { 1 }, .data = a };
    struct tensor y = { .type = tb, .rank = 1, .sizes = { 1 }, .strides = { 1 }, .data = b };
    struct compare_options opt = { .atol = 0 };
    struct comparison c;
    double d;

    assert_true(comparison_make(&x, &y, &opt, 1, &c));
    d = c.unequal ? c.largest.difference : 0;
    comparison_free(&c);
    return d;
}

static double of_int64(int64_t i, double f)
{
    double d = compared(DT_INT64, &i, DT_FLOAT64, &f);

    assert_true(d == compared(DT_FLOAT64, &f, DT_INT64, &i));
    return d;
}

static double of_uint64(uint64_t i, double f)
{
    double d = compared(DT_UINT64, &i, DT_FLOAT64, &f);

    assert_true(d == compared(DT_FLOAT64, &f, DT_UINT64, &i));
    return d;
}

static i128 distance(i128 a, i128 b) { return a > b ? a - b : b - a; }

/* Whether d, a double, is the one nearest to `exact` / 2^scale, or of two the even one. All in
 * units of half of that, in which d's neighbours are whole. */
static void assert_nearest(double d, i128 exact, int scale)
{
    i128 twice = 2 * exact, error = distance((i128)ldexp(d, scale + 1), twice);
    i128 above = distance((i128)ldexp(nextafter(d, (double)INFINITY), scale + 1), twice);
    i128 below = distance((i128)ldexp(nextafter(d, -(double)INFINITY), scale + 1), twice);
    uint64_t bits;

    memcpy(&bits, &d, sizeof bits);
    assert_true(exact > 2 ? error <= above && error <= below : error == 0);
    if (exact > 2 && (error == above || error == below))
        assert_true(bits % 2 == 0);
}

/* A random number with at least `least` bits, as a rule. */
static uint64_t random_length(uint64_t *seed, unsigned least)
{
    uint64_t bits = random_next(seed);

    return bits >> random_below(seed, 65 - least);
}

/* Integers and floats of all sizes, floats with up to `scale` bits after the point. */
TEST(test_random)
{
    uint64_t seed = 18;

    for (unsigned left = random_cases(200000); left > 0; left--) {
        uint64_t i = random_length(&seed, 1);
        int64_t sign = random_below(&seed, 2) ? -1 : 1,
                mantissa = sign * (int64_t)(random_length(&seed, 12) >> 11);
        int scale = (int)random_below(&seed, 60);
        double f = ldexp((double)mantissa, -scale);
        int64_t s = (int64_t)i;

        assert_nearest(of_uint64(i, f), distance((i128)i * ((i128)1 << scale), mantissa), scale);
        assert_nearest(of_int64(s, f), distance((i128)s * ((i128)1 << scale), mantissa), scale);
    }
}

/* Large whole floats: the difference may need more than 64 bits. */
TEST(test_large)
{
    uint64_t seed = 19;

    for (unsigned left = random_cases(100000); left > 0; left--) {
        uint64_t i = random_length(&seed, 57);
        int64_t mantissa = (int64_t)random_next(&seed) >> 11;
        int shift = (int)random_below(&seed, 66);
        double f = ldexp((double)mantissa, shift);

        assert_nearest(of_uint64(i, f), distance(i, mantissa * ((i128)1 << shift)), 0);
    }
}

TEST(test_known)
{
    const int64_t odd = (INT64_C(1) << 53) + 1;

    assert_true(of_int64(odd, 0) == 0x1p53);                         /* midway: to even */
    assert_true(of_int64(odd, -0x1p-20) == 0x1p53 + 2);              /* above the middle */
    assert_true(of_int64(odd, 0x1p-20) == 0x1p53);
    assert_true(of_int64(odd, -0x1p-1074) == 0x1p53 + 2);            /* by the least there is */
    assert_true(of_int64(odd, 0x1p-1074) == 0x1p53);
    assert_true(of_int64(-odd, 0x1p-1074) == 0x1p53 + 2);
    assert_true(of_int64(-odd, -0x1p-1074) == 0x1p53);
    assert_true(of_int64(odd + 2, 0x1p-1074) == 0x1p53 + 2);
    assert_true(of_int64(odd + 2, -0x1p-1074) == 0x1p53 + 4);
    assert_true(of_int64(0, -0x1p-1074) == 0x1p-1074);
    assert_true(of_int64(1, 0x1p-1074) == 1);
    assert_true(of_int64(1, 1 - 0x1p-53) == 0x1p-53);
    assert_true(of_int64(INT64_MIN, 0x1p63) == 0x1p64);
    assert_true(of_uint64(UINT64_MAX, -0x1p64) == 0x1p65);
    assert_true(of_uint64(UINT64_MAX, 0x1p64) == 1);
    assert_true(of_uint64(UINT64_MAX, 0x1p117) == 0x1.fffffffffffffp116);
    /* the next below is 2^65 away */
    assert_true(of_uint64(UINT64_MAX, 0x1p118) == 0x1p118);
    assert_true(of_uint64(UINT64_MAX, 0x1.fffffffffffffp1023) == 0x1.fffffffffffffp1023);
}

static float floats[2][400 * 300];

static void check_many(int threads, uint64_t first)
{
    struct tensor a = { .type = DT_FLOAT32,
                        .rank = 2,
                        .sizes = { 400, 300 },
                        .strides = { 300, 1 },
                        .data = floats[0] };
    struct tensor b = a;
    struct compare_options opt = { .atol = 0.25 };
    struct comparison c;

    b.data = floats[1];
    assert_true(comparison_make(&a, &b, &opt, threads, &c));
    assert_int_equal(c.count, 120000);
    assert_int_equal(c.unequal, 5);
    assert_int_equal(c.differ, 7);
    assert_int_equal(c.finite_differ, 4);
    assert_true(c.specials.nan_a == 1 && c.specials.nan_b == 2 && c.specials.nan_both == 1);
    assert_true(c.specials.inf_a == 1 && c.specials.inf_b == 0);
    assert_true(c.largest.difference == 3 && c.largest.number == 300 * 300 + 7);
    assert_true(c.worst_ratio.relative == (double)INFINITY && c.worst_ratio.number % 300 == 5);
    assert_int_equal(c.first[0].number, first);
    assert_int_equal(c.first[4].number / 300, 399);
    assert_true(c.least_atol == 3);
    assert_int_equal(c.axes[0].differ[300], 2);
    assert_int_equal(c.axes[1].differ[7], 2);
    comparison_free(&c);
}

/* Several pieces, one after the other, the first of those that are alike kept. */
TEST(test_many)
{
    floats[0][5] = 0.125f;               /* passes */
    floats[1][10 * 300 + 2] = 2;
    floats[0][300 * 300 + 7] = -3;       /* as large as the next one, and before it */
    floats[1][300 * 300 + 8] = (float)NAN;
    floats[0][399 * 300 + 7] = 3;
    floats[0][399 * 300 + 9] = (float)INFINITY;
    floats[1][399 * 300 + 299] = 1;
    floats[0][20] = floats[1][20] = (float)NAN;
    for (int threads = 1; threads < 5; threads++)
        check_many(threads, 20);
}

int main(void) { return RUN_TESTS(NULL, NULL); }
