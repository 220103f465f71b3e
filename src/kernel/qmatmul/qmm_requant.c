#include "kernel/qmatmul/qmatmul.h"

__extension__ typedef unsigned __int128 u128;

/* A finite value as significand * 2^exponent, the significand whole and below 2^24. */
struct split_float {
    uint64_t significand;
    int exponent;
    bool negative;
};

static struct split_float split(float f)
{
    int exponent;
    float fraction = frexpf(fabsf(f), &exponent);

    return (struct split_float){ (uint64_t)ldexpf(fraction, 24), exponent - 24, signbit(f) != 0 };
}

struct qmm_scale qmm_scale_make(float sa, float sb, float so)
{
    return (struct qmm_scale){ (double)sa * (double)sb / (double)so, sa, sb, so };
}

static int bit_length(u128 v)
{
    uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v;

    if (high)
        return 128 - __builtin_clzll(high);
    return low ? 64 - __builtin_clzll(low) : 0;
}

/* The sign of x * 2^ex - y * 2^ey, for x below 2^112 and y below 2^48. */
static int compare(u128 x, int ex, u128 y, int ey)
{
    int top_x = bit_length(x) + ex, top_y = bit_length(y) + ey;

    if (x == 0 || y == 0)
        return (x > 0) - (y > 0);
    if (top_x != top_y)
        return top_x < top_y ? -1 : 1;
    /* Tops agree, so aligning the larger exponent to the smaller keeps within the other's length.
     */
    if (ex > ey)
        x <<= ex - ey;
    else
        y <<= ey - ex;
    return (x > y) - (x < y);
}

/* |sum * sa * sb / so| against (2 * whole + 1) / 2, a tie between whole and whole + 1. */
static int compare_to_tie(uint64_t magnitude, const struct qmm_scale *s, uint64_t whole)
{
    struct split_float a = split(s->sa), b = split(s->sb), o = split(s->so);
    u128 x = (u128)magnitude * (a.significand * b.significand);
    u128 y = (u128)(2 * whole + 1) * o.significand;

    return compare(x, a.exponent + b.exponent, y, o.exponent - 1);
}

int32_t qmm_round(int64_t sum, const struct qmm_scale *s, bool *tie)
{
    double real = (double)sum * s->approx, size = fabs(real), rounded;
    uint64_t whole;
    int side;

    *tie = false;
    /* The double's relative error is below 2^-50, so beyond 1024 nothing but the clamp is at stake.
     */
    if (size > 1024)
        return real < 0 ? -QMM_BEYOND : QMM_BEYOND;
    whole = (uint64_t)size;
    rounded = size - (double)whole; /* exact */
    if (fabs(rounded - 0.5) > 1e-9)
        side = rounded > 0.5 ? 1 : -1;
    else
        side = compare_to_tie(i64_magnitude(sum), s, whole);
    if (side > 0 || (side == 0 && (whole & 1)))
        whole++;
    *tie = side == 0;
    return real < 0 ? -(int32_t)whole : (int32_t)whole;
}

int32_t qmm_requantize(int64_t sum, const struct qmm_scale *s, int32_t zero, int32_t lo, int32_t hi)
{
    bool tie;

    zero += qmm_round(sum, s, &tie);
    return zero < lo ? lo : zero > hi ? hi : zero;
}
