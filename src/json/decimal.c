#include "json/decimal.h"

enum { W_DIGITS = 19 }; /* 10^19 < 2^64 */

/* The value of a digit, above 9 for other bytes. */
static inline unsigned digit(char c) { return (unsigned char)c - (unsigned)'0'; }

/* Reads digits into *w, which wraps if there are too many; returns their end. */
static const char *read_digits(const char *p, const char *end, uint64_t *w)
{
    uint64_t v = *w;

    for (; p < end && digit(*p) <= 9; p++)
        v = v * 10 + digit(*p);
    *w = v;
    return p;
}

/* Reads the part after 'e'; NULL if it is not an exponent. Larger ones become about 10^18, which no
 * number of digits in a text can compensate. */
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

/* Sets w, q and cut from the first 19 significant digits of a text with more than 19 digits. */
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

struct big big_of(uint64_t m)
{
    return (struct big){ .limb = { (uint32_t)(m % LIMB), (uint32_t)(m / LIMB % LIMB),
                                   (uint32_t)(m / LIMB / LIMB) },
                         .n = 3 };
}

void big_multiply(struct big *b, uint32_t factor)
{
    uint64_t carry = 0;

    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
    for (; carry; carry /= LIMB)
        b->limb[b->n++] = (uint32_t)(carry % LIMB);
}

unsigned big_digit(const struct big *b, int i)
{
    uint32_t limb = b->limb[i / LIMB_DIGITS];

    for (int n = i % LIMB_DIGITS; n > 0; n--)
        limb /= 10;
    return limb % 10;
}

int decimal_compare(const struct decimal *d, uint64_t m, int e)
{
    struct big b = big_of(m);
    const char *p = d->first;
    int64_t power, top; /* of ten, of both first digits */
    int i;

    /* m * 2^e = b * 10^min(e, 0) */
    for (i = e; i <= -13; i += 13)
        big_multiply(&b, 1220703125); /* 5^13 */
    for (; i < 0; i++)
        big_multiply(&b, 5);
    for (; i >= 29; i -= 29)
        big_multiply(&b, 1 << 29);
    big_multiply(&b, (uint32_t)1 << i);
    for (i = LIMB_DIGITS * b.n - 1; big_digit(&b, i) == 0;)
        i--;
    top = i + (e < 0 ? e : 0);
    while (*p == '0' || *p == '.')
        p++;
    power = d->unit + (d->end - p) - (memchr(p, '.', (size_t)(d->end - p)) != NULL) - 1;
    if (power != top)
        return power < top ? -1 : 1;
    for (; p < d->end; p++) {
        unsigned other;

        if (*p == '.')
            continue;
        other = i >= 0 ? big_digit(&b, i--) : 0;
        if (digit(*p) != other)
            return digit(*p) < other ? -1 : 1;
    }
    while (i >= 0 && big_digit(&b, i) == 0)
        i--;
    return i >= 0 ? -1 : 0;
}
