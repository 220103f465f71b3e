#ifndef TESTS_KERNEL_TOPK_ORACLE_H
#define TESTS_KERNEL_TOPK_ORACLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "tensor/dtype.h"

/*
 * What topk has to give, told in terms of values and a stable sort: nothing of it knows of keys.
 * Random data for it too.
 */

/* -1, 0, 1 as the value at a comes before, is equal to, or comes after the value at b, smallest
 * first. */
static inline int oracle_compare_floats(double a, double b)
{
    if (isnan(a) || isnan(b))
        return !!isnan(a) - !!isnan(b);
    return (a > b) - (a < b);
}

static inline int oracle_compare(enum dtype type, const void *a, const void *b)
{
    union {
        float f; uint16_t h; double d;
        int8_t i8; int16_t i16; int32_t i32; int64_t i64;
        uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64;
    } x = { .u64 = 0 }, y = { .u64 = 0 };

    memcpy(&x, a, dtype_size(type));
    memcpy(&y, b, dtype_size(type));
    switch (type) {
    case DT_FLOAT32: return oracle_compare_floats((double)x.f, (double)y.f);
    case DT_FLOAT16:
        return oracle_compare_floats((double)half_to_float(x.h), (double)half_to_float(y.h));
    case DT_FLOAT64: return oracle_compare_floats(x.d, y.d);
    case DT_INT8: return (x.i8 > y.i8) - (x.i8 < y.i8);
    case DT_INT16: return (x.i16 > y.i16) - (x.i16 < y.i16);
    case DT_INT32: return (x.i32 > y.i32) - (x.i32 < y.i32);
    case DT_INT64: return (x.i64 > y.i64) - (x.i64 < y.i64);
    case DT_UINT8: return (x.u8 > y.u8) - (x.u8 < y.u8);
    case DT_UINT16: return (x.u16 > y.u16) - (x.u16 < y.u16);
    case DT_UINT32: return (x.u32 > y.u32) - (x.u32 < y.u32);
    case DT_UINT64: return (x.u64 > y.u64) - (x.u64 < y.u64);
    case DT_NONE:
    case DT_COUNT: break;
    }
    abort();
}

/* What is asked of topk. */
struct oracle_order {
    bool largest, nan_last; /* nan_last: in both directions */
};

static inline bool oracle_is_nan(enum dtype type, const void *p)
{
    union {
        float f; uint16_t h; double d;
    } x = { .d = 0 };

    memcpy(&x, p, dtype_table[type].kind == KIND_FLOAT ? dtype_size(type) : 0);
    return type == DT_FLOAT32 ? isnan(x.f) : type == DT_FLOAT64 ? isnan(x.d)
         : type == DT_FLOAT16 && (x.h & 0x7fff) > 0x7c00;
}

/* -1, 0, 1 as the element at a comes before, with, or after the one at b. */
static inline int oracle_order_of(enum dtype type, struct oracle_order order, const void *a,
                                  const void *b)
{
    int nans = order.nan_last ? (int)oracle_is_nan(type, a) - (int)oracle_is_nan(type, b) : 0;
    int values = oracle_compare(type, a, b);

    return nans ? nans : order.largest ? -values : values;
}

/* Sorts the n elements at src stably: index[i] is the place of the element that comes i-th.
 * room[n]. */
static inline void oracle_sort(enum dtype type, struct oracle_order by, const void *src, size_t n,
                               uint64_t *index, uint64_t *room)
{
    size_t size = dtype_size(type);
    const char *p = src;

    for (size_t i = 0; i < n; i++)
        index[i] = i;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t at = 0; at < n; at += 2 * run) {
            size_t a = at, mid = at + run < n ? at + run : n, b = mid,
                   end = at + 2 * run < n ? at + 2 * run : n;

            for (size_t out = at; out < end; out++) {
                int order = a == mid ? 1 : b == end ? -1
                          : oracle_order_of(type, by, p + index[a] * size, p + index[b] * size);

                room[out] = order <= 0 ? index[a++] : index[b++];
            }
        }
        memcpy(index, room, n * sizeof index[0]);
    }
}

enum oracle_pattern {
    PATTERN_BITS,       /* any bits */
    PATTERN_UNIFORM,    /* any of a range of values */
    PATTERN_FEW,        /* five values */
    /* floats: zeros, infinities, NaNs with payloads, denormals, a few others; else extremes */
    PATTERN_SPECIAL,
    PATTERN_ASCENDING,
    PATTERN_DESCENDING,
    PATTERN_EQUAL,
    PATTERN_ORGAN_PIPE, /* up, then down */
    PATTERN_STAIRS,     /* ascending in long steps of equals */
    PATTERN_SAWTOOTH,   /* ascending again and again */
    PATTERN_RARE,       /* equal, but for a few of any bits */
    PATTERN_EARLY,      /* any of a range of values, then all in its middle */
    PATTERN_COUNT
};

static inline const char *oracle_pattern_name(enum oracle_pattern pattern)
{
    static const char *const names[PATTERN_COUNT] = { "bits",     "uniform",    "few",
                                                      "special",  "ascending",  "descending",
                                                      "equal",    "organ pipe", "stairs",
                                                      "sawtooth", "rare",       "early" };

    return names[pattern];
}

/* Bits of a float of this type by parts. */
static inline uint64_t oracle_special_float(enum dtype type, uint64_t r)
{
    unsigned mantissa = type == DT_FLOAT64 ? 52 : type == DT_FLOAT32 ? 23 : 10;
    unsigned bits = 8 * (unsigned)dtype_size(type);
    uint64_t infinity = ((UINT64_C(1) << (bits - 1)) - 1) >> mantissa << mantissa;
    uint64_t sign = (r >> 8 & 1) << (bits - 1),
             payload = (r >> 16) & ((UINT64_C(1) << mantissa) - 1);

    switch (r & 7) {
    case 0: case 1: return sign;
    case 2: return sign | infinity;
    case 3: case 4: return sign | infinity | payload;   /* a NaN, seldom infinity */
    case 5: return sign | payload;                      /* denormal */
    case 6: return sign | (infinity - 1);               /* largest finite */
    default: return sign | infinity >> 1 | (payload & 3);
    }
}

/* The bits of a value near the rank-th of `of` in ascending order. */
static inline uint64_t oracle_ranked(enum dtype type, uint64_t rank, uint64_t of)
{
    unsigned bits = 8 * (unsigned)dtype_size(type);
    double x = (double)rank / (double)of;
    double d = x * 60000 - 30000;
    float f = (float)d;
    uint64_t r = 0;

    if (type == DT_FLOAT64)
        memcpy(&r, &d, 8);
    else if (type == DT_FLOAT32)
        memcpy(&r, &f, 4);
    else if (type == DT_FLOAT16)
        r = half_from_double(d);
    else {
        r = (uint64_t)(x * 18446744073709549568.0) >> (64 - bits);
        if (dtype_table[type].kind == KIND_SIGNED)
            r ^= UINT64_C(1) << (bits - 1);
    }
    return r;
}

/* Fills dst with n elements of a pattern. */
static inline void oracle_fill(enum dtype type, enum oracle_pattern pattern, void *dst, size_t n,
                               uint64_t *state)
{
    size_t size = dtype_size(type);
    uint64_t few[5];

    for (int i = 0; i < 5; i++)
        few[i] = random_next(state);
    for (size_t i = 0; i < n; i++) {
        uint64_t r = random_next(state), bits = r;

        switch (pattern) {
        case PATTERN_UNIFORM: bits = oracle_ranked(type, r >> 11, UINT64_C(1) << 53); break;
        case PATTERN_FEW: bits = few[r % 5]; break;
        case PATTERN_SPECIAL:
            bits = dtype_table[type].kind == KIND_FLOAT ? oracle_special_float(type, r)
                 : r & 1 ? oracle_ranked(type, r >> 1 & 1, 1) : r >> 8;
            break;
        case PATTERN_ASCENDING: bits = oracle_ranked(type, i, n); break;
        case PATTERN_DESCENDING: bits = oracle_ranked(type, n - i, n); break;
        case PATTERN_EQUAL: bits = few[0]; break;
        case PATTERN_ORGAN_PIPE: bits = oracle_ranked(type, i < n / 2 ? i : n - i, n); break;
        case PATTERN_STAIRS: bits = oracle_ranked(type, i / 700 * 700, n); break;
        case PATTERN_SAWTOOTH: bits = oracle_ranked(type, i % 3000, 3000); break;
        case PATTERN_RARE: bits = r % 1000 == 0 ? r >> 10 : few[0]; break;
        case PATTERN_EARLY:
            bits = oracle_ranked(type, i < n / 8 ? r >> 11 : UINT64_C(1) << 52, UINT64_C(1) << 53);
            break;
        case PATTERN_BITS:
        case PATTERN_COUNT: break;
        }
        memcpy((char *)dst + i * size, &bits, size); /* little-endian: the low bytes */
    }
}

#endif
