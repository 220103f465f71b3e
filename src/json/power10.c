#include "json/decimal.h"

/* The first 128 bits of 10^(27 i), i from -13, rounded down. */
static const uint64_t coarse[][2] = {
    { 0x8049a4ac0c5811ae, 0x205b896d777d6278 }, /* 10^-351 */
    { 0xcf42894a5dce35ea, 0x52064cac828675b9 },
    { 0xa76c582338ed2621, 0xaf2af2b80af6f24e },
    { 0x873e4f75e2224e68, 0x5a7744a6e804a291 },
    { 0xda7f5bf590966848, 0xaf39a475506a899e },
    { 0xb080392cc4349dec, 0xbd8d794d96aacfb3 },
    { 0x8e938662882af53e, 0x547eb47b7282ee9c },
    { 0xe65829b3046b0afa, 0x0cb4a5a3112a5112 },
    { 0xba121a4650e4ddeb, 0x92f34d62616ce413 },
    { 0x964e858c91ba2655, 0x3a6a07f8d510f86f },
    { 0xf2d56790ab41c2a2, 0xfae27299423fb9c3 },
    { 0xc428d05aa4751e4c, 0xaa97e14c3c26b886 },
    { 0x9e74d1b791e07e48, 0x775ea264cf55347d },
    { 0x8000000000000000, 0x0000000000000000 }, /* 1 */
    { 0xcecb8f27f4200f3a, 0x0000000000000000 },
    { 0xa70c3c40a64e6c51, 0x999090b65f67d924 },
    { 0x86f0ac99b4e8dafd, 0x69a028bb3ded71a3 },
    { 0xda01ee641a708de9, 0xe80e6f4820cc9495 },
    { 0xb01ae745b101e9e4, 0x5ec05dcff72e7f8f },
    { 0x8e41ade9fbebc27d, 0x14588f13be847307 },
    { 0xe5d3ef282a242e81, 0x8f1668c8a86da5fa },
    { 0xb9a74a0637ce2ee1, 0x6d953e2bd7173692 },
    { 0x95f83d0a1fb69cd9, 0x4abdaf101564f98e },
    { 0xf24a01a73cf2dccf, 0xbc633b39673c8cec },
    { 0xc3b8358109e84f07, 0x0a862f80ec4700c8 },
    { 0x9e19db92b4e31ba9, 0x6c07a2c26a8346d1 }, /* 10^324 */
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
