#pragma once

#include "desc/desc.h"

/* What products and requantization have to give, by division of whole numbers: no floating-point
 * operation takes part. */

__extension__ typedef unsigned __int128 oracle_u128;

/* One thread runs these loops: ThreadSanitizer need not watch them, which takes minutes. */
#ifdef __clang__
#if __has_feature(thread_sanitizer)
#pragma clang attribute push(__attribute__((no_sanitize("thread"))), apply_to = function)
#define ORACLE_UNWATCHED
#endif
#endif

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

static inline int32_t oracle_byte(const struct tensor *t, const char *at)
{
    return t->type == DT_INT8 ? *(const signed char *)at : *(const unsigned char *)at;
}

/* The address of the value for a lane: at that coordinate of the axis that is longer than 1, if
 * any. */
static inline const char *oracle_lane(const struct tensor *t, uint64_t lane)
{
    int64_t at = 0;

    for (unsigned i = 0; i < t->rank; i++)
        if (t->sizes[i] > 1)
            at += (int64_t)lane * t->strides[i];
    return (const char *)t->data + at * (int64_t)dtype_size(t->type);
}

/* A zero point of a lane; t may be NULL. */
static inline int32_t oracle_zero(const struct tensor *t, uint64_t lane)
{
    return t ? oracle_byte(t, oracle_lane(t, lane)) : 0;
}

static inline float oracle_scale(const struct tensor *t, uint64_t lane)
{
    float f;

    memcpy(&f, oracle_lane(t, lane), sizeof f);
    if (t->swapped)
        tensor_swap_bytes(&f, sizeof f, 1);
    return f;
}

/* The sum of products for the output at c[outer..., row, column]; zero points in t may be NULL. */
static inline int64_t oracle_sum(struct tensor *const t[SLOT_COUNT], const uint64_t *c)
{
    const struct tensor *ta = t[SLOT_A], *tb = t[SLOT_B], *tc = t[SLOT_C];
    unsigned outer = tc->rank - 2;
    uint64_t a[DML_MAX_RANK], b[DML_MAX_RANK], row = c[outer], column = c[outer + 1];
    int32_t za = oracle_zero(t[SLOT_A_ZERO], row), zb = oracle_zero(t[SLOT_B_ZERO], column);
    const char *at_a, *at_b;
    int64_t sum = 0;

    memcpy(a, c, tc->rank * sizeof a[0]);
    memcpy(b, c, tc->rank * sizeof b[0]);
    a[outer + 1] = b[outer] = 0;
    at_a = tensor_at(ta, a);
    at_b = tensor_at(tb, b);
    for (uint64_t k = 0; k < ta->sizes[outer + 1]; k++) {
        sum += (int64_t)(oracle_byte(ta, at_a) - za) * (oracle_byte(tb, at_b) - zb);
        at_a += ta->strides[outer + 1];
        at_b += tb->strides[outer];
    }
    return sum;
}

/* The byte of an 8-bit output at c[outer..., row, column]. */
static inline char oracle_product(struct tensor *const t[SLOT_COUNT], const uint64_t *c)
{
    const struct tensor *tc = t[SLOT_C];
    uint64_t row = c[tc->rank - 2], column = c[tc->rank - 1];
    int32_t lo = tc->type == DT_INT8 ? -128 : 0, hi = tc->type == DT_INT8 ? 127 : 255;

    return (char)oracle_requantize(
        oracle_sum(t, c), oracle_scale(t[SLOT_A_SCALE], row), oracle_scale(t[SLOT_B_SCALE], column),
        oracle_scale(t[SLOT_C_SCALE], row), oracle_zero(t[SLOT_C_ZERO], row), lo, hi);
}

#ifdef ORACLE_UNWATCHED
#pragma clang attribute pop
#endif
