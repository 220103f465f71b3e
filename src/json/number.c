#include "json/number.h"

#include <float.h>
#include <math.h>

#include "json/decimal.h"

/* Multiplies *v by ten and adds a digit; false on overflow. */
static bool add_digit(uint64_t *v, unsigned digit)
{
    return !__builtin_mul_overflow(*v, (uint64_t)10, v) &&
           !__builtin_add_overflow(*v, (uint64_t)digit, v);
}

/* The digits of a number by their powers of ten. */
struct digits {
    uint64_t whole;
    bool overflow;  /* the whole part is 2^64 or more */
    unsigned tenth; /* the first digit after the point */
    bool rest;      /* a later one is not 0 */
};

static struct digits split_digits(const struct decimal *d)
{
    int64_t n = d->end - d->first - (memchr(d->first, '.', (size_t)(d->end - d->first)) != NULL);
    int64_t power = d->unit + n - 1; /* of ten, of the digit at p */
    struct digits v = { 0 };

    if (d->q == 0 && !d->cut)
        return (struct digits){ .whole = d->w };
    for (const char *p = d->first; p < d->end; p++) {
        unsigned digit = (unsigned)(*p - '0');

        if (*p == '.')
            continue;
        v.overflow = v.overflow || (power >= 0 && !add_digit(&v.whole, digit));
        if (power == -1)
            v.tenth = digit;
        v.rest = v.rest || (power < -1 && digit > 0);
        power--;
    }
    for (; power >= 0 && v.whole > 0 && !v.overflow; power--)
        v.overflow = !add_digit(&v.whole, 0);
    return v;
}

enum number_result number_whole(const char *s, size_t n, bool literal, uint64_t least,
                                uint64_t most, uint64_t *v)
{
    struct decimal d;
    struct digits digits;

    if (!decimal_read(&d, s, n))
        return NUMBER_SYNTAX;
    if (literal && !d.literal)
        return NUMBER_FRACTION;
    digits = split_digits(&d);
    if (digits.tenth || digits.rest)
        return NUMBER_FRACTION;
    if (digits.overflow || digits.whole > (d.negative ? least : most))
        return NUMBER_RANGE;
    *v = d.negative ? 0 - digits.whole : digits.whole;
    return NUMBER_OK;
}

enum number_result number_nearest(const char *s, size_t n, bool *negative, uint64_t *magnitude)
{
    struct decimal d;
    struct digits v;
    bool up;

    if (!decimal_read(&d, s, n))
        return NUMBER_SYNTAX;
    *negative = d.negative;
    v = split_digits(&d);
    up = v.tenth > 5 || (v.tenth == 5 && (v.rest || v.whole % 2 == 1));
    if (v.overflow || (up && v.whole == UINT64_MAX))
        return NUMBER_RANGE;
    *magnitude = v.whole + up;
    return v.tenth > 0 || v.rest ? NUMBER_FRACTION : NUMBER_OK;
}

static bool is_digit(const char *p, const char *end) { return p < end && *p >= '0' && *p <= '9'; }

size_t number_relaxed(const char *s, size_t n, char *buf)
{
    const char *end = s + n;
    struct decimal d;
    char *p = buf;

    if (n == 0 || n > NUMBER_RELAXED - 2)
        return 0;
    if (*s == '-')
        *p++ = '-';
    s += *s == '-' || *s == '+';
    while (*s == '0' && is_digit(s + 1, end))
        s++;
    if (!is_digit(s, end)) {
        if (!is_digit(s + 1, end) || *s != '.')
            return 0;
        *p++ = '0';
    }
    for (bool point = false; s < end; s++) {
        *p++ = *s;
        if (*s == '.' && point)
            return 0;
        point = point || *s == '.';
        if (*s == '.' && !is_digit(s + 1, end))
            *p++ = '0';
    }
    return decimal_read(&d, buf, (size_t)(p - buf)) ? (size_t)(p - buf) : 0;
}

static const struct {
    const char *name;
    double value;
} specials[] = { { "nan", (double)NAN },
                 { "inf", (double)INFINITY },
                 { "-inf", -(double)INFINITY } };

bool number_special(const char *s, size_t n, double *v)
{
    for (size_t i = 0; i < ARRAY_LEN(specials); i++)
        if (strlen(specials[i].name) == n && strncasecmp(specials[i].name, s, n) == 0) {
            *v = specials[i].value;
            return true;
        }
    return false;
}

const char *number_special_name(double v) { return specials[isnan(v) ? 0 : v > 0 ? 1 : 2].name; }

struct float_format {
    int precision;    /* significant bits with the leading 1 */
    int min_exponent; /* of the smallest normal number */
    int sign;         /* index of the sign bit */
};

static const struct float_format format_double = { 53, -1022, 63 }, format_float = { 24, -126, 31 },
                                 format_half = { 11, -14, 15 };

static uint64_t infinity_bits(const struct float_format *f)
{
    return (uint64_t)(2 * (1 - f->min_exponent) + 1) << (f->precision - 1);
}

/* The format's bits for t * 2^e, nearest, ties to even, at most infinity. t >= 2^64. */
static uint64_t round_bits(u128 t, int e, const struct float_format *f)
{
    int length = 128 - __builtin_clzll((uint64_t)(t >> 64));
    int leading = e + length - 1; /* exponent of the first bit */
    int drop = length - f->precision;
    uint64_t bits;
    u128 rest, half;

    if (leading < f->min_exponent)
        drop += f->min_exponent - leading;
    if (drop > length)
        return 0;
    bits = drop < 128 ? (uint64_t)(t >> drop) : 0;
    half = (u128)1 << (drop - 1);
    rest = t - ((u128)bits << (drop - 1) << 1);
    if (rest > half || (rest == half && (bits & 1)))
        bits++;
    /* The leading 1 counts as one exponent step, and a carry goes into the exponent. */
    if (leading > f->min_exponent)
        bits += (uint64_t)(leading - f->min_exponent) << (f->precision - 1);
    return bits < infinity_bits(f) ? bits : infinity_bits(f);
}

/* True if the number rounds to the float of bits + 1 rather than that of bits. */
static bool rounds_up(const struct decimal *d, uint64_t bits, const struct float_format *f)
{
    uint64_t leading = (uint64_t)1 << (f->precision - 1);
    int exponent = (int)(bits >> (f->precision - 1));
    uint64_t m = bits & (leading - 1);
    int order;

    if (exponent)
        m += leading;
    order = decimal_compare(d, 2 * m + 1,
                            f->min_exponent - f->precision + (exponent ? exponent - 1 : 0));
    return order > 0 || (order == 0 && (bits & 1));
}

/* The common case: w and the power of ten are doubles, so one operation rounds once. Rounding the
 * result again is right unless it is halfway between two floats. False in other cases. */
static bool easy_double(const struct decimal *d, double *v)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

    if (FLT_EVAL_METHOD != 0 || d->cut || d->w > (uint64_t)1 << 53 || d->q < -22 || d->q > 22)
        return false;
    *v = d->q < 0 ? (double)d->w / powers[-d->q] : (double)d->w * powers[d->q];
    return true;
}

/* The format's bits for the absolute value, nearest, ties to even. w * 10^q is in [t, t + error] *
 * 2^e; if both ends round differently, all digits decide. */
static uint64_t nearest_bits(const struct decimal *d, const struct float_format *f)
{
    struct power10 power;
    uint64_t w, low_bits, high_bits;
    u128 low, high, t, error = 0;
    int shift, e;

    if (d->w == 0 || d->q < -345) /* below 10^-326: less than half the smallest double */
        return 0;
    if (d->q > 310)
        return infinity_bits(f);
    power = power10((int)d->q);
    shift = __builtin_clzll(d->w);
    w = d->w << shift;
    low = (u128)w * (uint64_t)power.m;
    /* the product is high * 2^64 + low's lower half */
    high = (u128)w * (uint64_t)(power.m >> 64) + (low >> 64);
    e = power.e - shift + 64;
    if (power.exact)
        /* the last bit is 1 if any bit below is */
        t = high >> 1 << 1 | (((uint64_t)low || (high & 1)) ? 1 : 0);
    else {
        t = high;
        error = POWER10_SLACK + 1; /* SLACK * w / 2^64, and what low held */
    }
    if (d->cut) /* one unit of w: m * 2^shift / 2^64 */
        error += ((u128)1 << (64 + shift)) + 1;
    low_bits = round_bits(t, e, f);
    if (error == 0)
        return low_bits;
    high_bits = t + error < t ? low_bits + 1 : round_bits(t + error, e, f);
    if (low_bits != high_bits && rounds_up(d, low_bits, f))
        return low_bits + 1;
    return low_bits;
}

/* The same, faster if easy_double applies. */
static uint64_t quick_bits(const struct decimal *d, const struct float_format *f)
{
    uint64_t bits, rest, half;
    int drop = 53 - f->precision, exponent;
    double v;

    if (!easy_double(d, &v) || v == 0)
        return nearest_bits(d, f);
    memcpy(&bits, &v, sizeof bits);
    if (drop == 0)
        return bits;
    half = (uint64_t)1 << (drop - 1);
    rest = bits & (2 * half - 1);
    exponent = (int)(bits >> 52) - 1022 - f->min_exponent; /* the format's, biased */
    if (rest == half || exponent < 1)
        return nearest_bits(d, f);
    bits = (bits >> drop) + (rest > half);
    bits -= (uint64_t)(1022 + f->min_exponent) << (f->precision - 1);
    return bits < infinity_bits(f) ? bits : infinity_bits(f);
}

/* Reads a number of a format into *v, whose type is as wide. */
static enum number_result read_float(const char *s, size_t n, const struct float_format *f, void *v)
{
    struct decimal d;
    uint64_t bits;

    if (!decimal_read(&d, s, n))
        return NUMBER_SYNTAX;
    bits = quick_bits(&d, f);
    if (bits == infinity_bits(f))
        return NUMBER_RANGE;
    bits |= (uint64_t)d.negative << f->sign;
    if (f->sign == 63)
        memcpy(v, &bits, sizeof bits);
    else if (f->sign == 31)
        memcpy(v, &(uint32_t){ (uint32_t)bits }, sizeof(uint32_t));
    else
        memcpy(v, &(uint16_t){ (uint16_t)bits }, sizeof(uint16_t));
    return NUMBER_OK;
}

enum number_result number_double(const char *s, size_t n, double *v)
{
    return read_float(s, n, &format_double, v);
}

enum number_result number_float(const char *s, size_t n, float *v)
{
    return read_float(s, n, &format_float, v);
}

enum number_result number_half(const char *s, size_t n, uint16_t *v)
{
    return read_float(s, n, &format_half, v);
}
