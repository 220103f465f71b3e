/* Number texts: exact integers, floats rounded once, shortest texts. glibc's strtod, strtof and
 * printf, which are exact, are the oracle. An argument is a factor for the number of random
 * cases. */
#include "seed.h"

#include <float.h>
#include <math.h>

#include "json/number.h"
#include "kernel/random.h"
#include "tensor/dtype.h"

static size_t cases;

/* Floats as their bits, and bits as floats. */
union double_bits {
    double v;
    uint64_t bits;
};
union float_bits {
    float v;
    uint32_t bits;
};
#define double_of(b)     ((union double_bits){ .bits = (b) }.v)
#define bits_of(d)       ((union double_bits){ .v = (d) }.bits)
#define float_of(b)      ((union float_bits){ .bits = (b) }.v)
#define float_bits_of(f) ((union float_bits){ .v = (f) }.bits)

TEST(test_literals)
{
    static const struct {
        const char *text;
        enum number_result result;
        int64_t v;
    } ints[] = {
        { "0", NUMBER_OK, 0 }, { "-0", NUMBER_OK, 0 }, { "42", NUMBER_OK, 42 },
        { "-42", NUMBER_OK, -42 },
        { "9223372036854775807", NUMBER_OK, INT64_MAX },
        { "-9223372036854775808", NUMBER_OK, INT64_MIN },
        { "9223372036854775808", NUMBER_RANGE, 0 }, { "-9223372036854775809", NUMBER_RANGE, 0 },
        { "100000000000000000000000000", NUMBER_RANGE, 0 }, { "4.0", NUMBER_FRACTION, 0 },
        { "1e2", NUMBER_FRACTION, 0 }, { "0.5", NUMBER_FRACTION, 0 },
    };
    static const char *const bad[] = {
        "", "-", "+1", "01", "-01", "00", ".5", "1.", "-.5", "1e", "1e+", "1.e1", "e1", " 1",
        "1 ", "0x1", "1e1.0", "--1",
        "1-", "1.2.3", "NaN", "inf", "1f", "1,0", "1_0", "1e5e5",
    };
    uint64_t u = 7;
    int64_t i = 7;
    uint16_t h;
    double d;
    float f;

    for (size_t k = 0; k < ARRAY_LEN(ints); k++) {
        assert_int_equal(number_int_literal(ints[k].text, strlen(ints[k].text), &i),
                         ints[k].result);
        if (ints[k].result == NUMBER_OK)
            assert_true(i == ints[k].v);
    }
    assert_int_equal(number_uint_literal("18446744073709551615", 20, &u), NUMBER_OK);
    assert_true(u == UINT64_MAX);
    assert_int_equal(number_uint_literal("18446744073709551616", 20, &u), NUMBER_RANGE);
    assert_int_equal(number_uint_literal("-1", 2, &u), NUMBER_RANGE);
    assert_int_equal(number_uint_literal("-0", 2, &u), NUMBER_OK);
    assert_true(u == 0);
    /* the length counts, not a NUL */
    assert_int_equal(number_uint_literal("12345", 2, &u), NUMBER_OK);
    assert_true(u == 12);
    for (size_t k = 0; k < ARRAY_LEN(bad); k++) {
        size_t n = strlen(bad[k]);

        assert_int_equal(number_int_literal(bad[k], n, &i), NUMBER_SYNTAX);
        assert_int_equal(number_uint_literal(bad[k], n, &u), NUMBER_SYNTAX);
        assert_int_equal(number_i64(bad[k], n, &i), NUMBER_SYNTAX);
        assert_int_equal(number_u64(bad[k], n, &u), NUMBER_SYNTAX);
        assert_int_equal(number_double(bad[k], n, &d), NUMBER_SYNTAX);
        assert_int_equal(number_float(bad[k], n, &f), NUMBER_SYNTAX);
        assert_int_equal(number_half(bad[k], n, &h), NUMBER_SYNTAX);
    }
}

TEST(test_whole)
{
    static const struct {
        const char *text;
        enum number_result i_result, u_result;
        uint64_t v; /* two's complement */
    } want[] = {
        { "1e2", NUMBER_OK, NUMBER_OK, 100 }, { "4.0", NUMBER_OK, NUMBER_OK, 4 },
        { "-4.000e0", NUMBER_OK, NUMBER_RANGE, (uint64_t)-4 }, { "-0.0", NUMBER_OK, NUMBER_OK, 0 },
        { "0e999999999999999999999", NUMBER_OK, NUMBER_OK, 0 },
        { "1200e-2", NUMBER_OK, NUMBER_OK, 12 }, { "1250e-2", NUMBER_FRACTION, NUMBER_FRACTION, 0 },
        { "-0.5", NUMBER_FRACTION, NUMBER_FRACTION, 0 },
        { "0.00000000000000000000000000000012e32", NUMBER_OK, NUMBER_OK, 12 },
        { "1200000000000000000000000000000000e-32", NUMBER_OK, NUMBER_OK, 12 },
        { "1200000000000000000000000000000001e-32", NUMBER_FRACTION, NUMBER_FRACTION, 0 },
        { "1e-999999999999999999999", NUMBER_FRACTION, NUMBER_FRACTION, 0 },
        { "1e999999999999999999999", NUMBER_RANGE, NUMBER_RANGE, 0 },
        { "123456789012345678901e-1", NUMBER_FRACTION, NUMBER_FRACTION, 0 },
        { "9223372036854775807", NUMBER_OK, NUMBER_OK, INT64_MAX },
        { "9.223372036854775807e18", NUMBER_OK, NUMBER_OK, INT64_MAX },
        { "9223372036854775807.000000", NUMBER_OK, NUMBER_OK, INT64_MAX },
        { "9223372036854775808", NUMBER_RANGE, NUMBER_OK, (uint64_t)INT64_MAX + 1 },
        { "-9223372036854775808", NUMBER_OK, NUMBER_RANGE, (uint64_t)INT64_MAX + 1 },
        { "-9223372036854775809", NUMBER_RANGE, NUMBER_RANGE, 0 },
        { "18446744073709551615", NUMBER_RANGE, NUMBER_OK, UINT64_MAX },
        { "1844674407370955161500e-2", NUMBER_RANGE, NUMBER_OK, UINT64_MAX },
        { "184467440737095516.15e2", NUMBER_RANGE, NUMBER_OK, UINT64_MAX },
        { "18446744073709551616", NUMBER_RANGE, NUMBER_RANGE, 0 },
        { "18446744073709551610", NUMBER_RANGE, NUMBER_OK, UINT64_MAX - 5 },
        { "18446744073709551620", NUMBER_RANGE, NUMBER_RANGE, 0 },
        { "123456789012345678910", NUMBER_RANGE, NUMBER_RANGE, 0 },
        { "1.8e19", NUMBER_RANGE, NUMBER_OK, 18000000000000000000u },
        { "9007199254740993", NUMBER_OK, NUMBER_OK, 9007199254740993 },
        { "1e19", NUMBER_RANGE, NUMBER_OK, 10000000000000000000u },
        { "1e20", NUMBER_RANGE, NUMBER_RANGE, 0 },
    };

    for (size_t k = 0; k < ARRAY_LEN(want); k++) {
        size_t n = strlen(want[k].text);
        int64_t i = 0;
        uint64_t u = 0;

        if (number_i64(want[k].text, n, &i) != want[k].i_result ||
            number_u64(want[k].text, n, &u) != want[k].u_result)
            fail_msg("%s: i64 %d, u64 %d", want[k].text, number_i64(want[k].text, n, &i),
                     number_u64(want[k].text, n, &u));
        if (want[k].i_result == NUMBER_OK)
            assert_true((uint64_t)i == want[k].v);
        if (want[k].u_result == NUMBER_OK)
            assert_true(u == want[k].v);
    }
}

TEST(test_integers_return)
{
    char text[NUMBER_TEXT];

    for (size_t k = 0; k < cases; k++) {
        uint64_t u = random64() >> random64() % 64, u_back = 0;
        int64_t i = (int64_t)u, i_back = 0;
        char want[NUMBER_TEXT];
        size_t n = number_format_u64(text, u);

        snprintf(want, sizeof want, "%llu", (unsigned long long)u);
        assert_string_equal(text, want);
        assert_int_equal(n, strlen(want));
        assert_int_equal(number_u64(text, n, &u_back), NUMBER_OK);
        assert_true(u_back == u);
        n = (size_t)snprintf(want, sizeof want, "%lld", (long long)i);
        assert_int_equal(number_int_literal(want, n, &i_back), NUMBER_OK);
        assert_true(i_back == i);
    }
    number_format_u64(text, UINT64_MAX);
    assert_string_equal(text, "18446744073709551615");
}

/* Reads a text as double and float and compares with strtod and strtof. */
static void check_read(const char *text)
{
    size_t n = strlen(text);
    double d = strtod(text, NULL), d_read = 0;
    float f = strtof(text, NULL), f_read = 0;
    enum number_result d_result = number_double(text, n, &d_read),
                       f_result = number_float(text, n, &f_read);

    if (d_result != (isinf(d) ? NUMBER_RANGE : NUMBER_OK) ||
        (!isinf(d) && bits_of(d) != bits_of(d_read)))
        fail_msg("%.60s: double %d %a, not %a", text, d_result, d_read, d);
    if (f_result != (isinf(f) ? NUMBER_RANGE : NUMBER_OK) ||
        (!isinf(f) && float_bits_of(f) != float_bits_of(f_read)))
        fail_msg("%.60s: float %d %a, not %a", text, f_result, (double)f_read, (double)f);
}

TEST(test_read_examples)
{
    static const char *const texts[] = {
        "0", "-0", "0.0e5", "-0e-999999999999", "1", "0.1", "3.141592653589793", "1e22", "1e23",
        "123456789012345678e-30",
        "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308", "2.2250738585072014e-308", "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308", "1.797693134862315807e308", "1.797693134862315808e308",
        "9007199254740993",
        "9007199254740992.99999999999999999999999", "9007199254740993.00000000000000000000001",
        "16777217",
        "16777216.9999999999999999999999999999999999999999",
        "16777217.0000000000000000000000000000000000000001",
        "3.4028235677973366e38", "3.4028235677973365e38", "3.4028235e38", "7.0064923216240853e-46",
        "7.0064923216240854e-46", "1.4e-45", "1e-999999999999999999999", "1e310", "1e-400", "1e400",
        "1e999999999999999999999", "100000000000000000000000000000000000000000000000000000000e-56",
        "0.000000000000000000000000000000000000000000000000000000000000000000001e69",
        "1.00000005960464477539062500000000000000000000000000000000000000000000",
        "1.00000005960464477539062500000000000000000000000000000000000000000001",
        "1.00000005960464477539062499999999999999999999999999999999999999999999",
    };

    for (size_t k = 0; k < ARRAY_LEN(texts); k++)
        check_read(texts[k]);
}

TEST(test_read_random)
{
    char text[64];

    for (size_t k = 0; k < cases; k++) {
        double v = double_of(random64());
        uint64_t digits = random64() >> random64() % 64;
        size_t n;

        if (isfinite(v)) {
            snprintf(text, sizeof text, "%.*e", (int)(random64() % 24), v);
            check_read(text);
        }
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits,
                 (int)(random64() % 700) - 365);
        check_read(text);
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits,
                 (int)(random64() % 120) - 70);
        check_read(text);
        snprintf(text, sizeof text, "-0.%018llu%llu",
                 (unsigned long long)(random64() % 1000000000000000000),
                 (unsigned long long)digits);
        check_read(text);
        n = (size_t)snprintf(text, sizeof text, "%llu%llu",
                             1 + (unsigned long long)(random64() >> 1), (unsigned long long)digits);
        text[1 + random64() % (n - 2)] = '.';
        if (text[0] != '0' || text[1] == '.')
            check_read(text);
    }
}

/* A text of a point exactly halfway, and texts a hair above and below. */
static void around(double halfway, int digits,
                   void (*check)(const char *text, double halfway, int side))
{
    char text[1200], *exponent;
    char tail[16];

    snprintf(text, sizeof text, "%.*e", digits, halfway);
    check(text, halfway, 0);
    exponent = strchr(text, 'e');
    snprintf(tail, sizeof tail, "%s", exponent);
    snprintf(exponent, 300, "%0*d%s", 200, 1, tail);
    check(text, halfway, 1);
    /* One less in the last digit that is not 0, then nines. */
    do
        if (*exponent != '.')
            *exponent = '9';
    while (*--exponent == '0' || *exponent == '.');
    --*exponent;
    snprintf(strchr(text, '\0') - strlen(tail) - 1, 300, "9%s", tail);
    check(text, halfway, -1);
}

static void check_text(const char *text, double halfway, int side)
{
    (void)halfway;
    (void)side;
    check_read(text);
}

/* Halfway between floats; these points are doubles. */
TEST(test_read_halfway)
{
    for (size_t k = 0; k < cases / 20; k++) {
        uint32_t bits = (uint32_t)random64() & 0x7fffffff;
        double halfway;

        if (k % 4 == 0)
            bits &= 0x1ffffff; /* denormals and the smallest normals */
        if (bits >= 0x7f7fffff)
            continue;
        halfway = ((double)float_of(bits) + (double)float_of(bits + 1)) / 2;
        around(halfway, 180, check_text);
    }
}

/* The exact text of the point halfway between two doubles: their texts added and halved digit by
 * digit. */
static void halfway_text(char *out, double v, double next)
{
    static char a[2400], b[2400];
    static int sum[2400];
    int n = snprintf(a, sizeof a, "%0400.1080f", v), rest = 0;
    char *p = out;

    snprintf(b, sizeof b, "%0*.1080f", n, next);
    for (int i = n; i-- > 0;)
        if (a[i] != '.') {
            sum[i] = (a[i] - '0') + (b[i] - '0') + rest;
            rest = sum[i] / 10;
            sum[i] %= 10;
        }
    for (int i = 0; i < n; i++) {
        if (a[i] == '.') {
            if (p == out)
                *p++ = '0';
            *p++ = '.';
            continue;
        }
        rest = rest * 10 + sum[i];
        if (p > out || rest / 2)
            *p++ = (char)('0' + rest / 2);
        rest %= 2;
    }
    *p = '\0';
}

TEST(test_read_halfway_double)
{
    char text[2400], *end;

    for (size_t k = 0; k < cases / 100; k++) {
        uint64_t bits = random64() >> 1;
        double v = double_of(k % 4 ? bits : bits >> 12), next = nextafter(v, INFINITY);

        if (!isfinite(next))
            continue;
        halfway_text(text, v, next);
        check_read(text);
        end = strchr(text, '\0');
        memcpy(end, "1", 2); /* a hair above */
        check_read(text);
        *end = '\0';         /* a hair below */
        while (*--end == '0' || *end == '.')
            if (*end == '0')
                *end = '9';
        --*end;
        check_read(text);
    }
}

static void check_half(const char *text, double halfway, int side)
{
    double magnitude = fabs(halfway);
    double near = side ? nextafter(magnitude, side > 0 ? INFINITY : 0) : magnitude;
    uint16_t want = half_from_double(near);
    uint16_t got = 0x7c00;
    enum number_result result = number_half(text, strlen(text), &got);

    if (result != (want == 0x7c00 ? NUMBER_RANGE : NUMBER_OK) || got != want)
        fail_msg("%.60s: half %d %04x, not %04x", text, result, got, want);
}

/* Every half, and every point halfway between two. */
TEST(test_read_halves)
{
    char text[64];

    for (unsigned h = 0; h < 0x7c00; h++) {
        double v = (double)half_to_float((uint16_t)h);
        double next = h == 0x7bff ? 65536 : (double)half_to_float((uint16_t)(h + 1));
        uint16_t got = 1;

        snprintf(text, sizeof text, "%.40e", v);
        assert_int_equal(number_half(text, strlen(text), &got), NUMBER_OK);
        assert_int_equal(got, h);
        snprintf(text, sizeof text, "-%.6g", v);
        assert_int_equal(number_half(text, strlen(text), &got), NUMBER_OK);
        assert_int_equal(got, h | 0x8000);
        around((v + next) / 2, 30, check_half);
    }
}

TEST(test_long_texts)
{
    enum { LONG = 19900 }; /* the C library of MinGW knows exponents to 19999 */
    static char text[LONG + 16];
    double d;
    int64_t i;

    memset(text, '0', LONG);
    text[0] = '1';
    snprintf(text + LONG, 16, "e-%d", LONG - 1);
    check_read(text);
    assert_int_equal(number_i64(text, strlen(text), &i), NUMBER_OK);
    assert_int_equal(i, 1);
    memset(text, '0', LONG);
    text[1] = '.';
    snprintf(text + LONG - 1, 16, "1e%d", LONG - 2);
    check_read(text);
    assert_int_equal(number_double(text, strlen(text), &d), NUMBER_OK);
    assert_true(d == 1);
    for (size_t k = 0; k < LONG; k++)
        text[k] = (char)('1' + random64() % 9);
    snprintf(text + LONG, 16, "e-%d", LONG);
    check_read(text);
    snprintf(text + LONG, 16, "e-%d", LONG + 40);
    check_read(text);
}

/* A decimal as sign, digits without trailing zeros, and the exponent of its first digit. */
struct parts {
    char digits[32];
    int exponent;
};

static struct parts parts_of(const char *scientific)
{
    struct parts p = { .exponent = atoi(strchr(scientific, 'e') + 1) };
    size_t n = 0;

    for (const char *s = scientific; *s != 'e'; s++)
        if (*s != '.' && *s != '-')
            p.digits[n++] = *s;
    while (n > 1 && p.digits[n - 1] == '0')
        n--;
    p.digits[n] = '\0';
    return p;
}

/* The layout that number.h promises, built another way. */
static void layout(char *out, bool negative, const struct parts *p)
{
    static const char zeros[] = "0000";
    char digits[64];
    int n = (int)strlen(p->digits);

    if (p->exponent >= 16 || p->exponent < -4) {
        sprintf(out, "%s%c%s%se%d", negative ? "-" : "", p->digits[0], n > 1 ? "." : "",
                p->digits + 1, p->exponent);
        return;
    }
    snprintf(digits, sizeof digits, "%s%s%.*s", zeros + 4 + (p->exponent < 0 ? p->exponent : 0),
             p->digits, p->exponent >= n ? p->exponent - n + 1 : 0, "0000000000000000");
    n = p->exponent < 0 ? 1 : p->exponent + 1;
    sprintf(out, "%s%.*s%s%s", negative ? "-" : "", n, digits, digits[n] ? "." : "", digits + n);
}

/* Reads a decimal back; the bits. */
typedef uint64_t read_back(const char *text);

static uint64_t back_double(const char *text) { return bits_of(strtod(text, NULL)); }

static uint64_t back_float(const char *text) { return float_bits_of(strtof(text, NULL)); }

static uint64_t back_half(const char *text)
{
    uint16_t bits = 0x7c00;

    number_half(text, strlen(text), &bits); /* test_read_halves holds it to be right */
    return bits;
}

/* The shortest text of |v|, the slow way: for each number of digits the nearest decimal, then,
 * where the distances to the neighbours differ, the one above and below it. */
static void shortest_slowly(char *out, double v, read_back *back)
{
    double magnitude = fabs(v);
    char text[64], other[64];
    struct parts p;
    uint64_t want;

    snprintf(text, sizeof text, "%.17e", magnitude);
    want = back(text);
    for (int n = 1;; n++) {
        assert_true(n < 18);
        snprintf(text, sizeof text, "%.*e", n - 1, magnitude);
        if (back(text) == want)
            break;
        p = parts_of(text);
        for (int side = 1; side >= -1; side -= 2) {
            long long digits = strtoll(p.digits, NULL, 10);

            for (size_t i = strlen(p.digits); i < (size_t)n; i++)
                digits *= 10;
            snprintf(other, sizeof other, "%llde%d", digits + side, p.exponent - n + 1);
            if (digits + side > 0 && back(other) == want) {
                int length = snprintf(text, sizeof text, "%lld", digits + side);

                snprintf(text + length, sizeof text - (size_t)length, "e%d",
                         p.exponent - n + length);
                goto found;
            }
        }
    }
found:
    p = parts_of(text);
    layout(out, signbit(v), &p);
}

static void check_double(double v)
{
    char text[NUMBER_TEXT], want[64];
    size_t n;

    if (!isfinite(v) || v == 0)
        return;
    n = number_format_double(text, v);
    shortest_slowly(want, v, back_double);
    if (strcmp(text, want) != 0 || n != strlen(text))
        fail_msg("%a: %s, not %s", v, text, want);
}

static void check_float(float v)
{
    char text[NUMBER_TEXT], want[64];
    size_t n;

    if (!isfinite(v) || v == 0)
        return;
    n = number_format_float(text, v);
    shortest_slowly(want, (double)v, back_float);
    if (strcmp(text, want) != 0 || n != strlen(text))
        fail_msg("%a: %s, not %s", (double)v, text, want);
}

/* Whole numbers next to any number, halves to the even one, however many digits decide. */
TEST(test_nearest)
{
    static const struct {
        const char *text;
        enum number_result result;
        uint64_t magnitude;
    } want[] = {
        { "0", NUMBER_OK, 0 }, { "-0.0", NUMBER_OK, 0 }, { "7", NUMBER_OK, 7 },
        { "-7e0", NUMBER_OK, 7 },
        { "1.2e1", NUMBER_OK, 12 }, { "1200e-2", NUMBER_OK, 12 }, { "0.5", NUMBER_FRACTION, 0 },
        { "1.5", NUMBER_FRACTION, 2 }, { "-2.5", NUMBER_FRACTION, 2 },
        { "0.05e1", NUMBER_FRACTION, 0 },
        { "0.50000000000000000000000000000001", NUMBER_FRACTION, 1 },
        { "0.49999999999999999999999999999999", NUMBER_FRACTION, 0 },
        { "5e-1", NUMBER_FRACTION, 0 },
        { "25e-1", NUMBER_FRACTION, 2 }, { "35e-1", NUMBER_FRACTION, 4 },
        { "9e-2", NUMBER_FRACTION, 0 },
        { "-1e-400", NUMBER_FRACTION, 0 }, { "0e400", NUMBER_OK, 0 }, { "1e400", NUMBER_RANGE, 0 },
        { "1e-999999999999", NUMBER_FRACTION, 0 }, { "1e999999999999", NUMBER_RANGE, 0 },
        { "18446744073709551615", NUMBER_OK, UINT64_MAX },
        { "18446744073709551616", NUMBER_RANGE, 0 },
        { "18446744073709551615.4", NUMBER_FRACTION, UINT64_MAX },
        { "18446744073709551615.5", NUMBER_RANGE, 0 },
        { "18446744073709551614.5", NUMBER_FRACTION, UINT64_MAX - 1 },
        { "1844674407370955161.5e1", NUMBER_OK, UINT64_MAX },
        { "0.018446744073709551615e21", NUMBER_OK, UINT64_MAX / 10 * 10 + 5 },
        { "00", NUMBER_SYNTAX, 0 }, { "1.", NUMBER_SYNTAX, 0 },
    };

    for (size_t k = 0; k < ARRAY_LEN(want); k++) {
        uint64_t magnitude = 0;
        bool negative = want[k].text[0] != '-';
        enum number_result result =
            number_nearest(want[k].text, strlen(want[k].text), &negative, &magnitude);

        if (result != want[k].result || magnitude != want[k].magnitude ||
            (result != NUMBER_SYNTAX && negative != (want[k].text[0] == '-')))
            fail_msg("%s: result %d, %llu", want[k].text, (int)result,
                     (unsigned long long)magnitude);
    }
}

TEST(test_format_examples)
{
    static const struct {
        double v;
        const char *text;
    } want[] = {
        { 0.0, "0" }, { -0.0, "-0.0" }, { 1, "1" }, { -2.5, "-2.5" }, { 0.1, "0.1" },
        { 0.0001, "0.0001" },
        { 0.00001, "1e-5" }, { 1.5e-7, "1.5e-7" }, { 1e15, "1000000000000000" }, { 1e16, "1e16" },
        { 1.5e16, "1.5e16" },
        { 1234567890123456, "1234567890123456" }, { 12345678901234568, "1.2345678901234568e16" },
        { 1e20, "1e20" },
        { 1e22, "1e22" }, { 1e23, "1e23" }, { 5e-324, "5e-324" }, { 1e-323, "1e-323" },
        { DBL_MIN, "2.2250738585072014e-308" },
        { DBL_MAX, "1.7976931348623157e308" }, { 9007199254740992, "9007199254740992" },
        { 123.456, "123.456" },
        { 0.3, "0.3" }, { 2.0 / 3, "0.6666666666666666" },
        { 9.5367431640625e-07, "9.5367431640625e-7" },
        { -12345.678, "-12345.678" }, { 4503599627370495.5, "4503599627370495.5" },
    };
    char text[NUMBER_TEXT];

    for (size_t k = 0; k < ARRAY_LEN(want); k++) {
        assert_int_equal(number_format_double(text, want[k].v), strlen(want[k].text));
        assert_string_equal(text, want[k].text);
    }
    number_format_float(text, 16777216);
    assert_string_equal(text, "16777216");
    number_format_float(text, 0.1f);
    assert_string_equal(text, "0.1");
    number_format_float(text, FLT_MAX);
    assert_string_equal(text, "3.4028235e38");
    number_format_float(text, -1e-45f);
    assert_string_equal(text, "-1e-45");
    number_format_half(text, 0x7bff);
    assert_string_equal(text, "65504");
    number_format_half(text, 0x8001);
    assert_string_equal(text, "-6e-8");
    number_format_half(text, 0x8000);
    assert_string_equal(text, "-0.0");
    number_format_half(text, 0x3555);
    assert_string_equal(text, "0.3333");
}

TEST(test_format_doubles)
{
    if (strtod("3.839223843572815e-239", NULL) >= 0x1p-792)
        skip(); /* MinGW's misrounds, and is no oracle */
    /* powers of two and their neighbours */
    for (uint64_t exponent = 0; exponent < 2047; exponent++) {
        check_double(double_of(exponent << 52));
        check_double(double_of((exponent << 52) + 1));
        check_double(double_of((exponent << 52) - (exponent > 0)));
    }
    for (uint64_t bits = 1; bits < 300; bits++)
        check_double(double_of(bits));
    for (size_t k = 0; k < cases; k++) {
        uint64_t bits = random64();
        char text[64];

        check_double(double_of(bits));
        if (k % 8 == 0) {
            check_double(double_of(bits >> (12 + bits % 40)));    /* denormals */
            check_double(double_of(bits >> 20 << (20 + bits % 30)));
            check_double((double)(int64_t)(bits >> bits % 64));
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)(bits >> (34 + bits % 30)),
                     (int)(bits % 600) - 310);
            check_double(strtod(text, NULL));
        }
    }
}

TEST(test_format_floats)
{
    for (uint32_t exponent = 0; exponent < 255; exponent++) {
        check_float(float_of(exponent << 23));
        check_float(float_of((exponent << 23) + 1));
        check_float(float_of((exponent << 23) - (exponent > 0)));
    }
    for (uint32_t bits = 1; bits < 1000; bits++)
        check_float(float_of(bits));
    for (size_t k = 0; k < cases; k++) {
        check_float(float_of((uint32_t)random64()));
        if (k % 8 == 0)
            check_float((float)(random64() % 100000) / 1000.0f);
    }
}

TEST(test_format_halves)
{
    char text[NUMBER_TEXT], want[64];

    for (unsigned h = 0; h < 0x10000; h++) {
        uint16_t back = 0;
        size_t n;

        if ((h & 0x7c00) == 0x7c00)
            continue;
        n = number_format_half(text, (uint16_t)h);
        assert_int_equal(number_half(text, n, &back), NUMBER_OK);
        assert_int_equal(back, h);
        if (h & 0x7fff) {
            double v = (double)half_to_float((uint16_t)h);

            if (v == trunc(v)) /* whole values have all their digits */
                snprintf(want, sizeof want, "%.0f", v);
            else
                shortest_slowly(want, v, back_half);
            assert_string_equal(text, want);
        }
    }
}

/* Every finite value comes back as it was. */
TEST(test_return)
{
    char text[NUMBER_TEXT];

    for (size_t k = 0; k < 10 * cases; k++) {
        uint64_t bits = random64();
        double d = double_of(bits), d_back;
        float f = float_of((uint32_t)bits), f_back;

        if (isfinite(d)) {
            assert_int_equal(number_double(text, number_format_double(text, d), &d_back),
                             NUMBER_OK);
            assert_true(bits_of(d) == bits_of(d_back));
        }
        if (isfinite(f)) {
            assert_int_equal(number_float(text, number_format_float(text, f), &f_back), NUMBER_OK);
            assert_true(float_bits_of(f) == float_bits_of(f_back));
        }
    }
}

int main(int argc, char **argv)
{
    cases = random_cases(100000);
    if (argc > 1)
        cases *= strtoull(argv[1], NULL, 10);
    seed_start();
    return RUN_TESTS(NULL, NULL);
}
