#include "json/decimal.h"

#include <string.h>

enum { W_DIGITS = 19 }; /* 10^19 < 2^64 */

/* The value of a digit, above 9 for other bytes. */
static inline unsigned digit(char c) { return (unsigned char)c - (unsigned)'0'; }

/* Reads digits into *w, which wraps where there are too many; returns their end. */
static const char *read_digits(const char *p, const char *end, uint64_t *w)
{
    uint64_t v = *w;

    for (; p < end && digit(*p) <= 9; p++)
        v = v * 10 + digit(*p);
    *w = v;
    return p;
}

/* Reads the part after 'e'; NULL where it is not an exponent. Exponents stop at about 10^18: no
 * text is long enough to compensate for one. */
static const char *read_exponent(const char *p, const char *end, int64_t *exponent)
{
    bool negative = p < end && *p == '-';
    int64_t v = 0;

    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end || digit(*p) > 9)
        return NULL;
    for (; p < end && digit(*p) <= 9; p++)
        if (v < 100000000000000000)
            v = v * 10 + digit(*p);
    *exponent = negative ? -v : v;
    return p;
}

/* Sets w, q and cut from the first 19 significant digits, where more than 19 digits are written. */
static void read_leading(struct decimal *d)
{
    const char *p = d->first;
    int64_t after = 0;

    d->w = 0;
    for (int n = 0; p < d->end && n < W_DIGITS; p++)
        if (*p != '.') {
            d->w = d->w * 10 + digit(*p);
            n++;
        }
    for (; p < d->end; p++)
        if (*p != '.') {
            after++;
            d->cut = d->cut || *p != '0';
        }
    d->q = d->unit + after;
}

bool decimal_read(struct decimal *d, const char *s, size_t n)
{
    const char *p = s, *end = s + n, *whole, *fraction;
    int64_t exponent = 0;

    *d = (struct decimal){ .negative = n > 0 && *s == '-' };
    whole = p += d->negative;
    fraction = p = read_digits(p, end, &d->w);
    if (p == whole || (*whole == '0' && p - whole > 1))
        return false;
    d->literal = p == end;
    if (p < end && *p == '.') {
        fraction = p + 1;
        p = read_digits(fraction, end, &d->w);
        if (p == fraction)
            return false;
    }
    d->first = whole;
    d->end = p;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p = read_exponent(p + 1, end, &exponent);
        if (!p)
            return false;
    }
    if (p != end)
        return false;
    d->q = d->unit = exponent - (d->end - fraction);
    if (d->end - whole > W_DIGITS) {
        while (d->first < d->end && (*d->first == '0' || *d->first == '.'))
            d->first++;
        read_leading(d);
    }
    return true;
}

/*
 * A natural number of at most 6000 bits: 800 decimal digits (2658 bits) shifted by at most 2200, or
 * m * 5^1150 (2735 bits).
 */
enum { BIG_LIMBS = 188 };

struct big {
    uint32_t limb[BIG_LIMBS]; /* least first */
    int n;                    /* limbs in use; the last is not 0 */
};

/* b = b * factor + addend */
static void big_step(struct big *b, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;

    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        b->limb[b->n++] = (uint32_t)carry;
}

static void big_times_power5(struct big *b, int64_t power)
{
    for (; power >= 13; power -= 13)
        big_step(b, 1220703125, 0); /* 5^13 */
    for (; power > 0; power--)
        big_step(b, 5, 0);
}

static void big_shift(struct big *b, int64_t bits)
{
    int whole = (int)(bits / 32);

    for (int i = b->n; i-- > 0;)
        b->limb[i + whole] = b->limb[i];
    memset(b->limb, 0, (size_t)whole * sizeof b->limb[0]);
    b->n += whole;
    big_step(b, (uint32_t)1 << bits % 32, 0);
}

static int big_compare(const struct big *a, const struct big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* Reads at most 800 digits: points halfway between two doubles have at most 768, so that of later
 * digits it only matters whether one is not 0. Returns the power of ten of the last digit read. */
static int64_t big_read(struct big *b, const struct decimal *d, bool *more)
{
    int64_t after = 0;
    int n = 0;

    *more = false;
    for (const char *p = d->first; p < d->end; p++) {
        if (*p == '.')
            continue;
        if (n == 800) {
            after++;
            *more = *more || *p != '0';
        } else {
            big_step(b, 10, digit(*p));
            n += b->n > 0;
        }
    }
    return d->unit + after;
}

int decimal_compare(const struct decimal *d, uint64_t m, int e)
{
    struct big a = { .n = 0 },
               b = { .limb = { (uint32_t)m, (uint32_t)(m >> 32) }, .n = m >> 32 ? 2 : 1 };
    bool more;
    int64_t q = big_read(&a, d, &more);
    int order;

    big_times_power5(q >= 0 ? &a : &b, q >= 0 ? q : -q);
    if (q >= e)
        big_shift(&a, q - e);
    else
        big_shift(&b, e - q);
    order = big_compare(&a, &b);
    return order ? order : more;
}
