#include "run/ratio.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

/* A whole number, the least significant part first. A sum and two significands have 111 bits,
 * powers of two at most 402, and what is multiplied by ten stays below ten times the other. */
enum { PARTS = 16 };
struct big {
    uint32_t part[PARTS];
};

static void multiply(struct big *b, uint32_t by)
{
    uint64_t carry = 0;

    for (int i = 0; i < PARTS; i++) {
        carry += (uint64_t)b->part[i] * by;
        b->part[i] = (uint32_t)carry;
        carry >>= 32;
    }
    assert(carry == 0);
}

static bool is_below(const struct big *a, const struct big *b)
{
    for (int i = PARTS; i-- > 0;)
        if (a->part[i] != b->part[i])
            return a->part[i] < b->part[i];
    return false;
}

static bool is_zero(const struct big *b)
{
    static const struct big zero;

    return memcmp(b, &zero, sizeof zero) == 0;
}

/* a -= b, which is at most a. */
static void subtract(struct big *a, const struct big *b)
{
    uint64_t borrow = 0;

    for (int i = 0; i < PARTS; i++) {
        uint64_t v = (uint64_t)a->part[i] - b->part[i] - borrow;

        a->part[i] = (uint32_t)v;
        borrow = v >> 63;
    }
}

/* |f| is the result, a whole number below 2^24, times 2^*exponent. */
static uint32_t whole_part(float f, int *exponent)
{
    float fraction = frexpf(fabsf(f), exponent);

    *exponent -= 24;
    return (uint32_t)ldexpf(fraction, 24);
}

/* The digits of n / d, n not 0, from the first that is not 0 on; returns the power of ten of that
 * one. *more: they do not end. n and d are used up. */
static int make_digits(struct big *n, struct big *d, char digits[RATIO_DIGITS + 1], bool *more)
{
    struct big ten_d = *d;
    int power = 0, count = 0;

    for (multiply(&ten_d, 10); !is_below(n, &ten_d); power++) {
        *d = ten_d;
        multiply(&ten_d, 10);
    }
    for (; is_below(n, d); power--)
        multiply(n, 10);
    while (count < RATIO_DIGITS && !is_zero(n)) {
        for (digits[count] = '0'; !is_below(n, d); digits[count]++)
            subtract(n, d);
        count++;
        multiply(n, 10);
    }
    digits[count] = '\0';
    *more = !is_zero(n);
    return power;
}

/* Writes digits, the first of which counts 10^power, to text[RATIO_TEXT - 1]. */
static void place_point(char *text, const char *digits, int power, bool more)
{
    int n = (int)strlen(digits), whole = power + 1;
    const char *dots = more ? "..." : "";

    if (power < -5 || power >= RATIO_DIGITS || (more && whole >= n))
        snprintf(text, RATIO_TEXT - 1, "%.1s%s%s%se%+03d", digits, n > 1 || more ? "." : "",
                 digits + 1, dots, power);
    else if (whole <= 0)
        snprintf(text, RATIO_TEXT - 1, "0.%.*s%s%s", -whole, "0000", digits, dots);
    else if (n > whole)
        snprintf(text, RATIO_TEXT - 1, "%.*s.%s%s", whole, digits, digits + whole, dots);
    else
        snprintf(text, RATIO_TEXT - 1, "%s%.*s", digits, whole - n, "00000000000000000000");
}

const char *float_exact(float f, char text[FLOAT_TEXT])
{
    snprintf(text, FLOAT_TEXT, "%.112g", (double)f);
    return text;
}

const char *ratio_exact(int64_t sum, float a, float b, float c, char text[RATIO_TEXT])
{
    uint64_t magnitude = i64_magnitude(sum);
    struct big n = { { (uint32_t)magnitude, (uint32_t)(magnitude >> 32) } }, d = { { 0 } };
    bool negative = (sum < 0) ^ (a < 0) ^ (b < 0) ^ (c < 0), more;
    char digits[RATIO_DIGITS + 1];
    int ea, eb, ec, power;

    multiply(&n, whole_part(a, &ea));
    multiply(&n, whole_part(b, &eb));
    d.part[0] = whole_part(c, &ec);
    if (is_zero(&n))
        return memcpy(text, "0", 2);
    for (ea += eb - ec; ea > 0; ea--)
        multiply(&n, 2);
    for (; ea < 0; ea++)
        multiply(&d, 2);
    if (negative)
        text[0] = '-';
    power = make_digits(&n, &d, digits, &more);
    place_point(text + negative, digits, power, more);
    return text;
}
