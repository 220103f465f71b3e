#pragma once

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

/* A value as C compares it: of a float, a signed or an unsigned type. */
union oracle_value {
    double d;
    int64_t i;
    uint64_t u;
};

/* The value of the element at p. */
static inline union oracle_value oracle_value_of(enum dtype type, const void *p)
{
    union {
        float f; uint16_t h; double d;
        int8_t i8; int16_t i16; int32_t i32; int64_t i64;
        uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64;
    } x = { .u64 = 0 };

    memcpy(&x, p, dtype_size(type));
    switch (type) {
    case DT_FLOAT32: return (union oracle_value){ .d = (double)x.f };
    case DT_FLOAT16: return (union oracle_value){ .d = (double)half_to_float(x.h) };
    case DT_FLOAT64: return (union oracle_value){ .d = x.d };
    case DT_INT8: return (union oracle_value){ .i = x.i8 };
    case DT_INT16: return (union oracle_value){ .i = x.i16 };
    case DT_INT32: return (union oracle_value){ .i = x.i32 };
    case DT_INT64: return (union oracle_value){ .i = x.i64 };
    case DT_UINT8: return (union oracle_value){ .u = x.u8 };
    case DT_UINT16: return (union oracle_value){ .u = x.u16 };
    case DT_UINT32: return (union oracle_value){ .u = x.u32 };
    case DT_UINT64: return (union oracle_value){ .u = x.u64 };
    case DT_NONE:
    case DT_COUNT: break;
    }
    abort();
}

/* What is asked of topk. */
struct oracle_order {
    bool largest, nan_last; /* nan_last: in both directions */
};

/* -1, 0, 1 as the value a comes before, with, or after b. NaN is the greatest value. */
static inline int oracle_order_values(enum dtype_kind kind, struct oracle_order order,
                                      union oracle_value a, union oracle_value b)
{
    int values = kind == KIND_UNSIGNED ? (a.u > b.u) - (a.u < b.u)
               : kind == KIND_SIGNED   ? (a.i > b.i) - (a.i < b.i)
                                       : (a.d > b.d) - (a.d < b.d);

    if (kind == KIND_FLOAT && (isnan(a.d) || isnan(b.d))) {
        values = !!isnan(a.d) - !!isnan(b.d);
        if (order.nan_last)
            return values;
    }
    return order.largest ? -values : values;
}

/* The same of the elements at a and b. */
static inline int oracle_order_of(enum dtype type, struct oracle_order order, const void *a,
                                  const void *b)
{
    return oracle_order_values(dtype_table[type].kind, order, oracle_value_of(type, a),
                               oracle_value_of(type, b));
}

struct oracle_entry {
    union oracle_value value;
    uint64_t index;
};

/* Merges the `left` sorted entries at src and the `right` sorted ones behind them into dst. */
static inline void oracle_merge(enum dtype_kind kind, struct oracle_order by,
                                const struct oracle_entry *src, size_t left, size_t right,
                                struct oracle_entry *dst)
{
    const struct oracle_entry *a = src, *b = src + left, *mid = b, *end = b + right;

    /* the choice is no branch: a processor would guess it wrong half of the time */
    while (a < mid && b < end) {
        bool second = oracle_order_values(kind, by, b->value, a->value) < 0;

        *dst++ = *(second ? b : a);
        b += second;
        a += !second;
    }
    memcpy(dst, a, (size_t)(mid - a) * sizeof *a);
    memcpy(dst + (mid - a), b, (size_t)(end - b) * sizeof *b);
}

/* Sorts n entries stably by merging; room[n]. Returns where they are then: entries or room. */
static inline struct oracle_entry *oracle_sort_entries(enum dtype_kind kind, struct oracle_order by,
                                                       struct oracle_entry *entries,
                                                       struct oracle_entry *room, size_t n)
{
    for (size_t run = 1; run < n; run *= 2) {
        struct oracle_entry *from = entries;

        for (size_t at = 0; at < n; at += 2 * run) {
            size_t left = n - at < run ? n - at : run, right = n - at - left;

            oracle_merge(kind, by, from + at, left, right < run ? right : run, room + at);
        }
        entries = room;
        room = from;
    }
    return entries;
}

/* Sorts the n elements at src stably: index[i] is the place of the element that comes i-th. */
static inline void oracle_sort(enum dtype type, struct oracle_order by, const void *src, size_t n,
                               uint64_t *index)
{
    struct oracle_entry *entries = malloc(2 * n * sizeof *entries), *sorted = NULL;

    if (!entries)
        abort();
    for (size_t i = 0; i < n; i++)
        entries[i] = (struct oracle_entry){
            oracle_value_of(type, (const char *)src + i * dtype_size(type)), i
        };
    switch (dtype_table[type].kind) { /* a loop of its own for each kind */
    case KIND_UNSIGNED:
        sorted = oracle_sort_entries(KIND_UNSIGNED, by, entries, entries + n, n);
        break;
    case KIND_SIGNED:
        sorted = oracle_sort_entries(KIND_SIGNED, by, entries, entries + n, n);
        break;
    case KIND_FLOAT:
        sorted = oracle_sort_entries(KIND_FLOAT, by, entries, entries + n, n);
        break;
    }
    for (size_t i = 0; i < n; i++)
        index[i] = sorted[i].index;
    free(entries);
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
    PATTERN_TEETH,      /* ascending, but for runs that descend */
    PATTERN_RARE,       /* equal, but for a few of any bits */
    PATTERN_EARLY,      /* any of a range of values, then all in its middle */
    PATTERN_COUNT
};

static inline const char *oracle_pattern_name(enum oracle_pattern pattern)
{
    static const char *const names[PATTERN_COUNT] = { "bits",     "uniform",    "few",
                                                      "special",  "ascending",  "descending",
                                                      "equal",    "organ pipe", "stairs",
                                                      "sawtooth", "teeth",      "rare",
                                                      "early" };

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
        case PATTERN_TEETH: bits = oracle_ranked(type, i + 299 - 2 * (i % 300), n + 299); break;
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
