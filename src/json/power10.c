#include "json/decimal.h"

/* The first 128 bits of 10^(27 i), i from -13 to 12, rounded down. */
static const uint64_t coarse[][2] = {
#include "json/power10_rows.h"
};

/* v, 5 * v and so on */
#define NINE(v) \
    (v), (v) * 5, (v) * 25, (v) * 125, (v) * 625, (v) * 3125, (v) * 15625, (v) * 78125, (v) * 390625

/* 5^j */
static const uint64_t five[27] = { NINE(UINT64_C(1)), NINE(UINT64_C(1953125)),
                                   NINE(UINT64_C(3814697265625)) };

/* 10^q = 10^(27 i) * 5^j * 2^j. The coarse power is too small by less than 1 of at least 2^127, so
 * the product of 128 bits is too small by less than 2, and its cut by less than 1 more. */
struct power10 power10(int q)
{
    unsigned i = (unsigned)(q - POWER10_MIN) / 27, j = (unsigned)(q - POWER10_MIN) % 27;
    u128 low = (u128)coarse[i][1] * five[j];
    u128 high = (u128)coarse[i][0] * five[j] + (low >> 64); /* the product is high * 2^64 + rest */
    uint64_t rest = (uint64_t)low, top = (uint64_t)(high >> 64);

    if (top) { /* j > 0: then at least 3 leading zeros */
        int shift = __builtin_clzll(top);

        high = high << shift | rest >> (64 - shift);
    } else
        high = high << 64 | rest;
    return (struct power10){
        .m = high,
        .e = ((217706 * q) >> 16) - 127, /* floor(log2(10^q)), right for |q| < 1650 */
        .exact = q >= 0 && q <= 55,
    };
}
