#ifndef TESTS_KERNEL_QMM_ORACLE_H
#define TESTS_KERNEL_QMM_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* What requantization has to give, by division of whole numbers: no floating-point operation takes
 * part. */

__extension__ typedef unsigned __int128 oracle_u128;

/* A finite float as negative ? -significand : significand, times 2^exponent. */
struct oracle_float {
    bool negative;
    uint32_t significand;
    int exponent;
};

static inline struct oracle_float oracle_take_apart(float f)
{
    uint32_t bits, fraction;
    int exponent;

    memcpy(&bits, &f, sizeof bits);
    fraction = bits & 0x7fffff;
    exponent = (int)(bits >> 23 & 0xff);
    if (exponent == 0)
        return (struct oracle_float){ bits >> 31, fraction, 1 - 150 };
    return (struct oracle_float){ bits >> 31, fraction | 0x800000, exponent - 150 };
}

static inline int oracle_bits(oracle_u128 v)
{
    uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v;

    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

/* Half to even of num * 2^exponent / den; anything above 2^20 may come out as 2^20. */
static inline int32_t oracle_round(oracle_u128 num, uint32_t den, int exponent)
{
    oracle_u128 divisor = den, rest;
    uint64_t whole;

    if (num == 0 || (exponent < 0 && oracle_bits(den) - exponent > 126))
        return 0; /* num is below 2^111: far below a half */
    if (exponent > 0 && oracle_bits(num) + exponent > 126)
        return 1 << 20; /* den is below 2^24 */
    if (exponent > 0)
        num <<= exponent;
    else
        divisor <<= -exponent;
    if (num / divisor >= 1 << 20)
        return 1 << 20;
    whole = (uint64_t)(num / divisor);
    rest = num % divisor * 2;
    if (rest > divisor || (rest == divisor && whole % 2 == 1))
        whole++;
    return (int32_t)whole;
}

/* clamp(round(sum * sa * sb / so) + zero, lo, hi) */
static inline int32_t oracle_requantize(int64_t sum, float sa, float sb, float so, int32_t zero,
                                        int32_t lo, int32_t hi)
{
    struct oracle_float a = oracle_take_apart(sa), b = oracle_take_apart(sb),
                        o = oracle_take_apart(so);
    uint64_t magnitude = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;
    bool negative = (sum < 0) != (a.negative != (b.negative != o.negative));
    int32_t r = oracle_round((oracle_u128)magnitude * a.significand * b.significand, o.significand,
                             a.exponent + b.exponent - o.exponent);

    r = (negative ? -r : r) + zero;
    return r < lo ? lo : r > hi ? hi : r;
}

#endif
