#include "json/number.h"

#include "json/decimal.h"

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

/* Writes the digits of v up to `end`; returns their start. */
static char *write_digits(char *end, uint64_t v)
{
    for (; v >= 100; v /= 100)
        memcpy(end -= 2, pairs + 2 * (v % 100), 2);
    if (v >= 10)
        memcpy(end -= 2, pairs + 2 * v, 2);
    else
        *--end = (char)('0' + v);
    return end;
}

size_t number_format_u64(char *buf, uint64_t v)
{
    char digits[20], *start = write_digits(digits + sizeof digits, v);
    size_t n = (size_t)(digits + sizeof digits - start);

    memcpy(buf, start, n);
    buf[n] = '\0';
    return n;
}

/* A finite positive value m * 2^e. */
struct binary {
    uint64_t m;
    int e;
    bool narrow; /* a power of two: the float below is nearer than the one above */
};

/* x * power / 2^128; the last bit is also set if that is not whole. */
static uint64_t scale(const struct power10 *power, uint64_t x)
{
    u128 low = (u128)x * (uint64_t)power->m;
    u128 high = (u128)x * (uint64_t)(power->m >> 64) + (low >> 64);
    uint64_t v = (uint64_t)(high >> 64);
    u128 rest = high << 64 | (uint64_t)low; /* the fraction, in 2^-128 */

    if (power->exact)
        return v | (rest != 0);
    /* a fraction that is less than POWER10_SLACK below a whole number is 0 in truth: the product is
     * that number; see shortest() */
    return rest + (u128)POWER10_SLACK * x < rest ? v + 1 : v | 1;
}

/* The shortest digits * 10^k that rounds to v, the nearest among those of one length, ties to even.
 * Decimals from v - 2^(e-1) (v - 2^(e-2) if narrow) to v + 2^(e-1) round to v, the ends only if m
 * is even. 10^k is the largest power of ten not above the length of this range: at most one
 * multiple of 10^(k+1) lies in it and is the shortest; else one of the two multiples of 10^k around
 * v is.
 *
 * v and the ends are counted in 10^k / 4, so that halves of 10^k are even. scale() has a relative
 * error of 3 * 2^-127. No inexact product of any double is nearer to a whole number than 2.5 times
 * that (by continued fractions, over every e), so all are on the right side. The m of other formats
 * are among those of doubles. */
static uint64_t shortest(const struct binary *v, int *exponent)
{
    /* floor(log10(2^e)), or of 3/4 of that */
    int k = (v->e * 1262611 - (v->narrow ? 524031 : 0)) >> 22;
    struct power10 power = power10(-k);
    int shift = 128 + v->e + power.e; /* 1 to 4 */
    uint64_t value = scale(&power, 4 * v->m << shift);
    uint64_t lower = scale(&power, (4 * v->m - (v->narrow ? 1 : 2)) << shift);
    uint64_t upper = scale(&power, (4 * v->m + 2) << shift);
    uint64_t open = v->m & 1;   /* the ends are not included */
    uint64_t below = value / 4; /* the multiple of 10^k not above v */
    uint64_t ten = below / 10 * 10;
    bool lower_fits = lower + open <= 4 * ten, upper_fits = 4 * (ten + 10) + open <= upper;
    int64_t off;

    *exponent = k;
    if (lower_fits || upper_fits)
        return lower_fits ? ten : ten + 10;
    lower_fits = lower + open <= 4 * below;
    upper_fits = 4 * (below + 1) + open <= upper;
    if (lower_fits != upper_fits)
        return lower_fits ? below : below + 1;
    off = (int64_t)value - (int64_t)(4 * below + 2);
    return off < 0 || (off == 0 && below % 2 == 0) ? below : below + 1;
}

/* Writes digits * 10^exponent; digits is not 0. Returns the length. */
static size_t write_decimal(char *buf, uint64_t digits, int exponent)
{
    char text[20], *start, *p = buf;
    int n, point; /* digits; those before the decimal point */

    for (; digits % 10 == 0; digits /= 10)
        exponent++;
    start = write_digits(text + sizeof text, digits);
    n = (int)(text + sizeof text - start);
    point = n + exponent;
    if (point > 16 || point < -3) {
        *p++ = *start++;
        if (n > 1) {
            *p++ = '.';
            memcpy(p, start, (size_t)(n - 1));
            p += n - 1;
        }
        *p++ = 'e';
        if (point < 1)
            *p++ = '-';
        return (size_t)(p - buf) + number_format_u64(p, i64_magnitude(point - 1));
    }
    if (point <= 0) {
        memcpy(p, "0.000", (size_t)(2 - point));
        p += 2 - point;
        memcpy(p, start, (size_t)n);
        p += n;
    } else if (point < n) {
        memcpy(p, start, (size_t)point);
        p[point] = '.';
        memcpy(p + point + 1, start + point, (size_t)(n - point));
        p += n + 1;
    } else {
        memcpy(p, start, (size_t)n);
        memset(p + n, '0', (size_t)exponent);
        p += point;
    }
    *p = '\0';
    return (size_t)(p - buf);
}

enum { HALF_STORED = 10 };

/* The text of a finite float: sign, biased exponent, `stored` bits after the leading 1. */
static size_t format_bits(char *buf, bool negative, unsigned exponent, uint64_t mantissa,
                          int stored, int bias)
{
    struct binary v = { .m = mantissa, .e = 1 - bias - stored };
    uint64_t digits;
    int power;

    if (negative)
        *buf++ = '-';
    if (exponent == 0 && mantissa == 0) /* "-0" is an integer to many readers, and loses its sign */
        return negative + (size_t)sprintf(buf, negative ? "0.0" : "0");
    if (exponent) {
        v.m |= (uint64_t)1 << stored;
        v.e += (int)exponent - 1;
        v.narrow = mantissa == 0 && exponent > 1;
    }
    /* Whole numbers whose neighbours are at most 1 away: their own digits are the shortest. */
    if (v.e <= 0 && v.e >= -stored && (v.m & (((uint64_t)1 << -v.e) - 1)) == 0)
        return negative + number_format_u64(buf, v.m >> -v.e);
    if (stored == HALF_STORED && v.e > 0) /* halves above 2047 */
        return negative + number_format_u64(buf, v.m << v.e);
    digits = shortest(&v, &power);
    return negative + write_decimal(buf, digits, power);
}

size_t number_format_double(char *buf, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return format_bits(buf, bits >> 63, (unsigned)(bits >> 52 & 0x7ff), bits & 0xfffffffffffff, 52,
                       1023);
}

size_t number_format_float(char *buf, float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return format_bits(buf, bits >> 31, bits >> 23 & 0xff, bits & 0x7fffff, 23, 127);
}

size_t number_format_half(char *buf, uint16_t bits)
{
    return format_bits(buf, bits >> 15, bits >> 10 & 0x1f, bits & 0x3ff, HALF_STORED, 15);
}
